"""The deletion test that `.ci/run` runs: what it deletes exists, and what it leaves has no trace of the correction."""

import importlib.util
import sys
from pathlib import Path

import pytest

from halflabel.corrections.order import CORRECTIONS

ROOT = Path(__file__).parents[1]
SPEC = importlib.util.spec_from_file_location("deletion", ROOT / ".ci" / "deletion.py")
deletion = importlib.util.module_from_spec(SPEC)
sys.modules["deletion"] = deletion  # its records look up their module
SPEC.loader.exec_module(deletion)


def test_each_correction_can_be_deleted_with_few_edits():
    assert set(deletion.DELETIONS) == {each.name for each in CORRECTIONS}
    for each in deletion.DELETIONS.values():
        assert len({file for file, *_ in each.edits}) <= deletion.MAX_EDITS


@pytest.mark.parametrize("name", deletion.DELETIONS)
def test_its_files_and_its_line_are_gone(name, tmp_path):
    each = deletion.DELETIONS[name]
    for pattern in (*each.files, deletion.ORDER, *(file for file, *_ in each.edits)):
        for path in ROOT.glob(pattern):
            copy = tmp_path / path.relative_to(ROOT)
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.mkdir() if path.is_dir() else copy.write_text(path.read_text())
    deletion.delete(name, tmp_path)
    left = [path for pattern in each.files for path in tmp_path.glob(pattern)]
    assert left == []
    order = (tmp_path / deletion.ORDER).read_text()
    assert not any(line in order for line in each.lines)
    assert sum(other.lines[0] in order for other in deletion.DELETIONS.values()) == len(deletion.DELETIONS) - 1


def test_a_file_that_is_gone_is_named(tmp_path):
    with pytest.raises(SystemExit, match=r"shift: there is no src/halflabel/corrections/shift\.py"):
        deletion.delete("shift", tmp_path)
