"""An encoder of the user: of files or texts, by name or as a function, and never by a file."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.table import open_table
from halflabel.table.table_file import TableFileError

TEXTS = ["rock and roll", "sad", None, "roll"] * 3


def count_letters(texts):
    return [[len(text), text.count("o")] for text in texts]


def make_items(**columns):
    return pd.DataFrame({"words": TEXTS, "rock": [1, 0, None, 1] * 3, **columns})


@pytest.fixture
def module(tmp_path, monkeypatch):
    (tmp_path / "my_encoder.py").write_text(
        "from pathlib import Path\n\n\ndef size(files):\n    return [[Path(f).stat().st_size, 1.0] for f in files]\n"
    )
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_texts_are_encoded_and_an_empty_cell_is_an_empty_text():
    opened = open_table(make_items(), labels="rock", text="words", embed=count_letters)
    np.testing.assert_array_equal(opened.X[:4], [[13, 2], [3, 0], [0, 0], [4, 1]])
    assert opened.roles.text is None
    assert dict(opened.roles.ignored).keys() == {"words"}


def test_files_of_a_column_and_of_a_folder_are_encoded_by_name(module):
    for i in range(6):
        path = module / "sounds" / ("loud" if i % 2 else "soft") / f"{i}.mp3"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * (10 * (i % 2) + i))
    folder = open_table("sounds", absent="irrelevant", embed="my_encoder:size")
    assert folder.X[:, 0].tolist() == [11, 13, 15, 0, 2, 4]
    assert folder.labels.names == ("loud", "soft")
    files = pd.DataFrame({"file": [f"sounds/{item}" for item in folder.index], "tag": [1, 1, 1, 0, 0, 0]})
    files.to_csv("files.csv", index=False)
    table = open_table("files.csv", labels="tag", images="file", embed="my_encoder:size")
    np.testing.assert_array_equal(table.X, folder.X)


@pytest.mark.parametrize(
    ("embed", "sentence"),
    [
        ("encoder", "embed= needs MODULE:FUNCTION, such as encoder:encode, not 'encoder'"),
        ("no_such_module_here:encode", "'no_such_module_here' cannot be imported: ModuleNotFoundError"),
        ("math:encode", "the module 'math' has no function 'encode'"),
        (lambda texts: 1 / 0, "failed: ZeroDivisionError: division by zero"),
        (lambda texts: np.ones(len(texts)), r"one row of numbers for each of 12 items, but .* is \(12,\)"),
        (lambda texts: np.full((len(texts), 2), np.nan), "a number that is not finite for 'rock and roll'"),
    ],
)
def test_a_wrong_encoder_is_one_sentence(embed, sentence):
    with pytest.raises(ValueError, match=sentence):
        open_table(make_items(), labels="rock", text="words", embed=embed)


def test_an_encoder_needs_items_to_encode():
    with pytest.raises(ValueError, match=r"embed= needs items to encode: a column of files \(images='COLUMN'\)"):
        open_table(make_items(x=range(12)), labels="rock", embed=count_letters)
    with pytest.raises(ValueError, match=r"embed= and vectors= both give the vectors"):
        open_table(make_items(), labels="rock", text="words", embed=count_letters, vectors=np.ones((12, 2)))


def test_no_file_names_an_encoder(module):
    """The module of the encoder must not even be imported."""
    (module / "bad.py").write_text("raise SystemExit('executed')")
    make_items().to_csv("items.csv", index=False)
    (module / "items.table.toml").write_text('version = 1\nlabels = ["rock"]\ntext = "words"\nembed = "bad:encode"\n')
    with pytest.raises(TableFileError, match="embed names code to execute, which a table file does not hold"):
        open_table("items.csv")
    (module / "items.table.toml").unlink()
    opened = open_table("items.csv", labels="rock", text="words", embed=count_letters)
    with pytest.raises(ValueError, match="embed names code to execute"):
        opened.save("items.table.toml")
    assert not (module / "items.table.toml").exists()


def test_a_completion_by_an_encoder():
    filled = hl.complete(open_table(make_items(), labels="rock", text="words", embed=count_letters), effort="fast")
    assert filled.table["rock"].notna().all()
