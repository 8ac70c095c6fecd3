import numpy as np
import pytest
from sklearn.isotonic import isotonic_regression
from tests.numerics.clauses.test_clause import about, implies

from halflabel.numerics.clauses import projection
from halflabel.numerics.clauses.forest import find_parents, list_levels, project_forest


def draw_forest(rng, n=12):
    parents = np.array([-1 if j == 0 or rng.random() < 0.2 else rng.integers(j) for j in range(n)])
    order = rng.permutation(n)
    shuffled = np.full(n, -1)
    shuffled[order] = np.where(parents >= 0, order[parents], -1)
    return shuffled


@pytest.mark.parametrize("seed", range(3))
def test_a_chain_is_isotonic_regression(seed):
    z = np.random.default_rng(seed).normal(size=(20, 9))
    expected = [isotonic_regression(row, increasing=False) for row in z]
    np.testing.assert_allclose(project_forest(z, np.arange(9) - 1), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_a_forest_agrees_with_cyclic_projections(seed, monkeypatch):
    rng = np.random.default_rng(seed)
    parents, z = draw_forest(rng), rng.normal(size=(30, 12)) * 3
    clauses = [implies(j, parents[j]) for j in np.flatnonzero(parents >= 0)]
    assert find_parents(clauses, 12).tolist() == parents.tolist()
    exact = project_forest(z, parents)
    monkeypatch.setattr(projection, "find_parents", lambda *_: None)
    np.testing.assert_allclose(projection.project(z, np.zeros(z.shape, dtype=np.int8), clauses), exact, atol=1e-4)
    below = np.flatnonzero(parents >= 0)
    assert (exact[:, below] <= exact[:, parents[below]]).all()


@pytest.mark.parametrize(
    "clauses",
    [
        [implies(0, 1), implies(1, 0)],
        [implies(0, 1), implies(0, 2)],
        [implies(0, 1), about(1, 2)],
        [about(0, 1, exact=True)],
    ],
)
def test_other_clauses_are_not_a_forest(clauses):
    assert find_parents(clauses, 3) is None


def test_levels_begin_with_the_roots():
    assert [level.tolist() for level in list_levels(np.array([2, 2, -1, 0]))] == [[2], [0, 1], [3]]
    assert list_levels(np.array([1, 0])) == []
