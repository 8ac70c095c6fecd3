"""Names of meanings and rules, apart from their functions: the help of a command imports nothing else."""

from __future__ import annotations

from typing import Literal

#: The meaning of a label that an item does not list.
Absent = Literal["irrelevant", "unknown"]

#: How much work the default method may be.
Effort = Literal["fast", "default", "best"]

#: Names of threshold rules; ``"cost:1,5"`` has the costs of a wrong yes and of a wrong no.
RuleName = Literal["probable", "micro_f1", "macro_f1", "balanced", "prevalence", "cardinality"]

#: Threshold rules on probabilities, each with its aim.
RULES = {
    "probable": "relevant where the probability is at least one half",
    "micro_f1": "one threshold for all labels, highest expected micro-F1",
    "macro_f1": "one threshold per label, highest expected F1 of each",
    "balanced": "the mean of the micro_f1 and macro_f1 thresholds",
    "prevalence": "one threshold per label, as many relevant as the probabilities expect",
    "cardinality": "one threshold, as many labels per item as in the observed entries",
    "cost": "one threshold, least expected cost of false positives and false negatives",
}

#: The parts of a table that a proof can be about, and the values of their entries.
POPULATIONS = {"all": (1, -1), "relevant": (1,), "irrelevant": (-1,)}
