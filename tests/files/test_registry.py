"""One table of formats: each is found by its name and by its suffixes, also one that another distribution adds."""

from pathlib import Path

import pytest

from halflabel import files
from halflabel.files import registry
from halflabel.files.records import Records
from halflabel.files.registry import FORMATS, PARTS, SUFFIXES, TABLES, TOOLS, find_by_suffix

#: A format of lines such as "song,1,0": an id, and one value per label.
MODULE = """
import pandas as pd
from halflabel.files import Format, ReadError, TableFormat, from_tables


def read(paths, options):
    rows = [line.split(",") for line in paths[0].read_text().splitlines()[1:]]
    if not rows:
        raise ReadError.at(paths[0], "there are not items in it.")
    labels = pd.DataFrame([row[1:] for row in rows], index=[row[0] for row in rows], columns=["rock", "sad"])
    return from_tables(labels[[]], labels.astype(float), format=FORMAT.name)


def write(records, path):
    lines = (f"{key},{','.join(f'{value:.0f}' for value in row)}" for key, row in zip(records.items.index, records.final.to_numpy()))
    path.write_text("\\n".join(["toy 1", *lines]) + "\\n")


def recognise(sample):
    return "It begins with 'toy 1'." if sample.path.read_bytes().startswith(b"toy 1") else None


FORMAT = Format("toy", "Toy", "cells", (".toy",), read, write, losses=(), recognise=recognise)
"""  # noqa: E501


@pytest.mark.parametrize("name", [row.name for row in registry.ROWS if row.suffixes and not row.home])
def test_the_suffixes_of_a_table_find_its_format(name):
    for suffix in set(TABLES[name].suffixes) - {".txt"}:
        assert find_by_suffix(Path(f"songs{suffix.upper()}")) is TABLES[name]
        assert (suffix in SUFFIXES) == (TABLES[name].write is not None)
        assert (suffix in PARTS) == TABLES[name].in_parts


def test_text_of_any_format_is_not_found_by_its_suffix():
    assert find_by_suffix(Path("songs.txt")) is None
    assert ".txt" in SUFFIXES
    assert ".txt" not in PARTS


@pytest.fixture
def toy(tmp_path, monkeypatch):
    """Install a distribution with a format, and one whose format cannot be imported."""
    site = tmp_path / "site"
    info = site / "toy_format-1.0.dist-info"
    info.mkdir(parents=True)
    (site / "toy_format.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: toy-format\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[halflabel.formats]\ntoy = toy_format:FORMAT\nold = toy_gone:FORMAT\n")
    monkeypatch.syspath_prepend(site)
    registry.find_entries.cache_clear()
    registry.load.cache_clear()
    yield
    registry.find_entries.cache_clear()
    registry.load.cache_clear()


@pytest.mark.filterwarnings("ignore:the format toy_gone")
def test_a_format_of_another_distribution_is_read_and_written(toy, tmp_path, tables):
    assert [name for name in FORMATS if name not in TOOLS] == ["toy"]
    assert {"toy", "old"} <= set(registry.list_names())
    given = tables["labels"][["rock", "sad"]].fillna(0)
    path = tmp_path / "songs.toy"
    assert files.write(path, "toy", tables["items"][[]], given) == ()
    assert files.detect(path) == ("toy", "It begins with 'toy 1'.")
    back = files.read(path)
    assert isinstance(back, Records)
    assert back.labels.to_numpy().tolist() == given.to_numpy().tolist()


def test_a_format_that_cannot_be_imported_is_a_warning(toy):
    with pytest.warns(UserWarning, match="the format toy_gone:FORMAT cannot be loaded"):
        assert "old" not in FORMATS


def test_what_a_row_states_is_what_its_format_does():
    for row in registry.ROWS:
        if registry.find_home(row.name):
            continue
        assert (row.name in TABLES, row.name in FORMATS) == (row.holds == "table", row.holds == "records")
        if row.suffixes:
            table = TABLES[row.name]
            assert (table.name, table.suffixes, table.in_parts) == (row.name, row.suffixes, row.in_parts)
            assert (table.write is not None) == row.is_written
