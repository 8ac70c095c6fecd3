"""complete_folder: a table in many files, completed part by part."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scale.tests.conftest import NAMES, complete_parts, list_files, read_content, read_parts, write_parts, write_rows

import halflabel as hl
from halflabel_scale import complete_batches, complete_folder, folder

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.fixture(scope="module")
def done(items, tmp_path_factory, one_member):
    """Return the input and the output of a run whose core is a part of the rows."""
    place = tmp_path_factory.mktemp("done")
    given = write_parts(items, place / "in")
    return given, place / "out", complete_parts(given, place / "out", max_unlabelled=30, probabilities=place / "p")


def test_a_folder_that_fits_into_the_core_equals_one_table(items, tmp_path):
    complete_parts(write_parts(items, tmp_path / "in"), tmp_path / "out", probabilities=tmp_path / "p")
    whole = hl.complete(items, labels=NAMES, id="song", effort="fast")
    completed = read_parts(tmp_path / "out").set_index("song").loc[whole.index]
    assert (completed[NAMES].to_numpy(dtype=float) == whole.table[NAMES].to_numpy(dtype=float)).all()
    p = read_parts(tmp_path / "p").set_index("item").loc[whole.index]
    np.testing.assert_allclose(p[NAMES], whole.probabilities[NAMES], rtol=1e-6)


def test_every_gap_is_filled_and_all_else_stays(items, done):
    _, out, result = done
    completed = read_parts(out)
    assert not completed[NAMES].isna().any(axis=None)
    rest = items.columns.difference(NAMES)
    pd.testing.assert_frame_equal(completed[rest], items[rest], check_dtype=False)
    known = items[NAMES].notna()
    assert (completed[NAMES].astype(float).where(known) == items[NAMES].astype(float))[known].all(axis=None)
    counts = result.counts.set_index("label")
    assert (counts["given_relevant"] + counts["given_irrelevant"] == known.sum()).all()
    assert (counts["filled_relevant"] + counts["filled_irrelevant"] == (~known).sum()).all()
    assert result.n_core == known["tag_a"].sum() + 30
    assert hl.load(result.model).label_names == tuple(NAMES)
    assert result.describe().startswith(f"4 parts completed with a model of {result.n_core} rows: ")


def test_an_interrupted_run_continues_and_writes_equal_bytes(done, tmp_path, monkeypatch):
    given, out, result = done
    finish, jobs = folder.complete_part, []

    def complete_two(job):
        if len(jobs) == 2:
            raise KeyboardInterrupt
        jobs.append(job)
        finish(job)

    options = {"max_unlabelled": 30, "probabilities": tmp_path / "p"}
    monkeypatch.setattr(folder, "complete_part", complete_two)
    with pytest.raises(KeyboardInterrupt):
        complete_parts(given, tmp_path / "out", **options)
    jobs.clear()
    monkeypatch.setattr(folder, "complete_part", lambda job: (jobs.append(job), finish(job)))
    again = complete_parts(given, tmp_path / "out", **options)
    assert len(jobs) == 2
    assert (read_content(tmp_path / "out"), read_content(tmp_path / "p")) == (
        read_content(out), read_content(out.parent / "p"))  # fmt: skip
    assert again.counts.equals(result.counts)
    damaged = list_files(tmp_path / "out")[1]
    damaged.write_bytes(damaged.read_bytes()[:-1])
    complete_parts(given, tmp_path / "out", **options)
    assert len(jobs) == 3  # the damaged part, and no other
    assert read_content(tmp_path / "out") == read_content(out)


def test_rows_of_other_files_in_another_order_get_equal_answers(items, done, tmp_path):
    mixed = items.sample(frac=1, random_state=1).reset_index(drop=True)
    complete_parts(write_parts(mixed, tmp_path / "in", n=3), tmp_path / "out", max_unlabelled=30)
    completed = read_parts(tmp_path / "out").sort_values("song", ignore_index=True)
    pd.testing.assert_frame_equal(completed, read_parts(done[1]))


def test_several_processes_write_equal_bytes(done, tmp_path):
    given, out, _ = done
    complete_parts(given, tmp_path / "out", max_unlabelled=30, probabilities=tmp_path / "p", workers=2)
    assert read_content(tmp_path / "out") == read_content(out)


def test_folders_state_columns_and_are_kept(items, tmp_path):
    for key, rows in items.groupby("key"):
        write_rows(rows.drop(columns="key"), tmp_path / "in" / f"key={key}" / "a.parquet")
    result = complete_parts(tmp_path / "in", tmp_path / "out")
    assert set(read_content(tmp_path / "out")) == {"key=major/a.parquet", "key=minor/a.parquet"}
    assert hl.load(result.model).roles.categorical == ("key",)
    assert "key" not in read_parts(tmp_path / "out")


@pytest.mark.parametrize("values", ["bool", "Int8", "words"])
def test_label_columns_keep_their_types(items, tmp_path, values):
    convert = {
        "bool": lambda cells: cells.astype("boolean"),
        "Int8": lambda cells: cells.astype("Int8"),
        "words": lambda cells: cells.map({1.0: "yes", 0.0: "no"}),
    }[values]
    given = write_parts(items.assign(**{name: convert(items[name]) for name in NAMES}), tmp_path / "in")
    meaning = {"yes": "yes", "no": "no"} if values == "words" else {}
    complete_parts(given, tmp_path / "out", max_unlabelled=30, **meaning)
    before, after = (
        pd.read_parquet(place / "part-3.parquet", dtype_backend="pyarrow") for place in (given, tmp_path / "out")
    )
    assert after.dtypes.equals(before.dtypes)
    assert not after[NAMES].isna().any(axis=None)


def test_tags_in_parts_of_one_kind_or_none(items, tmp_path):
    tags = [None if pd.isna(a) else [n for n, on in zip(NAMES, (a, b), strict=True) if on]
            for a, b in zip(items.tag_a, items.tag_b, strict=True)]  # fmt: skip
    table = items.drop(columns=NAMES).assign(tags=tags)
    labelled = table["tags"].notna()
    write_rows(table[labelled], tmp_path / "in" / "a.parquet")
    write_rows(table[~labelled], tmp_path / "in" / "b.parquet")  # a column of nulls
    options = {"id": "song", "tags": "tags", "absent": "irrelevant", "effort": "fast"}
    complete_folder(tmp_path / "in", tmp_path / "out", **options)
    completed = read_parts(tmp_path / "out").set_index("song")["tags"]
    whole = hl.complete(table, **options).table.set_index("song")["tags"]
    assert [sorted(cell) for cell in completed[whole.index]] == [sorted(cell) for cell in whole]


def test_a_precision_leaves_entries_outside_the_core_empty_too(items, tmp_path):
    given, options = write_parts(items, tmp_path / "in"), {"max_unlabelled": 30, "probabilities": tmp_path / "p"}
    complete_parts(given, tmp_path / "out", min_precision=0.8, **options)
    completed, p, gaps = read_parts(tmp_path / "out"), read_parts(tmp_path / "p"), items[NAMES].isna()
    empty = completed[NAMES].isna()
    assert 0 < empty.sum(axis=None) < gaps.sum(axis=None)
    for name in NAMES:
        yes = p[name][gaps[name] & (completed[name] == 1)].min()
        no = p[name][gaps[name] & (completed[name] == 0)].max()
        assert p[name][empty[name]].between(no, yes).all()


def test_a_column_may_be_a_dictionary_in_some_parts(items, tmp_path):
    write_rows(items[:90].assign(key=items["key"][:90].astype("category")), tmp_path / "in" / "a.parquet")
    write_rows(items[90:], tmp_path / "in" / "b.parquet")
    complete_parts(tmp_path / "in", tmp_path / "out", max_unlabelled=30)
    complete_parts(write_parts(items, tmp_path / "plain"), tmp_path / "plain-out", max_unlabelled=30)
    assert read_parts(tmp_path / "out")[NAMES].equals(read_parts(tmp_path / "plain-out")[NAMES])


def test_batches_of_another_engine(items, done):
    batches = [items[:50], items[50:]]
    completed = pd.concat(complete_batches(batches, done[2].model, probabilities=True))
    assert not completed[NAMES].isna().any(axis=None)
    assert completed.columns.tolist() == [*items.columns, "p_tag_a", "p_tag_b"]


def test_impossible_input_ends_in_a_sentence_and_leaves_nothing(items, tmp_path):
    given = write_parts(items, tmp_path / "in")
    write_rows(items[:5].drop(columns="f2"), tmp_path / "other" / "a.parquet")
    write_rows(items[:5], tmp_path / "other" / "b.parquet")
    write_rows(items.assign(tag_a=np.nan, tag_b=np.nan), tmp_path / "none" / "a.parquet")
    write_rows(items.assign(f0="x"), tmp_path / "types" / "b.parquet")
    write_rows(items, tmp_path / "types" / "a.parquet")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").touch()
    for where, out, sentence in [
        (tmp_path / "no" / "*.parquet", "out", "there is no part of a table here"),
        (tmp_path / "full" / "note.txt", "out", "is no Parquet file: write the parts as Parquet"),
        (tmp_path / "other", "out", r"its columns differ from the columns of .*a\.parquet: 'f2'"),
        (tmp_path / "none", "out", "no row of 1 parts has a label"),
        (tmp_path / "types", "out", r"b\.parquet: a column has another type"),
        (given, "in", "one inside the other"),
        (given, "in/out", "one inside the other"),
        (given, "full", "is not empty"),
    ]:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises((ValueError, OSError), match=sentence):
            complete_parts(where, tmp_path / out)
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"labels": ["tag"]}, "no column is called or matches 'tag'"),
        ({"labels": None}, "no labels were named"),
        ({"id": "sing"}, "no column is called or matches 'sing'"),
        ({"prior": "p.csv"}, "prior is about one table"),
        ({"labels": None, "tags": "key", "min_precision": 0.9}, "needs label columns, not tags"),
        ({"effort": "none"}, "effort must be one of"),
        ({"workers": 0}, "workers must be at least 1"),
        ({"max_labelled": 1}, "max_labelled must be at least 2"),
        ({"max_unlabelled": -1}, "max_unlabelled must be at least 0"),
        ({"probabilities": "out"}, "is the folder of the completed parts"),
    ],
)
def test_impossible_options_end_in_a_sentence(items, tmp_path, monkeypatch, options, sentence):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=sentence):
        complete_parts(write_parts(items, tmp_path / "in"), tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


def test_an_output_of_another_run_is_not_overwritten(items, done, tmp_path):
    given, out, _ = done
    same = {"max_unlabelled": 30, "probabilities": out.parent / "p"}
    for other in ({"max_unlabelled": 31}, {"probabilities": tmp_path / "p"}):
        with pytest.raises(FileExistsError, match="holds the output of a run with other options"):
            complete_parts(given, out, **{**same, **other})
    with pytest.raises(FileNotFoundError, match="only the begin of a run writes a report"):
        complete_parts(given, out, **same, report=tmp_path / "r.html")
    with pytest.raises(FileExistsError, match="holds the output of a run with other parts"):
        complete_parts(write_parts(items[:100], tmp_path / "in"), out, **same)


def test_a_part_that_changes_during_the_run_is_an_error(items, tmp_path, monkeypatch):
    given, finish = write_parts(items, tmp_path / "in"), folder.complete_part

    def change_and_complete(job):
        write_rows(items[:3], given / "part-3.parquet")
        finish(job)

    monkeypatch.setattr(folder, "complete_part", change_and_complete)
    with pytest.raises(ValueError, match=r"part-3\.parquet has changed since the run began"):
        complete_parts(given, tmp_path / "out", max_unlabelled=30)
    assert not (tmp_path / "out" / "part-3.parquet").exists()
