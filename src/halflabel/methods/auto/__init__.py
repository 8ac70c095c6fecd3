"""AutoLabeler, the default method of ``complete``: an ensemble of five models of different kinds."""

from halflabel.methods.auto.effort import EFFORTS
from halflabel.methods.auto.ensemble import MEMBERS
from halflabel.methods.auto.estimator import AutoLabeler
from halflabel.methods.auto.mixed import MixedLabeler
from halflabel.methods.auto.prior import CalibratedPrior

__all__ = ["EFFORTS", "MEMBERS", "AutoLabeler", "CalibratedPrior", "MixedLabeler"]
