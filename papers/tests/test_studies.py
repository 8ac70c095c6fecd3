"""Statements of the papers that are measured without a prediction."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from papers.tests.cases import make_small, plan_cells
from papers.tests.positives_models import make
from scipy import linalg

from halflabel.datasets import make_low_rank
from halflabel.labels import PartialLabels
from halflabel_papers.comparators.tuned import Tuned
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.studies import completion, data, mddm, ssdrmc, ssdrmc_labels, vvmr


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


# -- Qian & Davidson ---------------------------------------------------------------------


def test_equation_7_rebuilds_unlabelled_items_and_is_not_the_minimum():
    found = ssdrmc.compare_optimum(make(np.random.default_rng(0)), np.random.default_rng(0), items=60, share=0.4)
    assert found["unlabelled_residual"] < 1e-9
    assert found["eq5_ratio"] > 1.01


def test_weights_do_not_change_with_the_place_of_the_items():
    found = ssdrmc.measure_invariance(make(np.random.default_rng(0)), np.random.default_rng(0), items=50)
    assert found["weight_change"] < 1e-8


def test_the_limit_of_equation_10_is_y():
    found = ssdrmc.compare_limits(make(np.random.default_rng(0)), np.random.default_rng(0), items=60, share=0.4)
    assert found["distance_to_Y"] < 1e-6
    assert found["distance_to_eq5"] > 0.1


@pytest.mark.filterwarnings("ignore")
def test_an_alternation_ends_in_one_way():
    items = make(np.random.default_rng(0))
    found = ssdrmc.follow_alternation(items, np.random.default_rng(0), items=60, share=0.4)
    assert found["ends_stable"] + found["ends_cycle"] + found["ends_cap"] == 1
    relaxed = ssdrmc.follow_relaxed(items, np.random.default_rng(0), items=60, share=0.4)
    assert relaxed["ends_stable"] in (0, 1)


# -- Goldberg et al. ---------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["MC-1", "MC-b"])
def test_every_algorithm_comes_nearer_to_the_minimum(kind):
    items = make_low_rank(30, 8, 2, 3, 0.01, np.random.default_rng(0)).dataset
    for algorithm in ("plain", "continuation"):
        gaps = [
            completion.follow_objective(
                items, np.random.default_rng(0), kind=kind, algorithm=algorithm, iterations=n, share=0.7
            )["log10_gap"]
            for n in (10, 200)
        ]
        assert gaps[1] < gaps[0], algorithm


def test_more_entries_recover_better():
    items = make_low_rank(60, 10, 1, 3, 0.0, np.random.default_rng(0)).dataset
    few, many = (completion.recover(items, np.random.default_rng(0), rank=1, omega=share) for share in (0.3, 0.9))
    assert many["relative_error"] < few["relative_error"]
    assert many["entries_per_freedom"] == pytest.approx(0.9 * 600 / 69, rel=0.05)


# -- Zhao & Guo ----------------------------------------------------------------------------


def test_acceleration_is_nearer_to_the_minimum():
    items = make(np.random.default_rng(0))
    fast, slow = (
        vvmr.follow_objective(items, np.random.default_rng(0), algorithm=name, iterations=400, items=60)["log10_gap"]
        for name in ("continuation", "plain")
    )
    assert fast < slow


def test_algorithm_1_comes_nearer_to_the_minimum_of_our_solver_and_never_below_it():
    items, settings = make(np.random.default_rng(0)), {"algorithm": "continuation", "items": 45}
    near, far = (
        vvmr.follow_objective(items, np.random.default_rng(0), iterations=n, **settings)["log10_gap"] for n in (400, 8)
    )
    assert -12 < near < far  # -12 stands for every value below the minimum, too


def test_recovery_of_labels_equals_cvxpy():
    cp = pytest.importorskip("cvxpy")
    rng = np.random.default_rng(0)
    Y = np.where(rng.random((12, 5)) < 0.3, 1.0, -1.0)
    E = cp.Variable(Y.shape, nonneg=True)
    slope = 1 / np.sqrt(12)
    problem = cp.Problem(cp.Minimize(cp.normNuc(Y + E) + slope * cp.sum(E)), [cp.multiply(E, Y > 0) == 0])
    problem.solve(solver="SCS", eps=1e-7)
    Z = vvmr.recover_labels(Y, 3000)
    value = np.linalg.norm(Z, "nuc") + slope * (Z - Y).sum()
    assert value == pytest.approx(problem.value, rel=1e-4)
    assert (Z >= Y - 1e-9).all()


def test_two_stages_learn_from_positives():
    items = make(np.random.default_rng(0))
    table = np.where(items.Y.relevant, 1.0, 0.0)
    table[60:] = np.nan
    model = vvmr.TwoStages().fit(items.X, PartialLabels.from_positives(table))
    assert model.decision_function(items.X[60:]).shape == (60, 5)
    assert set(np.unique(model.predict(items.X[60:]))) <= {0.0, 1.0}


def test_statistics_are_those_of_the_table():
    found = data.describe(make(np.random.default_rng(0), gaps=0.0), np.random.default_rng(0))
    assert (found["n_items"], found["n_features"], found["n_labels"]) == (120, 4, 5)


def test_a_single_label_has_the_same_answer_with_a_w_of_its_own():
    data = make(np.random.default_rng(0))
    one = replace(data, Y=data.Y.select([0]))
    settings = {"items": 80, "share": 0.5}
    both = [
        ssdrmc_labels.transduce(one, np.random.default_rng(1), **settings, separately=flag) for flag in (False, True)
    ]
    assert both[0] == both[1]


def test_faults_concern_labelled_items_only_and_no_fault_is_the_equation_itself():
    data = make(np.random.default_rng(0))
    settings = {"items": 80, "share": 0.5, "equation": "(7)"}
    found = {
        (fault, rate): ssdrmc_labels.transduce_uncertain(
            data, np.random.default_rng(1), **settings, fault=fault, rate=rate
        )
        for fault in ("partial", "noisy")
        for rate in (0.0, 0.5)
    }
    plain = ssdrmc_labels.transduce(data, np.random.default_rng(1), items=80, share=0.5, separately=False)
    assert found["partial", 0.0] == found["noisy", 0.0] == plain
    assert found["noisy", 0.5]["micro_f1"] < plain["micro_f1"]  # half of the relevant entries are stated as irrelevant
    printed = ssdrmc_labels.transduce_uncertain(
        data, np.random.default_rng(1), **(settings | {"equation": "(12)"}), fault="partial", rate=0.0
    )
    assert printed["micro_f1"] < 0.5 * plain["micro_f1"]  # unknown entries are fitted to 0


def test_two_stages_have_scores_of_items_that_they_did_not_see():
    data = make(np.random.default_rng(0))
    known = PartialLabels.from_positives(np.where(data.Y.relevant, 1.0, 0.0))
    model = Tuned(vvmr.TwoStages(n_iter=20), {"ridge": [1e3, 1e-2]}).fit(data.X, known)
    assert model.signed_.ridge == 1e-2  # the other one predicts no label
    assert np.isfinite(model.out_of_fold_scores_).all()
    assert not np.allclose(model.out_of_fold_scores_, model.decision_function(data.X))


def test_gradient_and_greedy_choices_stay_below_the_closed_form():
    items = make(np.random.default_rng(0))
    items = replace(items, Y=items.Y.select(np.arange(2)))
    most = mddm.solve_thin(items, np.random.default_rng(0))["dependence"]
    few, many = (mddm.ascend(items, np.random.default_rng(0), iterations=n)["missing_share"] for n in (1, 200))
    assert -1e-12 < many < few
    S = (items.X - items.X.mean(axis=0)).T @ items.Y.values()
    best = max(np.square(S[list(each)]).sum() for each in itertools.combinations(range(len(S)), items.Y.shape[1]))
    assert mddm.select_features(items, np.random.default_rng(0))["dependence"] == pytest.approx(best)
    assert best < most == pytest.approx(np.square(S).sum())


def test_weights_by_systems_and_by_inverses_solve_the_same_equations():
    items = make(np.random.default_rng(0))
    for inverse in (True, False):
        found = ssdrmc.solve_weights(items, np.random.default_rng(0), items=50, inverse=inverse)
        assert found["residual"] < 1e-9


def test_pairs_of_a_class_have_its_labels_in_common():
    """Two distant groups: every neighbour shares both labels of the group, random pairs share half of that."""
    X = np.vstack([np.random.default_rng(g).normal(50 * g, 1, (40, 3)) for g in (0, 1)])
    Y = np.repeat([[1.0, 1, 0], [0, 0, 1]], 40, axis=0)
    groups = replace(make(np.random.default_rng(0)), X=X, Y=PartialLabels.from_table(Y))
    found = {
        pairs: ssdrmc_labels.compare_pairs(groups, np.random.default_rng(0), items=80, pairs=pairs)["common_labels"]
        for pairs in ("positive", "negative", "random")
    }
    assert found["positive"] == pytest.approx(1.5, abs=0.1)
    assert found["negative"] == pytest.approx(1.5, abs=0.1)
    assert found["random"] == pytest.approx(0.75, abs=0.1)


@pytest.mark.filterwarnings("ignore")
def test_predicted_labels_and_places_on_a_map_are_of_this_library():
    items = make(np.random.default_rng(0))
    count = ssdrmc_labels.measure_iterations(items, np.random.default_rng(0), items=60, share=0.4, iterations=1)
    assert 0 < count["predicted_labels"] < items.Y.shape[1]
    assert 0 < count["objective_of_scores"] < count["objective"]  # rounding moves labels away from their neighbours
    near, far = (
        ssdrmc_labels.measure_map(items, np.random.default_rng(0), share=0.5, pairs=pairs)["map_distance"]
        for pairs in ("more", "fewer")
    )
    assert min(near, far) <= 1 <= max(near, far)  # the mean of all pairs is the unit


def test_a_path_in_one_run_has_the_same_minima_with_fewer_iterations():
    items = make_low_rank(60, 8, 2, 3, 0.1, np.random.default_rng(0)).dataset
    one, each = (
        completion.follow_path(items, np.random.default_rng(0), together=together, weights=5)["iterations"]
        for together in (True, False)
    )
    assert 0 < one < each


def test_products_of_features_are_hidden_for_whole_items_and_the_kernel_has_the_same_gaps(monkeypatch):
    given = []

    class Irrelevant:
        def __init__(self, **_):
            pass

        def fit(self, X, Y):
            given.append((X, Y))
            self.transduction_ = np.zeros(Y.shape)
            return self

    monkeypatch.setattr(completion, "MC1", Irrelevant)
    items = make_low_rank(60, 10, 2, 3, 0.0, np.random.default_rng(0)).dataset
    errors = [
        completion.learn_products(items, np.random.default_rng(0), omega=0.7, min_shared=share)["hamming_loss"]
        for share in (None, 0.1)
    ]
    (features, Y), (gram, same) = given
    np.testing.assert_array_equal(Y, same)
    np.testing.assert_array_equal(gram, completion.map_by_kernel(features, 0.1))
    assert 0.2 < np.isnan(features).mean() < 0.4
    rng, hidden = np.random.default_rng(0), np.isnan(Y[:, 0])
    truth = (items.X @ rng.normal(size=(10, 3)) > 0) == (items.X @ rng.normal(size=(10, 3)) > 0)
    np.testing.assert_array_equal(Y[~hidden], truth[~hidden])
    assert np.isnan(Y[hidden]).all()
    assert errors == pytest.approx([truth[hidden].mean()] * 2)


@pytest.mark.parametrize("min_shared", [0.0, 0.5, 1.0])
def test_the_kernel_of_two_items_is_that_of_the_features_that_they_share(min_shared, rng):
    X = np.where(rng.random((20, 6)) < 0.4, np.nan, 10 * rng.normal(size=(20, 6)) + 3)
    X[0], X[1] = np.nan, [3, 1, 4, 1, 5, 9]
    gram = completion.map_by_kernel(X, min_shared)
    Z = (X - np.nanmean(X, axis=0)) / np.nanstd(X, axis=0)
    of_pair = np.full((20, 20), np.nan)
    for i, j in np.ndindex(20, 20):
        shared = ~np.isnan(Z[i]) & ~np.isnan(Z[j])
        if shared.sum() >= max(min_shared * 6, 1):
            of_pair[i, j] = (Z[i, shared] @ Z[j, shared] / shared.sum() + 1) ** 2
    columns = np.array([np.isclose(gram, each[:, None], equal_nan=True).all(axis=0) for each in of_pair.T])
    assert gram.shape == (20, 20)
    assert columns.any(axis=0).all()
    items = rng.permutation(20)
    np.testing.assert_array_equal(completion.map_by_kernel(X[items], min_shared), gram[items])


def test_the_columns_of_a_kernel_are_a_sample(monkeypatch, rng):
    X = rng.normal(size=(20, 6))
    whole = completion.map_by_kernel(X, 0.1)
    monkeypatch.setattr(completion, "MAX_LANDMARKS", 7)
    sample = completion.map_by_kernel(X, 0.1)
    assert sample.shape == (20, 7)
    assert {tuple(column) for column in sample.T.round(9)} < {tuple(column) for column in whole.T.round(9)}


@pytest.mark.filterwarnings("ignore:GaussianMixtureImputer")
def test_a_draw_has_the_error_of_the_mean_and_once_more_the_spread():
    """A Gaussian: the squared error of a draw is twice that of the conditional mean, if the covariance is right."""
    items = make_low_rank(800, 6, 2, 2, 0.5, np.random.default_rng(0)).dataset
    mean, draw, early = (
        completion.impute(items, np.random.default_rng(0), reading=reading, omega=0.7)["imputation_error"]
        for reading in ("converged", "one draw", "3 iterations")
    )
    assert draw / mean == pytest.approx(np.sqrt(2), rel=0.05)
    assert early > mean


def test_the_rank_and_the_sparsity_of_labels():
    base = make(np.random.default_rng(0))
    Y = np.kron(np.eye(2), np.ones((10, 3)))  # two groups of labels: one direction in coding +1 and -1
    found = data.measure_structure(replace(base, Y=PartialLabels.from_table(Y)), np.random.default_rng(0))
    assert found == {"rank_share": 1 / 6, "relevant_share": 0.5}
