"""Names, patterns and files of names: the columns that they stand for."""

from __future__ import annotations

import pytest

from halflabel.table import Description, patterns
from halflabel.table.patterns import expand_patterns, select

NAMES = ["song", "tag_a", "tag_b", "tag_c", "tempo", "key", "a*", "abc"]


@pytest.mark.parametrize(
    ("given", "skip", "chosen"),
    [
        (["tempo", "song"], (), ("tempo", "song")),
        (["tag_*", "tag_a"], (), ("tag_a", "tag_b", "tag_c")),
        (["tag_c", "tag_*"], ("tag_b",), ("tag_c", "tag_a")),
        (["tag_b"], ("tag_b",), ("tag_b",)),  # a name is no pattern
        (["a*"], (), ("a*",)),
        ([], (), ()),
    ],
)
def test_names_come_first_and_patterns_pass_over_some(given, skip, chosen):
    assert select(given, NAMES, skip) == chosen


def test_a_pattern_without_a_column_raises():
    with pytest.raises(ValueError, match=r"no column is called or matches 'tag_b\*'"):
        select(["tag_b*"], NAMES, ("tag_b",))


def test_roles_are_expanded_in_turn():
    columns = Description(id="song", ignore=["tag_b"], labels=["tag_*"], features=["?*"])
    found = expand_patterns(columns, NAMES, declared_labels=["key"])
    assert found.ignore == ("tag_b",)
    assert found.labels == ("tag_a", "tag_c")
    assert found.features == ("tempo", "a*", "abc")
    assert expand_patterns(Description(), NAMES).labels is None
    assert expand_patterns(Description(), NAMES).features is None


def test_a_file_of_names_has_one_per_line(tmp_path):
    file = tmp_path / "names.txt"
    file.write_bytes(b"\xef\xbb\xbftempo\r\n\r\n  tag_* \n")
    assert select([f"@{file}"], NAMES) == ("tempo", "tag_a", "tag_b", "tag_c")
    for path in (tmp_path, tmp_path / "none"):
        with pytest.raises(FileNotFoundError, match=r"there is no file .* to read names from \(one per line\)"):
            select([f"@{path}"], NAMES)
    file.write_bytes(b"tempo\n\xff")
    with pytest.raises(ValueError, match=r"is not UTF-8 text \(byte 6\): save it as UTF-8"):
        select([f"@{file}"], NAMES)


def test_a_file_of_names_has_a_maximum_size(tmp_path, monkeypatch):
    monkeypatch.setattr(patterns, "MAX_NAME_FILE_BYTES", 1000)
    file = tmp_path / "names.txt"
    file.write_text("tempo" + 995 * "\n", encoding="utf-8")
    assert select([f"@{file}"], NAMES) == ("tempo",)
    file.write_text("tempo" + 996 * "\n", encoding="utf-8")
    with pytest.raises(ValueError, match="is larger than 1,000 bytes: a file of names has one per line"):
        select([f"@{file}"], NAMES)
