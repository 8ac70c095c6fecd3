"""Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it."""

from typing import TYPE_CHECKING

from halflabel._lazy import HOOKS, import_on_use
from halflabel._progress import report_progress
from halflabel._version import __version__

if TYPE_CHECKING:
    from halflabel.completion import Completion, Explanation, complete
    from halflabel.completion.display import Views
    from halflabel.completion.model_file.predictor import Predictor
    from halflabel.completion.model_file.saving import load
    from halflabel.evaluation import Evaluation, evaluate
    from halflabel.labels import PartialLabels
    from halflabel.labels.rules import Rule
    from halflabel.methods.auto import AutoLabeler, MixedLabeler
    from halflabel.methods.impute import SoftImputer
    from halflabel.methods.masked_targets import MaskedTargets
    from halflabel.methods.matrix_completion import MC1, MCb
    from halflabel.methods.mddm import MDDM
    from halflabel.methods.ssdrmc import SSDRMC
    from halflabel.methods.vvmr import VVMR, LowRankVVMR
    from halflabel.table import OpenTable, open_table
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.completion": ["Completion", "Explanation", "complete"],
            "halflabel.completion.model_file.predictor": ["Predictor"],
            "halflabel.completion.model_file.saving": ["load"],
            "halflabel.datasets": ["datasets"],
            "halflabel.evaluation": ["Evaluation", "evaluate"],
            "halflabel.labels": ["PartialLabels"],
            "halflabel.labels.rules": ["Rule"],
            "halflabel.methods.auto": ["AutoLabeler", "MixedLabeler"],
            "halflabel.methods.impute": ["SoftImputer"],
            "halflabel.methods.masked_targets": ["MaskedTargets"],
            "halflabel.metrics": ["metrics"],
            "halflabel.methods.matrix_completion": ["MC1", "MCb"],
            "halflabel.methods.mddm": ["MDDM"],
            "halflabel.methods.ssdrmc": ["SSDRMC"],
            "halflabel.methods.vvmr": ["VVMR", "LowRankVVMR"],
            "halflabel.table": ["OpenTable", "open_table"],
        },
    )


def _find_views() -> "Views":
    from halflabel.report import views

    return views


HOOKS["views"] = _find_views

__all__ = [
    "MC1",
    "MDDM",
    "SSDRMC",
    "VVMR",
    "AutoLabeler",
    "Completion",
    "Evaluation",
    "Explanation",
    "LowRankVVMR",
    "MCb",
    "MaskedTargets",
    "MixedLabeler",
    "OpenTable",
    "PartialLabels",
    "Predictor",
    "Rule",
    "SoftImputer",
    "__version__",
    "complete",
    "evaluate",
    "load",
    "open_table",
    "report_progress",
]
