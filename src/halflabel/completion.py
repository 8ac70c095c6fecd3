"""complete(): a half-labelled table goes in, a full one with evidence comes out."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy import sparse

from halflabel import evidence
from halflabel.arrays import Matrix, is_sparse
from halflabel.base import PartialLabelEstimator
from halflabel.decision import confident, require_precision
from halflabel.embedding import item_map
from halflabel.labels import PartialLabels
from halflabel.persistence import atomic_write, save_tree
from halflabel.predictor import Predictor
from halflabel.report import render_html, summarize
from halflabel.ssdrmc import SSDRMC
from halflabel.table import OpenTable, fill_tags, open_table

__all__ = ["Completion", "Explanation", "complete"]


#: Expected precision that ``unsure="leave"`` asks for.
LEAVE_BELOW = 0.95


def complete(
    items: Any,
    Y: Any = None,
    *,
    method: PartialLabelEstimator | None = None,
    unsure: Literal["fill", "leave"] = "fill",
    min_precision: float | None = None,
    random_state: int | None = 0,
    **columns: Any,
) -> Completion:
    """Fill every gap in the labels of a table, with a calibrated probability and the evidence.

    Parameters
    ----------
    items : DataFrame, array, sparse matrix or OpenTable
        One row per item; with ``Y`` features only, without it a table that holds the labels too. A table that
        :func:`halflabel.table.open_table` has opened is taken as it is.
    Y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels), optional
        1 has it, 0 does not have it, missing unknown.
    method : estimator, default=SSDRMC()
        Any method of this library; it is fitted here.
    unsure : {"fill", "leave"}
        "leave" is short for ``min_precision=0.95``.
    min_precision : float in (0.5, 1), optional
        Fill only the entries that reach this expected precision, label by label; leave the others empty.
    random_state : int or None, default=0
        Decides everything random in the default method.
    **columns
        Which column plays which role, as in :func:`halflabel.table.open_table`: ``labels``, ``tags``, ``absent``,
        ``empty``, ``sep``, ``id``, ``features``, ``vectors``, ``text``, ``ignore``, ``max_categories``.

    Returns
    -------
    Completion

    Raises
    ------
    ValueError
        If nothing is observed, a label is empty in every row, a column does not fit its role, or memory would not do.

    Notes
    -----
    With ``absent="unknown"`` (a tag that is absent may just have been forgotten) there are no irrelevant examples to
    learn from: nothing is filled, probabilities are missing, and :meth:`Completion.candidates` ranks the likely tags.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
    >>> songs["dance"] = [0, 0, np.nan, np.nan, 1, 1, np.nan, np.nan]
    >>> complete(songs, labels=["dance"]).table["dance"].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    if unsure not in ("fill", "leave"):
        raise ValueError(f"unsure must be 'fill' or 'leave', not {unsure!r}.")
    precision = min_precision if min_precision is not None or unsure == "fill" else LEAVE_BELOW
    if precision is not None:
        require_precision(precision)
    opened = items if isinstance(items, OpenTable) else open_table(items, Y, **columns)
    _refuse_empty_labels(opened.labels)
    _refuse_beyond_memory(opened)
    model = method if method is not None else SSDRMC(random_state=random_state)
    model.fit(opened.X, _absent_as_irrelevant(opened.labels))
    return Completion(opened, model, precision)


@dataclass(frozen=True)
class Explanation:
    """Why an entry is what it is.

    Parameters
    ----------
    item : object
        What the item is known by.
    label : str
        The label.
    value : int or None
        What the table says now: 1, 0 or None.
    given : int or None
        What it said before.
    probability : float
        Of being relevant; by a model that has not seen it, where it was given.
    threshold : float
        Where the method draws the line, on probabilities unless its rule is "fixed".
    kind : {"graph", "features", "prior"}
        What the answer rests on, see :func:`halflabel.evidence.evidence_kinds`.
    supporting : DataFrame
        The items it is tied to in the neighbour graph, with weight and given label, observed ones first.
    """

    item: Any
    label: str
    value: int | None
    given: int | None
    probability: float
    threshold: float
    kind: str
    supporting: pd.DataFrame


@dataclass(frozen=True, eq=False)
class Completion:
    """A completed table and the evidence for it; made by :func:`complete`.

    Parameters
    ----------
    opened : OpenTable
        What came through the door: features, labels, roles, notes.
    model : PartialLabelEstimator
        The fitted method.
    min_precision : float or None
        The expected precision below which entries were left empty.
    """

    opened: OpenTable
    model: PartialLabelEstimator
    min_precision: float | None = None

    @property
    def labels(self) -> PartialLabels:
        """The labels as they were given."""
        return self.opened.labels

    @property
    def index(self) -> pd.Index[Any]:
        """What the items are known by."""
        return self.opened.index

    @cached_property
    def state(self) -> NDArray[np.int8]:
        """The labels after completion: +1 relevant, -1 irrelevant, 0 left unknown; given entries verbatim."""
        if self.labels.positive_only:
            return self.labels.state
        # A label that could not be learned has a rate, not an answer that could be precise.
        p = np.where(self.labels.observed | ~self.labels.learnable, np.nan, self.probabilities.to_numpy())
        if self.min_precision is not None:
            filled = confident(p, self.min_precision)
        else:
            answer = np.asarray(self.model.transduction_).reshape(self.labels.shape)
            filled = np.where(answer == 1, 1, -1).astype(np.int8)
        return np.where(self.labels.observed, self.labels.state, filled)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The table that came in, its gaps filled: index, columns and order as they were."""
        filled = _as_table(self.state, self.index, self.labels.names)
        if self.opened.frame is None:
            return filled
        table = self.opened.frame.copy()
        position = {str(column): j for j, column in enumerate(table.columns)}
        if (tags := self.opened.roles.tags) is not None:
            values = np.where(self.state == 0, np.nan, self.state > 0)
            column = table.iloc[:, position[tags]]
            table.isetitem(position[tags], fill_tags(column, self.labels, values, self.opened.sep).array)
            return table
        for name in filled:
            if name in position:
                table.isetitem(position[name], _like(filled[name].array, table.iloc[:, position[name]]))
            else:
                table[name] = filled[name].array
        return table

    @cached_property
    def probabilities(self) -> pd.DataFrame:
        """Calibrated probability of being relevant; for given entries the opinion of a model that has not seen them."""
        p = self.model.label_probabilities_
        p = np.full_like(p, np.nan) if self.labels.positive_only else p
        return pd.DataFrame(p, index=self.index, columns=list(self.labels.names))

    @cached_property
    def evidence_kinds(self) -> NDArray[np.str_]:
        """What each entry rests on: "graph", "features" or "prior"."""
        return evidence.evidence_kinds(self.labels, self.weights)

    @property
    def weights(self) -> sparse.csr_array | None:
        """The weights between items that the method used, if it used any."""
        return getattr(self.model, "weights_", None)

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The given entries, most doubtful first: item, label, given, probability of being relevant."""
        if self.labels.positive_only:
            return pd.DataFrame(columns=["item", "label", "given", "probability"])
        return self._with_items(evidence.most_suspect(self.labels, self.probabilities.to_numpy()))

    def next_to_label(self, n: int = 20) -> pd.DataFrame:
        """Return the ``n`` items whose unknown entries are the most uncertain: item, bits, unknown."""
        return self._with_items(evidence.most_uncertain(self.labels, self.model.label_probabilities_)).head(n)

    def candidates(self, n: int = 100) -> pd.DataFrame:
        """Return the ``n`` unknown entries most likely to be relevant: item, label, rank and a score without unit."""
        scores = np.where(self.labels.observed, -np.inf, np.nan_to_num(self.model.label_scores_, nan=-np.inf))
        order = np.argsort(-scores, axis=None, kind="stable")[:n]
        order = order[np.isfinite(scores.ravel()[order])]
        rows, columns = np.unravel_index(order, scores.shape)
        names = np.array(self.labels.names, dtype=object)
        ranked = {
            "position": rows,
            "label": names[columns],
            "rank": np.arange(1, len(rows) + 1),
            "score": scores[rows, columns],
        }
        return self._with_items(pd.DataFrame(ranked))

    def explain(self, item: Any, label: str) -> Explanation:
        """Return why the entry of ``item`` (its id) and ``label`` is what it is."""
        if label not in self.labels.names:
            raise KeyError(f"there is no label {label!r}; the labels are {', '.join(self.labels.names)}.")
        rows = np.flatnonzero(self.index == item)
        if len(rows) == 0:
            raise KeyError(f"there is no item {item!r}; items are known by {self.index.name or 'their row number'}.")
        if len(rows) > 1:
            raise KeyError(f"{len(rows)} items are known by {item!r}: name a column of distinct ids (id=).")
        i, j = int(rows[0]), self.labels.names.index(label)
        value, given = (_as_value(int(state[i, j])) for state in (self.state, self.labels.state))
        weights = self.weights
        empty = pd.DataFrame(columns=["position", "weight", "given"])
        support = evidence.supporting_items(i, j, self.labels, weights, 10) if weights is not None else empty
        p, t = float(self.probabilities.to_numpy()[i, j]), float(self.model.thresholds_[j])
        return Explanation(item, label, value, given, p, t, str(self.evidence_kinds[i, j]), self._with_items(support))

    @cached_property
    def drift(self) -> float | None:
        """How well labelled and unlabelled items can be told apart (area under the ROC curve), or None."""
        return evidence.drift(self.opened.X, self.labels, np.random.default_rng(0))

    def embedding(self, n_components: int = 2) -> pd.DataFrame:
        """Return the items in few dimensions, see :func:`halflabel.embedding.item_map`."""
        coordinates = item_map(self.opened.X, self.model.label_scores_, n_components)
        return pd.DataFrame(coordinates, index=self.index, columns=[f"dim{j + 1}" for j in range(n_components)])

    def report(self, path: str | os.PathLike[str], **options: Any) -> None:
        """Write the report as one self-contained HTML file; options as in :func:`halflabel.report.summarize`."""
        page = render_html(summarize(self, **options))
        with atomic_write(path, "w") as file:
            file.write(page)

    @property
    def predictor(self) -> Predictor:
        """What is needed for new items: the method and the way a table is read."""
        if self.labels.positive_only:
            raise ValueError("labels that are positive-only give a ranking, not a model that could fill new items.")
        return Predictor(self.model, self.opened.roles, self.opened.encoder, self.labels.names, self.opened.sep)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model as one file, to be read by :func:`halflabel.load`; JSON and plain arrays, no pickle."""
        save_tree(path, {"predictor": self.predictor})

    def _with_items(self, found: pd.DataFrame) -> pd.DataFrame:
        """Replace row positions by what the items are known by."""
        return found.assign(position=self.index[found["position"].to_numpy(dtype=int)]).rename(
            columns={"position": "item"}
        )


def _as_table(state: NDArray[np.int8], index: pd.Index[Any], names: tuple[str, ...]) -> pd.DataFrame:
    """Return 1, 0 and missing; plain integers where nothing is missing."""
    table = pd.DataFrame((state > 0).astype(np.int64), index=index, columns=list(names))
    return table if state.all() else table.astype("Int64").mask(state == 0)


def _like(filled: Any, given: pd.Series[Any]) -> Any:
    """Booleans stay booleans."""
    return filled.astype("boolean") if pd.api.types.is_bool_dtype(given.dropna().infer_objects()) else filled


def _as_value(state: int) -> int | None:
    return {1: 1, -1: 0, 0: None}[state]


def _absent_as_irrelevant(labels: PartialLabels) -> PartialLabels:
    """For ranking only: if labels are hidden at random, "assigned" is ordered among items as "relevant" is."""
    if not labels.positive_only:
        return labels
    return PartialLabels(
        np.where(labels.annotated[:, None] & ~labels.observed, -1, labels.state), labels.names, labels.annotated.copy()
    )


def _refuse_empty_labels(labels: PartialLabels) -> None:
    empty = [labels.names[j] for j in np.flatnonzero(~labels.observed.any(axis=0))]
    if empty:
        shown = ", ".join(map(repr, empty[:5])) + (f" and {len(empty) - 5} more" if len(empty) > 5 else "")
        raise ValueError(
            f"no item has a value for {shown}: nothing can be learned about a label that is empty in all "
            f"{len(labels)} rows. Fill in a few entries of it, or leave it out of the labels."
        )


def _refuse_beyond_memory(opened: OpenTable) -> None:
    """Refuse before the work starts what would end in a crash hours later."""
    n, n_labels = opened.labels.shape
    X: Matrix = opened.X
    features = X.data.nbytes * 3 if is_sparse(X) else X.nbytes * 3
    needed = features + n * (15 * 12 * 4 + n_labels * 8 * 14) + 2**29
    try:
        installed = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):  # not every system tells
        return
    if needed > installed:
        raise ValueError(
            f"{n} items with {X.shape[1]} features and {n_labels} labels need about {needed / 2**30:.0f} GiB, but this "
            f"machine has {installed / 2**30:.0f}: complete fewer items, labels or features at a time."
        )
