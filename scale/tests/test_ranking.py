"""The likeliest of thousands of labels, against their definition with a cell for every entry."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from scale.tests.oracle import neighbour_shares, probabilities, ridge, scores_without
from scipy import sparse

from halflabel_scale import rank_labels
from halflabel_scale.labeler import SparseLabeler
from halflabel_scale.ranking import read_tags
from halflabel_scale.ridge import choose_alpha

N, N_LABELS, LABELLED = 120, 15, 60
EVERY = {"n_candidates": N_LABELS, "n_neighbors": 5}


@pytest.fixture(scope="module")
def words():
    """Word counts of items whose words name their labels, these labels, and the items that are annotated."""
    rng = np.random.default_rng(0)
    Y = rng.random((N, N_LABELS)) < np.linspace(0.5, 0.05, N_LABELS)
    X = rng.poisson(0.3 + 2 * Y @ rng.dirichlet(np.full(30, 0.1), N_LABELS))
    annotated = np.arange(N) < LABELLED
    known = sparse.csr_array(np.where(annotated[:, None], Y, 0).astype(float))
    return sparse.csr_array(np.where(rng.random(X.shape) < 0.4, X, 0).astype(float)), known, annotated


def describe(model, X, known):
    """Return kernel, labels, ridge weight and counts of the learned items."""
    Phi, y = model.learned_.transform(X).toarray(), known.toarray()[:LABELLED]
    alpha = choose_alpha(model.learned_.Phi, model.learned_.Y)[1]
    return Phi @ Phi[:LABELLED].T, y, alpha


def test_with_all_labels_as_candidates_it_equals_the_dense_definition(words):
    X, known, annotated = words
    model = SparseLabeler(N_LABELS, **EVERY)
    found = model.fit_rank(X, known, annotated).toarray()
    K, y, alpha = describe(model, X, known)
    score = (K + 1) @ ridge(K[:LABELLED], y, alpha)
    p = probabilities(score, neighbour_shares(K, y, 5), y.sum(axis=0), model.learned_.calibration)
    np.testing.assert_allclose(found[LABELLED:], p[LABELLED:], rtol=2e-3)  # weights are in single precision
    assert not found[:LABELLED].any()  # all is known
    np.testing.assert_allclose(model.rank(X).toarray(), p, rtol=2e-3)


def test_missing_positives_are_scored_by_the_fit_without_their_item(words):
    X, known, annotated = words
    model = SparseLabeler(N_LABELS, **EVERY)
    found = model.fit_rank(X, known, annotated, positive_only=True).toarray()[:LABELLED]
    K, y, alpha = describe(model, X, known)
    K = K[:LABELLED]
    n = y.sum(axis=0) - y
    share = neighbour_shares(np.where(np.eye(LABELLED), 0, K), y, 5)
    p = probabilities(scores_without(K, y, alpha), share, np.maximum(n, 1), model.learned_.calibration)
    np.testing.assert_allclose(found, np.where((y == 0) & (n > 0), p, 0), rtol=2e-3)


def test_fewer_labels_are_the_likeliest_ones(words):
    X, known, annotated = words
    whole = SparseLabeler(N_LABELS, **EVERY).fit_rank(X, known, annotated).toarray()
    few = SparseLabeler(3, **EVERY).fit_rank(X, known, annotated)
    assert np.diff(few.indptr).tolist() == [0] * LABELLED + [3] * (N - LABELLED)
    for row in range(LABELLED, N):
        np.testing.assert_allclose(np.sort(few[[row]].data), np.sort(whole[row])[-3:])


def test_dense_features_find_the_labels_too():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 4))
    Y = sparse.csr_array((X @ rng.normal(size=(4, 12)) > 1.5).astype(float))
    annotated = np.arange(300) < 150
    known = sparse.csr_array(Y * annotated[:, None])
    p = SparseLabeler(12, n_candidates=12).fit_rank(X, known, annotated).toarray()[150:]
    truth = Y.toarray()[150:] > 0
    assert np.mean(truth[p > 0.5]) > 0.8
    assert abs(p.sum() / truth.sum() - 1) < 0.15


def test_memory_does_not_grow_with_the_number_of_entries():
    code = (
        "import numpy as np, resource; from scipy import sparse; from halflabel_scale.labeler import SparseLabeler\n"
        "rng = np.random.default_rng(0); n, m = 4000, 20000\n"
        "X = sparse.random_array((n, 2000), density=.01, rng=rng, format='csr')\n"
        "Y = sparse.csr_array((np.ones(2 * n), (np.repeat(np.arange(n), 2), rng.integers(m, size=2 * n))), (n, m))\n"
        "annotated = np.arange(n) < 300; before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
        "SparseLabeler(20).fit_rank(X, sparse.csr_array(Y * annotated[:, None]), annotated)\n"
        "print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) < 300_000  # kB; a cell for each entry takes 640 MB


@pytest.fixture
def posts():
    rng, animals = np.random.default_rng(0), np.array(["cat", "dog", "bird", "fish", "cow", "frog"])
    chosen = [np.unique(rng.choice(animals, 2)) for _ in range(90)]
    words = [" ".join([*rng.choice(each, 6), *rng.choice(["the", "of", "and"], 4)]) for each in chosen]
    tags = [";".join(f"{name}s" for name in each) if i % 3 else None for i, each in enumerate(chosen)]
    return pd.DataFrame({"post": [f"p{i}" for i in range(90)], "body": words, "tags": tags})


DESCRIBED = {"tags": "tags", "sep": ";", "id": "post", "text": "body"}


def test_the_likeliest_labels_of_each_item_are_a_table(posts):
    ranking = rank_labels(posts, **DESCRIBED, absent="irrelevant", top=2)
    assert repr(ranking) == "90 items, 6 labels; learned from 60 items. At most 2 labels per item."
    found = ranking.table
    assert found["item"].value_counts().tolist() == [2] * 30  # the other items are annotated: nothing is unknown
    assert (found.groupby("item")["probability"].diff().dropna() <= 0).all()
    named = posts.set_index("post")["body"]
    hit = [label.removesuffix("s") in named[item] for item, label in zip(found["item"], found["label"], strict=True)]
    assert np.mean(np.array(hit)[found["probability"] > 0.5]) > 0.9
    assert len(rank_labels(posts, **DESCRIBED, absent="unknown", top=2).table) == 180


def test_new_items_are_ranked_as_items_of_the_fit(posts):
    ranking = rank_labels(posts, **DESCRIBED, absent="irrelevant", top=3)
    new = ranking.predict(posts[posts["tags"].isna()].drop(columns="tags"))
    pd.testing.assert_frame_equal(new, ranking.table, rtol=1e-6)


@pytest.mark.parametrize("notation", [list, lambda tags: "[" + ", ".join(f'"{t}"' for t in tags) + "]", ";".join])
def test_notations_of_tags(notation):
    cells = [None if tags is None else notation(tags) for tags in (["a", "b"], None, ["b"])]
    relevant, annotated, names = read_tags(pd.Series(cells, name="tags", dtype=object), ";")
    assert names == ("a", "b")
    assert annotated.tolist() == [True, False, True]
    assert relevant.toarray().tolist() == [[1, 1], [0, 0], [0, 1]]


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"tags": "tag"}, "no column is called 'tag'"),
        ({"absent": "none"}, "absent must be 'irrelevant' or 'unknown'"),
        ({"sep": ";", "tags": "empty"}, "no item has a tag in 'empty'"),
    ],
)
def test_what_cannot_be_ranked_is_a_sentence(posts, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        rank_labels(posts.assign(empty=None), **{**DESCRIBED, "absent": "irrelevant", **options})
