"""Runs, their records, and what they say: evaluate(), the demo, and papers measured anew."""

from halflabel.experiments.demo import Demo, run_demo
from halflabel.experiments.evaluation import IN_WORDS, Evaluation, evaluate

__all__ = ["IN_WORDS", "Demo", "Evaluation", "evaluate", "run_demo"]
