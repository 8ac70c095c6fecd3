"""Table 1 of Qian & Davidson (2010), with a surrogate for the inference: every way in which it ends."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse

from halflabel.methods.ssdrmc import alternation
from halflabel.methods.ssdrmc.alternation import Alternator, Inference
from halflabel.numerics.solvers import Solution, Status


def test_evidence_is_what_the_inference_can_reach():
    """A fixed point follows the direction of weights, a minimiser does not; an anchor is evidence for every entry."""
    W = sparse.csr_array(([1.0, 1.0], ([0, 2], [1, 1])), shape=(4, 4))  # items 0 and 2 are rebuilt from item 1
    observed = np.array([[True], [False], [False], [False]])
    directions = {"fixed_point": [True, False, False, False], "minimizer": [True, True, True, False]}
    for name, expected in directions.items():
        inference = Inference(name, 1.0, 1.0, 1e-8, 100)
        assert inference.has_evidence(W, observed).ravel().tolist() == expected
    assert Inference("anchored", 1.0, 1.0, 1e-8, 100).has_evidence(W, observed).all()


@pytest.mark.parametrize("name", ["anchored", "minimizer", "fixed_point"])
def test_the_solver_gets_targets_and_weights(name, monkeypatch):
    calls = {}
    for solver in ("minimizer", "fixed_point"):
        monkeypatch.setattr(alternation, solver, lambda *given, solver=solver, **_: calls.update({solver: given}))
    W = sparse.csr_array(([1.0, 1.0], ([0, 2], [1, 1])), shape=(4, 4))
    observed = np.array([[True], [False], [False], [False]])
    anchor = np.array([[9.0], [0.2], [0.3], [0.4]])
    Inference(name, 2.0, 0.5, 1e-8, 100).infer(W, np.ones((4, 1)), observed, anchor, None)
    (solver,) = calls
    assert solver == ("fixed_point" if name == "fixed_point" else "minimizer")
    _, target, weight = calls[solver]
    held = {"anchored": [0.5, 0.5, 0.5], "minimizer": [0, 0, np.inf], "fixed_point": [np.inf] * 3}[name]
    assert target.ravel().tolist() == [1, 0.2, 0.3, 0.4]
    assert weight.ravel().tolist() == [2.0, *held]


class Answers:
    """An inference that returns given scores, one table per call."""

    def __init__(self, states):
        self.states = iter(np.asarray(states, dtype=float))
        self.starts = []

    def infer(self, W, Y, observed, anchor, start):
        self.starts.append(start)
        return Solution(next(self.states), (0.0,), 0.0, 1, Status.CONVERGED)

    def has_evidence(self, W, observed):
        return observed | np.array([[False], [True], [True], [False]])


class Graph:
    """A graph that keeps the scores that it is given."""

    def __init__(self):
        self.scores = []

    def weigh(self, scores):
        self.scores.append(scores)
        return sparse.csr_array((4, 4))


def run(states, alternator=Alternator, **options):
    graph, inference = Graph(), Answers(states)
    settings = {"max_alternations": 10, "threshold": 0.5, "rounded": True, "tol": 0.0} | options
    alternator = alternator(graph, inference, sparse.csr_array((4, 4)), **settings)
    Y, observed = np.array([[1.0], [0], [0], [0]]), np.array([[True], [False], [False], [False]])
    return alternator.run(Y, observed, np.zeros((4, 1)), start=np.full((4, 1), 7.0)), graph.scores, inference.starts


def test_it_starts_from_the_weights_of_the_features_alone():
    end, fed_back, starts = run([[[0], [0], [0], [0]]], max_alternations=1)
    assert (end.stopped, end.n_alternations) == ("cap", 1)
    assert fed_back == []
    assert (starts[0] == 7).all()


def test_later_inferences_start_at_the_last_scores():
    first = [[0], [0.9], [0.2], [0.2]]
    _, _, starts = run([first, first])
    assert starts[1].tolist() == first


def test_stable():
    end, _, _ = run([[[0], [0.9], [0.2], [0.2]], [[0], [0.8], [0.3], [0.4]]])
    assert (end.stopped, end.n_alternations) == ("stable", 2)


def test_a_cycle_of_two_is_detected():
    a, b = [[0], [0.9], [0.2], [0.2]], [[0], [0.2], [0.9], [0.9]]
    end, _, _ = run([a, b, a, b, a, b])
    assert (end.stopped, end.n_alternations) == ("cycle", 3)


def test_the_maximum_number():
    states = [[[0], [i & 1], [i >> 1 & 1], [i >> 2 & 1]] for i in range(8)]
    end, _, _ = run(states, max_alternations=5)
    assert (end.stopped, end.n_alternations) == ("cap", 5)


def test_the_tolerance_is_a_share():
    a, b = [[0], [0.9], [0.2], [0.2]], [[0], [0.9], [0.2], [0.9]]
    assert run([a, b], tol=0.25)[0].stopped == "stable"
    assert run([a, b, b], tol=0.24)[0].n_alternations == 3


def test_feedback_is_rounded_or_clipped_and_keeps_observed_entries():
    state = [[0], [1.7], [0.6], [-0.4]]
    assert run([state] * 2)[1][0].ravel().tolist() == [1, 1, 1, 0]
    assert run([state] * 2, rounded=False)[1][0].ravel().tolist() == [1, 1, 0.6, 0]


def test_the_tolerance_may_be_a_number_of_entries():
    a, b = [[0], [0.9], [0.2], [0.2]], [[0], [0.9], [0.2], [0.9]]
    assert run([a, b], max_changes=1)[0].stopped == "stable"
    assert run([a, b, b], tol=1.0, max_changes=0)[0].n_alternations == 3
