"""LowRankVVMR against an interior point method, its optimality conditions, and what it recovers."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from tests.conftest import half_labelled
from tests.methods.parameters import check_parameters
from tests.oracles.vvmr import equation_7, equation_11, gram, objective_11
from tests.public_sets import load_benchmark

from halflabel import PartialLabels
from halflabel.labels.masking import hide_positives
from halflabel.labels.metrics import auc_per_label, ece, macro_f1, micro_f1
from halflabel.labels.positive_only import mark_unassigned, pu_f1
from halflabel.methods.canonical_order import order_items
from halflabel.methods.vvmr import VVMR, LowRankVVMR, lowrank
from halflabel.methods.vvmr.problem import InputKernel, Problem, graph_operator
from halflabel.numerics.graph.output_kernel import output_kernel
from halflabel.numerics.solvers.low_rank_plus_sparse import RecoveryProblem, recover


class Case:
    """A small problem in both forms: ours, and the dense matrices of the paper."""

    def __init__(
        self,
        rng,
        *,
        graph_weight=0.0,
        fixed=False,
        alpha=3e-3,
        alpha_manifold=0.0,
        trace=0.05,
        slope=0.03,
        N=24,
        n_rows=14,
    ):
        X, n = rng.normal(size=(N, 3)), 4
        scores = X @ rng.normal(size=(3, n))
        self.Y = np.where((scores > 0) & (rng.random((N, n)) < 0.7), 1.0, -1.0)[:n_rows]
        self.free = rng.random(self.Y.shape) < 0.7 if fixed else np.ones(self.Y.shape, dtype=bool)
        self.rows = np.sort(rng.choice(N, n_rows, replace=False))
        self.L = graph_operator(X, "laplacian", 4)
        kernel = InputKernel.learn(X, self.rows, self.L, 1.5, N, rng)
        output = output_kernel(self.Y, graph_weight, normalize=False)
        self.problem = Problem(kernel, output, np.arange(n_rows), self.Y, np.ones(self.Y.shape, bool), self.free)
        self.terms = RecoveryProblem(self.problem.at(alpha, alpha_manifold), self.Y, self.free, trace, slope)
        self.matrices = (gram(X, 1.5), self.L.toarray(), output.matrix())
        self.weights = (alpha, alpha_manifold)

    def dense(self, oracle, *middle):
        return oracle(*self.matrices, self.Y, *middle, self.rows, *self.weights, self.terms.trace, self.terms.slope)

    def functions(self, Z):
        return self.problem.kernel.rows @ self.terms.kernel.weights(Z)


CASES = {
    "plain": {},
    "graphs": {"graph_weight": 0.5, "alpha_manifold": 2e-3},
    "known": {"fixed": True, "graph_weight": 0.5},
    "knee": {"trace": 0.0},
    "all": {"fixed": True, "graph_weight": 0.5, "alpha_manifold": 2e-3, "trace": 0.2, "slope": 0.01},
}
cases = pytest.mark.parametrize("settings", CASES.values(), ids=CASES)


@cases
def test_the_minimum_is_that_of_an_interior_point_method(settings, rng):
    case = Case(rng, **settings)
    found = recover(case.terms, tol=1e-11, max_iter=4000).solution
    value, Z, F = case.dense(equation_11, case.free)
    assert found.residual <= 1e-11
    assert found.objective[-1] == pytest.approx(value, rel=1e-7)
    np.testing.assert_allclose(found.x, Z, atol=2e-3)
    np.testing.assert_allclose(case.functions(found.x), F, atol=2e-3)


@cases
def test_eliminating_a_leaves_the_value_of_eq_11(settings, rng):
    case = Case(rng, **settings)
    Z = case.Y + rng.random(case.Y.shape) * case.free
    A = equation_7(*case.matrices, Z, case.rows, *case.weights)
    assert case.terms.value(Z) == pytest.approx(case.dense(objective_11, Z, A), rel=1e-10)
    np.testing.assert_allclose(case.functions(Z), case.matrices[0] @ A @ case.matrices[2], atol=1e-9)


@cases
def test_the_residual_bounds_the_distance_to_the_minimum(settings, rng):
    case = Case(rng, **settings)
    best = recover(case.terms, tol=1e-12, max_iter=20000).solution.objective[-1]
    for max_iter in (5, 10, 40):
        early = recover(case.terms, tol=1e-3, max_iter=max_iter).solution
        assert early.objective[-1] * (1 - early.residual) <= best * (1 + 1e-11)
        assert early.objective[-1] >= best * (1 - 1e-11)


# -- the estimator -----------------------------------------------------------------

QUICK = {"alpha": 1e-2, "knee": 0.1, "width": 0.7, "n_folds": 3}


def draw_missing_positives(rng, n=150, n_labels=4):
    """Return (X, positive-only labels of two items in three, the truth), a third of the positives missing."""
    X, _, complete = half_labelled(rng, n=n, n_labels=n_labels)
    known = complete.copy()
    known[2 * n // 3 :] = np.nan
    return X, hide_positives(PartialLabels.from_table(known), 0.3, rng), complete


def test_missing_positives_rank_above_the_truly_irrelevant(rng):
    X, labels, complete = draw_missing_positives(rng)
    model = LowRankVVMR(**QUICK).fit(X, labels)
    rows = np.flatnonzero(labels.annotated)
    truth = np.where(labels.relevant, np.nan, complete)[rows]
    auc = auc_per_label(PartialLabels.from_table(truth), model.recovered_[rows])
    assert auc.min() > 0.8
    assert np.isnan(model.recovered_[~labels.annotated]).all()
    top = model.likely_missing(10)
    assert (np.diff(top["raised"]) <= 0).all()
    names = list(labels.names)
    assert np.mean([complete[item, names.index(label)] for item, label in top[["item", "label"]].values]) > 0.8
    assert not any(
        labels.relevant[item, names.index(label)]
        for item, label in model.likely_missing(None)[["item", "label"]].values
    )


def test_the_scores_are_the_regression_on_the_recovered_labels(rng):
    X, labels, _ = draw_missing_positives(rng, n=60)
    order = order_items(X, labels)
    X, labels = X[order], labels[order]
    model = LowRankVVMR(**QUICK, alpha_manifold=1e-3, alpha_trace=1e-3, label_graph_weight=0.5, scale=None).fit(
        X, labels
    )
    rows = np.flatnonzero(labels.annotated)
    Y = np.where(labels.relevant, 1.0, -1.0)[rows]
    Q = output_kernel(Y, 0.5, normalize=True).matrix()
    G = gram(X, model.bandwidth_)
    L = graph_operator(X, "normalized", 5).toarray()
    A = equation_7(G, L, Q, model.recovered_[rows], rows, 1e-2, 1e-3)
    np.testing.assert_allclose(model.label_scores_, G @ A @ Q, atol=1e-7)
    assert model.solution_.residual <= 1e-4
    assert (model.recovered_[rows] >= Y).all()


def test_known_irrelevant_entries_are_never_raised(rng):
    X, Y, _ = half_labelled(rng, entries=True)
    model = LowRankVVMR(**QUICK, alpha_trace=1e-3).fit(X, Y)
    np.testing.assert_array_equal(model.recovered_[Y == 0], -1.0)
    unknown = np.isnan(Y) & ~np.isnan(Y).all(axis=1, keepdims=True)
    assert (model.recovered_[unknown] > -1).any()
    assert not np.isnan(model.recovered_[unknown]).any()


def test_a_high_knee_leaves_kernel_ridge_regression(rng):
    X, labels, _ = draw_missing_positives(rng)
    settings = {"alpha": 1e-2, "width": 0.7, "n_folds": 3}
    model = LowRankVVMR(**settings, knee=10.0).fit(X, labels)
    assert len(model.likely_missing(None)) == 0
    Y = np.where(labels.annotated[:, None], labels.relevant.astype(float), np.nan)
    np.testing.assert_allclose(model.label_scores_, VVMR(**settings).fit(X, Y).label_scores_, atol=1e-9)


def test_the_warning_is_about_labels_that_were_not_assigned():
    relevant = np.array([[True, False], [False, False], [False, False]])
    model = LowRankVVMR(1e-2, knee=0.1, width=1.0)
    model.positive_only_, model.recovered_ = True, np.array([[1.0, 0.5], [-0.25, 0.5], [np.nan, np.nan]])
    with pytest.warns(UserWarning, match=r"^the 3 labels that were not assigned are recovered as \+0\.25 on average"):
        model._warn_if_everything_is_relevant(relevant)
    silent = [
        ((0.1, 0.2), True, 0.5),  # cross-validation chose the knee
        (0.1, False, 0.5),
        (0.1, True, -0.5),
        (0.1, True, np.where(relevant, 1.0, np.nan)),
    ]
    for knee, positive_only, recovered in silent:
        model.knee, model.positive_only_, model.recovered_ = knee, positive_only, np.broadcast_to(recovered, (3, 2))
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            model._warn_if_everything_is_relevant(relevant)


@pytest.mark.parametrize(("tol", "rough"), [(1e-4, 1e-3), (1e-2, 1e-2)])
def test_settings_are_compared_by_rough_solutions(tol, rough, rng, monkeypatch):
    X, labels, _ = draw_missing_positives(rng, n=30)
    tols = []

    def solve(terms, *, tol, max_iter):
        tols.append(tol)
        return recover(terms, tol=tol, max_iter=max_iter)

    monkeypatch.setattr(lowrank, "recover", solve)
    LowRankVVMR(alpha=1e-2, knee=(0.1, 0.2), width=0.7, n_folds=2, tol=tol).fit(X, labels)
    assert tols == [rough] * 4 + [tol]


def test_what_is_likely_missing_is_what_was_raised(rng):
    X, labels, _ = draw_missing_positives(rng)
    model = LowRankVVMR(**QUICK).fit(X, labels)
    raised = np.nan_to_num(model.recovered_ + 1)
    raised[labels.relevant] = 0
    table = model.likely_missing(None)
    assert len(table) == (raised > 0).sum() > 20 == len(model.likely_missing())
    item, column = table["item"].to_numpy(), table["label"].map(labels.names.index).to_numpy()
    np.testing.assert_array_equal(table["raised"], np.sort(raised[raised > 0])[::-1])
    np.testing.assert_array_equal(table["raised"], raised[item, column])
    np.testing.assert_array_equal(table["probability"], model.label_probabilities_[item, column])


def test_a_single_item_without_tags_does_not_set_the_threshold(rng):
    X, labels, _ = draw_missing_positives(rng)
    annotated = labels[labels.annotated]
    X = X[labels.annotated]
    all_annotated = LowRankVVMR(**QUICK).fit(X, annotated)
    one = LowRankVVMR(**QUICK).fit(X, annotated.hide(np.arange(len(annotated))[:, None] == 0))
    np.testing.assert_allclose(one.thresholds_, all_annotated.thresholds_, atol=0.1)


def test_a_fixed_rule_is_judged_at_its_threshold(rng):
    X, labels, _ = draw_missing_positives(rng, n=300)
    settings = {"alpha": 1e-2, "knee": (5.0, 0.1), "width": 0.7, "n_folds": 3}
    ranked, cut = (LowRankVVMR(rule=rule, **settings).fit(X, labels) for rule in ("micro_f1", "fixed"))
    assert (cut.cv_results_["pu_f1"] < ranked.cv_results_["pu_f1"]).all()
    rows = np.flatnonzero(labels.annotated)
    judged = pu_f1(mark_unassigned(labels)[rows], cut.out_of_fold_scores_[rows], threshold=0.0)
    assert judged == pytest.approx(cut.cv_results_["pu_f1"].max())


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"knee": 0.0}, "knee must be positive, .*, not 0.0: without it every label would be relevant"),
        ({"knee": (0.1, -0.1)}, "knee must be positive, .*, not -0.1"),
        ({"alpha_trace": (0.1, -0.1)}, "alpha_trace must be at least 0.* not -0.1"),
        ({"observed_rate": 0.0}, "must be above 0 and at most 1, not 0.0"),
    ],
)
def test_invalid_settings_raise(settings, sentence, rng):
    X, labels, _ = draw_missing_positives(rng, n=40)
    with pytest.raises(ValueError, match=sentence):
        LowRankVVMR(**settings).fit(X, labels)


def test_yeast_with_missing_positives(public_data):
    """The protocol of the paper at one setting: 500 annotated, 1000 unlabelled, the rest new, 30 % missing."""
    data, rng = load_benchmark("yeast", public_data), np.random.default_rng(0)
    items = rng.permutation(len(data.X))
    table = data.Y.values()[items[:1500]]
    table[500:] = np.nan
    labels = hide_positives(PartialLabels.from_table(table), 0.3, rng)
    settings = {"alpha": 2e-3, "knee": 0.1, "width": 0.5, "scale": None}
    model = LowRankVVMR(**settings, observed_rate=0.7, rule="balanced").fit(data.X[items[:1500]], labels)
    truth, new = data.Y[items[1500:]], data.X[items[1500:]]
    assert micro_f1(truth, model.predict(new)) > 0.635
    assert macro_f1(truth, model.predict(new)) > 0.415
    assert ece(truth, model.predict_proba(new)) < 0.04
    ridge = model.set_params(knee=50.0).fit(data.X[items[:1500]], labels)
    at_zero = micro_f1(truth, (ridge.decision_function(new) >= 0).astype(int))
    assert at_zero < 0.5  # the effect of missing positives on the sign of a regression that takes them as irrelevant


def test_parameters_are_those_of_the_docstring():
    check_parameters(LowRankVVMR(), n_folds=2)
