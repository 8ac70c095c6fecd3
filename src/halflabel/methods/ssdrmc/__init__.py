"""SSDR-MC: labels propagated along reconstruction weights (Qian & Davidson 2010)."""

from halflabel.methods.ssdrmc.estimator import SSDRMC

__all__ = ["SSDRMC"]
