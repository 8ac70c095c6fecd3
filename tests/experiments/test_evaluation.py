"""evaluate() and the demo: what is hidden, what is compared, what is advised."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from sklearn.dummy import DummyClassifier
from tests.conftest import half_labelled

from halflabel import PartialLabels
from halflabel.baselines import BinaryRelevance
from halflabel.cli import main
from halflabel.experiments import evaluate, run_demo
from halflabel.experiments.comparison import DEFAULT, compare
from halflabel.experiments.evaluation import _interval
from halflabel.metrics import average_precision
from halflabel.table import open_table

pytestmark = pytest.mark.filterwarnings("ignore:.*cannot be learned:UserWarning")


@pytest.fixture
def opened(rng):
    X, Y, _ = half_labelled(rng, n=120)
    return open_table(X, Y)


def test_compare_scores_the_hidden_entries_only(rng):
    X, Y, complete = half_labelled(rng)
    known = PartialLabels.from_table(Y)
    hidden = PartialLabels.from_table(complete).hide(known.observed)
    method = BinaryRelevance(DummyClassifier(strategy="prior"))
    row = compare({"rate": method}, X, known, hidden).loc["rate"]
    p = method.fit(X, known).label_probabilities_
    assert row["average_precision"] == average_precision(hidden, p)
    assert row["brier"] == pytest.approx(((p - complete)[hidden.observed] ** 2).mean())


def test_what_can_be_learned_beats_the_rate(opened):
    result = evaluate(opened, repeats=8)
    assert len(result.records) == 8 * 4
    assert result.summary.loc["rate of the label", "wins"] == 8
    assert result.summary.loc["rate of the label", "low"] > 0
    assert "of the labelled items lost all their labels" in result.pattern


def test_labels_that_have_nothing_to_do_with_the_features_are_called_so(rng):
    Y = (rng.random((150, 3)) < 0.4).astype(float)
    Y[::3] = np.nan
    advice = evaluate(open_table(rng.normal(size=(150, 4)), Y), repeats=3).advice
    assert not advice.startswith("Use the default")


def test_a_single_label_is_decided_by_the_ranking_of_items(rng):
    X, Y, _ = half_labelled(rng, n=120)
    result = evaluate(open_table(X, Y[:, 0]), repeats=3)
    assert (result.summary["average_precision"] == 1).all()  # nothing to rank in an item
    assert result.decisive == "macro_auc"
    assert result.summary.loc["rate of the label", "low"] > 0
    assert "area under the ROC curve" in result.advice


def test_the_interval_is_wider_than_the_naive_one():
    difference = np.array([0.01, 0.02, 0.03, 0.02])
    low, high = _interval(difference, 0.2)
    naive = 2 * 3.182446 * difference.std(ddof=1) / 2  # t(.975, 3) and the square root of n = 4
    assert high - low == pytest.approx(naive * np.sqrt(1 + 4 * 0.25))
    assert (low + high) / 2 == pytest.approx(0.02)


def test_refusals(opened, rng):
    with pytest.raises(ValueError, match="repeats must be at least 2"):
        evaluate(opened, repeats=1)
    few = np.full((30, 1), np.nan)
    few[:6, 0] = [0, 1, 0, 1, 0, 1]
    with pytest.raises(ValueError, match="only 6 items have a label"):
        evaluate(open_table(rng.normal(size=(30, 2)), few))
    with pytest.raises(ValueError, match="these labels say what is irrelevant: leave it out"):
        evaluate(opened, observed_rate=0.7)


def test_the_command_prints_advice_and_json(tmp_path, rng):
    X, Y, _ = half_labelled(rng, n=80)
    pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).to_csv(tmp_path / "t.csv", index=False)
    arguments = ["evaluate", str(tmp_path / "t.csv"), "--labels", "x,y,z", "--repeats", "2"]
    told = CliRunner().invoke(main, arguments, catch_exceptions=False)
    assert "average precision" in told.output
    assert DEFAULT in told.output
    records = json.loads(CliRunner().invoke(main, [*arguments, "--json"], catch_exceptions=False).stdout)["records"]
    assert {record["repeat"] for record in records} == {0, 1}


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_demo_can_be_repeated_by_the_line_it_prints(tmp_path):
    told = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo")], catch_exceptions=False)
    assert told.exit_code == 0, told.output
    line = told.output.strip().splitlines()[-1].strip()
    assert line.startswith("halflabel complete ")
    CliRunner().invoke(main, line.split()[1:], catch_exceptions=False)
    first = pd.read_csv(tmp_path / "demo" / "digits-completed.csv")
    again = pd.read_csv(tmp_path / "demo" / "digits-half.completed.csv")
    pd.testing.assert_frame_equal(first, again)


def test_the_demo_hides_what_it_says():
    demo = run_demo(1)
    unknown = demo.half[list(demo.tags)].isna().to_numpy()
    assert unknown.all(axis=1).mean() == pytest.approx(0.9, abs=0.02)
    assert unknown.mean() == pytest.approx(0.95, abs=0.01)
    assert demo.table.index[0] == DEFAULT
