"""Labels of the user's own data hidden and predicted again: evaluate(), the learning curve and the demo."""

from halflabel.completion.hiding import IN_WORDS
from halflabel.evaluation.demo import Demo, run_demo
from halflabel.evaluation.entrance import evaluate
from halflabel.evaluation.summary import Evaluation

__all__ = ["IN_WORDS", "Demo", "Evaluation", "evaluate", "run_demo"]
