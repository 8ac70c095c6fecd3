"""Every format: written and read again, records are what they were, but for what the format declares to lose."""

import tempfile
from pathlib import Path

import pytest
from hypothesis import given
from tests.conftest import FEWER_EXAMPLES
from tests.files.strategies import State, records, without

from halflabel import files
from halflabel.files.loss import Loss
from halflabel.files.registry import FORMATS


def round_trip(folder, name, original):
    kind = FORMATS[name]
    path = Path(folder) / f"out{kind.suffixes[0]}"
    suffered = files.write_records(path, name, original)
    paths = [path]
    if name == "prodigy":
        paths += [other for other in [kind.companion(path)] if other.exists()]
    options = {"absent": "unknown"} if kind.dialect == "sets" else {}
    return files.read(paths, name, **options), suffered


@pytest.mark.parametrize("name", FORMATS)
@FEWER_EXAMPLES
@given(original=records())
def test_round_trip(name, original):
    kind = FORMATS[name]
    with tempfile.TemporaryDirectory() as folder:
        if Loss.ITEMS in kind.losses and not can_be_written(original, kind):
            return
        back, suffered = round_trip(folder, name, original)
    carried = [str(field) for field in kind.carries(original.items)]
    expected = without(State.of(original), kind.losses, carried, original.labels)
    assert State.of(back).plain() == expected.plain()
    if not suffered:
        assert State.of(back).plain() == State.of(original).plain()


def can_be_written(original, kind):
    """A file without any item cannot be read again."""
    left = without(State.of(original), kind.losses, [], original.labels)
    return bool(left.fields)
