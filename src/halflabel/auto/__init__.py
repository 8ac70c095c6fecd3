"""AutoLabeler: the default of ``complete``, a pool of five models of different kinds."""

from halflabel.auto.estimator import AutoLabeler
from halflabel.auto.pool import MEMBERS, Pooled
from halflabel.auto.prior import CalibratedPrior

__all__ = ["MEMBERS", "AutoLabeler", "CalibratedPrior", "Pooled"]
