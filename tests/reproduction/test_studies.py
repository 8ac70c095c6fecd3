"""Statements of the papers that are measured without a prediction."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy import linalg
from tests.reproduction.cases import make_small, plan_cells
from tests.reproduction.positives_models import make

from halflabel.reproduction.execute import execute
from halflabel.reproduction.load import load_paper
from halflabel.reproduction.studies import mddm


def run_small(run):
    """The record of a study on the toy set."""
    record = execute(make_small(run), None)
    assert record.failed == ""
    return record.metrics


def test_the_dependence_of_the_projection_is_the_sum_of_the_eigenvalues():
    data = make(np.random.default_rng(0))
    found = [mddm.dependence_at(data, np.random.default_rng(0), share=share) for share in (0.2, 0.6, 1.0)]
    assert all(each["hsic_gap"] < 1e-12 for each in found)
    shares = [each["hsic_share"] for each in found]
    assert shares == sorted(shares)
    assert shares[-1] == pytest.approx(1)
    X, Y = data.X - data.X.mean(axis=0), data.Y.values() - data.Y.values().mean(axis=0)
    K = X @ X.T
    values = linalg.eigh(X.T @ Y @ Y.T @ X, eigvals_only=True)[::-1]
    assert np.trace(K @ Y @ Y.T) == pytest.approx(values.sum())  # HSIC up to its constant
    assert shares[0] == pytest.approx(values[0] / values.sum())


def test_both_eigenvalue_problems_have_the_same_dependence():
    runs = plan_cells(load_paper("zhang2008"), "eigen")
    dense, thin = (run_small(runs[name])["dependence"] for name in ("Dense D x D", "Thin SVD"))
    assert dense == pytest.approx(thin, rel=1e-10)


def test_a_study_has_seconds_and_only_the_metrics_of_its_experiment():
    run = next(iter(plan_cells(load_paper("zhang2008"), "hsic").values()))
    assert set(run_small(run)) == {"hsic_share", "hsic_gap"}
    record = execute(replace(make_small(run), metrics=("hsic_share",)), None)
    assert set(record.metrics) == {"hsic_share"}
    assert record.seconds["fit"] > 0
