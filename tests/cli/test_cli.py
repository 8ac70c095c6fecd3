"""The command, as a newcomer uses it: real files, broken files, exit codes, and no half-written output."""

from __future__ import annotations

import gzip
import json
import os

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(a) for a in arguments], catch_exceptions=False)


@pytest.fixture
def songs(tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)]).assign(song=[f"s{i}" for i in range(60)])
    frame[["tag_a", "tag_b", "tag_c"]] = Y
    path = tmp_path / "songs.csv"
    frame.to_csv(path, index=False)
    return path


def beside(path):
    return sorted(p.name for p in path.parent.iterdir() if p != path)


class TestComplete:
    def test_writes_table_and_report(self, songs):
        result = run("complete", songs, "--id", "song", "--labels", "tag_*")
        assert result.exit_code == 0, result.output
        assert "rows are known by it" in result.output
        assert "60 items, 3 labels" in result.output
        assert beside(songs) == ["songs.completed.csv", "songs.report.html"]
        before, after = pd.read_csv(songs), pd.read_csv(songs.with_name("songs.completed.csv"))
        assert after.columns.tolist() == before.columns.tolist()
        assert not after.isna().any(axis=None)
        known = before["tag_a"].notna()
        np.testing.assert_array_equal(after.loc[known, "tag_a"], before.loc[known, "tag_a"])

    def test_the_same_seed_gives_the_same_file(self, songs, tmp_path):
        for name in ("one.csv", "two.csv"):
            run("complete", songs, "--labels", "tag_*", "-o", tmp_path / name, "--seed", "3")
        assert (tmp_path / "one.csv").read_bytes() == (tmp_path / "two.csv").read_bytes()

    def test_min_precision_leaves_cells_empty(self, songs):
        result = run("complete", songs, "--labels", "tag_a,tag_b", "--labels", "tag_c", "--min-precision", "0.999")
        assert "0 left empty" not in result.output
        assert pd.read_csv(songs.with_name("songs.completed.csv")).isna().any(axis=None)

    def test_json(self, songs):
        result = run("complete", songs, "--labels", "tag_*", "--json")
        told = json.loads(result.stdout)
        assert (told["items"], told["labels"], told["left"]) == (60, 3, 0)
        assert told["filled"] == told["gaps"] > 0
        assert os.path.exists(told["written"]["table"])

    def test_label_names_from_a_file(self, songs, tmp_path):
        (tmp_path / "names.txt").write_text("tag_a\ntag_c\n")
        result = run("complete", songs, "--labels", f"@{tmp_path / 'names.txt'}", "--ignore", "tag_b")
        assert "60 items, 2 labels" in result.output

    def test_parquet_with_vectors(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        frame = pd.DataFrame({"vector": list(X), "a": Y[:, 0], "b": Y[:, 1]})
        frame.to_parquet(tmp_path / "v.parquet")
        assert run("complete", tmp_path / "v.parquet", "--vectors", "vector", "--labels", "a,b").exit_code == 0
        assert not pd.read_parquet(tmp_path / "v.completed.parquet")[["a", "b"]].isna().any(axis=None)

    def test_vectors_beside_the_table(self, songs, tmp_path, rng):
        np.save(tmp_path / "X.npy", rng.normal(size=(60, 7)))
        result = run("complete", songs, "--labels", "tag_*", "--ignore", "f*", "--vectors", tmp_path / "X.npy")
        assert "kept beside the table" in result.output

    def test_tags_and_a_long_table(self, songs, tmp_path, rng):
        frame = pd.read_csv(songs)
        has = frame[["tag_a", "tag_b", "tag_c"]]
        frame["tags"] = ["" if row.isna().any() else ";".join(row.index[row == 1]) for _, row in has.iterrows()]
        plain = frame.drop(columns=has.columns)
        plain.to_csv(tmp_path / "t.csv", index=False)
        result = run("complete", tmp_path / "t.csv", "--tags", "tags", "--absent", "irrelevant")
        assert "empty cell in the tags column" in result.output
        long = has.assign(song=frame["song"]).melt("song", var_name="tag").query("value == 1")[["song", "tag"]]
        long.to_csv(tmp_path / "long.csv", index=False)
        plain.drop(columns="tags").to_csv(tmp_path / "u.csv", index=False)
        options = ("--id", "song", "--tags-file", tmp_path / "long.csv", "--on", "song", "--absent", "irrelevant")
        assert run("complete", tmp_path / "u.csv", *options).exit_code == 0
        assert {"tag_a", "tag_b", "tag_c"} <= set(pd.read_csv(tmp_path / "u.completed.csv").columns)

    def test_arff_with_its_xml(self, public_data, tmp_path):
        result = run("complete", public_data / "emotions" / "emotions.arff.gz", "-o", tmp_path / "o.csv",
                     "--report", tmp_path / "o.html")  # fmt: skip
        assert result.exit_code == 0, result.output
        assert "593 items, 6 labels: 0 gaps" in result.output


def test_a_model_labels_new_items(songs, tmp_path, rng):
    model = tmp_path / "songs.halflabel"
    assert run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", model).exit_code == 0
    new = pd.DataFrame(rng.normal(size=(4, 5)), columns=[f"f{j}" for j in range(5)]).assign(song=list("wxyz"))
    new.to_csv(tmp_path / "new.csv", index=False)
    result = run("predict", model, tmp_path / "new.csv", "--probabilities", tmp_path / "p.csv")
    assert "4 items labelled" in result.output
    expected = hl.load(model).predict(new)
    got = pd.read_csv(tmp_path / "new.predicted.csv")
    np.testing.assert_array_equal(got[["tag_a", "tag_b", "tag_c"]], expected)
    assert pd.read_csv(tmp_path / "p.csv").columns.tolist() == ["song", "tag_a", "tag_b", "tag_c"]
    new.drop(columns="f3").to_csv(tmp_path / "short.csv", index=False)
    refused = run("predict", model, tmp_path / "short.csv")
    assert refused.exit_code == 1
    assert "lacks 1 column" in refused.stderr
    assert not (tmp_path / "short.predicted.csv").exists()


def test_map(songs):
    assert run("map", songs, "--id", "song", "--labels", "tag_*", "-d", "3").exit_code == 0
    assert pd.read_csv(songs.with_name("songs.map.csv")).columns.tolist() == ["song", "dim1", "dim2", "dim3"]


def test_describe_says_what_is_there(songs):
    result = run("data", "describe", songs, "--labels", "tag_*")
    assert "an identifier" in result.output
    assert "60 items, 5 features, 3 labels." in result.output
    assert beside(songs) == []


def test_describe_answers_before_labels_are_named(songs):
    result = run("data", "describe", songs)
    assert result.exit_code == 0
    assert "ignored" in result.output
    assert "no labels were named" in result.output
    assert "'tag_a'" in result.output


def test_help_shows_examples():
    for command in ("complete", "predict", "map", "evaluate"):
        assert f"halflabel {command} songs" in run(command, "--help").output


def spoil(path, text):
    path.write_text(text)


BROKEN = {
    "wrong delimiter": (lambda p: spoil(p, p.read_text().replace(",", ";", 3).replace(",", "|")), "--delimiter"),
    "ragged row": (lambda p: spoil(p, p.read_text() + "1,2,3\n"), "line 62"),
    "duplicate ids": (lambda p: spoil(p, p.read_text().replace("s7,", "s8,")), "not unique: 's8'"),
    "labels in words": (lambda p: spoil(p, p.read_text().replace(",0.0", ",no").replace(",1.0", ",yes")), "holds '"),
    "one-word line": (lambda p: spoil(p, p.read_text() + "x" * 1_100_000 + "\n"), "line 62"),
    "not text": (lambda p: p.write_bytes(b"\xff\xfe\x00\x01" * 50), "songs.csv"),
    "empty": (lambda p: spoil(p, ""), "empty"),
    "header only": (lambda p: spoil(p, p.read_text().splitlines()[0] + "\n"), "no row below it"),
    "no such file": (lambda p: p.unlink(), "no such file"),
    "a folder": (lambda p: (p.unlink(), p.mkdir()), "folder"),
}


@pytest.mark.parametrize("kind", BROKEN)
def test_a_broken_file_ends_in_one_sentence(kind, songs):
    damage, words = BROKEN[kind]
    damage(songs)
    result = run("complete", songs, "--id", "song", "--labels", "tag_*")
    assert result.exit_code == 1
    assert words in result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert beside(songs) == []


def test_an_empty_label_is_refused(songs):
    frame = pd.read_csv(songs).assign(tag_d=np.nan)
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*")
    assert result.exit_code == 1
    assert "no item has a value for 'tag_d'" in result.stderr
    assert beside(songs) == []


def test_missing_features_are_said_and_infinite_ones_refused(songs):
    frame = pd.read_csv(songs)
    frame.loc[3, "f1"] = np.nan
    frame.to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*")
    assert "1 feature with missing values (1 cell; 'f1')" in result.stderr
    frame.loc[3, "f1"] = np.inf
    frame.to_csv(songs.with_name("inf.csv"), index=False)
    refused = run("complete", songs.with_name("inf.csv"), "--labels", "tag_*")
    assert refused.exit_code == 1
    assert "'f1'" in refused.stderr


def test_a_truncated_gzip_and_an_xml_with_a_doctype(songs, tmp_path, public_data):
    whole = gzip.compress(songs.read_bytes())
    (tmp_path / "cut.csv.gz").write_bytes(whole[: len(whole) // 2])
    result = run("complete", tmp_path / "cut.csv.gz", "--labels", "tag_*")
    assert result.exit_code == 1
    assert "cut.csv.gz" in result.stderr
    (tmp_path / "evil.xml").write_text('<!DOCTYPE x [<!ENTITY a "b">]><labels><label name="a"/></labels>')
    arff = public_data / "emotions" / "emotions.arff.gz"
    refused = run("complete", arff, "--xml", tmp_path / "evil.xml", "-o", tmp_path / "o.csv")
    assert refused.exit_code == 1
    assert "document type" in refused.stderr
    assert not (tmp_path / "o.csv").exists()


def test_a_folder_that_cannot_be_written_to(songs, tmp_path):
    result = run("complete", songs, "--labels", "tag_*", "-o", tmp_path / "nowhere" / "o.csv")
    assert result.exit_code == 1
    assert "nowhere" in result.stderr
    assert beside(songs) == []


def test_a_typing_error_suggests_the_name(songs):
    result = run("complete", songs, "--labels", "tag_aa")
    assert result.exit_code == 1
    assert "tag_a" in result.stderr


def test_a_delimiter_may_be_called_tab(songs):
    spoil(songs, songs.read_text().replace(",", "\t"))
    assert "--delimiter tab" in run("complete", songs, "--labels", "tag_*").stderr
    assert run("complete", songs, "--labels", "tag_*", "--delimiter", "tab").exit_code == 0


def test_a_label_with_a_comma_stands_in_quotes(songs):
    pd.read_csv(songs).rename(columns={"tag_a": "a,b"}).to_csv(songs, index=False)
    assert "60 items, 2 labels" in run("complete", songs, "--labels", '"a,b",tag_b').output


def test_names_are_printed_as_they_are(songs, tmp_path):
    frame = pd.read_csv(songs).rename(columns={"tag_a": "[bold]", "tag_b": ":heart:"})
    path = tmp_path / "[red] a long name that is not broken where a line of a terminal of eighty columns ends.csv"
    frame.to_csv(path, index=False)
    told = run("complete", path, "--labels", "[[]bold],:heart:", "--ignore", "tag_c").stdout
    assert "[bold], :heart:" in told
    assert f"Written: {path.with_suffix('.completed.csv')}, " in told


def test_a_label_may_be_called_like_the_column_of_row_numbers(songs, tmp_path):
    pd.read_csv(songs).rename(columns={"tag_a": "row", "song": "dim1"}).to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "row", "--probabilities", tmp_path / "p.csv")
    assert result.exit_code == 0, result.stderr
    assert pd.read_csv(tmp_path / "p.csv").columns.tolist() == ["_row", "row"]
    assert run("map", songs, "--labels", "row", "--id", "dim1").exit_code == 0


def test_nothing_is_printed_beside_the_error(songs):
    result = run("complete", songs, "--labels", "tag_*", "--vectors", "nowhere.npy")
    assert result.stderr.startswith("Error: nowhere.npy")
    assert run("predict", songs.parent / "no.model", songs).stderr == f"Error: {songs.parent / 'no.model'}: " \
        "no such file or directory.\n"  # fmt: skip


@pytest.mark.parametrize("option", ["-o", "--report", "--model", "--probabilities"])
def test_an_output_never_takes_the_name_of_the_input_or_of_another_one(songs, option):
    before = songs.read_bytes()
    for taken in (songs, songs.with_name("songs.report.html" if option != "--report" else "songs.completed.csv")):
        result = run("complete", songs, "--labels", "tag_*", option, taken)
        assert result.exit_code == 1
        assert "is the input or another output" in result.stderr
    assert songs.read_bytes() == before
    assert beside(songs) == []


def test_a_device_is_not_replaced_by_a_file(songs, tmp_path):
    os.mkfifo(tmp_path / "pipe")
    result = run("complete", songs, "--labels", "tag_*", "-o", tmp_path / "pipe")
    assert "no ordinary file" in result.stderr
    assert (tmp_path / "pipe").is_fifo()


def test_a_full_disk_leaves_nothing_and_names_the_file(songs, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", full)
    result = run("complete", songs, "--labels", "tag_*")
    assert result.stderr == f"Error: {songs.with_name('songs.report.html')}: no space left on device.\n"
    assert beside(songs) == []


def test_a_tag_that_is_also_a_column_would_overwrite_it(songs, tmp_path):
    frame = pd.read_csv(songs)
    frame.drop(columns=["tag_a", "tag_b", "tag_c"]).to_csv(songs, index=False)
    (tmp_path / "long.csv").write_text("song,tag\ns1,f0\ns2,rock\n")
    options = ("--id", "song", "--tags-file", tmp_path / "long.csv", "--on", "song", "--absent", "irrelevant")
    assert "'f0' is a tag and also a column" in run("complete", songs, *options).stderr
    assert "labels were given twice" in run("complete", songs, *options, "--labels", "f1").stderr
    assert "give that too (--tags-file)" in run("complete", songs, "--labels", "f1", "--on", "song").stderr


class TestPositiveOnly:
    """Tags of which some were forgotten; every fourth item has none at all."""

    OPTIONS = ("--id", "song", "--tags", "tags", "--absent", "unknown")

    @pytest.fixture
    def tagged(self, tmp_path, rng):
        X, _, has = half_labelled(rng, n=120)
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)]).assign(song=[f"s{i}" for i in range(120)])
        known = (has > 0) & (rng.random(has.shape) < 0.7) & (np.arange(120) % 4 > 0)[:, None]
        frame["tags"] = [";".join(np.array(["a", "b", "c"])[row]) for row in known]
        frame.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    def test_it_fills_and_says_what_rests_on_the_share(self, tagged):
        result = run("complete", tagged, *self.OPTIONS)
        assert result.exit_code == 0, result.output
        assert "0 left empty" in result.output
        assert "Probabilities are of being assigned" in result.output
        assert all(f"{share}% " in result.output for share in (40, 55, 70, 85, 100))
        before, after = (pd.read_csv(path)["tags"].fillna("") for path in (tagged, tagged.with_name("t.completed.csv")))
        assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
        assert (after[before == ""] != "").any()
        assert "Probability of being assigned" in tagged.with_name("t.report.html").read_text()

    def test_the_share_may_be_said(self, tagged):
        told = json.loads(run("complete", tagged, *self.OPTIONS, "--observed-rate", "0.7", "--json").stdout)
        assert (told["observed_rate"], told["probability_of"], told["left"]) == (0.7, "being relevant", 0)
        assert [row["observed_rate"] for row in told["assumptions"]] == [0.4, 0.55, 0.7, 0.85, 1.0]
        assert told["assumptions"][2]["filled"] == told["filled_relevant"]

    def test_a_model_labels_new_items_and_says_what_its_probabilities_are_of(self, tagged, tmp_path):
        assert run("complete", tagged, *self.OPTIONS, "--model", tmp_path / "m").exit_code == 0
        result = run("predict", tmp_path / "m", tagged, "--probabilities", tmp_path / "p.csv")
        assert "120 items labelled" in result.output
        assert "Probabilities are of being assigned" in result.stderr
        assert pd.read_csv(tmp_path / "t.predicted.csv")["tags"].notna().mean() > 0.5

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--observed-rate", "1.5"), "must be above 0 and at most 1, not 1.5"),
            (("--observed-rate", "nan"), "must be above 0 and at most 1, not nan"),
            (("--min-precision", "0.9"), "give their assigned share, observed_rate= (--observed-rate)"),
            (("--absent", "irrelevant", "--observed-rate", "0.7"), "these labels say what is irrelevant: leave it out"),
        ],
    )
    def test_what_does_not_fit_ends_in_one_sentence(self, tagged, options, sentence):
        result = run("complete", tagged, *self.OPTIONS, *options)
        assert result.exit_code == 1
        assert sentence in result.stderr
        assert [line for line in result.stderr.splitlines() if line.startswith("Error")] == result.stderr.splitlines()
        assert beside(tagged) == []

    def test_evaluate_says_what_cannot_be_observed(self, tagged):
        result = run("evaluate", tagged, *self.OPTIONS, "--repeats", "2")
        assert "Precision cannot be observed" in result.output
        assert "lower bound of F1" in result.output
        assert "20% of the assigned labels were hidden" in result.output
        told = json.loads(
            run("evaluate", tagged, *self.OPTIONS, "--repeats", "2", "--observed-rate", ".7", "--json").stdout
        )
        assert told["warning"].startswith("Precision cannot be observed")
        assert {"above", "recall", "mean_rank", "pu_f1"} <= set(told["records"][0])
        refused = run("evaluate", tagged, *self.OPTIONS, "--observed-rate", "0")
        assert "must be above 0" in refused.stderr


class TestPredict:
    @pytest.fixture
    def model(self, songs, tmp_path):
        assert run("complete", songs, "--id", "song", "--labels", "tag_*", "--model", tmp_path / "m").exit_code == 0
        return tmp_path / "m"

    def test_an_id_that_stands_twice_gives_one_row_each(self, model, songs):
        again = pd.read_csv(songs).iloc[[0, 0, 1]]
        again.to_csv(songs, index=False)
        run("predict", model, songs)
        got = pd.read_csv(songs.with_name("songs.predicted.csv"))
        assert got["song"].tolist() == ["s0", "s0", "s1"]
        np.testing.assert_array_equal(got["f0"], again["f0"])

    def test_tags_come_back_as_tags(self, songs, tmp_path):
        frame = pd.read_csv(songs)
        tags = ["; ".join(row.index[row == 1]) for _, row in frame[["tag_a", "tag_b", "tag_c"]].iterrows()]
        frame = frame.drop(columns=["tag_a", "tag_b", "tag_c"]).assign(tags=tags)
        frame.to_csv(songs, index=False)
        run("complete", songs, "--tags", "tags", "--absent", "irrelevant", "--model", tmp_path / "t.model")
        frame.drop(columns="tags").to_csv(tmp_path / "new.csv", index=False)
        assert run("predict", tmp_path / "t.model", tmp_path / "new.csv").exit_code == 0
        got = pd.read_csv(tmp_path / "new.predicted.csv")
        assert got.columns.tolist() == frame.columns.tolist()
        assert {tag for cell in got["tags"].dropna() for tag in cell.split(";")} <= {"tag_a", "tag_b", "tag_c"}
        assert got["tags"].nunique() > 1

    def test_vectors_stay_vectors(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        pd.DataFrame({"vector": list(X), "a": Y[:, 0]}).to_parquet(tmp_path / "v.parquet")
        options = ("--vectors", "vector", "--labels", "a", "--model", tmp_path / "m")
        assert run("complete", tmp_path / "v.parquet", *options).exit_code == 0
        assert run("predict", tmp_path / "m", tmp_path / "v.parquet").exit_code == 0
        assert len(pd.read_parquet(tmp_path / "v.predicted.parquet")["vector"][0]) == 5


class TestSparseArff:
    """Labels, ids and features of a sparse file are found by name as in any other."""

    NAMES = ("f0", "f1", "f2", "f3", "f4", "'tag a'", "tag_b")

    @pytest.fixture
    def path(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        self.table = np.hstack([X, Y[:, :2]])
        return self.write(tmp_path / "s.arff", range(7))

    def write(self, path, order):
        kinds = (*["numeric"] * 5, "{no,yes}", "{0,1}")
        header = [f"@attribute {self.NAMES[j]} {kinds[j]}" for j in order]
        rows = ["{" + ", ".join(f"{at} {self.cell(row, j)}" for at, j in enumerate(order)) + "}" for row in self.table]
        path.write_text("\n".join(["@relation s", *header, "@data", *rows]))
        return path

    def cell(self, row, j):
        if np.isnan(row[j]):
            return "?"
        return ("no", "yes")[int(row[j])] if j == 5 else f"{row[j]:g}"

    @pytest.mark.parametrize("labels", ["tag a,tag_b", "tag*", "@names.txt"])
    def test_labels(self, path, labels, monkeypatch):
        monkeypatch.chdir(path.parent)
        (path.parent / "names.txt").write_text("tag a\ntag_b\n")
        result = run("complete", path, "--labels", labels)
        assert "60 items, 2 labels" in result.output, result.stderr

    def test_a_typing_error(self, path):
        assert "did you mean 'tag a'" in run("complete", path, "--labels", "tga a").stderr

    def test_features_and_ignored_columns(self, path):
        described = run("data", "describe", path, "--labels", "tag*", "--features", "f1,f3").output
        assert "60 items, 2 features, 2 labels" in described
        described = run("data", "describe", path, "--labels", "tag*", "--ignore", "f1").output
        assert "60 items, 4 features, 2 labels" in described

    def test_predict_finds_features_by_name(self, path):
        assert run("complete", path, "--labels", "tag*", "--model", path.with_name("m")).exit_code == 0
        run("predict", path.with_name("m"), path, "--probabilities", path.with_name("one.csv"))
        self.write(path, [6, 3, 2, 5, 4, 1, 0])
        run("predict", path.with_name("m"), path, "--probabilities", path.with_name("two.csv"))
        one, two = (pd.read_csv(path.with_name(name)) for name in ("one.csv", "two.csv"))
        np.testing.assert_allclose(one, two, atol=1e-9)


def test_what_one_model_says_is_another_ones_prior(songs, tmp_path):
    run(
        "complete",
        songs,
        "--id",
        "song",
        "--labels",
        "tag_*",
        "--effort",
        "fast",
        "--probabilities",
        tmp_path / "p.csv",
    )
    pd.read_csv(tmp_path / "p.csv").iloc[::-1].to_csv(tmp_path / "p.csv", index=False)
    told = run(
        "complete", songs, "--id", "song", "--labels", "tag_*", "--effort", "fast", "--prior", tmp_path / "p.csv"
    )
    assert told.exit_code == 0, told.output
    assert "The prior says something about 180 of 180 entries." in told.output
    assert "Where the prior says something, its own error is" in " ".join(told.output.split())


def test_a_prior_is_not_overwritten(songs, tmp_path):
    prior = tmp_path / "p.csv"
    prior.write_text("song,tag_a\ns1,0.5\n")
    result = run("complete", songs, "--id", "song", "--labels", "tag_*", "--prior", prior, "--probabilities", prior)
    assert result.exit_code == 1
    assert "is the input or another output" in result.output
    assert prior.read_text().startswith("song")
