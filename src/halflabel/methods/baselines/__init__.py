"""Methods for comparison. The distribution halflabel-papers has the methods that only papers compare with."""

from halflabel.methods.baselines.binary_relevance import BinaryRelevance
from halflabel.methods.baselines.mlknn import MLkNN

__all__ = ["BinaryRelevance", "MLkNN"]

#: Methods that moved to halflabel_papers.comparators after version 0.1. The names stay for one version.
_MOVED = {
    "EPR", "GLOCAL", "LDA", "LEML", "LPP", "MLGFHF", "MLRGL", "MLSI", "ROLE", "SMILE", "CanonicalCorrelation",
    "CorrectAndSmooth", "ElkanNoto", "FastTag", "LinearSVM", "OtherLabels", "RankSVM",
}  # fmt: skip


def __getattr__(name: str) -> object:
    if name in _MOVED:
        raise ImportError(
            f"{name} has moved: install halflabel-papers (`pip install halflabel-papers`, in a clone of the repository "
            f"`pip install ./papers`), and write `from halflabel_papers.comparators import {name}`."
        )
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
