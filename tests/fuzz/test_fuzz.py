"""Changed inputs end in a table or in one sentence; so does every input that once did not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.fuzz.bombs import BOMBS, MAX_MEGABYTES, set_off
from tests.fuzz.campaign import MAX_SECONDS, outcome, run, temporary_folder
from tests.fuzz.seeds import DAMAGED, FORMATS, GENTLY_CHANGED, MODELS, REWRITTEN_RECORDS, Format
from tests.fuzz.steering import Lines

from halflabel.table.tag_text import split_tags

#: The inputs are the same in every run, so that a change is judged by itself. ``python -m tests.fuzz`` searches others.
SEED = 0

CRASHES = sorted((Path(__file__).parent / "crashes").glob("*.*"))


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_the_seed_itself_is_read(kind, tmp_path):
    path = tmp_path / f"seed{kind.suffix}"
    path.write_bytes(kind.seed())
    assert outcome(kind, path) == "read"


def check_changes(kind, count):
    with temporary_folder() as folder:
        counts, defects = run(kind, Path(folder), SEED, count)
    assert not defects, {name: content[:300] for name, content in defects.items()}
    return counts


@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_changed_inputs_are_read_or_rejected_in_a_sentence(kind):
    check_changes(kind, 8 if kind in MODELS + GENTLY_CHANGED + DAMAGED + REWRITTEN_RECORDS else 16)


@pytest.mark.slow
@pytest.mark.parametrize("kind", FORMATS, ids=lambda kind: kind.name)
def test_many_changed_inputs_are_read_or_rejected_in_a_sentence(kind):
    count = 100 if kind in MODELS + GENTLY_CHANGED + DAMAGED + REWRITTEN_RECORDS else 300
    assert check_changes(kind, count)["rejected"] > 0.1 * count  # the changes reach the reader


@pytest.mark.parametrize("path", CRASHES, ids=lambda path: path.name)
def test_every_defect_stays_mended(path, tmp_path):
    kind = next((kind for kind in FORMATS if path.name.startswith(f"{kind.name.replace(' ', '-')}-")), None)
    if kind is None:
        pytest.skip("halflabel-tools, which has the format, is not installed")
    again = tmp_path / path.name
    again.write_bytes(path.read_bytes())
    assert outcome(kind, again) in ("read", "rejected")


def test_each_line_of_the_library_is_reached_once():
    lines, numbers = Lines(), []
    for text, sep in (("a", ""), ("b", ""), ("a;b", ";")):  # the last one is cut
        with lines.traced():
            split_tags(text, sep)
            json.dumps(text)  # a line of another library
        numbers.append(lines.number)
    assert 0 < numbers[0] == numbers[1] < numbers[2]


def test_an_input_that_reaches_new_lines_is_changed_further(tmp_path):
    seen = []

    def change(content, rng):
        seen.append(content)
        return content + b"a"

    def reader(path):
        text = path.read_text()
        return split_tags(text, "a" if len(text) > 9 else "")

    kind = Format("text", ".txt", lambda: b"a" * 9, reader, change=change)
    run(kind, tmp_path, 0, 60, lines=Lines())
    assert b"a" * 10 in seen  # the first input is new
    seen.clear()
    run(kind, tmp_path, 0, 60)
    assert set(seen) == {b"a" * 9}


@pytest.mark.skipif(not Path("/proc/self/clear_refs").exists(), reason="only Linux resets the peak of the memory")
@pytest.mark.parametrize(
    "bomb",
    [pytest.param(each, id=each.name, marks=[pytest.mark.slow] * each.is_slow) for each in BOMBS],
)
def test_a_bomb_is_rejected_in_one_sentence_at_low_cost(bomb, tmp_path):
    cost = set_off(bomb, tmp_path)
    assert cost.megabytes < MAX_MEGABYTES
    assert cost.seconds < MAX_SECONDS
    if bomb.is_rejected:
        assert str(tmp_path) in cost.sentence
        assert "\n" not in cost.sentence
