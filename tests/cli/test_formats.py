"""Files of any format in and out of the command: detected, named, several as one table, suggestions for a tool."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel import files

pytestmark = pytest.mark.usefixtures("one_member")

WORDS = {"billing": "refund invoice payment", "login": "password account locked", "bug": "crash error screen"}
FAST = ("--effort", "fast")
TAGS = ("--text", "text", "--tags", "tags", "--absent", "irrelevant", *FAST)


def slowly(*values):
    """Return parameters of the slow suite: their readers and writers have tests of their own, without a fit."""
    return [pytest.param(value, marks=pytest.mark.slow) for value in values]


@pytest.fixture
def tickets(rng):
    """Sixty tickets with lists of tags, a third of them without any."""
    kinds = rng.choice(list(WORDS), 60)
    texts = [" ".join(rng.permutation([*WORDS[kind].split(), "hello", "please"])) for kind in kinds]
    tags = [None if number % 3 == 0 else [kind] for number, kind in enumerate(kinds)]
    return pd.DataFrame({"id": [f"T{n}" for n in range(60)], "text": texts, "tags": tags}), kinds


def check_filled(lists, kinds):
    assert [list(row) for row in lists] == [[kind] for kind in kinds]


class TestPlainFormats:
    def test_the_suffix_of_the_output_decides(self, tickets, tmp_path):
        frame, kinds = tickets
        frame.to_parquet(tmp_path / "t.parquet")
        written = ("-o", tmp_path / "out.jsonl", "--probabilities", tmp_path / "r.json")
        run("complete", tmp_path / "t.parquet", *TAGS, *written)
        rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
        check_filled([row["tags"] for row in rows], kinds)
        assert isinstance(json.loads((tmp_path / "r.json").read_text()), list)


class TestSeveralFiles:
    @pytest.mark.parametrize("suffix", ["csv", *slowly("parquet", "jsonl")])
    def test_a_folder_and_a_pattern_are_one_table(self, songs, tmp_path, suffix):
        frame, folder = pd.read_csv(songs), tmp_path / "parts"
        folder.mkdir()
        for start in range(0, 60, 20):
            files.write_frame(frame.iloc[start : start + 20], folder / f"p{start}.{suffix}")
        for where in (folder, folder / f"*.{suffix}"):
            result = run("complete", where, "--labels", "tag_*", *FAST, "-o", tmp_path / "all.csv")
            assert result.exit_code == 0, result.stderr
            after = pd.read_csv(tmp_path / "all.csv")
            assert after["song"].tolist() == frame["song"].tolist()
            assert not after.isna().any(axis=None)

    def test_what_does_not_fit_together(self, songs, tmp_path):
        frame = pd.read_csv(songs)
        other = tmp_path / "other.csv"
        frame.drop(columns="f1").to_csv(other, index=False)
        assert "it lacks 'f1'" in run("describe", songs, other, "--labels", "tag_*").stderr
        frame.to_parquet(tmp_path / "other.parquet")
        assert "read one format at a time" in run("describe", songs, tmp_path / "other.parquet").stderr
        assert "no file matches" in run("describe", tmp_path / "*.tsv").stderr
        assert "holds files of the kinds .csv, .parquet" in run("describe", tmp_path).stderr
        (tmp_path / "empty").mkdir()
        assert "a folder without a table" in run("describe", tmp_path / "empty").stderr

    def test_several_files_need_a_name_for_the_output(self, songs, tmp_path):
        other = tmp_path / "other.csv"
        other.write_bytes(songs.read_bytes())
        result = run("complete", songs, other, "--labels", "tag_*")
        assert "name the output with --output" in result.stderr


@pytest.fixture
def export(tickets, tmp_path):
    """What Label Studio exports: one question with the labels as choices."""
    frame, kinds = tickets
    tasks = [
        {
            "id": number + 1,
            "data": {"text": text},
            "annotations": []
            if tags is None
            else [
                {
                    "completed_by": {"email": "ana@example.org"},
                    "result": [{"from_name": "topic", "type": "choices", "value": {"choices": tags}}],
                }
            ],
        }
        for number, (text, tags) in enumerate(zip(frame["text"], frame["tags"], strict=True))
    ]
    (tmp_path / "export.json").write_text(json.dumps(tasks))
    return tmp_path / "export.json", kinds


class TestTools:
    def test_an_export_goes_back_with_suggestions(self, export):
        path, kinds = export
        result = run("complete", path, "-v", "--text", "text", "--absent", "irrelevant", *FAST)
        assert result.exit_code == 0, result.stderr
        assert "(format: label-studio)" in result.output
        assert "3 labels (label-studio): " in result.output
        assert "Label Studio: who answered and when is left out" in result.output
        assert outputs(path) == ["export.completed.json", "export.completed.xml", "export.report.html"]
        for name in outputs(path):
            assert str(path.with_name(name)) in result.stdout
        records = files.read(path.with_name("export.completed.json"), absent="irrelevant")
        assert records.question.name == "topic"
        np.testing.assert_array_equal(records.final.to_numpy() == 1, pd.get_dummies(kinds)[list(records.names)])
        assert int(records.is_suggestion.sum()) == 20
        assert records.probabilities.notna().to_numpy().sum() == 20

    def test_ids_of_a_recognised_column_are_kept(self, songs, tmp_path):
        run("complete", songs, "--labels", "tag_*", *FAST, "-o", tmp_path / "o.label-studio.json")
        assert files.read(tmp_path / "o.label-studio.json").items.index.tolist() == [f"s{i}" for i in range(60)]

    def test_wrong_names(self, songs, tmp_path):
        wrong = run("complete", songs, "--labels", "tag_*", "--set", "format=jsno")
        assert "did you mean 'json'?" in wrong.stderr
        wrong = run("complete", songs, "--labels", "tag_*", "-o", tmp_path / "o.label-studio.csv")
        assert "Label Studio takes .json, not '.csv'" in wrong.stderr
        assert outputs(songs) == []

    def test_format_is_settable(self, songs, tmp_path):
        odd = tmp_path / "songs.data"
        odd.write_bytes(songs.read_bytes())
        assert "its suffix '.data' is that of a known format" in run("describe", odd, "--labels", "tag_*").stderr
        result = run("describe", odd, "--labels", "tag_*", "--set", "format=csv")
        assert "60 items, 5 features, 3 labels" in result.output


class TestLabelWords:
    @pytest.fixture
    def words(self, songs):
        frame = pd.read_csv(songs)
        for name in ("tag_a", "tag_b", "tag_c"):
            frame[name] = frame[name].map({1: "Yes", 0: "no"}).fillna("?")
        frame.to_csv(songs, index=False)
        return songs

    def test_words_with_one_possible_meaning_are_read_and_named_with_their_line(self, words):
        result = run("complete", words, "--labels", "tag_*", *FAST)
        assert result.exit_code == 0, result.stderr
        printed = " ".join((result.stdout + result.stderr).split())
        assert "(line 2)" in printed
        assert "Read so that 'yes' means yes, 'no' means no and '?' means unknown (" in printed
        assert set(pd.read_csv(words.with_name("songs.completed.csv"))["tag_a"]) == {"Yes", "no"}

    def test_minus_one_may_mean_unknown(self, songs):
        frame = pd.read_csv(songs).fillna({"tag_a": -1, "tag_b": -1, "tag_c": -1})
        frame.to_csv(songs, index=False)
        question = run("complete", songs, "--labels", "tag_*").stderr
        assert "state --set unknown=-1 (3 labels: tag_a 13, tag_c 8, tag_b 4). If '1' means yes, '-1'" in question
        result = run("complete", songs, "--labels", "tag_*", "--set", "unknown=-1", *FAST)
        assert result.exit_code == 0, result.stderr
        after = pd.read_csv(songs.with_name("songs.completed.csv"))
        assert set(after["tag_a"]) == {0, 1}


class TestDatabases:
    @pytest.fixture
    def shop(self, tmp_path):
        from tests.files.test_databases import fill

        high = fill(tmp_path / "shop.db")
        return tmp_path / "shop.db", high

    ITEMS = ("--set", "items_table=items", "--tags", "item_tags", "--absent", "irrelevant", *FAST)

    def test_tags_of_a_database_are_added_to_it_when_it_is_named(self, shop):
        path, high = shop
        result = run("complete", path, *self.ITEMS, "-o", path)
        assert result.exit_code == 0, result.stderr
        assert "2 labels in 'tag_id' (40 pairs)." in result.stderr
        assert "60 rows in the table 'halflabel_tags' of shop.db; no other table was changed." in result.stderr
        written = files.read_table(path, items_table="halflabel_tags").frame
        of_item = dict(zip(written["item"], written["tag"] == "dear", strict=True))
        assert np.mean([of_item.get(item) == is_high for item, is_high in enumerate(high)]) > 0.9

    @pytest.mark.parametrize(
        ("more", "sentence"),
        [
            (("-o", "{folder}/other.db"), "there is no such database"),
            (("--set", "items_table=itms"), "name the table of the items with --set items_table=NAME"),
        ],
    )
    def test_what_cannot_be_done_ends_in_one_sentence(self, shop, more, sentence):
        path, _ = shop
        stated = self.ITEMS[2:] if "items_table=itms" in more else self.ITEMS
        result = run("complete", path, *stated, *(text.format(folder=path.parent) for text in more))
        assert result.exit_code == 1
        assert sentence in result.stderr
        assert result.stderr.count("\n") == 1
        assert outputs(path) == []


def test_a_folder_of_texts_in_folders_of_classes(tickets, tmp_path):
    frame, kinds = tickets
    for number, (text, kind) in enumerate(zip(frame["text"], kinds, strict=True)):
        place = tmp_path / "mails" / ("" if number % 3 == 0 else kind)
        place.mkdir(parents=True, exist_ok=True)
        (place / f"{number:02}.txt").write_text(text)
    result = run("complete", tmp_path / "mails", "--text", "text", "--absent", "irrelevant", *FAST)
    assert result.exit_code == 0, result.stderr
    after = pd.read_csv(tmp_path / "mails.completed.csv")
    order = after["file"].str[-6:-4].astype(int)
    assert np.mean([json.loads(cell) == [kinds[n]] for cell, n in zip(after["folder"], order, strict=True)]) > 0.95
