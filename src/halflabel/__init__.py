"""Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it."""

from halflabel._version import __version__
from halflabel.completion import Completion, Explanation, complete
from halflabel.labels import PartialLabels
from halflabel.mddm import MDDM
from halflabel.predictor import Predictor, load
from halflabel.ssdrmc import SSDRMC

__all__ = [
    "MDDM",
    "SSDRMC",
    "Completion",
    "Explanation",
    "PartialLabels",
    "Predictor",
    "__version__",
    "complete",
    "load",
]
