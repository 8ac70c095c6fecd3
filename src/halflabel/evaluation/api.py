"""evaluate(): open a table, then compare methods on labels that are hidden and predicted again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Unpack

from halflabel._arguments import accept_keys
from halflabel.evaluation.summary import Evaluation, evaluate_table
from halflabel.methods.base import PartialLabelEstimator
from halflabel.table import Description, open_table
from halflabel.table.columns import Keys

if TYPE_CHECKING:
    from halflabel.labels.partial import LabelsLike
    from halflabel.table.accepted import ItemsLike


@accept_keys(Description, [])
def evaluate(
    items: ItemsLike,
    Y: LabelsLike | None = None,
    *,
    methods: Mapping[str, PartialLabelEstimator] | None = None,
    repeats: int = 5,
    share: float = 0.2,
    observed_rate: float | None = None,
    effort: str = "default",
    curve: bool = True,
    random_state: int = 0,
    **keys: Unpack[Keys],
) -> Evaluation:
    """Hide known entries in the pattern of the table's own gaps, predict them, and compare methods.

    Of positive-only labels, a share of the assigned labels is hidden. Groups of items (``group``) are hidden as a
    whole, except there, where entries are hidden one by one.

    Parameters
    ----------
    items, Y : DataFrame, path or array-like
        As in :func:`halflabel.complete`: a table that holds the labels, or features and labels apart.
    methods : mapping of str to estimator, optional
        By default the method behind ``complete``, SSDR-MC (not for positive-only labels), logistic regression, nearest
        neighbours and the label's rate. The method named "halflabel" is compared with each other method.
    repeats : int, default=5
        Number of random splits, at least 2.
    share : float, default=0.2
        Share of the annotated items that lose entries, see :func:`halflabel.labels.masking.hide_like_gaps`; for
        positive-only labels, of the entries, see :func:`halflabel.labels.masking.hide_positives`.
    observed_rate : float in (0, 1], optional
        For positive-only labels the label frequency c, as in :func:`halflabel.complete`.
    effort : {"fast", "default", "best"}, default="default"
        Effort of the method behind ``complete``.
    curve : bool, default=True
        Also fit that method with a quarter and half of the labelled items.
    random_state : int, default=0
        Decides which entries are hidden.
    **keys
        The keys of :func:`halflabel.open_table`: the roles of columns, and the meaning of cells.

    Returns
    -------
    Evaluation

    Raises
    ------
    ValueError
        If there are too few labelled items to hide any, no method is named "halflabel", it is the only method, or
        ``observed_rate`` is given although labels are not positive-only.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> from halflabel.methods.baselines import BinaryRelevance, MLkNN
    >>> songs = pd.DataFrame({"tempo": np.tile([60.5, 122.5], 20) + np.arange(40) / 10})
    >>> songs["dance"] = np.where(np.arange(40) < 30, songs["tempo"] > 100, np.nan)
    >>> methods = {"halflabel": MLkNN(), "regression": BinaryRelevance()}
    >>> evaluate(songs, labels=["dance"], methods=methods, repeats=2, curve=False).pattern
    '20% of the labelled items lost all their labels.'
    """
    return evaluate_table(
        open_table(items, Y, **keys),
        repeats=repeats,
        share=share,
        methods=methods,
        observed_rate=observed_rate,
        effort=effort,
        curve=curve,
        random_state=random_state,
    )
