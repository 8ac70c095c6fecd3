"""evaluate(): what is hidden, what is compared, what is advised."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES

from halflabel import SSDRMC, AutoLabeler, PartialLabels
from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT, RATE, build_methods, compare
from halflabel.evaluation.hiding import HiddenEntries, Split
from halflabel.evaluation.learning_curve import sample_items
from halflabel.evaluation.summary import recommend
from halflabel.labels.metrics import average_precision, ece
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = [
    pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning"),
    pytest.mark.usefixtures("one_member"),
]


#: The default of one member, and the rate that it is compared with.
TWO_METHODS = {DEFAULT: AutoLabeler("fast"), RATE: RATES}


def test_labels_with_one_value_raise(rng):
    with pytest.raises(ValueError, match="Not learned: only 1 is given for"):
        evaluate(open_table(rng.normal(size=(40, 2)), np.ones((40, 1))))


def grouped(rng, n=300, size=3, entries=False):
    """Return a table whose rows stand in groups, labelled or not as a whole."""
    X, Y, complete = half_labelled(rng, n=n, entries=entries)
    if not entries:
        Y = np.where(np.isnan(Y[::size, :1]).repeat(size, axis=0), np.nan, complete)
    frame = pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).assign(thread=np.arange(n) // size)
    return open_table(frame, labels=["x", "y", "z"], group="thread")


def _hiding(Y, complete):
    known = PartialLabels.from_table(Y)
    labels = PartialLabels.from_table(complete)
    return HiddenEntries(labels), known, labels.hide(known.observed)


def test_compare_scores_the_hidden_entries_only(rng):
    X, Y, complete = half_labelled(rng)
    hiding, known, hidden = _hiding(Y, complete)
    row = compare({"rate": RATES}, X, Split(known, hidden), hiding).loc["rate"]
    p = clone(RATES).fit(X, known).label_probabilities_
    assert row["average_precision"] == average_precision(hidden, p)
    assert row["brier"] == pytest.approx(((p - complete)[hidden.observed] ** 2).mean())
    assert row["ece"] == ece(hidden, p)


def test_the_methods_are_the_default_and_what_a_user_would_try_otherwise(opened, rng):
    methods = build_methods(opened.labels, effort="fast")
    assert list(methods)[:2] == [DEFAULT, "SSDR-MC"]
    assert methods[DEFAULT].effort == "fast"
    positives = PartialLabels.from_positives(rng.integers(2, size=(30, 2)))
    assert "SSDR-MC" not in build_methods(positives, effort="fast")


def test_what_can_be_learned_beats_the_rate(opened):
    result = evaluate(opened, repeats=4, effort="fast", curve=False)
    assert len(result.records) == 4 * 5
    assert result.summary.loc["rate of the label", "wins"] == 4
    assert result.summary.loc["rate of the label", "low"] > 0
    assert "of the labelled items lost all their labels" in result.pattern


def test_labels_that_have_nothing_to_do_with_the_features_are_called_so(rng):
    Y = (rng.random((150, 3)) < 0.4).astype(float)
    Y[::3] = np.nan
    advice = evaluate(open_table(rng.normal(size=(150, 4)), Y), repeats=3, methods=TWO_METHODS, curve=False).advice
    assert not advice.startswith("Use the default")


def test_a_single_label_is_decided_by_the_ranking_of_items(rng):
    X, Y, _ = half_labelled(rng, n=120)
    result = evaluate(open_table(X, Y[:, 0]), repeats=3, methods=TWO_METHODS)
    assert (result.summary["average_precision"] == 1).all()  # nothing to rank in an item
    assert result.decisive == "macro_auc"
    assert result.summary.loc["rate of the label", "low"] > 0
    assert "area under the ROC curve" in result.advice
    assert "macro_auc" in result.curve


def _standing(n_methods=1, rate=0.60):
    """Return a summary in which no method is clearly better than another."""
    names = [DEFAULT, RATE, *(f"method {j}" for j in range(n_methods))]
    values = [0.601, rate, *[0.602] * n_methods]
    return pd.DataFrame({"macro_auc": values, "difference": -0.001, "low": -0.1, "high": 0.1, "wins": 1}, index=names)


def test_the_rate_is_named_only_if_it_was_compared_and_no_method_is_better():
    assert recommend(_standing(), "macro_auc", 3).startswith("No method is clearly better than the rate of each")
    assert "neither the default nor" in recommend(_standing().drop(index=RATE), "macro_auc", 3)
    assert "neither the default nor" in recommend(_standing(rate=0.5), "macro_auc", 3)
    ahead = _standing()
    ahead.loc["method 0", "macro_auc"] = 0.7
    assert "neither the default nor" in recommend(ahead, "macro_auc", 3)


class TestGroups:
    @pytest.mark.parametrize("max_items", [5000, 200])
    def test_a_group_is_hidden_as_a_whole(self, rng, watched, monkeypatch, max_items):
        """Also in a sample of the items, which has fewer of some groups."""
        opened = grouped(rng)
        monkeypatch.setattr("halflabel.evaluation.learning_curve.MAX_ITEMS", max_items)
        rows = (
            np.arange(300)
            if max_items > 300
            else np.sort(np.random.default_rng(7).choice(300, max_items, replace=False))
        )
        result = evaluate(opened, repeats=2, random_state=7, methods={DEFAULT: watched, "rate": RATES})
        labels, threads = opened.labels[rows], opened.groups[rows]
        assert len(watched.seen) == 4  # two of them for the curve
        for known in watched.seen:
            hidden = pd.Series((labels.observed & ~known.observed).any(axis=1)[~labels.unlabelled])
            assert 0 < hidden.mean() < 1
            assert (hidden.groupby(threads[~labels.unlabelled]).nunique() == 1).all()
        assert "groups" in result.pattern

    def test_few_large_groups_leave_neighbours_enough(self, rng):
        opened = grouped(rng, n=60, size=20, entries=True)
        assert len(evaluate(opened, repeats=2, methods=TWO_METHODS).curve) == 1


def test_expected_and_measured_f1_are_compared(opened):
    result = evaluate(opened, repeats=3, methods={DEFAULT: BinaryRelevance(), "rate": RATES}, curve=False)
    row = result.summary.loc[DEFAULT]
    assert f"{row['expected_f1']:.3f} expected from its probabilities" in result.trust
    assert f"{row['micro_f1']:.3f} measured" in result.trust


@pytest.mark.parametrize("observed_rate", [None, 0.7])
def test_the_warning_names_the_bound_of_pu_f1(rng, observed_rate):
    X, _, complete = half_labelled(rng, n=60)
    known = np.where((rng.random(complete.shape) < 0.7) & (complete > 0), 1.0, 0.0)
    opened = open_table(X, PartialLabels.from_positives(known))
    result = evaluate(opened, repeats=2, methods={DEFAULT: RATES, "regression": BinaryRelevance()},
                      observed_rate=observed_rate)  # fmt: skip
    assert ("can exceed 1" in result.warning) == (observed_rate is not None)
    assert ("lower bound of F1" in result.warning) == (observed_rate is None)
    assert result.curve is None
    assert result.trust == ""


def test_invalid_input_raises(opened, rng):
    with pytest.raises(ValueError, match="repeats must be at least 2"):
        evaluate(opened, repeats=1)
    few = np.full((30, 1), np.nan)
    few[:6, 0] = [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="only 6 items have a label"):
        evaluate(open_table(rng.normal(size=(30, 2)), few))
    with pytest.raises(ValueError, match="these labels have irrelevant entries: leave it out"):
        evaluate(opened, observed_rate=0.7)
    with pytest.raises(ValueError, match="the methods need at least one other than 'halflabel'"):
        evaluate(opened, methods={DEFAULT: RATES})
    with pytest.raises(ValueError, match="effort must be one of"):
        evaluate(opened, effort="much")


def test_a_prior_is_shown_alone_and_added(rng):
    X, Y, complete = half_labelled(rng, n=150)
    prior = np.where(rng.random(complete.shape) < 0.1, 1 - complete, complete)
    opened = open_table(rng.normal(size=X.shape), Y, prior=prior)
    result = evaluate(opened, repeats=2, effort="fast", curve=False)
    error = result.summary["brier"]
    assert list(error.index[:3]) == [DEFAULT, "without the prior", "the prior alone"]
    assert error[DEFAULT] < 0.6 * error["without the prior"]
    assert error["the prior alone"] == pytest.approx(error[DEFAULT], rel=0.25)


def test_a_prior_is_shown_alone_and_added_where_labels_are_positive_only(rng):
    X, _, complete = half_labelled(rng, n=150)
    labels = PartialLabels.from_positives(complete)
    prior = np.where(rng.random(complete.shape) < 0.1, 1 - complete, complete)
    opened = open_table(rng.normal(size=X.shape), labels, prior=prior)
    result = evaluate(opened, repeats=2, effort="fast", curve=False)
    placed = result.summary["above"]
    assert list(placed.index[:3]) == [DEFAULT, "without the prior", "the prior alone"]
    assert placed[DEFAULT] > placed["without the prior"] + 0.2
    assert placed["the prior alone"] == pytest.approx(placed[DEFAULT], abs=0.1)


def test_a_sample_keeps_its_prior(rng, monkeypatch):
    monkeypatch.setattr("halflabel.evaluation.learning_curve.MAX_ITEMS", 60)
    X, Y, complete = half_labelled(rng, n=150)
    opened = open_table(X, Y, prior=np.clip(complete, 0.1, 0.9))
    sample = sample_items(opened, rng)
    np.testing.assert_array_equal(
        sample.prior[sample.labels.observed] > 0.5, sample.labels.relevant[sample.labels.observed]
    )


def test_a_prior_needs_a_method_that_accepts_it(rng):
    X, Y, complete = half_labelled(rng, n=60)
    with pytest.raises(ValueError, match="does not accept a prior"):
        evaluate(open_table(X, Y, prior=complete), methods={DEFAULT: SSDRMC(), "rate": RATES})
