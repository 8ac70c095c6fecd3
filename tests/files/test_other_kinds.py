"""Files of kinds that are not read: recognised by content, and converted by the two lines of the error."""

import bz2
import gzip
import importlib.util
import json
import lzma
import pickle
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyreadstat
import pytest
from pyarrow import orc
from scipy import io

from halflabel import files
from halflabel.files import detection as other_kinds
from halflabel.files.raw_table import ReadError
from halflabel.table import Description
from halflabel.table.source_files import read_file

TABLE = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, 1]})
VECTORS = np.arange(12.0).reshape(4, 3)
KINDS = tomllib.loads(Path(other_kinds.__file__).with_name("other_kinds.toml").read_text(encoding="utf-8"))


def zip_files(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)


def zip_arrays(path):
    with path.open("wb") as file:
        np.savez(file, NAME=VECTORS)


def tar_file(path):
    TABLE.to_csv(path.with_name("one.csv"), index=False)
    with tarfile.open(path, "w") as archive:
        archive.add(path.with_name("one.csv"), "one.csv")


#: Writers of real files, and the file that the two lines make (None: a folder, or packages that are not here).
WRITERS = {
    "pickle": (lambda p: TABLE.to_pickle(p), ".parquet"),
    "matlab": (lambda p: p.write_bytes(matlab(p)), ".npy"),
    "arrays": (lambda p: zip_arrays(p), ".npy"),
    "duckdb": (lambda p: write_duckdb(p), ".parquet"),
    "sas": (lambda p: write_with_pyreadstat("xport", p), ".csv"),
    "orc": (lambda p: orc.write_table(pa.Table.from_pandas(TABLE), p), ".parquet"),
    "bzip2": (lambda p: p.write_bytes(bz2.compress(csv())), ""),
    "xz": (lambda p: p.write_bytes(lzma.compress(csv())), ""),
    "zstandard": (lambda p: p.write_bytes(pa.compress(csv(), codec="zstd", asbytes=True)), ""),
    "gzip": (lambda p: p.write_bytes(gzip.compress(csv())), "renamed"),
    "zip": (lambda p: zip_files(p, {"one.csv": csv()}), "folder"),
    "tar": (tar_file, "folder"),
    "web-page": (lambda p: p.write_text(TABLE.to_html(index=False)), ".csv"),
    "xml": (lambda p: p.write_text("<?xml version='1.0'?><r><s><a>1</a></s></r>"), ".csv"),
    "open-document": (lambda p: zip_files(p, {"mimetype": "", "content.xml": ""}), None),
    "binary-workbook": (lambda p: zip_files(p, {"xl/workbook.bin": ""}), None),
    "torch": (lambda p: zip_files(p, {"archive/data.pkl": ""}), None),
    "r": (lambda p: p.write_bytes(gzip.compress(b"X\n\x00\x00\x00\x03")), None),
    "r-workspace": (lambda p: p.write_bytes(gzip.compress(b"RDX3\nX\n\x00\x00\x00\x03")), None),
}


def write_duckdb(path):
    with duckdb.connect(path) as database:
        database.register("songs", pa.Table.from_pandas(TABLE))
        database.execute("CREATE TABLE NAME AS SELECT * FROM songs")


def write_with_pyreadstat(kind, path):
    getattr(pyreadstat, f"write_{kind}")(TABLE, path)


def csv():
    return TABLE.to_csv(index=False).encode()


def matlab(path):
    io.savemat(path, {"NAME": VECTORS})
    return path.read_bytes()


def write_kind(path, kind):
    """Write a file of a kind: a real one, or its signature and noise."""
    if kind in WRITERS:
        WRITERS[kind][0](path)
        return
    stated = KINDS[kind]["starts"][-1]
    start = stated[1:-1].encode() if stated.startswith("'") else bytes.fromhex(stated)
    path.write_bytes(b"x" * KINDS[kind].get("at", 0) + start + bytes(range(256)))


@pytest.mark.parametrize(
    "kind",
    [
        kind
        for kind, facts in KINDS.items()
        if "lines" in facts and not {"home"} & {*facts} and {"starts", "member", "gzipped"} & {*facts}
    ],
)
def test_a_kind_is_recognised_by_its_content(tmp_path, kind):
    for suffix in ("", ".csv", ".xls", ".txt", ".npy", ".json", ".dat", ".xlsx"):
        path = tmp_path / f"songs{suffix}"
        write_kind(path, kind)
        for read in (read_file, files.read_table, files.detect):
            with pytest.raises(ReadError) as raised:
                read(path)
            message = str(raised.value)
            assert message.startswith(f"{path}: this is {KINDS[kind]['is']}, which is not read: ")
            assert message.count("`") == 4
            assert "\n" not in message


@pytest.mark.parametrize("kind", [kind for kind, (_, made) in WRITERS.items() if made is not None])
def test_the_two_lines_make_a_file_that_is_read(tmp_path, kind):
    path = tmp_path / "it's here" / "songs.dat"
    path.parent.mkdir()
    write_kind(path, kind)
    with pytest.raises(ReadError) as raised:
        read_file(path)
    lines = re.findall("`(.+?)`", str(raised.value))
    if kind == "web-page" and not importlib.util.find_spec("lxml"):
        pytest.skip("lxml is not installed")
    subprocess.run([sys.executable, "-W", "ignore", "-c", "\n".join(lines)], check=True)
    made = WRITERS[kind][1]
    if made == "folder":
        made = path.with_suffix("") / "one.csv"
    elif made == "renamed":  # the name states the compression; the kind of text is stated
        pd.testing.assert_frame_equal(read_file(f"{path}.gz", Description(format="csv")).raw.frame, TABLE)
        return
    elif made == "":
        path.with_suffix("").rename(made := path.with_suffix(".csv"))
    else:
        made = path.with_suffix(made)
    read = read_file(made).raw
    if made.suffix == ".npy":
        np.testing.assert_array_equal(read.matrix, VECTORS)
    elif kind != "xml":
        pd.testing.assert_frame_equal(read.frame, TABLE, check_dtype=False)


@pytest.mark.parametrize("start", KINDS["medium"]["starts"])
def test_a_single_picture_or_sound_names_its_folder(tmp_path, start):
    content = start[1:-1].encode() if start.startswith("'") else bytes.fromhex(start)
    (tmp_path / "a.bin").write_bytes(content + bytes(range(9)))
    with pytest.raises(
        ReadError, match=r"this is a picture, a sound or a film, not a table: name its folder, .*images="
    ):
        read_file(tmp_path / "a.bin")


def test_a_pickle_is_never_read(tmp_path):
    class Trap:
        def __reduce__(self):
            return Path.touch, (tmp_path / "sprung",)

    for protocol in range(6):
        for suffix in ("pkl", "pickle"):
            path = tmp_path / f"trap{protocol}.{suffix}"
            path.write_bytes(pickle.dumps(Trap(), protocol))
            with pytest.raises(ReadError, match="only if you trust its author"):
                read_file(path)
    assert not (tmp_path / "sprung").exists()


@pytest.mark.parametrize(
    "text", ["a,b\n1,2\n", "ORCA,b\n1,2\n", "PK,b\n1,2\n", "BZh9,b\n1,2\n", "RDX2,b\n1,2\n", "x" * 300 + ",b\n1,2\n"]
)
def test_text_is_text(tmp_path, text):
    path = tmp_path / "a.csv"
    path.write_text(text)
    assert len(read_file(path).raw) == 1


def follow_lines(path):
    """Run the two lines that the error about a file prints, and return the table that they write."""
    with pytest.raises(ReadError) as raised:
        files.read_table(path)
    first, second = re.findall("`(.+?)`", str(raised.value))
    before = set(path.parent.iterdir())
    subprocess.run([sys.executable, "-c", f"{first}\n{second}"], check=True, cwd=path.parent)
    [made] = set(path.parent.iterdir()) - before
    return files.read_table(made).frame


def test_a_portable_file_of_spss_is_converted(tmp_path):
    write_with_pyreadstat("por", tmp_path / "a.por")
    frame = follow_lines(tmp_path / "a.por")
    pd.testing.assert_frame_equal(frame.rename(columns=str.lower), TABLE, check_dtype=False)


ROWS = [{"title": "a", "tags": ["x", "y"]}, {"title": "b", "tags": []}, {"title": "c", "tags": ["x"]}]


@pytest.mark.parametrize(
    "document",
    [
        {"bookmarks": ROWS, "lists": [{"id": "l1"}]},
        {"version": 2, "exported": "2026-01-01", "items": ROWS},
    ],
    ids=["two lists", "a header"],
)
def test_one_object_that_holds_a_table_is_read(tmp_path, document):
    path = tmp_path / "keep.json"
    path.write_text(json.dumps(document))
    frame = files.read_table(path).frame
    assert frame["title"].tolist()[:3] == ["a", "b", "c"]
    assert [list(tags) for tags in frame["tags"]][:3] == [row["tags"] for row in ROWS]


def test_columns_of_different_lengths_are_no_table(tmp_path):
    (tmp_path / "a.json").write_text('{"a": [1, 2], "b": [3]}')
    with pytest.raises(ReadError, match=r"save it as \[\{"):
        files.read_table(tmp_path / "a.json")


def test_the_two_lines_about_xml_keep_attributes_of_elements_below(tmp_path):
    path = tmp_path / "cvat.xml"
    path.write_text(
        "<?xml version='1.0'?><annotations><image id='0' name='a.png'><tag label='cat'/><tag label='dog'/></image>"
        "<image id='1' name='b.png'><note>late</note></image></annotations>"
    )
    frame = follow_lines(path)
    assert frame["image.name"].tolist() == ["a.png", "b.png"]
    assert frame["tag.label"].fillna("").tolist() == ["cat;dog", ""]
    assert frame["note"].fillna("").tolist() == ["", "late"]
