"""Every format: written and read again, records are what they were, but for what the format declares to lose."""

import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from tests.conftest import FEWER_EXAMPLES
from tests.files.strategies import State, records, without

from halflabel import files
from halflabel.files.loss import Loss
from halflabel.files.registry import FORMATS
from halflabel.table.source_files import read_file

#: Formats of records, and formats of tables that records are written as.
TOOLS = [name for name, kind in FORMATS.items() if kind.read is not None]
PLAIN = [name for name in FORMATS if name not in TOOLS]


def round_trip(folder, name, original):
    kind = FORMATS[name]
    path = Path(folder) / f"out{kind.suffixes[0]}"
    suffered = files.write_records(path, name, original)
    paths = [path]
    if name == "prodigy":
        paths += [other for other in [kind.companion(path)] if other.exists()]
    options = {"absent": "unknown"} if kind.dialect == "sets" else {}
    return files.read(paths, name, **options), suffered


@pytest.mark.parametrize("name", TOOLS)
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


@pytest.mark.parametrize("name", PLAIN)
@FEWER_EXAMPLES
@given(original=records())
def test_records_as_a_table_have_their_answers_and_hide_their_suggestions(name, original):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"out{FORMATS[name].suffixes[0]}"
        files.write_records(path, name, original)
        with pytest.raises(files.ReadError, match="read it with read_table"):
            files.read(path, name)
        frame = read_file(path).raw.frame
    suggested = original.suggestions.notna() & (original.suggestions != original.labels)
    found = frame[list(original.names)].astype(float)
    np.testing.assert_array_equal(found, original.labels.mask(suggested))
    assert frame["id"].tolist() == original.items.index.tolist()


def can_be_written(original, kind):
    """A file without any item cannot be read again."""
    left = without(State.of(original), kind.losses, [], original.labels)
    return bool(left.fields)
