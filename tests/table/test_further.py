"""Labels, vectors and pairs in further tables are joined by id, never by the order of rows."""

import numpy as np
import pandas as pd
import pytest

import halflabel as hl

N = 8


@pytest.fixture
def items():
    rng = np.random.default_rng(0)
    return pd.DataFrame(
        {"song": [f"s{i}" for i in range(N)], "tempo": rng.normal(size=N), "rock": [1, 0, 1, 0, None, None, 1, 0]}
    )


def paths(tmp_path, **tables):
    """Write tables to files and return their paths."""
    for name, table in tables.items():
        table.to_csv(tmp_path / f"{name}.csv", index=False)
    return [tmp_path / f"{name}.csv" for name in tables]


@pytest.mark.parametrize("form", ["memory", "file"])
@pytest.mark.parametrize("by", [{"id": "song"}, {"id": "song", "on": "key"}, {}])
def test_labels_of_another_table_in_another_order(items, tmp_path, form, by):
    labels = items[["song", "rock"]].sample(frac=1, random_state=3)[:-2]
    labels = labels.rename(columns={"song": by.get("on", "song")}).assign(note="x")
    here = [items[["song", "tempo"]], labels]
    if form == "file":
        here = paths(tmp_path, items=here[0], labels=here[1])
    opened = hl.open_table(here[0], labels_file=here[1], labels=["ro*"], **by)
    expected = items["rock"].where(items["song"].isin(labels.iloc[:, 0]))
    np.testing.assert_array_equal(opened.labels.values()[:, 0], expected)
    assert "2 items without a row in the table of labels: taken as unlabelled." in opened.notes
    assert opened.frame.columns.tolist() == ["song", "tempo", "rock"]


def test_a_column_of_tags_of_another_table(items):
    tags = pd.DataFrame({"song": ["s3", "s1", "s0"], "tags": ["a;b", "b", "a"]})
    opened = hl.open_table(items[["song", "tempo"]], labels_file=tags, tags="tags", id="song", absent="irrelevant")
    assert opened.labels.to_frame().loc[[0, 1, 3], ["a", "b"]].to_numpy().tolist() == [[1, 0], [0, 1], [1, 1]]
    assert opened.labels.unlabelled.sum() == N - 3


@pytest.mark.parametrize(
    ("change", "stated", "message"),
    [
        (lambda t: t, {}, "no labels were named"),
        (lambda t: t.assign(tempo=1), {"labels": ["tempo"]}, "'tempo' is a label and also a column of the items"),
        (lambda t: pd.concat([t, t[:1]]), {"labels": ["rock"]}, "has 's0' more than once in 'song'"),
        (lambda t: t.assign(song=[None, *t["song"][1:]]), {"labels": ["rock"]}, "has an empty id in 'song'"),
        (lambda t: t.assign(song="x" + t["song"]), {"labels": ["rock"]}, "8 of 8 rows name ids"),
        (lambda t: t.rename(columns={"song": "key"}), {"labels": ["rock"]}, "no column is called or matches 'song'"),
        (lambda t: t, {"labels": ["rck"]}, "did you mean 'rock'"),
        (lambda t: t, {"tags": "rck", "absent": "unknown"}, "did you mean 'rock'"),
    ],
)
def test_a_table_of_labels_that_does_not_fit_is_one_sentence(items, change, stated, message):
    with pytest.raises(ValueError, match=message):
        hl.open_table(items[["song", "tempo"]], labels_file=change(items[["song", "rock"]]), id="song", **stated)


def test_items_without_ids_are_numbered(tmp_path):
    vectors = np.random.default_rng(0).normal(size=(N, 3))
    np.save(tmp_path / "emb.npy", vectors)
    labels = pd.DataFrame({"row": [5, 0, 2], "rock": [1, 0, 1]})
    opened = hl.open_table(tmp_path / "emb.npy", labels_file=labels, labels=["rock"], on="row")
    assert opened.labels.state[:, 0].tolist() == [-1, 0, 1, 0, 0, 1, 0, 0]
    assert "'row' is the number of the item, from 0, because the items have no ids." in opened.notes


def test_vectors_of_fewer_rows_name_both_shapes_and_the_way(items, tmp_path):
    np.save(tmp_path / "emb.npy", np.zeros((N + 2, 3)))
    for vectors in (tmp_path / "emb.npy", np.zeros((N + 2, 3))):
        with pytest.raises(ValueError, match=r"10 rows and 3 columns.* 8 items.*labels_file") as raised:
            hl.open_table(items, labels=["rock"], vectors=vectors)
        assert ("emb.npy" in str(raised.value)) == (not isinstance(vectors, np.ndarray))


def test_other_row_labels_offer_the_line_that_orders_them(items):
    Y = items.set_index("song")[["rock"]]
    X = items.set_index("song")[["tempo"]]
    with pytest.raises(ValueError, match=r"such as Y\.loc\[X\.index\]"):
        hl.open_table(X, Y[::-1])
    assert hl.open_table(X, Y[::-1].loc[X.index]).labels.shape == (N, 1)
