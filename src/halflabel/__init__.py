"""Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it."""

from halflabel._version import __version__
from halflabel.completion import Completion, Explanation, complete
from halflabel.completion.model_file import Predictor, load
from halflabel.evaluation import Evaluation, evaluate
from halflabel.labels import PartialLabels
from halflabel.methods.auto import AutoLabeler
from halflabel.methods.impute import GaussianMixtureImputer, SoftImputer
from halflabel.methods.matrix_completion import MC1, MCb
from halflabel.methods.mddm import MDDM
from halflabel.methods.ssdrmc import SSDRMC
from halflabel.methods.vvmr import VVMR, LowRankVVMR

__all__ = [
    "MC1",
    "MDDM",
    "SSDRMC",
    "VVMR",
    "AutoLabeler",
    "Completion",
    "Evaluation",
    "Explanation",
    "GaussianMixtureImputer",
    "LowRankVVMR",
    "MCb",
    "PartialLabels",
    "Predictor",
    "SoftImputer",
    "__version__",
    "complete",
    "evaluate",
    "load",
]
