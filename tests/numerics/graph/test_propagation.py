"""Inference and alternation of SSDR-MC: the printed equations as oracles, and the traps in them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from tests.conftest import half_labelled
from tests.oracles.propagation import equation_5, equation_7, equation_12

from halflabel import SSDRMC, PartialLabels
from halflabel.numerics.graph.neighbors import neighbors
from halflabel.numerics.graph.propagation import alternate, fixed_point, minimizer
from halflabel.numerics.graph.weights import reachable, reconstruction_weights
from halflabel.numerics.solvers import Solution, Status, bicgstab

SOLVE = {"tol": 1e-12, "max_iter": 2000}
gaps = pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])


@pytest.fixture
def graph(rng):
    def build(entries=False, ridge=1.0, n=60):
        X, Y, _ = half_labelled(rng, n=n, entries=entries)
        return reconstruction_weights(X, neighbors(X, 6)[0], ridge), np.nan_to_num(Y), ~np.isnan(Y), X

    return build


def clamp(observed):
    return np.where(observed, np.inf, 0.0)


def objective(W, F):
    return float(np.linalg.norm(F - W @ F) ** 2)


@gaps
def test_minimizer_is_the_optimum_of_eq_5(graph, entries):
    W, Y, observed, _ = graph(entries)
    solution = minimizer(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(solution.x, equation_5(W.toarray(), Y, observed), atol=1e-7)
    A = np.eye(60) - W.toarray()
    np.testing.assert_allclose((A.T @ A @ solution.x)[~observed], 0, atol=1e-8)


@gaps
@pytest.mark.parametrize("ridge", [1.0, 1e-3])
def test_fixed_point_is_eq_7(graph, entries, ridge):
    W, Y, observed, _ = graph(entries, ridge)
    solution = fixed_point(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(solution.x, equation_7(W.toarray(), Y, observed), atol=1e-7)
    assert solution.status is Status.CONVERGED


@gaps
def test_the_large_route_of_eq_7_agrees_with_the_direct_one(graph, entries, monkeypatch):
    W, Y, observed, _ = graph(entries, 1e-3)
    direct = fixed_point(W, Y, clamp(observed), **SOLVE)
    monkeypatch.setattr("halflabel.numerics.graph.propagation.DIRECT", 0)
    krylov = fixed_point(W, Y, clamp(observed), **SOLVE)
    np.testing.assert_allclose(krylov.x, direct.x, atol=1e-6)
    assert krylov.n_iter > 0


def test_eq_7_is_not_the_optimum_of_eq_5(graph):
    W, Y, observed, _ = graph(ridge=1e-3)
    printed, true = (solve(W, Y, clamp(observed), **SOLVE).x for solve in (fixed_point, minimizer))
    assert objective(W, printed) > 1.5 * objective(W, true)


def test_eq_7_leaves_no_residual_and_never_reads_labelled_rows(graph, rng):
    W, Y, observed, _ = graph()
    F = fixed_point(W, Y, clamp(observed), **SOLVE).x
    np.testing.assert_allclose((F - W @ F)[~observed], 0, atol=1e-12)
    other = W.toarray()
    other[observed[:, 0]] = rng.normal(size=(observed[:, 0].sum(), 60))
    np.testing.assert_array_equal(fixed_point(sparse.csr_array(other), Y, clamp(observed), **SOLVE).x, F)


@pytest.mark.parametrize("alpha", [0.1, 0.5, 0.9])
def test_iteration_2_equals_iteration_1_without_rounding(rng, alpha):
    """Under eq. (7), ridge 0 and k < m, W from the features also rebuilds the labels: alpha does nothing."""
    X = rng.normal(size=(50, 12))
    Y = (rng.random((50, 3)) < 0.5).astype(float)
    observed = np.repeat(rng.random((50, 1)) < 0.5, 3, axis=1)
    indices, _ = neighbors(X, 5)
    F1 = fixed_point(reconstruction_weights(X, indices, 0.0), Y, clamp(observed), **SOLVE).x
    W2 = reconstruction_weights(X, indices, 0.0, scores=F1, alpha=alpha)
    F2 = fixed_point(W2, Y, clamp(observed), **SOLVE).x
    np.testing.assert_allclose(F2, F1, atol=1e-9 * np.abs(F1).max())


class TestFittingTerm:
    def test_masked_its_limit_is_eq_5(self, graph):
        W, Y, observed, _ = graph()
        strong = minimizer(W, Y, np.where(observed, 1e7, 0.0), tol=1e-13, max_iter=5000).x
        np.testing.assert_allclose(strong, equation_5(W.toarray(), Y, observed), atol=1e-4)

    def test_masked_its_limit_is_eq_7(self, graph):
        W, Y, observed, _ = graph()
        strong = fixed_point(W, Y, np.where(observed, 1e9, 0.0), **SOLVE).x
        np.testing.assert_allclose(strong, equation_7(W.toarray(), Y, observed), atol=1e-6)

    def test_weak_its_limit_is_a_constant(self, rng):
        X = rng.normal(size=(60, 3))  # one component
        W, Y = reconstruction_weights(X, neighbors(X, 6)[0]), (rng.random((60, 2)) < 0.5).astype(float)
        observed = np.repeat(rng.random((60, 1)) < 0.5, 2, axis=1)
        weak = fixed_point(W, Y, np.where(observed, 1e-7, 0.0), **SOLVE).x
        assert np.ptp(weak, axis=0).max() < 1e-3

    def test_as_printed_it_pulls_unlabelled_items_to_0_and_its_limit_is_the_filled_table(self, graph):
        W, Y, observed, _ = graph()
        filled = np.where(observed, Y, np.nan)
        printed = equation_12(W.toarray(), filled, beta=1.0)
        masked = fixed_point(W, Y, np.where(observed, 1.0, 0.0), **SOLVE).x
        assert printed[~observed].mean() < 0.4 * masked[~observed].mean()
        np.testing.assert_allclose(equation_12(W.toarray(), filled, beta=1e9), np.nan_to_num(filled), atol=1e-6)


class TestWeights:
    def test_signed_weights_let_propagation_diverge_and_scores_leave_the_unit_interval(self, graph):
        W, Y, observed, _ = graph(ridge=1e-3, n=200)
        u = ~observed[:, 0]
        assert np.abs(np.linalg.eigvals(W.toarray()[np.ix_(u, u)])).max() > 1
        F = fixed_point(W, Y, clamp(observed), **SOLVE).x
        assert F.min() < 0 or F.max() > 1

    def test_dropped_negatives_make_it_contract(self, rng):
        X, Y, _ = half_labelled(rng, n=200)
        W = reconstruction_weights(X, neighbors(X, 6)[0], 1e-3, drop_negative=True)
        assert W.data.min() >= 0
        np.testing.assert_allclose(W.sum(axis=1), 1)
        u = np.isnan(Y[:, 0])
        assert np.abs(np.linalg.eigvals(W.toarray()[np.ix_(u, u)])).max() < 1

    def test_alpha_does_not_depend_on_units(self, rng):
        X, F = rng.normal(size=(40, 5)), rng.random((40, 3))
        indices, _ = neighbors(X, 6)
        W = reconstruction_weights(X, indices, 1.0, scores=F, alpha=0.3)
        other = reconstruction_weights(1000 * X, indices, 1.0, scores=F / 7, alpha=0.3)
        np.testing.assert_allclose(other.toarray(), W.toarray(), atol=1e-9)

    def test_alpha_0_and_1_are_features_and_labels_alone(self, rng):
        X, F = rng.normal(size=(40, 5)), rng.random((40, 3))
        indices, _ = neighbors(X, 6)
        ends = [reconstruction_weights(X, indices, 1.0, scores=F, alpha=a).toarray() for a in (0.0, 1.0)]
        np.testing.assert_allclose(ends[0], reconstruction_weights(X, indices, 1.0).toarray(), atol=1e-10)
        np.testing.assert_allclose(ends[1], reconstruction_weights(F, indices, 1.0).toarray(), atol=1e-10)


class TestAlternation:
    """Table 1 with a stand-in for the inference, so that every way to end is seen."""

    def run(self, states, **options):
        asked = []

        def reweigh(scores):
            asked.append(scores)
            return sparse.csr_array((4, 4))

        answers = iter(np.asarray(states, dtype=float))
        infer = lambda W, Y, observed, start: Solution(next(answers), (0.0,), 0.0, 1, Status.CONVERGED)  # noqa: E731
        settings = {"cap": 10, "threshold": 0.5, "rounded": True, "tol": 0.0} | options
        observed = np.array([[True], [False], [False], [False]])
        return alternate(reweigh, infer, np.array([[1.0], [0], [0], [0]]), observed, **settings), asked

    def test_it_starts_from_the_features_alone(self):
        _, asked = self.run([[[0], [0], [0], [0]]] * 2)
        assert asked[0] is None

    def test_stable(self):
        end, _ = self.run([[[0], [0.9], [0.2], [0.2]], [[0], [0.8], [0.3], [0.4]]])
        assert (end.stopped, end.n_alternations) == ("stable", 2)

    def test_a_cycle_of_two_is_seen(self):
        a, b = [[0], [0.9], [0.2], [0.2]], [[0], [0.2], [0.9], [0.9]]
        end, _ = self.run([a, b, a, b, a, b])
        assert (end.stopped, end.n_alternations) == ("cycle", 3)

    def test_the_cap(self):
        states = [[[0], [i & 1], [i >> 1 & 1], [i >> 2 & 1]] for i in range(8)]
        end, _ = self.run(states, cap=5)
        assert (end.stopped, end.n_alternations) == ("cap", 5)

    def test_the_tolerance_is_a_share(self):
        a, b = [[0], [0.9], [0.2], [0.2]], [[0], [0.9], [0.2], [0.9]]
        assert self.run([a, b], tol=0.25)[0].stopped == "stable"
        assert self.run([a, b, b], tol=0.24)[0].n_alternations == 3

    def test_feedback_is_rounded_or_clipped_and_keeps_what_is_known(self):
        state = [[0], [1.7], [0.6], [-0.4]]
        assert self.run([state] * 2)[1][1].ravel().tolist() == [1, 1, 1, 0]
        assert self.run([state] * 2, rounded=False)[1][1].ravel().tolist() == [1, 1, 0.6, 0]

    def test_confident_scores_join_the_observed_ones(self):
        first, second = [[0], [0.95], [0.6], [0.02]], [[0], [0.2], [0.3], [0.9]]
        _, asked = self.run([first, second, second], confidence=0.9, rounded=False)
        assert asked[2].ravel().tolist() == [1, 1, 0.3, 0]


def test_reachable_follows_the_rows():
    W = sparse.csr_array(np.array([[0, 1.0, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]]))
    observed = np.array([[False, True], [False, False], [True, False], [False, False]])
    assert reachable(W, observed)[:, 0].tolist() == [True, True, True, True]
    assert reachable(W, observed)[:, 1].tolist() == [True, False, False, True]


def test_bicgstab_against_dense_solves(rng):
    A = rng.normal(size=(30, 30)) + 8 * np.eye(30)
    D, B = rng.uniform(0.5, 2, (30, 3)), rng.normal(size=(30, 3))
    exact = np.column_stack([np.linalg.solve(A + np.diag(d), b) for d, b in zip(D.T, B.T, strict=True)])
    solution = bicgstab(lambda X: A @ X + D * X, B, np.diag(A)[:, None] + D, tol=1e-12)
    np.testing.assert_allclose(solution.x, exact, atol=1e-9)
    assert solution.residual < 1e-11
    short = bicgstab(lambda X: A @ X + D * X, B, np.diag(A)[:, None] + D, tol=1e-12, max_iter=2)
    assert short.status is Status.MAX_ITER


class TestEstimator:
    @pytest.mark.parametrize("inference", ["minimizer", "fixed_point"])
    def test_without_an_anchor_an_unreached_component_has_no_score(self, rng, inference):
        X = np.vstack([rng.normal(size=(20, 2)), 100 + rng.normal(size=(20, 2))])
        y = np.full(40, np.nan)
        y[:10] = np.arange(10) % 2
        model = SSDRMC(n_neighbors=4, scale=None, inference=inference).fit(X, y)
        assert np.isfinite(model.label_scores_[:20]).all()
        assert np.isnan(model.label_scores_[20:]).all()
        assert np.ptp(model.label_probabilities_[20:]) == 0
        assert np.isfinite(model.predict_proba(X)).all()

    @gaps
    @pytest.mark.parametrize("inference", ["minimizer", "fixed_point"])
    def test_it_solves_the_named_equation(self, rng, inference, entries):
        X, Y, _ = half_labelled(rng, entries=entries)
        model = SSDRMC(n_neighbors=6, inference=inference, solver_tol=1e-12, max_iter=2000).fit(X, Y)
        oracle = {"minimizer": equation_5, "fixed_point": equation_7}[inference]
        expected = oracle(model.weights_.toarray(), np.nan_to_num(Y), ~np.isnan(Y))
        np.testing.assert_allclose(model.label_scores_, expected, atol=1e-6)

    def test_as_published_states_every_setting_of_the_paper(self):
        model = SSDRMC.as_published()
        assert (model.n_neighbors, model.alpha, model.threshold) == (15, 0.1, 0.3)
        assert (model.inference, model.feedback, model.decision) == ("fixed_point", "rounded", "fixed")

    def test_as_published_runs_and_says_how_it_ended(self, rng):
        X, Y, _ = half_labelled(rng, n=120)
        model = SSDRMC.as_published().fit(X, Y)
        assert model.stopped_ in ("stable", "cycle", "cap")
        assert 1 <= model.n_alternations_ <= 10
        np.testing.assert_array_equal(model.label_scores_[~np.isnan(Y)], Y[~np.isnan(Y)])

    def test_the_weak_prior_loop_keeps_given_entries(self, rng):
        X, Y, complete = half_labelled(rng, n=120)
        model = SSDRMC(inference="minimizer", fit_weight=1.0, confidence=0.9, max_alternations=5).fit(X, Y)
        known = ~np.isnan(Y)
        np.testing.assert_array_equal(model.transduction_[known], Y[known])
        assert (model.transduction_ == complete)[~known].mean() > 0.8

    def test_words_that_mean_nothing_are_refused(self, rng):
        X, Y, _ = half_labelled(rng)
        with pytest.raises(ValueError, match=r"inference must be one of 'anchored', .* not 'eq7'"):
            SSDRMC(inference="eq7").fit(X, Y)
        with pytest.raises(ValueError, match="feedback must be one of 'soft', 'rounded'"):
            SSDRMC(feedback="hard").fit(X, Y)
        for name in ("n_neighbors", "max_alternations", "max_landmarks", "n_folds"):
            for value in (0, 2.5, None):
                with pytest.raises(ValueError, match=f"{name} must be a whole number of at least"):
                    SSDRMC(**{name: value}).fit(X, Y)
        with pytest.raises(ValueError, match="anchor_weight must be positive"):
            SSDRMC(anchor_weight=0).fit(X, Y)


class TestEmbedding:
    def test_without_n_components_there_is_no_transform(self, rng):
        X, Y, _ = half_labelled(rng)
        assert not hasattr(SSDRMC().fit(X, Y), "transform")

    def test_new_items_land_where_they_are_rebuilt(self, rng):
        X, Y, _ = half_labelled(rng, n=100)
        model = SSDRMC(n_components=2).fit(X, Y)
        drawn = model.embedding_.coordinates
        assert drawn.shape == (100, 2)
        assert model.get_feature_names_out().tolist() == ["ssdrmc0", "ssdrmc1"]
        again = model.transform(X)  # each row is now its own nearest neighbour
        assert np.corrcoef(again[:, 0], drawn[:, 0])[0, 1] > 0.95
        np.testing.assert_array_equal(clone(model).fit_transform(X, Y), drawn)

    def test_hidden_labels_never_shape_it(self, rng):
        X, Y, complete = half_labelled(rng, n=100)
        mask = ~np.isnan(Y)
        drawn = [
            SSDRMC(n_components=2, alpha=0.5, max_alternations=2)
            .fit(X, PartialLabels.from_observed(np.where(mask, complete, hidden), mask))
            .embedding_.coordinates
            for hidden in (complete, 1 - complete)
        ]
        np.testing.assert_array_equal(*drawn)

    def test_labels_shape_it_when_weights_alternate(self, rng):
        X = rng.normal(size=(150, 8))
        y = (X[:, 0] > 0).astype(float)
        y[rng.random(150) < 0.5] = np.nan
        plain, shaped = (SSDRMC(n_components=1, alpha=a, max_alternations=2).fit(X, y) for a in (0.0, 0.9))
        told = [abs(np.corrcoef(m.embedding_.coordinates[:, 0], X[:, 0])[0, 1]) for m in (plain, shaped)]
        assert told[1] > told[0]
