"""A label of which at most one value was given is never filled in, and changes no figure of the other labels."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.report import summarize

pytestmark = pytest.mark.usefixtures("one_member")

#: From a generator and a number of items, the cells of a label that cannot be learned.
ONE_VALUED = {
    "all ones": lambda rng, n: np.ones(n),
    "all zeros": lambda rng, n: np.zeros(n),
    "ones and gaps": lambda rng, n: np.where(rng.random(n) < 0.3, 1.0, np.nan),
    "zeros and gaps": lambda rng, n: np.where(rng.random(n) < 0.3, 0.0, np.nan),
    "never": lambda rng, n: np.full(n, np.nan),
}

#: Parts of a report that may differ: when it was made, what was read, the columns, and the notes, which name the label.
MAY_DIFFER = ("created", "reading", "warnings", "run")

#: The one sentence about labels that cannot be learned.
NOT_LEARNED = re.compile(r" Not learned: [^.]*\.")


def list_figures(filled: hl.Completion) -> dict[str, object]:
    """Return everything that is printed, written or asked about the labels of a completion."""
    summary = {name: value for name, value in summarize(filled).items() if name not in MAY_DIFFER}
    summary["verdict"]["filled"] = NOT_LEARNED.sub("", summary["verdict"]["filled"])
    return {
        "names": filled.labels.names,
        "text": NOT_LEARNED.sub("", repr(filled)),
        "gaps": filled.evidence.gaps,
        "probabilities": filled.probabilities.to_csv(),
        "state": filled.state.tolist(),
        "errors": filled.expected_errors.to_csv(),
        "suspects": filled.suspects.to_csv(),
        "next": filled.next_to_label(10).to_csv(),
        "review": filled.review(show=[]).to_csv(),
        "finish": filled.finish(seed=0).next(20).to_csv(),
        "digest": filled.evidence.digest,
        "report": re.sub(r"\s+", " ", str(summary)),
        "model": filled.predictor.label_names,
    }


def insert_labels(table: pd.DataFrame, names: list[str], rng: np.random.Generator) -> tuple[pd.DataFrame, list[str]]:
    """Return the table with a label of each kind at a random place among its labels, and the names of all labels."""
    table, names = table.copy(), list(names)
    for kind, make in ONE_VALUED.items():
        table[kind] = make(rng, len(table))
        names.insert(rng.integers(len(names) + 1), kind)
    return table, names


@pytest.mark.parametrize("entries", [False, True], ids=["items", "entries"])
def test_label_columns(rng, entries):
    X, Y, _ = half_labelled(rng, n=60, entries=entries)
    names = ["rock", "sad", "live"]
    table = pd.DataFrame(X, columns=list("abcde")).join(pd.DataFrame(Y, columns=names))
    more, all_names = insert_labels(table, names, rng)
    alone = hl.complete(table, labels=names, effort="fast")
    together = hl.complete(more, labels=all_names, effort="fast")
    order = [name for name in all_names if name in names]
    assert list_figures(alone) == list_figures(together)
    assert all(f"'{kind}'" in NOT_LEARNED.search(repr(together)).group() for kind in ONE_VALUED)
    assert order == list(together.labels.names)
    for kind in ONE_VALUED:
        np.testing.assert_array_equal(together.table[kind].astype(float), more[kind])
    assert not together.table[names].isna().any(axis=None)


def test_an_array_of_labels_comes_back_with_all_its_columns(rng):
    X, Y, _ = half_labelled(rng, n=60, n_labels=2)
    filled = hl.complete(X, np.column_stack([Y[:, 0], np.full(60, np.nan), Y[:, 1]]), effort="fast")
    assert list(filled.table) == ["label0", "label1", "label2"]
    assert filled.table.isna().all().tolist() == [False, True, False]
    np.testing.assert_array_equal(filled.state, hl.complete(X, Y, effort="fast").state)


def test_tags(rng):
    """A tag that every annotated item has; of an item that is not annotated it stays undecided."""
    X, Y, _ = half_labelled(rng, n=60)
    table = pd.DataFrame(X, columns=list("abcde"))
    lists = [None if np.isnan(row).any() else [f"t{j}" for j in np.flatnonzero(row)] for row in Y]
    alone = table.assign(tags=lists)
    together = table.assign(tags=[None if tags is None else ["all", *tags] for tags in lists])
    one, two = (hl.complete(each, tags="tags", absent="irrelevant", effort="fast") for each in (alone, together))
    assert list_figures(one) == list_figures(two)
    open_items = [tags is None for tags in lists]
    assert two.table["tags_open"].notna().tolist() == open_items
    assert [tags for tags, was_open in zip(two.table["tags"], open_items, strict=True) if not was_open] == [
        ["all", *tags] for tags in lists if tags is not None
    ]


def test_a_saved_model_does_not_predict_it(rng, tmp_path):
    X, Y, _ = half_labelled(rng, n=60)
    table, names = insert_labels(pd.DataFrame(X, columns=list("abcde")).assign(rock=Y[:, 0]), ["rock"], rng)
    path = tmp_path / "model.halflabel"
    hl.complete(table, labels=names, effort="fast").save(path)
    new = table.head(5)
    model = hl.load(path)
    assert list(model.predict(new)) == list(model.predict_proba(new)) == ["rock"]
    pd.testing.assert_frame_equal(model.complete(new)[list(ONE_VALUED)], new[list(ONE_VALUED)])


def test_an_answer_can_make_it_learnable(rng):
    X, Y, _ = half_labelled(rng, n=60, n_labels=1)
    table = pd.DataFrame(X, columns=list("abcde")).assign(rock=Y[:, 0], ticks=np.where(X[:, 0] > 1, 1.0, np.nan))
    open_items = np.flatnonzero(table["ticks"].isna())[:4]
    answers = pd.DataFrame({"item": open_items, "label": "ticks", "answer": 0})
    filled = hl.complete(table, labels=["rock", "ticks"], answers=answers, effort="fast")
    assert filled.labels.names == ("rock", "ticks")
    assert not filled.table["ticks"].isna().any()
