"""One run: the choice of a setting, probabilities from scores, and the scores themselves."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.benchmark.toy import make_board
from sklearn.metrics import brier_score_loss, log_loss

from halflabel import PartialLabels
from halflabel_papers.benchmark.arms import LabelRate
from halflabel_papers.benchmark.gaps import open_unassigned
from halflabel_papers.benchmark.measuring import Tuning, compute_log_loss, measure, score
from halflabel_papers.execute import execute
from halflabel_papers.spec import Method


def plan(board, name, protocol="Q"):
    return next(run for run in board.list_runs([name], quick=True) if run.experiment == protocol)


def use(board, name, *steps, **options):
    return replace(board, methods={name: Method(name, steps, options=options)})


def test_scores_equal_those_of_scikit_learn():
    rng = np.random.default_rng(0)
    Y, p = (rng.random((50, 3)) < 0.4).astype(float), rng.random((50, 3))
    Y[rng.random(Y.shape) < 0.3] = np.nan
    labels = PartialLabels.from_table(Y)
    known = ~np.isnan(Y)
    values = score(labels, p, ["brier", "micro_f1"], "half")
    assert values["brier"] == pytest.approx(brier_score_loss(Y[known], p[known]))
    assert values["log_loss"] == pytest.approx(log_loss(Y[known], p[known]))
    assert compute_log_loss(labels, np.where(Y == 1, 1.0, 0.0)) == pytest.approx(0, abs=1e-5)


def test_the_setting_with_the_lowest_log_loss_is_chosen():
    board, step = make_board(), {"use": "papers.tests.benchmark.toy:Good", "seconds": 0.0}
    bad = {"use": "papers.tests.benchmark.toy:Nan"}
    assert measure(plan(use(board, "one", step, settings=[bad, {}]), "one"), None).facts["chosen"] == 1
    assert measure(plan(use(board, "one", step, settings=[{}, bad]), "one"), None).facts["chosen"] == 0


def test_a_setting_changes_a_part_of_a_step():
    step = {"use": "halflabel.methods.baselines:BinaryRelevance", "n_folds": 2}
    step["classifier"] = {"use": "sklearn.linear_model:LogisticRegression", "C": 1e-9}
    board = use(make_board(), "two", step, settings=[{}, {"classifier": {"C": 1.0}}])
    outcome = measure(plan(board, "two"), None)
    assert outcome.facts == {"settings": 2, "chosen": 1, "frequency": 1.0, "input": outcome.facts["input"]}


def test_a_record_names_its_data_and_its_gaps():
    """Equal for all methods of a cell, and another digest for other gaps or other data."""
    board = make_board("Good", "Scores")
    good, scores, other = (
        measure(run, None).facts["input"]
        for run in (plan(board, "Good"), plan(board, "Scores"), replace(plan(board, "Good"), seed=(1, 2)))
    )
    assert good == scores != other
    run = plan(board, "Good")
    fewer = measure(replace(run, options={**run.options, "rate": 0.5}), None).facts["input"]
    assert fewer not in (good, other)


def test_a_method_without_probabilities_is_calibrated_on_held_out_entries():
    board = make_board("Good", "Scores")
    good, scores = (measure(plan(board, name), None).metrics for name in ("Good", "Scores"))
    assert scores["brier"] < 0.2
    assert scores["macro_auc"] == pytest.approx(good["macro_auc"])


@pytest.mark.parametrize("absent", ["irrelevant", "unknown"])
def test_probabilities_of_assigned_labels_are_divided_by_the_label_frequency(absent):
    step = {"use": "halflabel_papers.comparators:EPR", "n_folds": 2, "observed_rate": "$frequency"}
    plain = {"use": "halflabel_papers.benchmark.arms:LabelRate"}
    board = use(make_board(), "one", step if absent == "unknown" else plain, absent=absent)
    run = plan(board, "one", "Z")
    outcome = measure(run, None)
    whole = measure(replace(run, options={**run.options, "rate": 0.0}), None)
    assert outcome.facts["frequency"] == 0.7
    assert outcome.metrics["brier"] == pytest.approx(whole.metrics["brier"], abs=0.05)


class Relevant(LabelRate):
    """It returns P(relevant), from the label frequency c."""

    def __init__(self, c=1.0):
        self.c = c

    def predict_proba(self, X):
        return super().predict_proba(X) / self.c


@pytest.mark.parametrize("settings", [[], [{}, {}]])
def test_probabilities_of_relevant_labels_are_not_divided_again(settings):
    """A method that divides by c itself, and declares it, has the figures of one that leaves this to the board."""
    step, board = {"use": f"{__name__}:Relevant", "c": "$frequency"}, make_board()
    plain = use(board, "one", {"use": "halflabel_papers.benchmark.arms:LabelRate"})
    declared = use(board, "one", step, returns="relevant", settings=settings)
    wanted = measure(plan(plain, "one", "Z"), None).metrics
    assert measure(plan(declared, "one", "Z"), None).metrics == pytest.approx(wanted)
    twice = measure(plan(use(board, "one", step, settings=settings), "one", "Z"), None).metrics
    assert abs(twice["brier"] - wanted["brier"]) > 0.01


def test_held_out_entries_of_positive_only_labels_are_whole_items_with_their_unassigned_entries():
    labels = PartialLabels.from_table(np.array([[1.0, 0], [0, 1], [1, 1], [0, 0]] * 10))
    tuning = Tuning(np.zeros((40, 1)), labels, 0.2, open_unassigned)
    rows = tuning.held_out.observed.any(axis=1)
    assert tuning.held_out.observed.sum() == 2 * rows.sum()
    assert rows.sum() == pytest.approx(8, abs=2)
    assert (~labels.relevant[rows].any(axis=1)).any()
    assert tuning.form(tuning.rest).positive_only


def test_a_prediction_of_nan_is_a_failure_with_this_reason():
    record = execute(plan(make_board("Nan"), "Nan"), None)
    assert record.metrics == {}
    assert "it predicted NaN for" in record.failed
