"""SparseLabeler against its definition with a cell for every entry, and what must not change it."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from tests.oracles.many_labels import neighbour_shares, probabilities, ridge, scores_without

from halflabel import PartialLabels
from halflabel.labels.sparse import SparseLabels
from halflabel.methods.many_labels import SparseLabeler

N, N_LABELS, LABELLED = 120, 15, 60


@pytest.fixture(scope="module")
def words():
    """Word counts of items whose words name their labels, and these labels."""
    rng = np.random.default_rng(0)
    Y = rng.random((N, N_LABELS)) < np.linspace(0.5, 0.05, N_LABELS)
    X = rng.poisson(0.3 + 2 * Y @ rng.dirichlet(np.full(30, 0.1), N_LABELS))
    return sparse.csr_array(np.where(rng.random(X.shape) < 0.4, X, 0).astype(float)), Y


def hide(Y, positive=False):
    """Return labels of the first items only."""
    state = np.where(Y, 1, 0 if positive else -1).astype(np.int8)
    state[LABELLED:] = 0
    return PartialLabels(state, tuple(f"t{j}" for j in range(Y.shape[1])), np.arange(len(Y)) < LABELLED, positive)


EVERY = {"top": N_LABELS, "n_candidates": N_LABELS, "n_neighbors": 5}


def test_with_all_labels_as_candidates_it_equals_the_dense_definition(words):
    X, Y = words
    model = SparseLabeler(**EVERY, scale="idf").fit(X, hide(Y))
    assert Y[:LABELLED].any(axis=0).all()
    Phi, y = model.fitted_.space(X).toarray(), Y[:LABELLED].astype(float)
    K = Phi @ Phi[:LABELLED].T
    score = (K + 1) @ ridge(K[:LABELLED], y, model.alpha_)
    share = neighbour_shares(K, y, 5)
    p = probabilities(score, share, y.sum(axis=0), model.fitted_.calibration)
    found = model.label_probabilities_.toarray()
    np.testing.assert_allclose(found[LABELLED:], p[LABELLED:], rtol=2e-3)  # weights are in single precision
    assert not found[:LABELLED].any()  # all is known
    np.testing.assert_allclose(model.predict_proba(X).toarray(), p, rtol=2e-3)


def test_missing_positives_are_scored_by_the_fit_without_their_item(words):
    X, Y = words
    model = SparseLabeler(**EVERY, scale="idf").fit(X, hide(Y, positive=True))
    Phi, y = model.fitted_.space(X[:LABELLED]).toarray(), Y[:LABELLED].astype(float)
    K = Phi @ Phi.T
    share = neighbour_shares(np.where(np.eye(LABELLED), 0, K), y, 5)
    p = probabilities(scores_without(K, y, model.alpha_), share, y.sum(axis=0) - y, model.fitted_.calibration)
    found = model.label_probabilities_[:LABELLED].toarray()
    np.testing.assert_allclose(found, np.where(y > 0, 0, p), rtol=1e-6)  # a given tag is no missing one


def test_only_the_likeliest_are_kept(words):
    X, Y = words
    whole = SparseLabeler(**EVERY, scale="idf").fit(X, hide(Y)).label_probabilities_.toarray()
    few = SparseLabeler(**(EVERY | {"top": 3}), scale="idf").fit(X, hide(Y)).label_probabilities_
    assert (np.diff(few.indptr) == np.where(np.arange(N) < LABELLED, 0, 3)).all()
    for row, all_ in zip(few[LABELLED:].toarray(), whole[LABELLED:], strict=True):
        assert set(np.flatnonzero(row)) == set(np.argsort(-all_)[:3])


def test_probabilities_are_right_on_average(words):
    rng = np.random.default_rng(1)
    X = words[0][rng.integers(N, size=600)]
    Y = rng.random((600, N_LABELS)) < 0.05 + 0.4 * (X[:, :N_LABELS].toarray() > 0)
    state = np.where(Y, 1, -1).astype(np.int8)
    state[300:] = 0
    labels = PartialLabels(state, tuple(map(str, range(N_LABELS))), np.arange(600) < 300)
    p = SparseLabeler(**EVERY, scale="idf").fit(X, labels).label_probabilities_[300:].toarray()
    for low, high in ((0, 0.2), (0.2, 0.5), (0.5, 1)):
        chosen = (p >= low) & (p < high)
        error = np.sqrt(0.25 / chosen.sum())
        assert p[chosen].mean() == pytest.approx(Y[300:][chosen].mean(), abs=0.02 + 2 * error)


@settings(max_examples=8)
@given(st.randoms(use_true_random=False))
def test_the_unlabelled_items_and_their_order_do_not_matter_to_the_others(words, random):
    """Words are weighted by all items, so that only the order and the labels of others may vary."""
    X, Y = words
    order = np.array(random.sample(range(N), N))
    first = SparseLabeler(**EVERY, scale="idf").fit(X, hide(Y)).label_probabilities_.toarray()
    second = SparseLabeler(**EVERY, scale="idf").fit(X[order], hide(Y)[order]).label_probabilities_.toarray()
    np.testing.assert_allclose(second, first[order], rtol=1e-3, atol=1e-6)


def test_sparse_and_dense_features_and_a_kernel_map(words):
    X, Y = words
    for scale in ("idf", "standard"):
        p = [SparseLabeler(**EVERY, scale=scale).fit(each, hide(Y)).predict_proba(each).toarray()
             for each in (X.toarray(), X)[: 1 + (scale == "idf")]]  # fmt: skip
        np.testing.assert_allclose(p[0], p[-1], rtol=1e-4)
        assert p[0][LABELLED:][Y[LABELLED:]].mean() > 1.3 * p[0][LABELLED:][~Y[LABELLED:]].mean()


def test_single_known_entries_are_kept_and_no_label_is_invented(words):
    X, Y = words
    labels = SparseLabels.from_dense(hide(Y))
    rows, ids = labels.stated.nonzero()
    more = SparseLabels.from_entries(
        np.append(rows, N - 1), np.append(ids, 0), np.append(np.ones(len(rows)), -1), [*labels.names, "new"],
        labels.annotated, positive_only=False,
    )  # fmt: skip
    p = SparseLabeler(top=99, n_candidates=99, scale="idf").fit(X, more).label_probabilities_
    assert p.shape == (N, N_LABELS + 1)
    assert p[N - 1, 0] == 0 < p[N - 2, 0]
    assert p[:, [N_LABELS]].nnz == 0


def test_a_label_of_every_item_and_of_none():
    X = np.repeat(np.eye(3), 2, axis=0)
    labels = SparseLabels.from_tags([["a"]] * 5 + [None], absent="irrelevant", names=["a", "b"])
    p = SparseLabeler(scale="idf").fit(X, labels).label_probabilities_
    assert p[5, 0] > 0.8
    assert p.nnz == 1


@pytest.mark.parametrize(
    ("parameters", "tags", "sentence"),
    [
        ({"top": 0}, [["a"], ["b"], None], "top must be a whole number of at least 1, not 0."),
        ({}, [["a"], None, None], "1 item of 3 has all labels known, but two are needed: annotate whole items"),
        ({}, [["a"], ["b"]], "inconsistent numbers of samples"),
    ],
)
def test_what_is_invalid_is_named(parameters, tags, sentence):
    with pytest.raises(ValueError, match=sentence):
        SparseLabeler(**parameters).fit(np.eye(3), SparseLabels.from_tags(tags, absent="unknown"))


def test_new_items_with_other_features_raise_and_another_container_does_not(words):
    X, Y = words
    model = SparseLabeler(scale="idf").fit(X, hide(Y))
    with pytest.raises(ValueError, match="X has 29 features, but SparseLabeler is expecting 30"):
        model.predict_proba(X[:, :29])
    p = [model.predict_proba(each).toarray() for each in (X[:5], X[:5].toarray())]
    np.testing.assert_allclose(p[1], p[0], rtol=1e-4)


MEMORY = """
import resource, numpy as np
from scipy import sparse
from halflabel.labels.sparse import SparseLabels
from halflabel.methods.many_labels import SparseLabeler
rng = np.random.default_rng(0)
n, n_labels = 6000, 20000
X = sparse.random_array((n, 2000), density=.01, format="csr", rng=rng)
rows = np.repeat(np.arange(1000), 5)
entries = np.unique(np.column_stack([rows, rng.integers(n_labels, size=5000)]), axis=0)
annotated = np.arange(n) < 1000
names = list(map(str, range(n_labels)))
labels = SparseLabels.from_entries(*entries.T, np.ones(len(entries)), names, annotated, positive_only=False)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
SparseLabeler(top=20).fit(X, labels)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) * 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="ru_maxrss is in kB on Linux")
def test_memory_is_far_below_a_cell_for_every_entry():
    run = subprocess.run([sys.executable, "-c", MEMORY], capture_output=True, text=True, check=True)
    assert int(run.stdout) < 0.5 * 8 * 6000 * 20_000  # half of one table of numbers
