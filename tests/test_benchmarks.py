"""Every benchmark can be imported, prints its help, and names the command that runs it."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

FOLDER = Path(__file__).parents[1] / "benchmarks"
SCRIPTS = sorted(path.stem for path in FOLDER.glob("[a-z]*.py"))


@pytest.mark.parametrize("name", SCRIPTS)
def test_a_benchmark_prints_its_help(name, monkeypatch, capsys):
    if "halflabel_papers" in (FOLDER / f"{name}.py").read_text(encoding="utf-8"):
        pytest.importorskip("halflabel_papers", reason="halflabel-papers is not installed")
    monkeypatch.syspath_prepend(str(FOLDER))
    script = importlib.import_module(name)
    monkeypatch.setattr(sys, "argv", [name, "--help"])
    with pytest.raises(SystemExit, match="0"):
        script.main()
    assert f"python benchmarks/{name}.py" in capsys.readouterr().out
