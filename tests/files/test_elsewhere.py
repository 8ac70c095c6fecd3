"""Formats of other distributions that are not installed: one error with the command and two lines that work."""

import json
import re
import subprocess
import sys

import pandas as pd
import pytest

from halflabel import files
from halflabel.files import ReadError, read_table, registry

RECORD = {"id": "1", "fields": {"text": "a"}, "metadata": {}, "suggestions": {}, "responses": {}}
FILES = {
    "prodigy": ("songs.jsonl", '{"text": "a", "label": "rock", "answer": "accept"}\n'),
    "doccano": ("songs.jsonl", '{"id": 1, "text": "a", "label": ["rock"]}\n'),
    "argilla": ("songs.json", json.dumps([RECORD])),
    "arff": ("songs.arff", "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n1,x\n2,y\n"),
    "svmlight": ("songs.svm", "1 1:0.5 2:1\n0 2:1\n"),
}


@pytest.fixture
def alone(monkeypatch):
    """No distribution but halflabel is installed."""
    monkeypatch.setattr(registry, "find_entries", dict)
    registry.load.cache_clear()
    yield
    registry.load.cache_clear()


def read_any(path, name):
    return read_table(path) if name in ("arff", "svmlight") else files.read(path)


@pytest.mark.usefixtures("alone")
@pytest.mark.parametrize("name", FILES)
def test_the_error_names_the_command_and_its_two_lines_work(name, tmp_path):
    file, content = FILES[name]
    path = tmp_path / "it's" / file
    path.parent.mkdir()
    path.write_text(content)
    home = registry.find_home(name)
    with pytest.raises(ReadError, match=f"pip install ./{home}") as error:
        read_any(path, name)
    first, second = re.findall(r"`([^`]+)`", str(error.value))[-2:]
    subprocess.run([sys.executable, "-c", f"{first}\n{second}"], check=True, cwd=tmp_path)
    assert len(pd.read_csv(path.with_suffix(".csv"))) == len(read_table(path.with_suffix(".csv")).frame) > 0


@pytest.mark.usefixtures("alone")
def test_a_format_that_is_not_installed_is_not_written(tmp_path, tables):
    with pytest.raises(ValueError, match=r"halflabel-tools, which is not installed: pip install \./tools"):
        files.write(tmp_path / "a.jsonl", "prodigy", tables["items"], tables["labels"])
    assert "prodigy" not in list(registry.FORMATS)
