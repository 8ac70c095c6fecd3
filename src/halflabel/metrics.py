"""Metrics of multi-label predictions whose truth has gaps: each is measured on the known entries only.

The truth is a table of 1, 0 and missing values, or :class:`halflabel.PartialLabels`; the prediction is an array of the
same shape. On complete tables the results equal the metrics of scikit-learn. :func:`make_scorer`
makes a scorer for scikit-learn's searches.
"""

from halflabel.labels import metrics as _metrics
from halflabel.labels.metrics import *  # noqa: F403 - each name stands in one list
from halflabel.methods.model_selection import make_scorer

__all__ = ["make_scorer"]
__all__ += _metrics.__all__
