"""complete(): open a table, check that nothing prevents a fit, and fit a method."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal, Unpack

from sklearn.base import clone

from halflabel._arguments import accept_keys
from halflabel._arrays import Mask
from halflabel._wording import option, quoted
from halflabel.completion.answers import Answers, find_answers, select_calibrating, use_answers
from halflabel.completion.evidence import Evidence
from halflabel.completion.preconditions import (
    check_accepted,
    check_calibrate_on,
    check_memory,
    check_observed_rate,
    check_positive_only_support,
    check_prior_support,
)
from halflabel.completion.result import Completion
from halflabel.corrections.correction import Given
from halflabel.corrections.fit import fit_corrected, leave_unlearned_targets
from halflabel.labels import PartialLabels
from halflabel.labels.names import Effort, RuleName
from halflabel.labels.rules import Rule, read_rule
from halflabel.methods.auto import EFFORTS, AutoLabeler, MixedLabeler
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.validation import RandomState, as_seed
from halflabel.table import open_table
from halflabel.table.columns import Description, Keys
from halflabel.table.native import as_pandas
from halflabel.table.rows import order_by_row_labels

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from halflabel.completion.asked_frequency import AskedFrequency
    from halflabel.labels.partial import LabelsLike
    from halflabel.methods.masked_targets import Fits
    from halflabel.table.accepted import PathLike, TableLike
    from halflabel.table.opened import ItemsLike


@accept_keys(Description, ["labels", "tags", "absent", "id", "text", "group", "features", "rules", "sources", "prior"])
def complete(
    items: ItemsLike,
    Y: LabelsLike | None = None,
    *,
    answers: TableLike | PathLike | Answers | None = None,
    calibrate_on: TableLike | ArrayLike | None = None,
    observed_rate: float | Literal["ask"] | None = None,
    method: Fits | type | str | None = None,
    rule: RuleName | str | Rule | None = None,
    min_precision: float | None = None,
    random_state: RandomState = 0,
    effort: Effort = "default",
    **keys: Unpack[Keys],
) -> Completion:
    """Fill every gap in the labels of a table, with a calibrated probability and the evidence.

    Parameters
    ----------
    items : DataFrame, path, list of dict, array, sparse matrix or OpenTable
        One row per item, with the labels unless ``Y`` has them.
    Y : array-like, DataFrame or PartialLabels of shape (n_items, n_labels), optional
        1 has it, 0 does not have it, missing unknown.
    labels, tags, absent : optional
        Label columns (names or patterns), or one column of tags; the meaning of a tag that is not listed.
    id, text, group, features : optional
        Columns: the ids, free text, the group of an item, features (by default all that can serve).
    rules, sources, prior : optional
        Rules between labels, votes of several sources, and probabilities from another source.
    answers : DataFrame or path, optional
        Answers to :meth:`Completion.review` or of a review; they replace given entries.
    calibrate_on : array-like or DataFrame of bool, optional
        The given entries that were chosen without regard to their value; by default all.
    observed_rate : float in (0, 1] or "ask", optional
        Of positive-only labels: the share of the relevant entries that were assigned.
    method : estimator, str or object, optional
        A method or its name ("mc-1"), a classifier, or an object with ``fit(X, Y)``, where NaN in ``Y`` is a gap, and
        ``predict_proba(X)``.
    rule : str or Rule, optional
        A name of :data:`halflabel.labels.rules.RULES`, or "cost:1,5"; by default "probable".
    min_precision : float in (0.5, 1), optional
        Leave entries empty that do not reach this expected precision.
    random_state : int, Generator, RandomState or None, default=0
    effort : {"fast", "default", "best"}, default="default"
    **keys
        Any other key of :func:`open_table`.

    Returns
    -------
    Completion

    Examples
    --------
    >>> import numpy as np, pandas as pd
    >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
    >>> songs["dance"] = [0, 0, np.nan, np.nan, 1, 1, np.nan, np.nan]
    >>> complete(songs, labels=["dance"]).table["dance"].tolist()
    [0, 0, 0, 0, 1, 1, 1, 1]
    """
    asked = choose_rule(rule, min_precision)
    check_effort(effort)
    opened = open_table(items, Y, **keys)
    given, answered = opened.labels, find_answers(answers, opened)
    whole = use_answers(opened, answered)
    opened = leave_unlearned_targets(whole)
    asks, observed_rate = observed_rate == "ask", None if observed_rate == "ask" else observed_rate
    check_accepted(opened.description.accept)
    check_observed_rate(opened.labels, 1.0 if asks else observed_rate)
    model = _choose_method(method, opened.labels, observed_rate, as_seed(random_state), effort)
    precision = None if asked is None else asked.at
    if asked is not None and precision is None:
        model.use_rule(asked)
    if opened.prior is not None:
        check_prior_support(model)
    if opened.labels.has_positive_only or isinstance(model, MixedLabeler):
        check_positive_only_support(model, opened.labels, precision)
    allowed = order_by_row_labels(as_pandas(calibrate_on), opened.row_labels, "calibrate_on")
    calibrates = _choose_calibrating(allowed, select_calibrating(answered, given), whole.labels, model)
    if calibrates is not None:
        calibrates = calibrates[:, [whole.labels.names.index(name) for name in opened.labels.names]]
    check_memory(opened, model)
    stated = Given(opened, calibrates)
    evidence = Evidence(opened, fit_corrected(model, stated), precision)
    if asks:
        from halflabel.completion.asked_frequency import AskedFrequency  # imported where it is asked for

        assigned = evidence.learned_probabilities
        asked_about = AskedFrequency.read(given, answered, evidence.labels.names, assigned)
        evidence = _estimate_frequency(evidence, asked_about, stated)
    return Completion(evidence)


def _estimate_frequency(evidence: Evidence, asked: AskedFrequency, given: Given) -> Evidence:
    """Return the evidence under the label frequency that answers show, or without one if they are too few."""
    opened = replace(evidence.opened, notes=(asked.sentence, *evidence.opened.notes))
    evidence = replace(evidence, opened=opened, asked_frequency=asked)
    if asked.rate is None:
        return evidence
    model = clone(evidence.model).set_params(observed_rate=asked.rate)
    return replace(evidence, fit=fit_corrected(model, given))


def _choose_calibrating(
    asked: Any, of_answers: Mask | None, labels: PartialLabels, model: PartialLabelEstimator
) -> Mask | None:
    """Return the entries that calibrate: the entries of the user, without answers that depend on a value."""
    if asked is None:
        return of_answers if "calibrate_on" in model.auxiliary else None
    check_calibrate_on(labels, model)
    from halflabel.labels.masking import read_entry_mask

    mask = read_entry_mask(asked, labels, "calibrate_on")
    return mask if of_answers is None or not (mask & of_answers & labels.observed).any() else mask & of_answers


def check_effort(effort: str) -> None:
    """Raise for an effort that does not exist."""
    if effort not in EFFORTS:
        raise ValueError(f"effort must be one of {quoted(EFFORTS)}, not {effort!r}.")


def choose_rule(rule: str | Rule | None = None, min_precision: float | None = None) -> Rule | None:
    """Return the threshold rule of the arguments of :func:`complete`, or None for the rule of the method.

    Raises
    ------
    ValueError
        For a value that is invalid whatever the table is, and where two arguments decide.
    """
    if rule is not None and min_precision is not None:
        both = f"{option('rule')} and {option('min_precision')}"
        raise ValueError(f"{both} cannot both decide which entries are filled: give one of them.")
    if min_precision is not None:
        return read_rule(Rule("precision", at=min_precision))
    return None if rule is None else read_rule(rule)


def _choose_method(
    method: Fits | type | str | None, labels: PartialLabels, observed_rate: float | None, seed: int | None, effort: str
) -> PartialLabelEstimator:
    """Return a copy of the method that was given, or the default."""
    if method is None and labels.is_mixed:
        return MixedLabeler(effort, observed_rate=observed_rate, random_state=seed)
    if method is None:
        return build_default_method(observed_rate, seed, effort)
    if observed_rate is not None:
        raise ValueError(
            f"{option('observed_rate')} is for the default method, but a method was given: set it there, such as "
            "AutoLabeler(observed_rate=0.7)."
        )
    from halflabel.methods.own import as_method  # imported here: the default is none of a person's own

    return as_method(method, random_state=seed)


def build_default_method(
    observed_rate: float | None = None, random_state: int | None = 0, effort: str = "default"
) -> PartialLabelEstimator:
    """Return the method behind :func:`complete`, not fitted."""
    return AutoLabeler(effort, observed_rate=observed_rate, random_state=random_state)
