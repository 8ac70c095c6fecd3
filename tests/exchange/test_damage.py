"""Damaged files of every format: one sentence, never a traceback of something else."""

import random

import pandas as pd
import pytest

from halflabel import exchange
from halflabel.datasets import ReadError
from halflabel.exchange import FORMATS
from halflabel.table.files import read_file

SINGLE = [name for name in FORMATS if name != "argilla"]


def attempt(path, name):
    """Read a file that may be damaged; what comes is records, or an error with a sentence."""
    options = {"absent": "unknown"} if FORMATS[name].dialect == "sets" else {}
    for format in (name, None):
        error = None
        try:
            exchange.read(path, format, **options)
        except ValueError as raised:  # ReadError is one
            error = str(raised)
        assert error is None or str(path) in error or "absent" in error


@pytest.mark.filterwarnings("ignore::UserWarning")  # of openpyxl
@pytest.mark.parametrize("name", SINGLE)
def test_damaged_bytes(tmp_path, tables, name):
    original = tmp_path / f"original{FORMATS[name].suffixes[0]}"
    exchange.write(original, name, **tables)
    content = original.read_bytes()
    chance = random.Random(0)
    damaged = tmp_path / f"damaged{FORMATS[name].suffixes[0]}"
    for _ in range(30):
        text = bytearray(content)
        if chance.random() < 0.5:
            text = text[: chance.randrange(1, len(text))]
        for _ in range(chance.randrange(4)):
            text[chance.randrange(len(text))] = chance.choice(b'\x00\xff"{}[],:\n019ax')
        damaged.write_bytes(text)
        attempt(damaged, name)


@pytest.mark.parametrize("name", ["label-studio", "prodigy", "argilla", "doccano", "fiftyone", "lvis", "json"])
def test_other_shapes_of_json(write, name):
    chance = random.Random(1)
    words = [
        "data", "annotations", "predictions", "result", "value", "choices", "from_name", "fields", "suggestions", "id",
        "responses", "label", "answer", "meta", "text", "accept", "options", "images", "categories", "samples", "score",
        "positive_labels", "classifications", "image_id", "category_id", "neg_category_ids", "item_id", "filepath",
    ]  # fmt: skip

    def value(depth):
        kind = chance.randrange(9 if depth else 6)
        if kind < 6:
            return ["null", "1", "-0.5", '"accept"', "true", '"x"'][kind]
        parts = [value(depth - 1) for _ in range(chance.randrange(4))]
        if kind == 6:
            return f"[{','.join(parts)}]"
        return "{" + ",".join(f'"{chance.choice(words)}":{part}' for part in parts) + "}"

    for number in range(60):
        body = [value(4) for _ in range(3)]
        keys = chance.sample(words, 3)
        record = "{" + ",".join(f'"{key}":{part}' for key, part in zip(keys, body, strict=True)) + "}"
        attempt(write(f"{number}.json", f"[{record},{record}]" if number % 2 else record), name)


@pytest.mark.parametrize(
    ("name", "content", "sentence"),
    [
        ("a.csv", b"annotation_id,an\rnotator\n1,2\n", "cannot be read"),
        ("a.xlsx", None, "cannot be read as a workbook"),
    ],
)
def test_a_damaged_beginning_is_an_error_of_the_reader(tmp_path, name, content, sentence):
    """The format is not recognised, so that the reader of the suffix finds what is wrong."""
    if content is None:  # a zip file of a version that does not exist
        pytest.importorskip("openpyxl")
        exchange.write_frame(pd.DataFrame({"a": [1, 0]}), tmp_path / name)
        content = bytearray((tmp_path / name).read_bytes())
        entry = content.rindex(b"PK\x01\x02")
        content[entry + 6] = 209
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ReadError, match=sentence):
        read_file(tmp_path / name)


def test_a_damaged_name_of_a_column_is_an_error_of_the_reader(tmp_path):
    exchange.write_frame(pd.DataFrame({"naïve": [1, 0]}), tmp_path / "a.feather")
    content = (tmp_path / "a.feather").read_bytes()
    assert content.count("naïve".encode()) == 2  # in the schema and in the footer
    (tmp_path / "a.feather").write_bytes(content.replace("naïve".encode(), b"na\xff\xffve"))
    with pytest.raises(ReadError, match="cannot be read as Parquet or Arrow"):
        read_file(tmp_path / "a.feather")
