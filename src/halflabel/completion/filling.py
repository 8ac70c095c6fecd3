"""complete(): open a table, check that nothing prevents a fit, and fit a method."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from sklearn.base import clone

from halflabel._arguments import suggest_arguments
from halflabel._arrays import Mask
from halflabel._wording import option, quoted
from halflabel.completion.answers import Answers, find_answers, select_calibrating, use_answers
from halflabel.completion.asked_frequency import AskedFrequency
from halflabel.completion.checks import (
    check_accepted,
    check_calibrate_on,
    check_memory,
    check_observed_rate,
    check_positive_only_support,
    check_prior_support,
)
from halflabel.completion.evidence import Evidence
from halflabel.completion.known_by_value import HowToCalibrate, calibrate_gaps, check_calibration
from halflabel.completion.result import Completion
from halflabel.corrections.votes.sources import check_votes_support, fit_with_votes
from halflabel.labels import Absent, PartialLabels
from halflabel.labels.masking import read_entry_mask
from halflabel.labels.rules import Rule, read_rule
from halflabel.methods.auto import EFFORTS, AutoLabeler, MixedLabeler
from halflabel.methods.base import PartialLabelEstimator, fit_with_auxiliary
from halflabel.table import open_table
from halflabel.table.columns import Description, Empty
from halflabel.table.native import as_pandas
from halflabel.table.rows import order_by_row_labels
from halflabel.table.unlearned import leave_unlearned

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from halflabel._arrays import MatrixLike
    from halflabel.labels.partial import LabelsLike
    from halflabel.table.accepted import ItemsLike, PathLike, TableLike

#: Expected precision that ``unsure="leave"`` asks for.
LEAVE_BELOW = 0.95


@suggest_arguments
def complete(
    items: ItemsLike,
    Y: LabelsLike | None = None,
    *,
    labels: str | Sequence[str] | None = None,
    tags: str | None = None,
    pairs: TableLike | None = None,
    on: str | None = None,
    absent: Absent | None = None,
    positive_only: str | Sequence[str] = (),
    empty: Empty | None = None,
    yes: str | Sequence[str] = (),
    no: str | Sequence[str] = (),
    unknown: str | Sequence[str] = (),
    sep: str | None = None,
    rules: str | Sequence[str] = (),
    format: str | None = None,
    id: str | None = None,
    group: str | None = None,
    features: str | Sequence[str] | None = None,
    vectors: PathLike | MatrixLike | None = None,
    text: str | None = None,
    ignore: str | Sequence[str] = (),
    max_categories: int = 20,
    prior: TableLike | ArrayLike | None = None,
    sources: TableLike | PathLike | None = None,
    reference: str | None = None,
    review: TableLike | PathLike | Answers | None = None,
    calibrate_on: TableLike | ArrayLike | None = None,
    method: PartialLabelEstimator | None = None,
    effort: str = "default",
    random_state: int | None = 0,
    rule: str | Rule | None = None,
    cost: tuple[float, float] | None = None,
    min_precision: float | None = None,
    unsure: Literal["fill", "leave"] = "fill",
    observed_rate: float | Literal["ask"] | None = None,
    calibration: HowToCalibrate = "auto",
) -> Completion:
    """Fill every gap in the labels of a table, with a calibrated probability and the evidence.

    The arguments in groups, in the order of the list below:

    * **items and labels**: ``items``, ``Y``, ``labels``, ``tags``, ``pairs``, ``on``
    * **meaning of cells**: ``absent``, ``positive_only``, ``empty``, ``yes``, ``no``, ``unknown``, ``sep``,
      ``rules``, ``format``
    * **roles of columns**: ``id``, ``group``, ``features``, ``vectors``, ``text``, ``ignore``, ``max_categories``
    * **known before**: ``prior``, ``sources``, ``reference``, ``review``, ``calibrate_on``
    * **method**: ``method``, ``effort``, ``random_state``
    * **decisions**: ``rule``, ``cost``, ``min_precision``, ``unsure``, ``observed_rate``, ``calibration``

    Parameters
    ----------
    items : DataFrame of any library, Dataset, list of dict, path, records, array, sparse matrix or OpenTable
        One row per item; with ``Y`` features only, without it a table that holds the labels, too. Tables of pandas,
        polars, pyarrow and others, a Dataset of Hugging Face and a list of dict come back in kind, a Dataset of pyarrow
        as its table (see :func:`halflabel.folders.complete_folder` for one beyond memory). A path is a file of
        any format, a pattern such as ``"parts/*.parquet"``, or a folder; records are from
        :func:`halflabel.files.read`.
    Y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels), optional
        1 has it, 0 does not have it, missing unknown.
    labels : str or sequence of str, optional
        Label columns: a name, or names, patterns (``"tag_*"``) or ``"@file"``, a text file with one name per line.
    tags : str, optional
        A column of tag lists, instead of ``labels``; needs ``absent``.
    pairs, on : DataFrame and str, optional
        A long table with one row per (id, tag), and the name of its id column; needs ``id`` and ``absent``.
    absent : {"irrelevant", "unknown"}, optional
        The meaning of a tag that an item does not list.
    positive_only : str or sequence of str, optional
        Labels, by name or pattern, of which an absent entry may be a missing positive, in a table where the other
        labels are complete or half-known: a tag that was made today, and set on a few items. The other labels are
        features of it. Without ``observed_rate`` its items are ranked, and none of its gaps is filled in.
    empty : {"unlabelled", "none"}, optional
        The meaning of a cell of ``tags`` without a tag, in any form: an unlabelled item, or an annotated item without
        tags. By default an empty list is an annotated item. An empty cell, a missing list and a list of only missing
        values are unlabelled items.
    yes, no, unknown : str or sequence of str, optional
        Words of label columns that mean 1, 0 and unknown, such as ``yes=["yes", "x"], no="no", unknown="?"``; the table
        is completed in these words.
    sep : str, optional
        The separator of tags in a cell; recognised by default.
    rules : str or sequence of str, optional
        Rules between labels, such as ``["jazz -> music", "one of: day, night", "at most one of: live, studio"]``, or a
        file of them. Probabilities, filled entries and predictions of new items obey them; given entries that break
        a rule stay, and are suspects. See :class:`halflabel.table.Description`.
    format : str, optional
        The format of the file, where items are a path; by default the content decides, see
        :mod:`halflabel.files`.
    id : str, optional
        The column that identifies the items; by default their row labels do.
    group : str, optional
        Items with equal values in this column (a thread, an author) are held out together. It is not used as a feature.
    features : str or sequence of str, optional
        Feature columns: names or patterns; by default all columns that can serve.
    vectors : str, path or array, optional
        A column of feature vectors; or the vectors themselves, one row per item, as an array or a ``.npy`` file.
    text : str, optional
        A column of free text, read as tf-idf.
    ignore : str or sequence of str, default=()
        Names or patterns of columns to leave out.
    max_categories : int, default=20
        A column of more distinct texts is not made a category.
    prior : DataFrame or array-like, optional
        Probabilities from another source (a language model, last year's model): a table with the label columns. Its
        rows are found by ``id``, by its row labels, or by a column that identifies the rows of both tables. They are
        calibrated on the observed entries and added, see :meth:`halflabel.AutoLabeler.fit`.
    sources : DataFrame or path, optional
        The votes of several people or models: a long table with the columns item, label, source and value (1, 0, or a
        probability). Columns such as ``dance@ann`` hold the votes of the source ``ann`` on the label ``dance``. The
        error rates of each source are learned, and the entries are filled with the posterior, see
        :class:`halflabel.corrections.votes.sources.Sources`. Labels need no column of their own. The votes of a source
        that is alone are the labels, if no label is known.
    reference : str, optional
        The source whose votes are taken as true.
    review : DataFrame or path, optional
        A table from :meth:`Completion.review` with 1 or 0 (also yes or no) in its column "answer". The answers replace
        given entries before the fit; rows without an answer have no effect. Its column "why" or "reason" decides which
        answers calibrate probabilities: not those about entries that were unknown and chosen because of a value.
    calibrate_on : array-like or DataFrame of bool, shape (n_items, n_labels) or (n_items,), optional
        The given entries that were chosen without regard to their value; by default all of them. Entries that were
        chosen because of their value (answers about doubtful entries, items of a search for one label) are learned
        from, but no probability is fitted to them or checked on them.
    method : estimator or None, default=None
        Any method of this library; a copy of it is fitted. None takes ``AutoLabeler()``. From labels that are
        positive-only, only :class:`halflabel.AutoLabeler` and :class:`halflabel.LowRankVVMR` can learn.
    effort : {"fast", "default", "best"}, default="default"
        How much work the default method may be, see :class:`halflabel.AutoLabeler`. A warning names a cheaper one where
        memory is short.
    random_state : int or None, default=0
        Decides everything random in the default method.
    rule : str or Rule, optional
        The threshold rule: one of :data:`halflabel.labels.rules.RULES`, or a :class:`halflabel.labels.rules.Rule` with
        its numbers. None takes the rule of the method. That of the default method is "probable": an entry becomes
        relevant if its probability is at least one half, so that as many filled entries as possible are right.
        "micro_f1" finds more of the relevant entries, and more of its filled entries are wrong.
    cost : pair of float, optional
        Cost of a false positive and of a false negative: entries are filled so that the expected cost is least. Short
        for ``rule=Rule("cost", ratio=...)``.
    min_precision : float in (0.5, 1), optional
        Fill only the entries that reach this expected precision, label by label. All other gaps stay empty.
    unsure : {"fill", "leave"}, default="fill"
        "leave" is short for ``min_precision=0.95``.
    observed_rate : float in (0, 1] or "ask", optional
        For labels that are positive-only: the label frequency c, the share of the relevant entries that were assigned.
        It is an assumption that no data can confirm, see Notes. With "ask", it is estimated from answers about absent
        entries: :meth:`Completion.ask_frequency` has the questions, and ``review`` takes the answers.
    calibration : {"auto", "as known", "shifted"}, default="auto"
        The probabilities of gaps where single entries are missing. "as known": they hold if entries are known without
        regard to their value. "shifted": they follow the rate of relevant entries among the gaps, which is estimated
        from their scores (:mod:`halflabel.evidence.gap_rates`), because a value decided whether its entry is known:
        "I tagged what is there". "auto" shifts them only if known entries and gaps differ by more than chance and the
        features are not the reason.

    Returns
    -------
    Completion

    Raises
    ------
    TypeError
        For an argument that does not exist; the nearest one is named.
    ValueError
        If no label was given both values, a column does not fit its role, memory is too small, or a precision is asked
        for where labels are positive-only and ``observed_rate`` is not given.

    Notes
    -----
    With ``absent="unknown"`` (a tag may be missing where it is true) the method learns the probability that a tag is
    *assigned*. If every relevant entry was assigned with the same probability c, this is c times the probability of
    being relevant. Which of two items is likelier to have a label does not depend on c, if both or neither was
    annotated. The level of the probabilities depends on c, and so does the number of missing positives that are filled
    in. With ``observed_rate``, the result is the probability of being relevant. It is lower for an annotated item that
    lacks the tag. Without it, the result is the probability of being assigned. The plug-in threshold on these
    probabilities fills the table, and :attr:`Evidence.assumptions` shows the changes for several values of c.

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
    >>> songs["dance"] = [0, 0, np.nan, np.nan, 1, 1, np.nan, np.nan]
    >>> complete(songs, labels=["dance"]).table["dance"].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    columns = Description.take(locals())
    asked = choose_rule(rule, unsure, min_precision, cost)
    check_effort(effort)
    check_calibration(calibration)
    opened = open_table(items, Y, columns)
    given, answers = opened.labels, find_answers(review, opened)
    whole = use_answers(opened, answers)
    opened = whole if whole.votes is not None else leave_unlearned(whole)
    asks, observed_rate = observed_rate == "ask", None if observed_rate == "ask" else observed_rate
    check_accepted(opened.description.accept)
    check_observed_rate(opened.labels, 1.0 if asks else observed_rate)
    model = _choose_method(method, opened.labels, observed_rate, random_state, effort)
    precision = None if asked is None else asked.at
    if asked is not None and precision is None:
        model.use_rule(asked)
    if opened.votes is not None:
        check_votes_support(calibrate_on, opened.prior)
    if opened.prior is not None:
        check_prior_support(model)
    if opened.labels.has_positive_only or isinstance(model, MixedLabeler):
        check_positive_only_support(model, opened.labels, precision)
    allowed = order_by_row_labels(as_pandas(calibrate_on), opened.row_labels, "calibrate_on")
    calibrates = _choose_calibrating(allowed, select_calibrating(answers, given), whole.labels, model)
    if calibrates is not None:
        calibrates = calibrates[:, [whole.labels.names.index(name) for name in opened.labels.names]]
    check_memory(opened, model)
    if opened.votes is not None:
        known, fitted, learned = fit_with_votes(opened, model)
        return Completion(Evidence(known, fitted, precision, sources=learned).obey_rules())
    auxiliary: dict[str, Any] = {"groups": opened.groups, "prior": opened.prior, "calibrate_on": calibrates}
    evidence = Evidence(opened, fit_with_auxiliary(model, opened.X, opened.labels, **auxiliary), precision, calibrates)
    if asks:
        assigned = evidence.learned_probabilities
        evidence = _estimate_frequency(
            evidence, AskedFrequency.read(given, answers, evidence.labels.names, assigned), auxiliary
        )
    return Completion(calibrate_gaps(evidence, calibration).obey_rules())


def _estimate_frequency(evidence: Evidence, asked: AskedFrequency, auxiliary: dict[str, Any]) -> Evidence:
    """Return the evidence under the label frequency that answers show, or without one if they are too few."""
    opened = replace(evidence.opened, notes=(asked.sentence, *evidence.opened.notes))
    evidence = replace(evidence, opened=opened, asked_frequency=asked)
    if asked.rate is None:
        return evidence
    model = clone(evidence.model).set_params(observed_rate=asked.rate)
    return replace(evidence, model=fit_with_auxiliary(model, opened.X, opened.labels, **auxiliary))


def _choose_calibrating(
    asked: Any, of_answers: Mask | None, labels: PartialLabels, model: PartialLabelEstimator
) -> Mask | None:
    """Return the entries that calibrate: the entries of the user, without answers that depend on a value."""
    if asked is None:
        return of_answers if "calibrate_on" in model.auxiliary else None
    check_calibrate_on(labels, model)
    mask = read_entry_mask(asked, labels, "calibrate_on")
    return mask if of_answers is None or not (mask & of_answers & labels.observed).any() else mask & of_answers


def check_effort(effort: str) -> None:
    """Raise for an effort that does not exist."""
    if effort not in EFFORTS:
        raise ValueError(f"effort must be one of {quoted(EFFORTS)}, not {effort!r}.")


def choose_rule(
    rule: str | Rule | None = None,
    unsure: str = "fill",
    min_precision: float | None = None,
    cost: tuple[float, float] | None = None,
) -> Rule | None:
    """Return the threshold rule of the arguments of :func:`complete`, or None for the rule of the method.

    Raises
    ------
    ValueError
        For a value that is invalid whatever the table is, and where two arguments decide.
    """
    if unsure not in ("fill", "leave"):
        raise ValueError(f"unsure must be 'fill' or 'leave', not {unsure!r}.")
    precision = LEAVE_BELOW if min_precision is None and unsure == "leave" else min_precision
    asked = {
        "rule": None if rule is None else read_rule(rule),
        "cost": None if cost is None else Rule("cost", ratio=_divide_costs(cost)),
        "min_precision": None if precision is None else read_rule(Rule("precision", at=precision)),
    }
    given = {name: each for name, each in asked.items() if each is not None}
    if len(given) > 1:
        both = " and ".join(list(map(option, given))[:2])
        raise ValueError(f"{both} cannot both decide which entries are filled: give one of them.")
    return next(iter(given.values()), None)


def _divide_costs(cost: tuple[float, float]) -> float:
    """Return the cost of a false positive over that of a false negative."""
    given = np.asarray(cost, dtype=np.float64)
    if given.shape != (2,) or not ((given > 1e-100) & (given < 1e100)).all():
        raise ValueError(f"cost must be two positive numbers (a wrong yes, a wrong no), not {cost}.")
    return cost[0] / cost[1]


def _choose_method(
    method: PartialLabelEstimator | None,
    labels: PartialLabels,
    observed_rate: float | None,
    random_state: int | None,
    effort: str,
) -> PartialLabelEstimator:
    """Return a copy of the method that was given, or the default."""
    if method is None and labels.is_mixed:
        return MixedLabeler(effort, observed_rate=observed_rate, random_state=random_state)
    if method is None:
        return build_default_method(observed_rate, random_state, effort)
    if observed_rate is not None:
        raise ValueError(
            f"{option('observed_rate')} is for the default method, but a method was given: set it there, such as "
            "AutoLabeler(observed_rate=0.7)."
        )
    if not isinstance(method, PartialLabelEstimator):
        raise TypeError(f"{type(method).__name__} is not a method that fills in labels: use AutoLabeler or SSDRMC.")
    copy: PartialLabelEstimator = clone(method)
    return copy


def build_default_method(
    observed_rate: float | None = None, random_state: int | None = 0, effort: str = "default"
) -> PartialLabelEstimator:
    """Return the method behind :func:`complete`, not fitted."""
    return AutoLabeler(effort, observed_rate=observed_rate, random_state=random_state)
