"""Tests on the user's own data, whose labels are hidden and predicted again: evaluate(), learning curve, demo."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.evaluation.demo import Demo, run_demo
    from halflabel.evaluation.hiding import IN_WORDS
    from halflabel.evaluation.summary import Evaluation, evaluate
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.evaluation.hiding": ["IN_WORDS"],
            "halflabel.evaluation.demo": ["Demo", "run_demo"],
            "halflabel.evaluation.summary": ["Evaluation", "evaluate"],
        },
    )

__all__ = ["IN_WORDS", "Demo", "Evaluation", "evaluate", "run_demo"]
