"""AutoLabeler: the default of ``complete``, a pool of five models of different kinds."""

from halflabel.auto.estimator import AutoLabeler
from halflabel.auto.pool import MEMBERS, Pooled

__all__ = ["MEMBERS", "AutoLabeler", "Pooled"]
