"""A half-labelled table goes in, a full one with evidence comes out."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.completion.explanation import Explanation
    from halflabel.completion.filling import build_default_method, complete
    from halflabel.completion.preconditions import check_observed_rate, check_prior_support
    from halflabel.completion.result import Completion
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.completion.preconditions": ["check_observed_rate", "check_prior_support"],
            "halflabel.completion.explanation": ["Explanation"],
            "halflabel.completion.filling": ["build_default_method", "complete"],
            "halflabel.completion.result": ["Completion"],
        },
    )

__all__ = [
    "Completion",
    "Explanation",
    "build_default_method",
    "check_observed_rate",
    "check_prior_support",
    "complete",
]
