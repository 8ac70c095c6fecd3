"""A page of a real paper from committed records, without data sets and without runs."""

from __future__ import annotations

import gzip
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from halflabel.cli import main
from halflabel_papers.archive import pack, read_archive
from halflabel_papers.page.build import write_outputs
from halflabel_papers.run import prepare

ARCHIVE = Path(__file__).parent / "data" / "zhang2008-quick.jsonl.gz"


def read_folder(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    """The files of the page, written by the command."""
    folder = tmp_path_factory.mktemp("page")
    line = ["reproduce", "zhang2008", "--from-records", str(ARCHIVE), "-o", str(folder)]
    result = CliRunner().invoke(main, line, env={"HALFLABEL_DATA": None})
    assert result.exit_code == 0, result.output
    return read_folder(folder)


def test_the_same_records_give_the_same_bytes(page, tmp_path):
    write_outputs(ARCHIVE.read_bytes(), tmp_path)
    assert read_folder(tmp_path) == page
    assert page["records.jsonl.gz"] == ARCHIVE.read_bytes()
    assert {"README.md", "index.html", "results.csv", "figures/table1-ranks.svg"} <= set(page)


def test_an_archive_is_written_again_as_it_was_read():
    work, records = read_archive(ARCHIVE)
    assert pack(work, records) == ARCHIVE.read_bytes()


def test_a_page_begins_with_its_findings_then_claims_then_tables(page):
    text = page["README.md"].decode()
    titles = [line[3:] for line in text.splitlines() if line.startswith("## ")]
    assert titles[:4] == [
        "Main findings",
        "In short",
        "Claims of the text",
        "Table 1: average results on eleven Yahoo sets",
    ]
    links = [line for line in text.splitlines() if line.startswith("- [")]
    assert len(links) == len(titles)
    assert max(line.count(" | ") for line in text.splitlines() if line.startswith("|")) <= 9  # names and 8 columns


def test_a_claim_on_a_sample_of_the_sets_holds_in_part(page):
    text = page["README.md"].decode()
    line = next(line for line in text.splitlines() if line.startswith("| Linear, quadratic and RBF"))
    assert "| in part |" in line
    assert "Measured on 2 of 11 sets." in line


def test_the_table_for_programs_has_the_values_of_the_page(page, tmp_path):
    (tmp_path / "results.csv").write_bytes(page["results.csv"])
    table = pd.read_csv(tmp_path / "results.csv")
    row = table[(table.experiment == "table1") & table.set.isna() & (table.metric == "hamming_loss")]
    assert f"**{row.set_index('method').loc['MDDM', 'mean'] * 10:.3f}" in page["README.md"].decode()
    assert row.set_index("method").loc["MDDM", "printed"] == pytest.approx(0.0394)


def test_estimates_use_recorded_seconds():
    _, records = read_archive(ARCHIVE)
    full = prepare("zhang2008", "full")
    run = next(run for run in full.runs if run.experiment == "cca" and run.method == "CCA")
    own = [r.seconds["fit"] + r.seconds["predict"] for r in records if (r.experiment, r.method) == ("cca", "CCA")]
    assert replace(full, earlier=records).estimate_seconds([run]) == [pytest.approx(sum(own) / len(own))]
    assert full.estimate_seconds([run]) == [full.paper.methods["CCA"].seconds]


def test_a_file_that_is_no_archive_is_named(tmp_path):
    (tmp_path / "other.gz").write_bytes(b"text")
    for path, sentence in (
        (tmp_path / "other.gz", "is not the archive of a page"),
        (tmp_path / "none", "no such file"),
    ):
        with pytest.raises(ValueError, match=sentence):
            read_archive(path)


def test_changed_archives_are_read_or_named_in_one_sentence(tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / ARCHIVE.name
    lines = gzip.decompress(ARCHIVE.read_bytes()).splitlines(keepends=True)[:5]
    outcomes = set()
    for _ in range(150):
        content = bytearray(b"".join(lines) if rng.random() < 0.6 else gzip.compress(b"".join(lines), mtime=0))
        is_packed = content[:2] == b"\x1f\x8b"
        for at in rng.integers(len(content), size=2):
            content[at] = rng.choice(list(b'{}[]:,"n017 ')) if not is_packed else rng.integers(256)
        path.write_bytes(bytes(content) if is_packed else gzip.compress(bytes(content)))
        try:
            read_archive(path)
            outcomes.add("read")
        except ValueError as error:
            outcomes.add("named" if str(path) in str(error) else str(error))
    assert outcomes == {"read", "named"}
