"""A half-labelled table goes in, a full one with evidence comes out."""

from halflabel.completion.checks import check_observed_rate, check_prior_support
from halflabel.completion.explanation import Explanation
from halflabel.completion.filling import build_default_method, complete
from halflabel.completion.result import Completion

__all__ = [
    "Completion",
    "Explanation",
    "build_default_method",
    "check_observed_rate",
    "check_prior_support",
    "complete",
]
