"""Each file is announced when the whole set is on the disk, and the terminal has the warnings of the report."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel.cli import outputs as module

pytestmark = pytest.mark.usefixtures("one_member")

FILES = {"--probabilities": "p.csv", "--model": "m.halflabel", "--report": "r.html", "-o": "t.csv"}


@pytest.fixture
def announced(monkeypatch):
    """Each printed sentence, and the files that existed when it was printed."""
    found, before = [], module.print_result

    def record(*sentences):
        found.append((" ".join(sentences), set(map(str, Path.cwd().iterdir()))))
        before(*sentences)

    monkeypatch.setattr(module, "print_result", record)
    return found


def test_each_file_is_announced_once_when_the_whole_set_is_on_the_disk(songs, monkeypatch, announced):
    monkeypatch.chdir(songs.parent)
    options = [part for option, name in FILES.items() for part in (option, songs.parent / name)]
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", *options)
    assert result.exit_code == 0, result.output
    named = [
        (path, there) for text, there in announced for path in re.findall(r"[^\s,]+\.(?:csv|html|halflabel)", text)
    ]
    assert sorted(path for path, _ in named) == sorted(str(songs.parent / name) for name in FILES.values())
    assert all({path for path, _ in named} <= there for _, there in named)


@pytest.mark.parametrize("option", ["--json", "--report=none"])
def test_without_a_report_no_map_is_drawn_and_json_is_json_alone(songs, monkeypatch, option):
    def draw(*_, **__):
        pytest.fail("a map was drawn")

    if option == "--report=none":
        monkeypatch.setattr("halflabel.completion.result.draw_item_map", draw)
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", option)
    assert result.exit_code == 0, result.output
    written = ["songs.completed.csv"] + ["songs.report.html"] * (option == "--json")
    assert outputs(songs) == written
    if option == "--json":
        assert {Path(path).name for path in json.loads(result.stdout)["written"].values()} == set(written)


def change_few(frame):
    """Few labelled items, and one rare label."""
    labels = frame[["tag_a", "tag_b", "tag_c"]].copy()
    labels.iloc[20:] = np.nan
    return frame.assign(**labels)


def change_by_value(frame):
    """Only values that were looked for are known."""
    return frame.assign(tag_a=frame["tag_a"].where(frame["f0"] > 0))


@pytest.mark.parametrize("change", [lambda frame: frame, change_few, change_by_value])
def test_the_terminal_has_the_warnings_and_cautions_of_the_report(songs, change):
    change(pd.read_csv(songs)).to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", "-v")
    page = songs.with_name("songs.report.html").read_text()
    found = re.findall(
        r'<li class="(warning|caution)"><strong>\w+: (.*?)</strong> <code>(.*?)</code><br>(.*?)</li>',
        page,
    )
    for level, title, code, text in found:
        sentence = f"Warning: {title}. {text} [{code}]" if level == "warning" else f"Caution: {title}. [{code}]"
        assert html.unescape(sentence.replace("\N{NO-BREAK SPACE}", " ")) in result.stdout.splitlines()
    assert len(re.findall(r"^(?:Warning|Caution): ", result.stdout, re.MULTILINE)) == len(found)
    assert found
