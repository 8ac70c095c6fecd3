"""complete_folder: a table in many files, completed part by part."""

from __future__ import annotations

import json
import shutil
from contextlib import suppress

import numpy as np
import pandas as pd
import pytest
from tests.failures import FULL_DISK, attempts, fail_call
from tests.folders.conftest import (
    NAMES,
    complete_parts,
    read_content,
    read_parts,
    stop_after_two,
    write_parts,
    write_rows,
)

import halflabel as hl
from halflabel._digests import read_object, write_object
from halflabel._wording import name_command_options
from halflabel.folders import folder
from halflabel.folders.folder import complete_folder

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.fixture(scope="module")
def done(items, tmp_path_factory):
    """Return the input, the output and the result of a run whose core has 30 of 92 unlabelled rows."""
    tmp = tmp_path_factory.mktemp("folder")
    given = write_parts(items, tmp / "in")
    result = complete_parts(given, tmp / "out", max_unlabelled=30, probabilities=tmp / "p")
    return given, tmp / "out", result


def test_no_number_of_errors_is_expected_where_a_check_contradicts_the_probabilities(items, tmp_path, monkeypatch):
    monkeypatch.setattr("halflabel.completion.evidence.Evidence.is_selected", True)
    given = write_parts(items, tmp_path / "in")
    result = complete_parts(given, tmp_path / "out", max_unlabelled=30)
    assert "a check contradicts it: Given entries differ from the gaps." in result.describe()[1]
    assert "expected to be wrong" not in result.describe()[1]
    assert result.counts["expected_wrong"].isna().all()
    again = complete_parts(given, tmp_path / "out", max_unlabelled=30)
    assert again.contradictions == result.contradictions


@pytest.mark.parametrize("suffix", ["parquet", "csv"])
def test_a_folder_whose_rows_are_all_in_the_core_gets_the_answers_of_the_table(items, tmp_path, suffix):
    complete_parts(write_parts(items, tmp_path / "in", suffix=suffix), tmp_path / "out", probabilities=tmp_path / "p")
    whole = hl.complete(items, labels=NAMES, id="song", effort="fast")
    completed = read_parts(tmp_path / "out", suffix)
    pd.testing.assert_frame_equal(completed, whole.table.astype(items.dtypes), check_dtype=suffix == "parquet")
    p = read_parts(tmp_path / "p")
    assert p["song"].tolist() == items["song"].tolist()
    np.testing.assert_allclose(p[NAMES], whole.probabilities, rtol=0, atol=1e-6)


def test_a_precision_leaves_unsure_entries_empty(items, tmp_path):
    given = write_parts(items, tmp_path / "in")
    options = {"min_precision": 0.85, "probabilities": tmp_path / "p"}
    result = complete_parts(given, tmp_path / "out", max_unlabelled=60, **options)
    completed, p, own = read_parts(tmp_path / "out")[NAMES], read_parts(tmp_path / "p")[NAMES], items[NAMES]
    gaps = own.isna()
    assert 0 < completed.isna().to_numpy().sum() < gaps.to_numpy().sum()
    pd.testing.assert_frame_equal(completed.where(~gaps), own)
    for name in NAMES:  # what is left empty lies between what is filled in as irrelevant and as relevant
        low, empty, high = (p[name][gaps[name] & cells] for cells in (completed[name] == 0, completed[name].isna(),
                                                                      completed[name] == 1))  # fmt: skip
        assert low.max() < empty.min() <= empty.max() < high.min()
    assert f"{completed.isna().to_numpy().sum()} left empty" in result.describe()[1]
    complete_parts(given, tmp_path / "all", min_precision=0.85)
    whole = hl.complete(items, labels=NAMES, id="song", effort="fast", min_precision=0.85).table
    np.testing.assert_array_equal(read_parts(tmp_path / "all")[NAMES], whole[NAMES].astype(float))


def test_rows_outside_the_core_get_the_answers_of_the_saved_model(items, done):
    _, out, result = done
    assert result.core == {"labelled": 68, "unlabelled": 30}
    completed, own = read_parts(out), items[NAMES].notna().to_numpy()
    np.testing.assert_array_equal(completed[NAMES].to_numpy()[own], items[NAMES].to_numpy()[own])
    pd.testing.assert_frame_equal(completed.drop(columns=NAMES), items.drop(columns=NAMES))
    unlabelled = ~own.any(axis=1)
    alone = hl.load(result.model).complete(items)
    assert (completed[NAMES] == alone[NAMES]).to_numpy()[unlabelled].mean() > 0.98  # rows of the core: the fit's


def test_counts_and_lists_are_those_of_the_completed_table(items, done):
    _, out, result = done
    completed, p = read_parts(out), read_parts(out.parent / "p")
    gaps = items[NAMES].isna()
    counts = result.counts.set_index("label")
    assert counts["filled_relevant"].tolist() == (completed[NAMES].eq(1) & gaps).sum().tolist()
    assert counts["given_irrelevant"].tolist() == items[NAMES].eq(0).sum().tolist()
    wrong = np.where(completed[NAMES] == 1, 1 - p[NAMES], p[NAMES])
    np.testing.assert_allclose(counts["expected_wrong"], np.where(gaps, wrong, 0).sum(axis=0), rtol=1e-5)
    likeliest = p[NAMES].where(gaps).melt(ignore_index=False).dropna().sort_values("value", ascending=False)
    np.testing.assert_allclose(result.candidates["probability"], likeliest["value"][:100], atol=1e-6)
    assert result.candidates["item"].tolist()[0] == items["song"][likeliest.index[0]]
    assert result.suspects["wrong"].is_monotonic_decreasing
    assert {path.name for path in (out / "_halflabel").glob("*.csv")} == {
        "labels.csv", "candidates.csv", "suspects.csv", "next.csv"}  # fmt: skip
    assert "160 rows, 68 of them labelled" in result.describe()[0]


def test_an_interrupted_run_continues_and_writes_equal_bytes(items, done, tmp_path, monkeypatch):
    (given, out, _), finish = done, stop_after_two(monkeypatch)
    with pytest.raises(KeyboardInterrupt):
        complete_parts(given, tmp_path / "out", max_unlabelled=30, probabilities=tmp_path / "p")
    assert read_content(tmp_path / "out") == {}
    jobs = []
    monkeypatch.setattr(folder, "complete_part", lambda job: (jobs.append(job), finish(job))[1])
    result = complete_parts(given, tmp_path / "out", max_unlabelled=30, probabilities=tmp_path / "p")
    assert len(jobs) == 2
    assert read_content(tmp_path / "out") == read_content(out)
    assert read_content(tmp_path / "p") == read_content(out.parent / "p")
    assert result.counts.equals(done[2].counts)
    complete_parts(given, tmp_path / "out", max_unlabelled=30, probabilities=tmp_path / "p")
    assert len(jobs) == 2  # everything is done


@pytest.mark.slow
@pytest.mark.parametrize("call", ["replace", "fsync"])
def test_a_failure_at_any_moment_is_followed_by_equal_bytes(items, tmp_path, monkeypatch, call):
    given, options = write_parts(items, tmp_path / "in", n=2), {"probabilities": tmp_path / "p", "max_unlabelled": 30}
    complete_parts(given, tmp_path / "out", **options)
    whole, p = read_content(tmp_path / "out"), read_content(tmp_path / "p")
    manifest = tmp_path / "out" / "_halflabel" / "manifest.json"
    write_object(manifest, {**read_object(manifest), "finished": False})
    begun = manifest.read_text()
    for failure in attempts(fail_call(call), FULL_DISK):
        for path in [*(tmp_path / "out").rglob("*.parquet*"), *(tmp_path / "p").rglob("*.parquet")]:
            path.unlink()  # as after the first pass
        manifest.write_text(begun)
        with failure, suppress(OSError):
            complete_parts(given, tmp_path / "out", **options)
        assert read_content(tmp_path / "out").items() <= whole.items()
        complete_parts(given, tmp_path / "out", **options)
        assert (read_content(tmp_path / "out"), read_content(tmp_path / "p")) == (whole, p)
        assert json.loads(manifest.read_text())["finished"]
        assert not [path for path in tmp_path.rglob("*") if path.name.startswith(".")]


def test_rows_of_other_files_in_another_order_get_equal_answers(items, done, tmp_path):
    order = np.random.default_rng(1).permutation(len(items))
    mixed = items.iloc[order].reset_index(drop=True)
    complete_parts(write_parts(mixed, tmp_path / "in", n=3), tmp_path / "out", max_unlabelled=30)
    completed = read_parts(tmp_path / "out").sort_values("song", ignore_index=True)
    pd.testing.assert_frame_equal(completed, read_parts(done[1]))


def test_folders_state_columns_and_are_kept(items, tmp_path):
    for key, rows in items.groupby("key"):
        write_rows(rows.drop(columns="key"), tmp_path / "in" / f"key={key}" / "a.parquet")
    result = complete_parts(tmp_path / "in", tmp_path / "out")
    assert set(read_content(tmp_path / "out")) == {"key=major/a.parquet", "key=minor/a.parquet"}
    assert hl.load(result.model).roles.categorical == ("key",)
    assert "key" not in pd.read_parquet(tmp_path / "out" / "key=major" / "a.parquet", partitioning=None)


def test_text_is_written_as_it_was_read(items, tmp_path):
    words = items.assign(**{name: items[name].map({1.0: "TRUE", 0.0: "FALSE"}) for name in NAMES})
    for j, rows in enumerate((words[:70], words[70:])):
        rows.assign(note='a "b";').to_csv(tmp_path / f"{j}.csv", index=False, sep=";", lineterminator="\r\n")
    complete_parts(tmp_path / "*.csv", tmp_path / "out")
    before, after = ((place / "1.csv").read_bytes().decode().split("\r\n") for place in (tmp_path, tmp_path / "out"))
    assert len(before) == len(after)
    assert [line for line in before if ";;" not in line] == [b for a, b in zip(before, after) if ";;" not in a]  # noqa: B905
    assert {cell for line in after[1:-1] for cell in line.split(";")[5:7]} == {"TRUE", "FALSE"}


def test_lines_that_are_no_rows_are_left_out_of_each_part(items, tmp_path):
    given = write_parts(items, tmp_path / "in", suffix="csv")
    complete_parts(given, tmp_path / "plain")
    for path in given.iterdir():
        path.write_text(f"Export of 2024\n{path.read_text()}Total,,,,,,\n")
    complete_parts(given, tmp_path / "out", skip_rows="1,last")
    assert read_content(tmp_path / "out") == read_content(tmp_path / "plain")


def test_text_beyond_the_limit_of_memory_is_completed(items, tmp_path, monkeypatch):
    long = pd.concat([items.drop(columns="song")] * 70, ignore_index=True)
    write_parts(long, tmp_path / "in", n=1, suffix="csv")
    monkeypatch.setattr("halflabel.files.bounded.size_limit", lambda: 270_000)
    with pytest.raises(ValueError, match="it holds more than 270,000 bytes"):
        hl.complete(tmp_path / "in" / "part-0.csv", labels=NAMES)
    result = complete_parts(tmp_path / "in", tmp_path / "out", id=None, max_labelled=80, max_unlabelled=40)
    assert result.totals.n_rows == len(long)
    assert not read_parts(tmp_path / "out", "csv")[NAMES].isna().any(axis=None)


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


def test_impossible_input_ends_in_a_sentence_and_leaves_nothing(items, tmp_path):
    given = write_parts(items, tmp_path / "in")
    write_rows(items[:5].drop(columns="f2"), tmp_path / "other" / "a.parquet")
    write_rows(items[:5], tmp_path / "other" / "b.parquet")
    write_rows(items.assign(tag_a=np.nan, tag_b=np.nan), tmp_path / "none" / "a.parquet")
    write_rows(items.assign(tag_b=2.0), tmp_path / "values" / "a.parquet")
    write_rows(items.assign(f0="x"), tmp_path / "types" / "b.parquet")
    write_rows(items, tmp_path / "types" / "a.parquet")
    write_rows(items[:90], tmp_path / "ids" / "a.parquet")
    write_rows(items[90:].assign(song=["s003", *items["song"][91:]]), tmp_path / "ids" / "b.parquet")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "note.txt").touch()
    for where, out, sentence in [
        (tmp_path / "no" / "*.parquet", "out", "no file matches this pattern"),
        (tmp_path / "full", "out", "there is no part of a table in it"),
        (tmp_path / "other", "out", r"its columns differ from the columns of .*a\.parquet: it adds 'f2'"),
        (tmp_path / "none", "out", r"no row of 1 part \(160 rows\) has a label"),
        (tmp_path / "values", "out", r"a\.parquet: label 'tag_b' holds 2\.0"),
        (tmp_path / "types", "out", r"b\.parquet: the column 'f0' has the type (large_)?string, but double"),
        (tmp_path / "ids", "out", r"'s003' is in row \d+ of [ab]\.parquet and row \d+ of [ab]\.parquet"),
        (given, "in", "is the folder of the input or inside it"),
        (given, "in/out", "is the folder of the input or inside it"),
        (given / "*.parquet", ".", "the input is inside"),
        (given, "full", "is not empty"),
    ]:
        before = sorted(tmp_path.rglob("*"))
        with pytest.raises((ValueError, FileExistsError), match=sentence):
            complete_parts(where, tmp_path / out)
        assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"labels": ["tag"]}, "no column is called or matches 'tag'"),
        ({"labels": None}, "no labels were named.*labels="),
        ({"id": "sing"}, "no column is called or matches 'sing'"),
        ({"prior": "p.csv"}, "prior= is about one table"),
        ({"labels": None, "tags": "key", "min_precision": 0.9}, "needs label columns, not tags"),
        ({"effort": "none"}, "effort must be one of"),
        ({"observed_rate": 2.0}, "must be above 0 and at most 1"),
        ({"workers": 0}, "workers= must be at least 1"),
        ({"max_labelled": 1}, "max_labelled= must be at least 2"),
        ({"max_unlabelled": -1}, "max_unlabelled= must be at least 0"),
        ({"workers": 2, "scheduler": "tcp://x:1"}, "give one of them"),
    ],
)
def test_impossible_options_end_in_a_sentence(items, tmp_path, options, sentence):
    with pytest.raises(ValueError, match=sentence):
        complete_parts(write_parts(items, tmp_path / "in"), tmp_path / "out", **options)
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("inside", ["out", "out/p"])
def test_probabilities_are_not_written_among_the_parts(items, tmp_path, inside):
    (tmp_path / "out").mkdir()
    with pytest.raises(ValueError, match="is the folder of the completed parts or inside it"):
        complete_parts(write_parts(items, tmp_path / "in"), tmp_path / "out", probabilities=tmp_path / inside)


def test_a_column_may_be_a_dictionary_in_some_parts(items, tmp_path):
    first, second = items[:90], items[90:]
    write_rows(first.assign(key=first["key"].astype("category")), tmp_path / "in" / "a.parquet")
    write_rows(second, tmp_path / "in" / "b.parquet")
    write_parts(items, tmp_path / "plain")
    for name in ("in", "plain"):
        complete_parts(tmp_path / name, tmp_path / f"{name}-out", max_labelled=60, max_unlabelled=30)
    mixed, plain = (read_parts(tmp_path / f"{name}-out") for name in ("in", "plain"))
    assert mixed[NAMES].equals(plain[NAMES])
    assert isinstance(pd.read_parquet(tmp_path / "in-out" / "a.parquet")["key"].dtype, pd.CategoricalDtype)


def test_an_argument_that_does_not_exist_is_a_type_error(tmp_path):
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'label'.*'labels'"):
        complete_folder(tmp_path, tmp_path / "out", label=["a"])


def test_a_part_that_cannot_be_completed_leaves_no_part_in_the_folder(items, tmp_path):
    given = write_parts(items.assign(f0=items["f0"].astype(str)), tmp_path / "in", suffix="csv")
    text = (given / "part-3.csv").read_text().splitlines()
    line = next(line for line in text[1:] if line.endswith(",,"))
    at = text.index(line)
    text[at] = line.replace(line.split(",")[1], "loud")
    (given / "part-3.csv").write_text("\n".join(text))
    with pytest.raises(ValueError, match=rf"part-3\.csv: column 'f0' holds 'loud' \(row {at - 1}\)"):
        complete_parts(given, tmp_path / "out", max_unlabelled=0)
    assert read_content(tmp_path / "out") == {}


def test_the_command_names_a_line_only_where_rows_are_lines(items, tmp_path):
    words = items.assign(tag_a=items["tag_a"].astype(object).where(items.index != 5, "maybe"))
    for note, place in (("plain", "line 7"), ("two\nlines", "item 6")):
        given = write_parts(words.assign(note=note), tmp_path / note, suffix="csv")
        with name_command_options(), pytest.raises(ValueError, match=rf"holds 'maybe' \({place}\)"):
            complete_parts(given, tmp_path / "out")


def test_an_output_of_another_run_is_not_overwritten(items, done, tmp_path):
    given, out, _ = done
    for other in ({"max_unlabelled": 31}, {"probabilities": tmp_path / "p"}):
        with pytest.raises(FileExistsError, match="holds the output of a run with other options"):
            complete_parts(given, out, **{"max_unlabelled": 30, "probabilities": out.parent / "p", **other})
    with pytest.raises(FileNotFoundError, match="only the begin of a run writes a report"):
        complete_parts(given, out, max_unlabelled=30, probabilities=out.parent / "p", report=tmp_path / "r.html")
    manifest = json.loads((out / "_halflabel" / "manifest.json").read_text())
    assert manifest["finished"]
    shutil.copytree(given, tmp_path / "in")
    shutil.copy(given / "part-0.parquet", tmp_path / "in" / "part-9.parquet")
    with pytest.raises(FileExistsError, match="holds the output of a run with other parts"):
        complete_parts(tmp_path / "in", out, max_unlabelled=30, probabilities=out.parent / "p")


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda tmp: write_rows(pd.read_parquet(tmp / "in/part-3.parquet")[:3], tmp / "in/part-3.parquet"), "changed"),
        (
            lambda tmp: (tmp / "out/_halflabel/parts/part-0.parquet").unlink(),
            r"files of .?part-0\.parquet.? were removed",
        ),
        (lambda tmp: complete_parts(tmp / "in", tmp / "out", random_state=1), "another process completes parts in"),
    ],
)
def test_a_change_while_parts_are_completed_is_an_error(items, tmp_path, monkeypatch, change, sentence):
    finish = folder.complete_part

    def complete_and_change(job):
        totals = finish(job)
        if job.part.name == "part-0.parquet":
            change(tmp_path)
        return totals

    given = write_parts(items, tmp_path / "in")
    monkeypatch.setattr(folder, "complete_part", complete_and_change)
    with pytest.raises((ValueError, OSError), match=sentence):
        complete_parts(given, tmp_path / "out", max_unlabelled=30)
    assert read_content(tmp_path / "out") == {}


def test_results_without_a_manifest_are_not_used(items, done, tmp_path):
    given, out, _ = done
    shutil.copytree(out / "_halflabel", tmp_path / "out" / "_halflabel")
    (tmp_path / "out" / "_halflabel" / "manifest.json").unlink()
    record = tmp_path / "out" / "_halflabel" / "records" / "part-0.parquet.json"
    (tmp_path / "out" / "_halflabel" / "parts").mkdir()
    (tmp_path / "out" / "_halflabel" / "parts" / "part-0.parquet").touch()
    assert record.exists()
    complete_parts(given, tmp_path / "out", max_unlabelled=30)
    assert read_content(tmp_path / "out") == read_content(out)


def test_a_label_with_one_value_stays_as_it_was_given(items, tmp_path):
    ticks = np.where(np.arange(len(items)) % 3 == 0, 1.0, np.nan)
    given = write_parts(items.assign(ticks=ticks), tmp_path / "in")
    result = complete_parts(given, tmp_path / "out", labels=[*NAMES, "ticks"], max_unlabelled=30)
    np.testing.assert_array_equal(read_parts(tmp_path / "out")["ticks"], ticks)
    assert not read_parts(tmp_path / "out")[NAMES].isna().any(axis=None)
    assert list(result.counts["label"]) == list(hl.load(result.model).label_names) == list(NAMES)
    assert "only 1 is given for 'ticks'" in " ".join(result.notes)
    assert result.describe()[-1].startswith("Threshold rule: probable")
