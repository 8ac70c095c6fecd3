"""Runs and their records; no plots, no HTML."""

from halflabel.experiments.demo import Demo, run_demo
from halflabel.experiments.evaluation import Evaluation, evaluate

__all__ = ["Demo", "Evaluation", "evaluate", "run_demo"]
