"""AutoLabeler: the default of ``complete``, a pool of five models of different kinds."""

from halflabel.methods.auto.estimator import AutoLabeler
from halflabel.methods.auto.pool import MEMBERS, Pooled
from halflabel.methods.auto.prior import CalibratedPrior

__all__ = ["MEMBERS", "AutoLabeler", "CalibratedPrior", "Pooled"]
