"""Files of kinds that are not read: recognised by content, and converted by the two lines of the error."""

import bz2
import gzip
import importlib.util
import lzma
import pickle
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
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


@pytest.mark.parametrize("kind", [kind for kind in KINDS if "lines" in KINDS[kind] and "home" not in KINDS[kind]])
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
    if kind in ("web-page", "xml") and not importlib.util.find_spec("lxml"):
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
