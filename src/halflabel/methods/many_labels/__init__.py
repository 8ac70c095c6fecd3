"""Thousands of labels: each item is scored for a few hundred candidates, and nothing has a cell for every entry.

The same steps for an item of the fit and for a new one:

1. *Features* (:mod:`.space`): words weighted by their rarity, or an RBF kernel map of other features.
2. *Ridge regression* (:mod:`.ridge`) of all labels on these features in closed form. It scores every label by one
   sparse product. Each labelled item is left out by itself, exactly, at no further cost.
3. *Candidates* (:mod:`.candidates`): the labels with the highest scores, and the labels of the nearest labelled items.
4. *Calibration* (:mod:`.pooled`): one logistic curve for all candidates together, by score, share among the nearest
   items and frequency of the label. A label with 20 relevant entries or more has an intercept of its own.

Memory: the inverse of the Gram matrix of at most 10 000 labelled items, and 50 probabilities per item.
"""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.methods.many_labels.labeler import SparseLabeler
else:
    __getattr__, __dir__ = import_on_use(__name__, {"halflabel.methods.many_labels.labeler": ["SparseLabeler"]})

__all__ = ["SparseLabeler"]
