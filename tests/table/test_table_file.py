"""Table files: what is written is read again, options override it, and a file that does not fit is one sentence."""

from __future__ import annotations

import json
import shlex
import tomllib
from dataclasses import fields
from inspect import get_annotations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given as for_all
from hypothesis import strategies as st

import halflabel as hl
from halflabel._arrays import is_sparse
from halflabel._wording import name_command_options, option
from halflabel.table.columns import BY_NAME, KEYS, Description, Keys
from halflabel.table.table_file import TableFile, TableFileError, name_table_file, read_table_file, write_table_file

NAMES = st.lists(st.text(st.characters(codec="utf-8"), min_size=1), min_size=1, max_size=12).map(tuple)
TEXT = st.text(st.characters(codec="utf-8"), min_size=1)
BY_KIND = {
    "text": TEXT.filter(lambda text: not text.endswith(".npy")),
    "names": NAMES,
    "rules": st.lists(st.sampled_from(["a -> b", "one of: a, b"]), min_size=1).map(tuple),
    "number": st.integers(1, 999_999_999),
    "size": st.tuples(st.integers(1, 99), st.integers(1, 99)),
    "words": NAMES,
}
VALUE = {
    key.name: st.sampled_from(key.choices) if key.choices else BY_KIND[key.kind] for key in KEYS if key.kind != "path"
}
DESCRIPTIONS = st.fixed_dictionaries({}, optional=VALUE)


@for_all(DESCRIPTIONS)
def test_every_description_is_read_as_it_was_written(tmp_path_factory, values):
    path = tmp_path_factory.getbasetemp() / "x.table.toml"  # a folder of its own takes longer than the rest
    write_table_file(path, values, ["a comment"])
    assert dict(read_table_file(path).values) == values


@for_all(NAMES)
def test_words_are_parsed_as_messages_state_them(words):
    stripped = tuple(word.strip() for word in words)
    if any(word.startswith('"') and not set(word) & set(",;=") for word in stripped):
        return  # a word that starts with a quote needs another one
    with name_command_options({"yes": "--set yes="}):
        stated = shlex.split(option("yes", stripped))[1].removeprefix("yes=")
    assert BY_NAME["yes"].parse([stated]) == stripped


def test_paths_count_from_the_folder_of_the_file(tmp_path, monkeypatch):
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path)
    values = {"prior": "data/p.csv", "pairs": tmp_path / "long.csv", "vectors": "x.npy"}
    write_table_file("data/x.table.toml", values)
    written = tomllib.loads(Path("data/x.table.toml").read_text())
    assert {name: written[name] for name in values} == {
        "prior": "p.csv",
        "pairs": "../long.csv",
        "vectors": "../x.npy",
    }
    read = read_table_file(tmp_path / "data" / "x.table.toml").values
    assert Path(read["prior"]).resolve() == tmp_path / "data" / "p.csv"


#: Keys whose value is a file, or may be one.
OF_FILES = ("pairs", "tag_names", "labels_file", "prior", "sources", "vectors")


@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
@pytest.mark.parametrize("name", OF_FILES)
def test_a_table_file_that_was_found_opens_no_file_of_another_folder(tmp_path, monkeypatch, name, absolute):
    (tmp_path / "data").mkdir()
    monkeypatch.chdir(tmp_path / "data")
    outside = tmp_path / "private.npy"
    outside.write_text("secret,word\n1,0\n")
    frame = pd.DataFrame({"song": list("abcd"), "tempo": [1.0, 2.0, 3.0, 4.5], "dance": [1, 0, None, 1]})
    frame.to_csv("songs.csv", index=False)
    value = str(outside) if absolute else "../private.npy"
    Path("songs.table.toml").write_text(f"version = 1\n{name} = {json.dumps(value)}\n")
    with pytest.raises(
        TableFileError, match=rf"names the file .*private.npy \({name}\), which is not in its folder"
    ) as caught:
        hl.open_table("songs.csv")
    assert "secret" not in str(caught.value)
    assert "not in its folder" not in read("songs.table.toml")  # a person who names the table file means its files


def read(table):
    """Return the error about the items with a table file that was named, or nothing."""
    try:
        hl.open_table("songs.csv", table=table)
    except ValueError as error:
        return str(error)
    return ""


WRONG = {
    "no TOML": "version = ",
    "no version": 'id = "a"',
    "another version": "version = 2",
    "unknown key": 'version = 1\nlabel = ["a"]',
    "a number for a name": "version = 1\nid = 3",
    "a text for names": 'version = 1\nlabels = "a"',
    "names that are no text": "version = 1\nlabels = [1]",
    "a truth value for a number": "version = 1\nmax_categories = true",
    "a number out of range": "version = 1\nmax_categories = 0",
    "a word that is no choice": 'version = 1\nabsent = "maybe"',
    "words that are no list": 'version = 1\nyes = "x"',
    "a size": 'version = 1\nthumbnails = "8"',
    "an empty name": 'version = 1\nid = ""',
    "labels twice": 'version = 1\nlabels = ["a"]\ntags = "b"',
    "too large": "version = 1\n#" + "x" * 1_000_001,
    "nested": "version = 1\nid = " + "[" * 50_000,
}


@pytest.mark.parametrize("content", WRONG.values(), ids=WRONG)
def test_a_file_that_is_wrong_is_one_sentence_with_its_name(tmp_path, content):
    (tmp_path / "a.csv").write_text("a,b,x\n1,0,1.5\n0,,2.5\n")
    path = tmp_path / "a.table.toml"
    path.write_text(content)
    with pytest.raises(TableFileError) as caught:
        hl.open_table(tmp_path / "a.csv")
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert len(message) < 400
    assert "\n" not in message


@for_all(st.binary(max_size=200))
def test_any_bytes_are_a_description_or_one_sentence(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("t") / "x.table.toml"
    path.write_bytes(content)
    with pytest.raises(TableFileError, match=r"x\.table\.toml: "):
        read_table_file(path)


# -- what was understood -----------------------------------------------------------

TABLES = {
    "label columns": ({"labels": ["tag_*"], "id": "song"}, ","),
    "words": ({"labels": ["word"], "yes": ["ja", "x"], "no": ["", "nein"], "unknown": "?"}, ";"),
    "text and group": ({"labels": "tag_a", "text": "body", "group": "kind"}, "\t"),
    "tags": ({"tags": "list", "absent": "irrelevant", "empty": "none", "ignore": ["tag_*", "word"]}, ","),
    "few features": ({"labels": ["tag_a"], "features": ["n*"], "ignore": ["body"]}, ","),
    "shown": ({"labels": ["tag_a"], "show": ["body"], "thumbnails": (1, 2), "max_categories": 2}, "|"),
}


@pytest.fixture
def frame(rng):
    n = 12
    return pd.DataFrame({
        "song": [f"s{i}" for i in range(n)], "n1": rng.normal(size=n), "n2": np.arange(n) / 4,
        "kind": list("aabbcc") * 2, "body": [f"loud word{i % 5}, {i}" for i in range(n)],
        "tag_a": [1, 0, None] * 4, "tag_b": [0, 1, 1] * 4, "word": ["ja", "", "?", "nein", "x", "ja"] * 2,
        "list": ["p; q", "q", ""] * 4,
    })  # fmt: skip


def as_dense(X):
    return X.toarray() if is_sparse(X) else X


@pytest.mark.parametrize(("stated", "delimiter"), TABLES.values(), ids=TABLES)
def test_a_saved_description_opens_the_same_table(tmp_path, frame, stated, delimiter):
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False, sep=delimiter)
    first = hl.open_table(path, **stated)
    first.save(name_table_file(path))
    again = hl.open_table(path)
    assert again.notes[0] == f"The table is described in {name_table_file(path)}."
    assert (again.roles, again.index.tolist(), again.meanings) == (first.roles, first.index.tolist(), first.meanings)
    np.testing.assert_array_equal(again.labels.state, first.labels.state)
    np.testing.assert_array_equal(again.labels.annotated, first.labels.annotated)
    np.testing.assert_array_equal(as_dense(again.X), as_dense(first.X))
    assert (again.description.show, again.description.thumbnails) == (
        first.description.show, first.description.thumbnails)  # fmt: skip
    again.save(tmp_path / "again.table.toml")
    assert read_table_file(tmp_path / "again.table.toml").values == read_table_file(name_table_file(path)).values


def test_arguments_override_the_file():
    file = TableFile(None, {"labels": ("a", "b"), "features": ("x", "y"), "id": "i", "text": "t", "empty": "none"})
    merged = {"labels": ("x*",), "features": ("x", "y"), "id": "i", "text": "t", "empty": "none"}
    assert file.merge({"labels": ("x*",)}) == merged
    assert file.merge({"tags": "t"})["tags"] == "t"
    assert not file.merge({"tags": "t"}).keys() & {"labels", "empty"}
    assert file.merge({}) == file.values


@pytest.mark.parametrize("gone", ["song", "tag_b", "body"])
def test_a_column_that_is_gone_is_named_with_the_way(tmp_path, frame, gone):
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    hl.open_table(path, labels=["tag_*"], id="song", text="body").save(name_table_file(path))
    frame.drop(columns=gone).to_csv(path, index=False)
    with pytest.raises(TableFileError, match=rf"matches '{gone}'.*songs.table.toml: .*halflabel describe --save"):
        hl.open_table(path)
    role = {"song": {"id": "n2"}, "tag_b": {"labels": "tag_a"}, "body": {"text": "word"}}
    assert hl.open_table(path, **role[gone]).labels.names[0] == "tag_a"


def test_a_word_that_is_new_is_read_where_one_meaning_is_possible_else_named_with_the_file(tmp_path, frame):
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    hl.open_table(path, labels=["word"], yes=["ja", "x"], no=["", "nein"], unknown="?").save(name_table_file(path))
    frame.replace({"word": {"ja": "oui"}}).to_csv(path, index=False)
    opened = hl.open_table(path)
    assert opened.labels.relevant.sum() == (frame["word"].isin(["ja", "x"])).sum()
    assert "holds 'oui'" in opened.notes[1]
    frame.replace({"word": {"ja": "often"}}).to_csv(path, index=False)
    with pytest.raises(ValueError, match=r"'often'.*The description is that of .*songs.table.toml"):
        hl.open_table(path)


def test_only_a_path_finds_a_file_and_a_named_one_has_no_note(tmp_path, frame, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame.to_csv("songs.csv", index=False)
    hl.open_table("songs.csv", labels=["tag_*"]).save("songs.table.toml")
    with pytest.raises(ValueError, match="No labels were named"):
        hl.open_table(frame)
    opened = hl.open_table(frame, table="songs.table.toml")
    assert opened.labels.names == ("tag_a", "tag_b")
    assert not any("songs.table.toml" in note for note in opened.notes)
    with pytest.raises(TableFileError, match="there is no such file"):
        hl.open_table(frame, table="nothing.toml")


def test_objects_in_memory_have_no_place_in_a_file(tmp_path, frame):
    prior = frame[["song"]].assign(tag_a=0.5)
    with pytest.raises(ValueError, match=r"'prior' is an object in memory \(prior=\)"):
        hl.open_table(frame, labels=["tag_a"], id="song", prior=prior).save(tmp_path / "x.table.toml")
    with pytest.raises(ValueError, match="the labels came apart"):
        hl.open_table(frame[["n1", "n2"]], frame[["tag_a"]]).save(tmp_path / "x.table.toml")
    prior.to_csv(tmp_path / "p.csv", index=False)
    opened = hl.open_table(frame, labels=["tag_a"], id="song", prior=tmp_path / "p.csv")
    opened.save(tmp_path / "x.table.toml")
    np.testing.assert_array_equal(hl.open_table(frame, table=tmp_path / "x.table.toml").prior, opened.prior)


def test_a_representation_names_roles_and_counts(frame):
    text = repr(hl.open_table(frame, labels=["tag_*"], id="song", features=["n*", "kind"]))
    assert text.startswith("12 items, 5 features, 2 labels.")
    assert "\nsong          id " in text
    assert "tag_a         4           4        4" in text


def test_each_key_is_an_argument_and_has_its_type():
    stated = {key.name: each.type for key, each in zip(KEYS, fields(Description), strict=True)}
    typed = {name: each.__forward_arg__ for name, each in get_annotations(Keys).items()}
    assert typed == stated
    assert stated.keys() == BY_NAME.keys()
