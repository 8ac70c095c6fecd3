"""The parts of a run: the choice of the core, counts that can be merged, workers, and batches of other engines."""

from __future__ import annotations

import json
import pickle
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st
from pyarrow import dataset, parquet
from tests.cli.conftest import run as run_command
from tests.folders.conftest import NAMES, complete_parts, read_content, read_parts, write_parts

import halflabel as hl
from halflabel._wording import keep_wording, name_command_options, option
from halflabel.evidence.suspects import FlipRates
from halflabel.folders.batches import complete_batches
from halflabel.folders.part_files import ParquetFile
from halflabel.folders.parts import list_parts
from halflabel.folders.scan import Drawn
from halflabel.folders.totals import LISTS, MAX_ENTRIES, Totals, count_batch
from halflabel.labels import PartialLabels

pytestmark = pytest.mark.usefixtures("one_member")


@for_all(st.integers(0, 2**32), st.lists(st.integers(0, 40), min_size=1, max_size=4), st.integers(0, 30))
def test_a_sample_does_not_depend_on_the_order_in_which_parts_are_added(seed, sizes, size):
    rng = np.random.default_rng(seed)
    drawn = [
        Drawn.draw(size, rng.integers(8, size=n).astype(np.uint64), np.full(n, part), np.arange(n))
        for part, n in enumerate(sizes)
    ]

    def merge(parts):
        whole = parts[0]
        for part in parts[1:]:
            whole = whole.add(part)
        return list(zip(whole.hashes.tolist(), whole.parts.tolist(), whole.rows.tolist(), strict=True))

    assert merge(drawn) == merge(drawn[::-1])
    assert len(merge(drawn)) == min(size, sum(sizes))


def test_counts_of_batches_add_up_to_those_of_the_whole(rng):
    n = 300
    state = rng.choice([-1, 0, 0, 1], size=(n, 3)).astype(np.int8)
    labels = PartialLabels(state, ("a", "b", "c"), (state != 0).any(axis=1))
    p = rng.random((n, 3)).round(2)  # with equal scores
    relevant = np.where(labels.observed, labels.relevant, p > 0.5).astype(int)
    ids = np.array([f"i{j}" for j in range(n)], dtype=object)

    def count(low, high):
        options = {"flips": FlipRates(0.1, 0.2), "part": "x", "first": low}
        return count_batch(labels[low:high], relevant[low:high], p[low:high], ids=ids[low:high], **options)

    whole, merged = count(0, n), Totals.empty(3)
    for low in range(0, n, 70):
        plain = json.loads(json.dumps(count(low, min(low + 70, n)).to_plain()))
        merged = merged.add(Totals.from_plain(plain))
    np.testing.assert_allclose(merged.counts, whole.counts)
    assert (merged.n_rows, merged.n_labelled) == (whole.n_rows, whole.n_labelled)
    for name, columns in LISTS.items():
        ours, theirs = merged.lists[name], whole.add(Totals.empty(3)).lists[name]
        assert len(ours) == MAX_ENTRIES
        pd.testing.assert_frame_equal(ours, theirs, check_dtype=False)
        assert ours[columns[0]].is_monotonic_decreasing


def test_parts_are_listed_with_the_columns_that_folders_state(tmp_path):
    names = ["year=2024/kind=a%20b/x.csv", "year=2023/kind=__HIVE_DEFAULT_PARTITION__/x.csv", "_log/y.csv", ".z.csv"]
    for name in names:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("a,b\n1,2\n")
    parts = list_parts([tmp_path])
    assert [part.name for part in parts] == sorted(names[:2])
    assert [part.partition for part in parts] == [
        (("year", 2023), ("kind", None)), (("year", 2024), ("kind", "a b"))]  # fmt: skip
    assert list_parts([tmp_path / "year=*" / "*" / "*.csv"]) == parts
    (tmp_path / "x.parquet").touch()
    with pytest.raises(ValueError, match="name files of one kind"):
        list_parts([tmp_path])


@pytest.mark.parametrize(
    ("given", "kept"), [(True, {"few", "lists", "words"}), (False, set()), (["words", "distinct"], {"words"})]
)
def test_parquet_is_written_with_the_dictionaries_that_made_the_part_smaller(tmp_path, given, kept):
    rng = np.random.default_rng(0)
    columns = {"distinct": rng.normal(size=999), "few": rng.integers(2, size=999), "lists": [[1.0, 2.0]] * 999}
    table = pa.table({**columns, "words": rng.choice(["minor", "major"], 999)})
    parquet.write_table(table, tmp_path / "in.parquet", use_dictionary=given)
    file = ParquetFile.open(tmp_path / "in.parquet")
    with file.writer(tmp_path / "out.parquet", file.schema) as writer:
        for batch in file.batches():
            writer.write_table(batch)
    assert parquet.read_table(tmp_path / "out.parquet").equals(table)
    row_group = parquet.read_metadata(tmp_path / "out.parquet").row_group(0)
    chunks = map(row_group.column, range(row_group.num_columns))
    assert {chunk.path_in_schema.split(".")[0] for chunk in chunks if chunk.has_dictionary_page} == kept


def test_batches_of_another_engine_are_completed_like_the_table(items, tmp_path):
    filled = hl.complete(items, labels=NAMES, id="song", effort="fast")
    filled.save(tmp_path / "m.halflabel")
    batches = [items[:50], items[50:].drop(columns=NAMES)]
    done = list(complete_batches(iter(batches), tmp_path / "m.halflabel", probabilities=True))
    expected = [filled.predictor.complete(batch, return_proba=True) for batch in batches]
    for batch, (table, p) in zip(done, expected, strict=True):
        pd.testing.assert_frame_equal(batch[table.columns], table)
        np.testing.assert_array_equal(batch[["p_tag_a", "p_tag_b"]], p)


def test_a_dataset_of_pyarrow_is_completed_in_memory(items, tmp_path, monkeypatch):
    data = dataset.dataset(write_parts(items, tmp_path / "in"))
    filled = hl.complete(data, labels=NAMES, id="song", effort="fast")
    assert filled.table.schema.names == data.schema.names
    assert filled.table.num_rows == 160
    monkeypatch.setattr("halflabel.files.arrow_tables.size_limit", lambda: 1000)
    with pytest.raises(ValueError, match=r"the Dataset takes more than .* halflabel\.folders\.complete_folder"):
        hl.complete(data, labels=NAMES)


@pytest.mark.parametrize("pattern", ["*.parquet", "."])
def test_the_command_completes_a_folder(items, tmp_path, pattern):
    given = write_parts(items, tmp_path / "in")
    arguments = ["complete", given / pattern, "--labels", "tag_*", "--id", "song", "--effort", "fast"]
    done = run_command(*arguments, "-o", f"{tmp_path / 'out'}/", "--model", tmp_path / "m.halflabel")
    assert done.exit_code == 0, done.output
    assert "160 rows, 68 of them labelled" in done.output
    assert "Written: 4 parts in" in done.output
    assert not read_parts(tmp_path / "out")[NAMES].isna().any(axis=None)
    assert len(hl.load(tmp_path / "m.halflabel").predict(items)) == 160
    numbers = json.loads(run_command(*arguments, "-o", f"{tmp_path / 'out'}/", "--json").stdout)
    assert numbers["core"] == {"labelled": 68, "unlabelled": 92}
    assert set(numbers["labels"]) == set(NAMES)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--workers", "2"], "--workers is for tables in many files: give -o FOLDER/, too."),
        (
            ["-o", "o/", "--source-columns"],
            "--source-columns is for one table, and -o FOLDER/ for many files: leave one out.",
        ),
        (["-o", "o/", "--answers", "x.csv"], "--answers is for one table"),
        (["-o", "o/", "--certificate", "c.json"], "--certificate is for one table"),
    ],
)
def test_options_of_one_table_and_of_many_files_do_not_mix(items, tmp_path, options, sentence):
    given = write_parts(items, tmp_path / "in")
    done = run_command("complete", given / "*.parquet", "--labels", "tag_*", *options)
    assert done.exit_code == 1
    assert sentence in " ".join(done.output.split())


def test_another_process_names_options_as_the_caller_does():
    with name_command_options():
        of_command = pickle.loads(pickle.dumps(keep_wording(option)))  # noqa: S301
    assert (of_command("yes"), keep_wording(option)("yes")) == ("--yes", "yes=")


@pytest.mark.slow
def test_several_workers_write_equal_bytes(items, tmp_path):
    given = write_parts(items, tmp_path / "in")
    for workers in (1, 2):
        complete_parts(given, tmp_path / str(workers), max_unlabelled=30, workers=workers)
    assert read_content(tmp_path / "1") == read_content(tmp_path / "2")


@pytest.mark.slow
def test_a_cluster_of_dask_writes_equal_bytes(items, tmp_path):
    distributed = pytest.importorskip("distributed", reason="dask is not installed (extra dask)")
    given = write_parts(items, tmp_path / "in")
    complete_parts(given, tmp_path / "own", max_unlabelled=30)
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None) as cluster:
        complete_parts(given, tmp_path / "dask", max_unlabelled=30, scheduler=cluster.scheduler_address)
    assert read_content(tmp_path / "own") == read_content(tmp_path / "dask")


def test_dask_that_is_not_installed_is_named(items, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(ValueError, match=r"needs Dask, which is not installed: pip install 'halflabel\[dask\]'"):
        complete_parts(write_parts(items, tmp_path / "in"), tmp_path / "out", scheduler="tcp://127.0.0.1:1")


@pytest.mark.slow
def test_a_run_that_is_killed_continues_with_equal_output(items, tmp_path):
    given = write_parts(items, tmp_path / "in", n=12)
    start = "from halflabel.cli import main; main()"
    command = [sys.executable, "-c", start, "complete", given, "--labels", "tag_*", "--id", "song",
               "--effort", "fast", "-o"]  # fmt: skip
    records = tmp_path / "out" / "_halflabel" / "records"
    process = subprocess.Popen([*map(str, command), f"{tmp_path / 'out'}/"], stdout=subprocess.DEVNULL)
    while process.poll() is None and len(list(records.glob("*"))) < 2:
        time.sleep(0.005)
    process.kill()
    assert process.wait() == -signal.SIGKILL
    assert 2 <= len(list(records.glob("*"))) < 12
    for out in ("out", "whole"):
        subprocess.run([*map(str, command), f"{tmp_path / out}/"], check=True, stdout=subprocess.DEVNULL)
    assert read_content(tmp_path / "out") == read_content(tmp_path / "whole")
