"""Damaged files of every format: one sentence, never a traceback of something else."""

import random

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES
from tests.elsewhere import each_tool

from halflabel import files
from halflabel.files.raw_table import ReadError
from halflabel.files.registry import FORMATS
from halflabel.table.source_files import read_file

SINGLE = [name for name in FORMATS if name != "argilla"]


def attempt(path, name):
    """Read a file that may be damaged; what comes is records, or an error with a sentence."""
    options = {"absent": "unknown"} if FORMATS[name].dialect == "sets" else {}
    for format in (name, None):
        error = None
        try:
            files.read(path, format, **options)
        except ValueError as raised:  # ReadError is one
            error = str(raised)
        assert error is None or str(path) in error or "absent" in error


@pytest.mark.filterwarnings("ignore::UserWarning")  # of openpyxl
@pytest.mark.parametrize("name", SINGLE)
@FEWER_EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_damaged_bytes(tmp_path, tables, name, seed):
    original = tmp_path / f"original{FORMATS[name].suffixes[0]}"
    if not original.exists():
        files.write(original, name, **tables)
    text, chance = bytearray(original.read_bytes()), random.Random(seed)
    if chance.random() < 0.5:
        text = text[: chance.randrange(1, len(text))]
    for _ in range(chance.randrange(4)):
        text[chance.randrange(len(text))] = chance.choice(b'\x00\xff"{}[],:\n019ax')
    damaged = tmp_path / f"damaged{FORMATS[name].suffixes[0]}"
    damaged.write_bytes(text)
    attempt(damaged, name)


WORDS = [
    "data", "annotations", "predictions", "result", "value", "choices", "from_name", "fields", "suggestions", "id",
    "responses", "label", "answer", "meta", "text", "accept", "options", "images", "categories", "samples", "score",
    "positive_labels", "classifications", "image_id", "category_id", "neg_category_ids", "item_id", "filepath",
]  # fmt: skip


def make_value(chance, depth):
    """Return the text of a JSON value whose keys are those of the tools."""
    kind = chance.randrange(9 if depth else 6)
    if kind < 6:
        return ["null", "1", "-0.5", '"accept"', "true", '"x"'][kind]
    parts = [make_value(chance, depth - 1) for _ in range(chance.randrange(4))]
    if kind == 6:
        return f"[{','.join(parts)}]"
    return "{" + ",".join(f'"{chance.choice(WORDS)}":{part}' for part in parts) + "}"


@pytest.mark.parametrize("name", each_tool("label-studio", "prodigy", "argilla", "doccano"))
@pytest.mark.parametrize("as_list", [False, True])
@FEWER_EXAMPLES
@given(seed=st.integers(0, 2**32))
def test_other_shapes_of_json(write, name, as_list, seed):
    chance = random.Random(seed)
    body = [make_value(chance, 4) for _ in range(3)]
    keys = chance.sample(WORDS, 3)
    record = "{" + ",".join(f'"{key}":{part}' for key, part in zip(keys, body, strict=True)) + "}"
    attempt(write(f"{seed}.json", f"[{record},{record}]" if as_list else record), name)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"annotation_id,an\rnotator\n1,2\n", "carriage return only"),
        ("a.xlsx", None, "cannot be read as a workbook"),
    ],
)
def test_a_damaged_beginning_is_an_error_of_the_reader(tmp_path, name, content, sentence):
    """The format is not recognised, so that the reader of the suffix finds what is wrong."""
    if content is None:  # a zip file of a version that does not exist
        pytest.importorskip("openpyxl")
        files.write_frame(pd.DataFrame({"a": [1, 0]}), tmp_path / name)
        content = bytearray((tmp_path / name).read_bytes())
        entry = content.rindex(b"PK\x01\x02")
        content[entry + 6] = 209
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReadError, match=sentence):
        read_file(tmp_path / name)


def test_a_damaged_name_of_a_column_is_an_error_of_the_reader(tmp_path):
    files.write_frame(pd.DataFrame({"naïve": [1, 0]}), tmp_path / "a.feather")
    content = (tmp_path / "a.feather").read_bytes()
    assert content.count("naïve".encode()) == 2  # in the schema and in the footer
    (tmp_path / "a.feather").write_bytes(content.replace("naïve".encode(), b"na\xff\xffve"))
    with pytest.raises(ReadError, match="cannot be read as Parquet or Arrow"):
        read_file(tmp_path / "a.feather")
