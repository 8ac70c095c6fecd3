"""Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it."""

from halflabel._version import __version__
from halflabel.auto import AutoLabeler
from halflabel.completion import Completion, Explanation, complete
from halflabel.impute import GaussianMixtureImputer, SoftImputer
from halflabel.labels import PartialLabels
from halflabel.matrix_completion import MC1, MCb
from halflabel.mddm import MDDM
from halflabel.predictor import Predictor, load
from halflabel.ssdrmc import SSDRMC
from halflabel.vvmr import VVMR, LowRankVVMR

__all__ = [
    "MC1",
    "MDDM",
    "SSDRMC",
    "VVMR",
    "AutoLabeler",
    "Completion",
    "Explanation",
    "GaussianMixtureImputer",
    "LowRankVVMR",
    "MCb",
    "PartialLabels",
    "Predictor",
    "SoftImputer",
    "__version__",
    "complete",
    "load",
]
