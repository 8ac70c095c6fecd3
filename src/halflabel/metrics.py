"""Metrics of multi-label predictions whose truth has gaps: each is measured on the known entries only.

The truth is a table of 1, 0 and missing values, or :class:`halflabel.PartialLabels`; the prediction is an array of the
same shape. On complete tables the results equal the metrics of scikit-learn. :func:`make_scorer`
makes a scorer for scikit-learn's searches.
"""

from halflabel.labels.metrics import (
    METRICS,
    auc_per_label,
    average_precision,
    brier,
    ece,
    f1_per_label,
    macro_auc,
    macro_f1,
    micro_f1,
)
from halflabel.methods.model_selection import make_scorer

__all__ = [
    "METRICS",
    "auc_per_label",
    "average_precision",
    "brier",
    "ece",
    "f1_per_label",
    "macro_auc",
    "macro_f1",
    "make_scorer",
    "micro_f1",
]
