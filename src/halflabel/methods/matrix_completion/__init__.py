"""Transduction with matrix completion (Goldberg, Zhu, Recht, Xu & Nowak 2010): MC-1 and MC-b."""

from halflabel.methods.matrix_completion.estimators import MC1, MCb

__all__ = ["MC1", "MCb"]
