"""The page on formats states what the code declares."""

import re
from pathlib import Path

import pytest

from halflabel.files.loss import Loss
from halflabel.files.registry import FORMATS, TOOLS

PAGE = (Path(__file__).parents[2] / "docs" / "formats.md").read_text(encoding="utf-8")


def rows():
    lines = [line.strip("| ").split(" | ") for line in PAGE.splitlines() if line.startswith("| `")]
    return {cells[0].strip("`"): cells for cells in lines}


def test_every_format_has_a_row():
    assert list(rows()) == list(TOOLS)


@pytest.mark.parametrize("name", FORMATS)
def test_a_row_is_what_the_format_declares(name):
    cells = rows()[name]
    assert cells[3] == FORMATS[name].dialect
    assert cells[4].split(", ") == [loss.name.lower().replace("_", " ") for loss in FORMATS[name].losses]


def test_every_loss_is_explained():
    found = dict(re.findall(r"^\| ([a-z ]+) \| ([A-Z].*) \|$", PAGE, flags=re.MULTILINE))
    assert found == {loss.name.lower().replace("_", " "): loss.value for loss in Loss}
