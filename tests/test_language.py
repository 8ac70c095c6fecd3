"""Plain English in the terms of the field: ``python -m tests.language PATH`` prints the banned words of a room."""

from __future__ import annotations

import pytest
from tests import language


@pytest.mark.slow
def test_no_banned_word_is_left():
    findings = [found for path in language.list_files() for found in language.search_file(path)]
    assert not findings, "\n".join(map(str, findings))


def search(tmp_path, monkeypatch, name, text):
    """Return the banned words of a file with this text."""
    monkeypatch.setattr(language, "ROOT", tmp_path)
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return [(found.line, found.word) for found in language.search_file(path)]


PYTHON = {
    "a docstring": ('"""One.\n\nThe pool of models."""', [(3, "pool")]),
    "a comment": ("x = 1  # the door\n", [(1, "door")]),
    "a phrase over two comments": ("# so\n# many items\n", [(1, "so many")]),
    "a message": ('raise ValueError(f"{name}: refused")', [(1, "refused")]),
    "a phrase in two strings": ('x = ("so "\n     "many")', [(1, "so many")]),
    "no word across code": ('x = ["so", y, "many"]', []),
    "a function": ("def tell_kinds(X):\n    return X", [(1, "tell")]),
    "a participle as a function": ("def _found():\n    return 1", [(1, "_found")]),
    "a participle as a property": ("@property\ndef found():\n    return 1", []),
    "a class": ("class PoolMember:\n    x = 1", [(1, "pool")]),
    "a parameter": ("f = lambda most: most", [(1, "most")]),
    "a constant": ("FEW_ITEMS = 3", [(1, "FEW_ITEMS")]),
    "a variable that is no limit": ("few = values < 3", []),
    "a call of another library": ("os.walk(folder)", []),
    "a random walk": ('"""The random walk of the graph; the walk."""', [(1, "walk")]),
    "colour-blind readers": ("# for colour-blind readers, a blind method", [(1, "blind")]),
}


@pytest.mark.parametrize(("text", "expected"), PYTHON.values(), ids=PYTHON)
def test_python_is_searched_where_it_is_prose_or_binds_a_name(tmp_path, monkeypatch, text, expected):
    assert search(tmp_path, monkeypatch, "module.py", text) == expected


SENTENCES = {
    "two clauses in a first line": ('"""Read a file; the text.\n\nOne; two."""', [(1, ";")]),
    "what without a noun": ("# what changed,\n# and what\n# remains", [(1, "what changed"), (2, "what remains")]),
    "a pronoun without a noun": (
        '"""Rows, those of X and those\nthat follow."""',
        [(1, "those of"), (1, "those that")],
    ),
    "is no": ('"""A row is no column. There is no row. It is no longer open."""', [(1, "is no column")]),
    "the others": ('"""Some rows and the others."""', [(1, "the others")]),
    "code": ("what = value; those = what", []),
}


@pytest.mark.parametrize(("text", "expected"), SENTENCES.values(), ids=SENTENCES)
def test_sentences_are_searched_in_the_rooms_of_the_list(tmp_path, monkeypatch, text, expected):
    monkeypatch.setitem(language.load_list()["sentences"], "rooms", ["room/"])
    (tmp_path / "room").mkdir()
    assert search(tmp_path, monkeypatch, "room/module.py", text) == expected
    assert not search(tmp_path, monkeypatch, "module.py", text)


def test_the_name_of_a_module_is_searched(tmp_path, monkeypatch):
    assert search(tmp_path, monkeypatch, "caveats.py", "x = 1") == [(1, "caveats")]


def test_pages_and_templates_are_searched_as_a_whole(tmp_path, monkeypatch):
    assert search(tmp_path, monkeypatch, "page.md", "# Page\n\n`x` tells; a paper\nsays.\n") == [(3, "tells")]
    assert search(tmp_path, monkeypatch, "a.html.j2", "<p>\n{{ caveat.title }} Beside it.") == [
        (2, "beside"),
        (2, "caveat"),
    ]


def test_a_word_may_be_allowed_in_one_file(tmp_path, monkeypatch):
    given = {**language.load_list(), "allow": [{"file": "a.md", "words": ["pool"], "because": "a swimming pool"}]}
    monkeypatch.setattr(language, "load_list", lambda: given)
    assert search(tmp_path, monkeypatch, "a.md", "pool, guest") == [(1, "guest")]
    assert search(tmp_path, monkeypatch, "b.md", "pool") == [(1, "pool")]


def test_a_finding_names_place_and_replacement(tmp_path, monkeypatch):
    monkeypatch.setattr(language, "ROOT", tmp_path)
    (tmp_path / "a.md").write_text("The guest.", encoding="utf-8")
    (found,) = language.search_file(tmp_path / "a.md")
    assert str(found) == "a.md:1: 'guest' in 'The guest.'; use: optional member"


def test_every_entry_of_the_list_is_whole():
    for entry in language.load_list()["banned"]:
        assert entry["use"]
        assert ("unless" in entry) == ("because" in entry)
        assert all(name.islower() and " " not in name for name in entry["names"])
    for entry in language.load_list()["allow"]:
        assert (language.ROOT / entry["file"]).is_file()
        assert entry["because"]
    assert all(any(language.ROOT.glob(f"{room}*")) for room in language.load_list()["sentences"]["rooms"])


def test_the_first_words_for_people_are_not_those_of_the_reference():
    page = "About {{ relevant }} values.\n`entry` [a](entry.md)\n\nAn irrelevant entry.\n## For researchers\nrelevant"
    listed = language.load_list()["people"]["files"]
    template = next(name for name in listed if name.endswith(".j2"))
    assert [(found.line, found.word) for found in language.search_for_people(template, page)] == [
        (4, "irrelevant"),
        (4, "entry"),
    ]
    source = '"""A relevant entry."""\nprint(f"{1} filled as relevant")\nrow["entry"]\n'
    python = next(name for name in listed if name.endswith(".py"))
    assert [(found.line, found.word) for found in language.search_for_people(python, source)] == [(2, "relevant")]
    assert list(language.search_for_people("docs/python.md", page)) == []
