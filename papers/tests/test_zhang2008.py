"""MDDM at full dimension is a rotation: ML-kNN answers as without it, to the last digit, ties included."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halflabel import MDDM
from halflabel.methods.baselines import MLkNN
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs
from halflabel_papers.sets import load_benchmark

FIVE = ("hamming_loss", "one_error", "coverage", "ranking_loss", "average_precision")


@pytest.fixture(scope="module")
def folder(public_data):
    if not (public_data / "yahoo-arts").is_dir():
        pytest.skip(f"yahoo-arts is not in {public_data}")
    return public_data


@pytest.fixture(scope="module")
def answers(folder):
    """(Labels, scores) of the test pages, from sparse, dense and rotated features."""
    train, test = (load_benchmark("yahoo-arts", folder, part=part) for part in ("train", "test"))
    pairs = {"sparse": (train.X, test.X), "dense": (train.X.toarray(), test.X.toarray())}
    turn = MDDM(n_components=train.X.shape[1], null_space="variance").fit(pairs["dense"][0], train.Y)
    pairs["turned"] = tuple(turn.transform(X) for X in pairs["dense"])
    found = {}
    for name, (X, X_new) in pairs.items():
        with pytest.warns(UserWarning, match=r"1 of 26 labels .* cannot be learned"):
            model = MLkNN.as_published().fit(X, train.Y)
        found[name] = model.predict(X_new), model.decision_function(X_new)
    return found


@pytest.mark.parametrize("form", ["sparse", "turned"])
def test_neither_storage_nor_rotation_changes_an_answer(form, answers):
    labels, scores = answers[form]
    np.testing.assert_array_equal(labels, answers["dense"][0])
    np.testing.assert_allclose(scores, answers["dense"][1], rtol=0, atol=1e-12)


@pytest.mark.slow
def test_at_full_dimension_figure_2a_ends_where_no_reduction_stands(folder):
    runs = [
        run for run in plan_runs(load_paper("zhang2008")) if run.experiment == "figure2a" and run.set == "yahoo-arts"
    ]
    (turned,) = (run for run in runs if run.method == "MDDM at d" and run.grid["share"] == 1.0)
    original = next(run for run in runs if run.method == "ORI")
    records = [execute(replace(run, metrics=FIVE), folder) for run in (turned, original)]
    assert [record.failed for record in records] == ["", ""]
    assert set(records[0].metrics) == set(FIVE)
    assert records[0].metrics == records[1].metrics
