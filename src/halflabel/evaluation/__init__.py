"""Labels of the user's own data hidden and predicted again: evaluate(), the learning curve and the demo."""

from halflabel.evaluation.demo import Demo, run_demo
from halflabel.evaluation.summary import IN_WORDS, Evaluation, evaluate

__all__ = ["IN_WORDS", "Demo", "Evaluation", "evaluate", "run_demo"]
