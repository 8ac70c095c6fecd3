"""Changed inputs end in a table or in one sentence; so does every input that once did not."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.fuzz.campaign import outcome, run
from tests.fuzz.seeds import FORMATS

#: The night's campaign draws others: python -m tests.fuzz.
SEED = 0

CRASHES = sorted((Path(__file__).parent / "crashes").glob("*.*"))


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_the_seed_itself_is_read(kind, tmp_path):
    path = tmp_path / f"seed{kind.suffix}"
    path.write_bytes(kind.seed())
    assert outcome(kind, path) == "read"


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_changed_inputs_are_read_or_rejected_in_a_sentence(kind, tmp_path):
    count = 300
    counts, defects = run(kind, tmp_path, SEED, count)
    assert not defects, f"seed {SEED}: { ({name: content[:300] for name, content in defects.items()}) }"
    assert counts["rejected"] > 0.1 * count  # the changes reach the reader


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_every_defect_stays_mended(path, tmp_path):
    kind = next(kind for kind in FORMATS if path.name.startswith(f"{kind.name.replace(' ', '-')}-"))
    again = tmp_path / path.name
    again.write_bytes(path.read_bytes())
    assert outcome(kind, again) in ("read", "rejected")
