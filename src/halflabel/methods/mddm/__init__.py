"""MDDM (Zhang and Zhou, 2008)."""

from halflabel.methods.mddm.estimator import MDDM

__all__ = ["MDDM"]
