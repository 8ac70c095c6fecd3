"""A half-labelled table goes in, a full one with evidence comes out."""

from halflabel.completion.filling import complete, default_method
from halflabel.completion.refusals import refuse_deaf_method, refuse_unfit_rate
from halflabel.completion.result import Completion, Explanation

__all__ = ["Completion", "Explanation", "complete", "default_method", "refuse_deaf_method", "refuse_unfit_rate"]
