"""New items of which some labels are known: Predictor.complete."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.filling import complete

pytestmark = pytest.mark.usefixtures("one_member")

NAMES = ["a", "b", "c"]


def as_frame(X, Y):
    return pd.DataFrame(X, columns=[f"f{j}" for j in range(X.shape[1])]).join(pd.DataFrame(Y, columns=NAMES))


@pytest.fixture(scope="module")
def entries():
    """Return a completion of 120 items with single missing entries and labels that follow each other, and 200 more."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(320, 4))
    first = (X[:, :1] + 2 * rng.normal(size=(320, 1)) > 0).astype(float)
    complete_labels = np.hstack([first, first, 1 - first])
    table = as_frame(X, np.where(rng.random((320, 3)) < 0.4, np.nan, complete_labels))
    filled = complete(table[:120], labels=NAMES, effort="fast")
    return filled, table[120:].reset_index(drop=True), complete_labels[120:]


def test_given_entries_stay_and_improve_the_other_entries_of_new_items(entries):
    filled, new, truth = entries
    table, p = filled.predictor.complete_both(new)
    given = new[NAMES].notna().to_numpy()
    np.testing.assert_array_equal(table[NAMES].to_numpy()[given], truth[given])
    assert not table[NAMES].isna().any(axis=None)
    gaps = ~given & given.any(axis=1, keepdims=True)
    errors = [np.mean((q.to_numpy() - truth)[gaps] ** 2) for q in (p, filled.predictor.predict_proba(new))]
    assert errors[0] < 0.5 * errors[1]


def test_the_value_of_a_given_entry_changes_the_probabilities_of_other_labels_only(entries):
    filled, new, _ = entries
    one, other = new[:20].assign(a=1.0), new[:20].assign(a=0.0)
    p, q = (filled.predictor.complete_both(each)[1].to_numpy() for each in (one, other))
    np.testing.assert_array_equal(p[:, 0], q[:, 0])
    assert (p[:, 1] > q[:, 1]).all()


def test_items_without_a_given_entry_are_predicted_as_new(entries):
    filled, new, _ = entries
    unlabelled = new.assign(a=np.nan, b=np.nan, c=np.nan)
    pd.testing.assert_frame_equal(
        filled.predictor.complete(unlabelled)[NAMES].astype("int64"), filled.predictor.predict(unlabelled)
    )
    pd.testing.assert_frame_equal(
        filled.predictor.complete(new.drop(columns=NAMES)), filled.predictor.complete(unlabelled, given=False)
    )


def test_a_saved_model_completes_alike(entries, tmp_path):
    filled, new, _ = entries
    filled.save(tmp_path / "m.halflabel")
    for ours, theirs in zip(
        filled.predictor.complete_both(new),
        hl.load(tmp_path / "m.halflabel").complete_both(new),
        strict=True,
    ):
        pd.testing.assert_frame_equal(ours, theirs)


def test_unlabelled_items_of_the_table_get_the_probabilities_of_the_table(rng):
    X, Y, truth = half_labelled(rng, n=200)
    table = as_frame(X, Y)
    filled = complete(table, labels=NAMES, effort="fast")
    unlabelled = np.isnan(Y).all(axis=1)
    p = filled.predictor.complete_both(table[unlabelled])[1].to_numpy()
    ours, theirs = (np.mean((q - truth[unlabelled]) ** 2) for q in (p, filled.probabilities.to_numpy()[unlabelled]))
    assert abs(ours / theirs - 1) < 0.005


def test_a_tag_that_an_annotated_new_item_lacks_is_less_probable(rng):
    X, Y, _ = half_labelled(rng, n=80)
    tags = [None if np.isnan(row).any() else [NAMES[j] for j in np.flatnonzero(row)] for row in Y]
    table = pd.DataFrame(X, columns=list("vwxyz")).assign(tags=tags)
    model = complete(table, tags="tags", absent="unknown", observed_rate=0.7, effort="fast").predictor
    new = table.drop(columns="tags")[:10]
    assigned, missing = new.assign(tags=[[]] * 10), new.assign(tags=None)
    p = model.predict_proba(new).to_numpy()
    np.testing.assert_allclose(model.complete_both(missing)[1], p)
    np.testing.assert_allclose(model.complete_both(assigned)[1], p * 0.3 / (1 - p * 0.7))
    kept = model.complete(new.assign(tags=[["c", "unseen"]] * 10))["tags"]
    assert all(cell[:2] == ["c", "unseen"] for cell in kept)


def test_words_and_truth_values_stay_as_they_are_written(rng):
    X, Y, _ = half_labelled(rng)
    words = pd.DataFrame(np.array(["n", "y", "?"])[np.nan_to_num(Y, nan=2).astype(int)], columns=NAMES)
    table = pd.DataFrame(X, columns=list("vwxyz")).join(words)
    model = complete(table, labels=NAMES, yes="y", no="n", unknown="?", effort="fast").predictor
    new = table[:4].assign(a=["Y", "?", None, "n"])
    filled = model.complete(new)
    assert filled["a"].tolist()[::3] == ["Y", "n"]
    assert set(filled["a"][1:3]) <= {"y", "n"}
    given = pd.DataFrame({name: pd.array(Y[:, j] == 1, "boolean") for j, name in enumerate(NAMES)}).mask(np.isnan(Y))
    features = table[list("vwxyz")]
    truth = complete(features.join(given), labels=NAMES, effort="fast").predictor.complete(features[:3])
    assert truth["a"].map(type).eq(bool).all()


def test_an_impossible_value_of_a_new_item_ends_in_a_sentence(entries):
    filled, new, _ = entries
    with pytest.raises(ValueError, match="label 'b' holds"):
        filled.predictor.complete(new.assign(b=2.0))
