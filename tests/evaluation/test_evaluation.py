"""evaluate() and the demo: what is hidden, what is compared, what is advised."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from scipy.special import expit, logit
from sklearn.base import clone
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from tests.conftest import half_labelled

from halflabel import SSDRMC, AutoLabeler, PartialLabels
from halflabel.cli import main
from halflabel.evaluation import evaluate, run_demo
from halflabel.evaluation import summary as evaluation
from halflabel.evaluation.comparison import DEFAULT, RATE, build_methods, compare
from halflabel.evaluation.hiding import HiddenEntries, Split, compare_f1, expected_f1
from halflabel.evaluation.learning_curve import _has_enough_items, _keep_labels, describe_curve, learning_curve
from halflabel.evaluation.summary import recommend
from halflabel.labels.masking import hide_entries, hide_items, hide_like_gaps
from halflabel.labels.metrics import average_precision, ece, micro_f1
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import Columns, open_table

pytestmark = pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning")


def test_labels_with_one_value_raise(rng):
    with pytest.raises(ValueError, match="there is nothing to learn"):
        evaluate(open_table(rng.normal(size=(40, 2)), np.ones((40, 1))))


RATES = BinaryRelevance(DummyClassifier(strategy="prior"))


class Watched(BinaryRelevance):
    """Keeps what it was fitted on, of all its clones."""

    seen: list[PartialLabels]

    def fit(self, X, y):
        self.seen.append(y)
        return super().fit(X, y)


@pytest.fixture
def watched(monkeypatch):
    monkeypatch.setattr(Watched, "seen", [], raising=False)
    return Watched(LogisticRegression())


@pytest.fixture
def opened(rng):
    X, Y, _ = half_labelled(rng, n=120)
    return open_table(X, Y)


def grouped(rng, n=300, size=3, entries=False):
    """Return a table whose rows stand in groups, labelled or not as a whole."""
    X, Y, complete = half_labelled(rng, n=n, entries=entries)
    if not entries:
        Y = np.where(np.isnan(Y[::size, :1]).repeat(size, axis=0), np.nan, complete)
    frame = pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).assign(thread=np.arange(n) // size)
    return open_table(frame, columns=Columns(labels=["x", "y", "z"], group="thread"))


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


def test_only_scores_that_are_cut_at_half_by_their_method_are_cut_at_half(rng):
    X, Y, complete = half_labelled(rng)
    hiding, known, hidden = _hiding(Y, complete)
    methods = {"log odds": AutoLabeler("fast"), "reconstruction": SSDRMC(), DEFAULT: RATES}
    at_half = compare(methods, X, Split(known, hidden), hiding)["micro_f1_at_half"]
    assert at_half.isna().tolist() == [True, True, False]
    scores = clone(RATES).fit(X, known).label_scores_
    assert at_half[DEFAULT] == micro_f1(hidden, (scores >= 0.5).astype(int))


def test_the_methods_are_the_default_and_what_a_user_would_try_otherwise(opened, rng):
    methods = build_methods(opened.labels, effort="fast")
    assert list(methods)[:2] == [DEFAULT, "SSDR-MC"]
    assert methods[DEFAULT].effort == "fast"
    positives = PartialLabels.from_positives(rng.integers(2, size=(30, 2)))
    assert "SSDR-MC" not in build_methods(positives, effort="fast")


def test_what_can_be_learned_beats_the_rate(opened):
    result = evaluate(opened, repeats=8, effort="fast", curve=False)
    assert len(result.records) == 8 * 5
    assert result.summary.loc["rate of the label", "wins"] == 8
    assert result.summary.loc["rate of the label", "low"] > 0
    assert "of the labelled items lost all their labels" in result.pattern


def test_labels_that_have_nothing_to_do_with_the_features_are_called_so(rng):
    Y = (rng.random((150, 3)) < 0.4).astype(float)
    Y[::3] = np.nan
    advice = evaluate(open_table(rng.normal(size=(150, 4)), Y), repeats=3, effort="fast", curve=False).advice
    assert not advice.startswith("Use the default")


def test_a_single_label_is_decided_by_the_ranking_of_items(rng):
    X, Y, _ = half_labelled(rng, n=120)
    result = evaluate(open_table(X, Y[:, 0]), repeats=3, effort="fast")
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
        monkeypatch.setattr(evaluation, "MAX_ITEMS", max_items)
        rows = (
            np.arange(300)
            if max_items > 300
            else np.sort(np.random.default_rng(7).choice(300, max_items, replace=False))
        )
        result = evaluate(opened, repeats=2, seed=7, methods={DEFAULT: watched, "rate": RATES})
        labels, threads = opened.labels[rows], opened.groups[rows]
        assert len(watched.seen) == 4  # two of them for the curve
        for known in watched.seen:
            hidden = pd.Series((labels.observed & ~known.observed).any(axis=1)[~labels.unlabelled])
            assert 0 < hidden.mean() < 1
            assert (hidden.groupby(threads[~labels.unlabelled]).nunique() == 1).all()
        assert "groups" in result.pattern

    def test_few_large_groups_leave_neighbours_enough(self, rng):
        opened = grouped(rng, n=60, size=20, entries=True)
        assert len(evaluate(opened, repeats=2, effort="fast").curve) == 1


class TestCurve:
    def test_it_is_nested_and_ends_at_the_comparison(self, rng, watched):
        X, Y, _ = half_labelled(rng, n=250)
        labels = open_table(X, Y).labels
        result = evaluate(open_table(X, Y), repeats=3, methods={DEFAULT: watched, "rate": RATES})
        assert result.curve["share"].tolist() == [0.25, 0.5, 1.0]
        known = watched.seen[:3]
        for repeat, fewer in ((0, watched.seen[3:5]), (1, watched.seen[5:7])):
            half, quarter = (labels.observed & other.observed for other in fewer)
            assert not (half & ~known[repeat].observed).any()
            assert not (quarter & ~half).any()
        counts = [(~seen.unlabelled).sum() for seen in (watched.seen[4], watched.seen[3], known[0])]
        np.testing.assert_allclose(result.curve["labelled"], counts, atol=1)
        np.testing.assert_allclose(result.curve["labelled"] / counts[-1], [0.25, 0.5, 1.0], atol=0.04)
        at_the_end = result.records.query("method == @DEFAULT and repeat < 2")[["average_precision", "micro_f1"]].mean()
        assert result.curve.iloc[-1][["average_precision", "micro_f1"]].tolist() == at_the_end.tolist()
        assert "labelled items" in result.more_labels

    def test_it_changes_nothing_else_and_can_be_left_out(self, opened):
        methods = {DEFAULT: BinaryRelevance(), "rate": RATES}
        with_it = evaluate(opened, repeats=3, methods=methods)
        without = evaluate(opened, repeats=3, methods=methods, curve=False)
        assert without.curve is None
        assert without.more_labels == ""
        pd.testing.assert_frame_equal(*(r.records.drop(columns="seconds") for r in (with_it, without)))

    def test_items_with_a_hidden_entry_keep_what_they_show(self, rng, watched):
        X, _, complete = half_labelled(rng, n=200, n_labels=4)
        labels = PartialLabels.from_table(complete)
        known = hide_entries(hide_items(labels, 0.5, rng), 0.1, rng)
        hidden = labels.hide(known.observed | known.unlabelled[:, None])
        full = pd.DataFrame({"average_precision": [0.5]})
        curve = learning_curve(watched, X, [Split(known, hidden)], HiddenEntries(labels), full, rng)
        tested = hidden.observed.any(axis=1)
        assert curve["share"].tolist() == [0.5, 1.0]  # a quarter is less than the items that were left in part
        for fewer in watched.seen:
            np.testing.assert_array_equal(fewer.state[tested], known.state[tested])
        assert curve["labelled"].tolist() == pytest.approx([50, 100], abs=2)

    def test_a_group_of_half_the_items_may_leave_one_group_only(self, rng):
        """Then a quarter cannot be drawn from what is there: the point repeats the one before."""
        X, Y, _ = half_labelled(rng, n=400)
        labels = PartialLabels.from_table(Y)
        full = pd.DataFrame({"average_precision": [0.5]})
        repeated = []
        for seed in range(12):
            split_rng = np.random.default_rng(seed)
            groups = np.where(split_rng.random(400) < 0.5, 200, split_rng.integers(200, size=400))
            known = hide_like_gaps(labels, 0.2, split_rng, groups)
            splits = [Split(known, labels.hide(known.observed))]
            curve = learning_curve(RATES, X, splits, HiddenEntries(labels), full, split_rng, groups)
            counts = curve["labelled"]
            assert counts.is_monotonic_increasing
            assert counts.iloc[-2] < counts.iloc[-1]
            repeated.append(counts.iloc[0] == counts.iloc[1])
        assert any(repeated)
        assert not all(repeated)

    def test_a_share_must_hold_the_items_that_stay_and_their_groups(self):
        labels = PartialLabels.from_table(np.zeros((100, 2)))
        groups = np.maximum(np.arange(100) - 60, 0)  # 60 items in the first one, 39 alone
        hidden = np.zeros((100, 2), dtype=bool)
        hidden[:60, 0] = True
        known = labels.hide(hidden)
        split = Split(known, labels.hide(known.observed))
        assert [_has_enough_items(split, share, groups) for share in (0.5, 0.69, 0.7)] == [False, False, True]
        alone = np.arange(100)
        hidden[:] = np.arange(100)[:, None] < [10, 0]
        known = labels.hide(hidden)
        split = Split(known, labels.hide(known.observed))
        assert [_has_enough_items(split, share, alone) for share in (0.19, 0.2)] == [False, True]
        assert not _has_enough_items(split, 0.2, alone // 2)

    def test_labels_that_are_few_enough_stay(self, rng):
        """A large group went at once, and took more than was asked for."""
        labels = PartialLabels.from_table(np.zeros((20, 1)))
        known = labels.hide(np.arange(20)[:, None] < 5)
        for wanted in (15, 16):
            assert _keep_labels(known, labels.hide(known.observed), wanted, rng, np.arange(20)) is known

    def test_too_few_labelled_items_give_no_sentence(self, rng, watched):
        X, Y, _ = half_labelled(rng, n=40)
        result = evaluate(open_table(X, Y), repeats=2, methods={DEFAULT: watched, "rate": RATES})
        assert result.curve["share"].tolist() == [1.0]
        assert result.more_labels == ""

    @pytest.mark.parametrize(
        ("before", "after", "better", "n", "sentence"),
        [
            (0.70, 0.75, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                                 "0.750: more labels would help."),
            (0.70, 0.705, 2, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                                  "0.705: more labels would help little."),
            (0.70, 0.75, 1, 200, "Doubling the labelled items from 100 to 200 raised average precision from 0.700 to "
                                 "0.750, but not in every repeat: more labels may help."),
            (0.70, 0.69, 0, 140, "Raising the labelled items from 100 to 140 did not raise average precision (0.700, "
                                 "0.690): more labels would help little."),
        ],
    )  # fmt: skip
    def test_its_sentence(self, before, after, better, n, sentence):
        columns = {"share": [0.5, 1], "labelled": [100, n], "average_precision": [before, after], "repeats": [2, 2]}
        curve = pd.DataFrame({**columns, "better": [np.nan, better]})
        assert describe_curve(curve, "average_precision") == sentence


class TestExpectation:
    def test_by_hand(self):
        hidden = PartialLabels.from_table([[1, 0, np.nan]])
        p = np.array([[0.8, 0.4, 0.9]])
        assert expected_f1(hidden, np.array([[1, 0, 1]]), p) == pytest.approx(2 * 0.8 / (1 + 1.2))

    def test_it_is_right_on_average_if_the_probabilities_are(self, rng):
        p = rng.random((20_000, 3)) ** 2
        truth = PartialLabels.from_table((rng.random(p.shape) < p).astype(float))
        answer = (p >= 0.4).astype(int)
        assert expected_f1(truth, answer, p) == pytest.approx(micro_f1(truth, answer), abs=0.01)
        too_sure = expit(2 * logit(p))
        assert expected_f1(truth, answer, too_sure) > micro_f1(truth, answer) + 0.05

    def test_evaluate_reports_it(self, opened):
        result = evaluate(opened, repeats=3, methods={DEFAULT: BinaryRelevance(), "rate": RATES}, curve=False)
        row = result.summary.loc[DEFAULT]
        assert f"{row['expected_f1']:.3f} expected from its probabilities" in result.trust
        assert f"{row['micro_f1']:.3f} measured" in result.trust

    @pytest.mark.parametrize(
        ("difference", "low", "high", "sentence"),
        [
            (0.01, 0.005, 0.015, "The two agree"),
            (0.1, 0.05, 0.15, "overconfident"),
            (-0.1, -0.15, -0.05, "underconfident"),
            (0.1, -0.1, 0.3, "may be due to chance"),
        ],
    )
    def test_its_sentence(self, difference, low, high, sentence):
        found = compare_f1(0.6 + difference, 0.6, low, high)
        assert sentence in found
        assert sum(other in found for other in ("agree", "overconfident", "underconfident", "chance")) == 1


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
    with pytest.raises(ValueError, match="these labels say what is irrelevant: leave it out"):
        evaluate(opened, observed_rate=0.7)
    with pytest.raises(ValueError, match="the methods need one named 'halflabel' and at least one other"):
        evaluate(opened, methods={"rate": RATES, "again": RATES})
    with pytest.raises(ValueError, match="effort must be one of"):
        evaluate(opened, effort="much")


def test_the_command_prints_advice_and_json(tmp_path, rng):
    X, Y, _ = half_labelled(rng, n=120)
    pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).to_csv(tmp_path / "t.csv", index=False)
    arguments = ["evaluate", str(tmp_path / "t.csv"), "--labels", "x,y,z", "--repeats", "2", "--effort", "fast"]
    printed = CliRunner().invoke(main, arguments, catch_exceptions=False)
    for words in ("average precision", DEFAULT, "SSDR-MC", "expected from its", "Doubling the labelled items", "ECE"):
        assert words in printed.output
    found = json.loads(CliRunner().invoke(main, [*arguments, "--json"], catch_exceptions=False).stdout)
    assert {record["repeat"] for record in found["records"]} == {0, 1}
    assert [point["share"] for point in found["curve"]] == [0.25, 0.5, 1.0]
    assert {"pattern", "advice", "warning", "trust", "more_labels"} <= set(found)
    found = json.loads(CliRunner().invoke(main, [*arguments, "--json", "--no-curve"], catch_exceptions=False).stdout)
    assert found["curve"] is None


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_demo_can_be_repeated_by_the_line_it_prints(tmp_path):
    printed = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo")], catch_exceptions=False)
    assert printed.exit_code == 0, printed.output
    line = printed.output.strip().splitlines()[-1].strip()
    assert line.startswith("halflabel complete ")
    CliRunner().invoke(main, line.split()[1:], catch_exceptions=False)
    first = pd.read_csv(tmp_path / "demo" / "digits-completed.csv")
    again = pd.read_csv(tmp_path / "demo" / "digits-half.completed.csv")
    pd.testing.assert_frame_equal(first, again)


def test_the_demo_hides_nine_items_in_ten():
    demo = run_demo(1)
    unknown = demo.half[list(demo.tags)].isna().to_numpy()
    assert unknown.all(axis=1).mean() == pytest.approx(0.9, abs=0.02)
    assert unknown.mean() == pytest.approx(0.95, abs=0.01)
    assert demo.table.index[0] == DEFAULT


def test_a_prior_is_shown_alone_and_added(rng, tmp_path):
    X, Y, complete = half_labelled(rng, n=150)
    prior = np.where(rng.random(complete.shape) < 0.1, 1 - complete, complete)
    result = evaluate(
        open_table(rng.normal(size=X.shape), Y, columns=Columns(prior=prior)), repeats=2, effort="fast", curve=False
    )
    error = result.summary["brier"]
    assert list(error.index[:3]) == [DEFAULT, "without the prior", "the prior alone"]
    assert error[DEFAULT] < 0.6 * error["without the prior"]
    assert error["the prior alone"] == pytest.approx(error[DEFAULT], rel=0.25)


def test_a_prior_is_shown_alone_and_added_where_labels_are_positive_only(rng):
    X, _, complete = half_labelled(rng, n=150)
    labels = PartialLabels.from_positives(complete)
    prior = np.where(rng.random(complete.shape) < 0.1, 1 - complete, complete)
    result = evaluate(
        open_table(rng.normal(size=X.shape), labels, columns=Columns(prior=prior)), repeats=2, effort="fast"
    )
    placed = result.summary["above"]
    assert list(placed.index[:3]) == [DEFAULT, "without the prior", "the prior alone"]
    assert placed[DEFAULT] > placed["without the prior"] + 0.2
    assert placed["the prior alone"] == pytest.approx(placed[DEFAULT], abs=0.1)


def test_a_sample_keeps_its_prior(rng, monkeypatch):
    monkeypatch.setattr(evaluation, "MAX_ITEMS", 60)
    X, Y, complete = half_labelled(rng, n=150)
    opened = open_table(X, Y, columns=Columns(prior=np.clip(complete, 0.1, 0.9)))
    sample = evaluation._sample(opened, rng)
    np.testing.assert_array_equal(
        sample.prior[sample.labels.observed] > 0.5, sample.labels.relevant[sample.labels.observed]
    )


def test_a_prior_needs_a_method_that_accepts_it(rng):
    X, Y, complete = half_labelled(rng, n=60)
    with pytest.raises(ValueError, match="cannot take a prior"):
        evaluate(open_table(X, Y, columns=Columns(prior=complete)), methods={DEFAULT: SSDRMC(), "rate": RATES})
