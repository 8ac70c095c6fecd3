"""Vector-valued kernel regression with a graph, for labels with gaps and for positive-only labels."""

from halflabel.methods.vvmr.estimator import VVMR
from halflabel.methods.vvmr.lowrank import LowRankVVMR

__all__ = ["VVMR", "LowRankVVMR"]
