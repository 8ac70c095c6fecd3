"""A half-labelled table goes in, a full one with evidence comes out."""

from halflabel.completion.checks import check_observed_rate, check_prior_support
from halflabel.completion.filling import complete, default_method
from halflabel.completion.result import Completion, Explanation

__all__ = ["Completion", "Explanation", "check_observed_rate", "check_prior_support", "complete", "default_method"]
