"""A file is read by the module of its format: no reader of another format is imported."""

import subprocess
import sys
from pathlib import Path

import pytest

from halflabel.files.registry import ROWS

SCRIPT = """
import sys
from click.testing import CliRunner
from halflabel.cli import main

result = CliRunner().invoke(main, sys.argv[1:])
assert not result.exit_code, result.output
print(*sorted(name for name in sys.modules if name.startswith("halflabel.files")), sep="\\n")
"""

#: Maximum number of modules of ``files`` that the completion of delimited text imports.
MAX_MODULES = 11

#: The modules of delimited text; every other module of a format is that of another format.
OWN = {"halflabel.files.delimited"}


def list_imported(*arguments):
    """Return the modules of ``files`` that a command imports."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, *arguments], capture_output=True, text=True, check=True)
    return set(done.stdout.split())


@pytest.fixture
def songs(tmp_path):
    path = tmp_path / "songs.csv"
    path.write_text("song,tempo,rock\na,120.5,1\nb,65.25,0\nc,130.5,\nd,60.1,0\n")
    return path


@pytest.mark.parametrize("command", ["describe", "complete"])
def test_a_csv_imports_no_reader_of_another_format(command, songs):
    output = ["-o", str(songs.with_name("out.csv"))] if command == "complete" else []
    imported = list_imported(*command.split(), str(songs), "--labels", "rock", *output)
    others = {f"halflabel.files.{row.module}" for row in ROWS} - OWN
    assert imported & others == set()
    assert len(imported) <= MAX_MODULES


def test_every_format_of_this_package_is_a_module():
    folder = Path(__file__).parents[2] / "src" / "halflabel" / "files"
    assert {row.module for row in ROWS if not row.home} <= {path.stem for path in folder.glob("*.py")}
