"""A ledger: what is read is what was written, or the first wrong line is named."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel._ledger import VERSION, Ledger, is_ledger, parse_lines, read_lines

VALUES = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False, allow_infinity=False), st.text())
RECORDS = st.lists(st.dictionaries(st.text().filter("chain".__ne__), VALUES, min_size=1), min_size=1, max_size=5)


def write(path, records):
    with Ledger(path, "review") as ledger:
        if ledger.header is None:
            ledger.begin({"by": "ana"})
        ledger.append(records)
        return ledger.chain


@pytest.fixture(scope="module")
def content(tmp_path_factory):
    """A ledger of eight records, written in two goes."""
    path = tmp_path_factory.mktemp("ledger") / "a.jsonl"
    write(path, [{"n": n, "item": f"é {n}"} for n in range(5)])
    write(path, [{"n": n, "item": f"é {n}"} for n in range(5, 8)])
    return path.read_bytes()


@given(RECORDS)
def test_every_record_is_read_back(tmp_path_factory, records):
    path = tmp_path_factory.mktemp("ledger") / "a.jsonl"
    chain = write(path, records)
    found = read_lines(path, "review")
    assert (found.records, found.chain) == (records, chain)
    assert is_ledger(path)


@given(st.data())
def test_no_changed_byte_gives_other_records(content, data):
    position = data.draw(st.integers(0, len(content) - 2))
    byte = data.draw(st.integers(0, 255).filter(content[position].__ne__))
    changed = content[:position] + bytes([byte]) + content[position + 1 :]
    with pytest.raises(ValueError, match=r"line \d|not the journal|another version"):
        parse_lines(changed, "a.jsonl", "review")


@given(st.data())
def test_no_lost_doubled_or_moved_line_gives_other_records(content, data):
    lines = content.splitlines(keepends=True)
    line = lines.pop(data.draw(st.integers(1, len(lines) - 2)))
    for _ in range(data.draw(st.sampled_from((0, 2)))):
        lines.insert(data.draw(st.integers(1, len(lines))), line)
    with pytest.raises(ValueError, match=r"line .*: its digest does not follow"):
        parse_lines(b"".join(lines), "a.jsonl", "review")


def test_a_line_moved_within_a_ledger_is_named(content):
    lines = content.splitlines(keepends=True)
    lines[3], lines[4] = lines[4], lines[3]
    with pytest.raises(ValueError, match=r"a.jsonl, line 4: its digest does not follow"):
        parse_lines(b"".join(lines), "a.jsonl")


def test_another_version_cannot_be_stated_to_pass_over_the_digests(content):
    for stated in (1, VERSION + 1):
        hidden = content.replace(b'"version":%d' % VERSION, b'"version":%d' % stated)
        with pytest.raises(ValueError, match=r"another version of halflabel"):
            parse_lines(hidden, "a.jsonl")


def test_in_memory_it_has_the_same_chain(tmp_path, monkeypatch):
    monkeypatch.setattr("halflabel._ledger.read_clock", lambda: "now")
    chains = []
    for path in (None, tmp_path / "a.jsonl"):
        with Ledger(path, "finish") as ledger:
            ledger.begin({})
            ledger.append([{"op": "begin"}])
            chains.append(ledger.chain)
    assert chains[0] == chains[1]
