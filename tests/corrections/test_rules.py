"""Rules between labels, from complete() to every place where its values appear."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.completion import Completion
from halflabel.evidence.suspects import measure_flips

LABELS = ["jazz", "music", "day", "night"]
TEXTS = ("jazz -> music", "one of: day, night")

pytestmark = pytest.mark.usefixtures("one_member")


@pytest.fixture(scope="module")
def songs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 4))
    truth = {"jazz": X[:, 0] > 0.5, "music": X[:, 0] > -0.3, "day": X[:, 1] > 0, "night": X[:, 1] <= 0}
    table = pd.DataFrame(X, columns=list("wxyz")).assign(**{name: 1.0 * value for name, value in truth.items()})
    table[LABELS] = table[LABELS].mask(rng.random((120, 4)) < 0.5)
    table.loc[60:, LABELS] = np.nan
    return table


@pytest.fixture
def filled(songs):
    return hl.complete(songs, labels=LABELS, rules=TEXTS, effort="fast")


def check(values, tolerance=1e-5):
    assert (values["jazz"] <= values["music"] + tolerance).all()
    np.testing.assert_allclose(values["day"] + values["night"], 1, atol=tolerance)


def test_the_table_and_the_probabilities_of_gaps_obey(songs, filled):
    check(filled.table)
    known = songs[LABELS].notna()
    p = filled.probabilities.mask(known, songs[LABELS])
    check(p)
    assert (filled.table[LABELS].to_numpy()[known] == songs[LABELS].to_numpy()[known]).all()


def test_without_rules_nothing_changes(songs):
    without = hl.complete(songs, labels=LABELS, effort="fast")
    assert not without.corrections
    assert without.opened.rules.rules == ()


def test_an_explanation_adds_up_with_the_part_of_the_rules(filled):
    parts = [filled.explain(item, "jazz").contributions.set_index("part")["log_odds"] for item in range(60, 100)]
    p = filled.probabilities["jazz"].iloc[60:100]
    np.testing.assert_allclose([each.sum() for each in parts], np.log(p / (1 - p)), atol=1e-6)
    assert any("rules between labels" in each for each in parts)


def test_a_saved_model_keeps_the_rules(songs, filled, tmp_path):
    filled.save(tmp_path / "songs.halflabel")
    model = hl.load(tmp_path / "songs.halflabel")
    new = songs[list("wxyz")].iloc[:40]
    labels, p = model.predict_both(new)
    check(labels)
    check(p)
    given = model.complete(new.assign(jazz=1.0, day=0.0))
    assert (given["music"] == 1).all()
    assert (given["night"] == 1).all()


def test_given_entries_that_break_a_rule_stay_and_are_the_first_suspects(songs):
    table = songs.copy()
    table.loc[0, LABELS] = [1, 0, 1, np.nan]
    found = hl.complete(table, labels=LABELS, rules=TEXTS, effort="fast")
    assert found.table.loc[0, LABELS].tolist() == [1, 0, 1, 0]
    first = found.suspects.head(2)
    assert set(zip(first["item"], first["label"], strict=True)) & {(0, "jazz"), (0, "music")}
    evidence = found.evidence
    flips = measure_flips(evidence.labels, evidence.probabilities, evidence.broken)
    assert flips[0, [evidence.labels.names.index(name) for name in ("jazz", "music")]].sum() >= 1 - 1e-9
    assert any("1 item breaks 'jazz -> music'" in each["text"] for each in found.evidence.warnings)


def test_entries_that_stay_empty_break_no_rule(songs):
    left = hl.complete(songs, labels=LABELS, rules=TEXTS, effort="fast", min_precision=0.8)
    state = pd.DataFrame(left.state, columns=LABELS)
    assert not ((state["jazz"] > 0) & (state["music"] <= 0)).any()
    assert not ((state["day"] == state["night"]) & (state["day"] != 0)).any()


def test_an_answer_after_the_fit_decides_what_follows(filled):
    labels = filled.labels
    row = int(np.flatnonzero(labels.unlabelled & (filled.state[:, 1] < 0))[0])
    state = labels.state.copy()
    state[row, 0] = 1
    answered = replace(filled.opened, labels=replace(labels, state=state))
    after = Completion(replace(filled.evidence, opened=answered))
    assert after.state[row, 1] == 1


def test_an_update_obeys(songs, filled):
    row = int(np.flatnonzero(filled.labels.unlabelled & (filled.state[:, 1] < 0))[0])
    answers = pd.DataFrame({"item": [row], "label": ["jazz"], "answer": [1]})
    after = filled.update(answers)
    assert after.table.loc[row, ["jazz", "music"]].tolist() == [1, 1]
    check(after.table)


def test_rules_about_labels_that_are_not_learned_are_kept_between_the_others(songs):
    table = songs.assign(day=songs["day"].where(songs["day"] == 1))  # never given as 0
    found = hl.complete(table, labels=LABELS, rules=TEXTS, effort="fast")
    assert found.opened.rules.texts == ("jazz -> music",)


def test_the_table_file_keeps_the_rules(songs, tmp_path):
    path = tmp_path / "songs.csv"
    songs.to_csv(path, index_label="song")
    opened = hl.open_table(path, labels=LABELS, rules=["jazz -> music", "one of: day, night"])
    opened.save(tmp_path / "songs.table.toml")
    assert hl.open_table(path).rules == opened.rules
    assert opened.rules.texts == TEXTS


@pytest.mark.parametrize(
    ("rules", "message"),
    [
        (["jaz -> music"], "did you mean 'jazz'"),
        ("rules.txt", "'rules.txt' is not a rule between labels: .*; the list of rules of a table file holds many"),
        ([3], "'3' is not a rule between labels"),
        (Path("rules.txt"), "'rules.txt' is not a rule between labels"),
        (["day -> night", "one of: day, night"], "no item can have 'day'"),
    ],
)
def test_bad_rules_are_one_sentence(songs, rules, message):
    with pytest.raises(ValueError, match=message):
        hl.complete(songs, labels=LABELS, rules=rules)


@pytest.fixture
def styles():
    rng = np.random.default_rng(1)
    style = rng.choice(["jazz", "rock", "folk", "hip hop"], 160)
    table = pd.DataFrame({name: (style == name) + rng.normal(0, 0.6, 160) for name in ("jazz", "rock", "folk")})
    table = table.add_prefix("f_").assign(style=style)
    return table.assign(style=table["style"].where(table.index < 80))


def test_a_column_of_classes_comes_in_as_one_group_and_goes_out_as_one_column(styles, tmp_path):
    one = {"tags": "style", "absent": "irrelevant", "rules": "one of: *"}
    filled = hl.complete(styles, **one, effort="fast")
    assert filled.table.columns.tolist() == styles.columns.tolist()
    assert filled.table["style"].isin({"jazz", "rock", "folk", "hip hop"}).all()
    np.testing.assert_allclose(filled.probabilities.sum(axis=1), 1, atol=1e-5)
    filled.save(tmp_path / "style.halflabel")
    new = hl.load(tmp_path / "style.halflabel").complete(styles.drop(columns="style").iloc[:30])
    assert new["style"].isin({"jazz", "rock", "folk", "hip hop"}).all()


def test_a_column_of_classes_is_noticed_with_the_way_to_state_it(styles):
    notes = " ".join(hl.open_table(styles, tags="style", absent="irrelevant").notes)
    assert "exactly one tag in 'style'" in notes
    assert "rules='one of: *' fills in exactly one" in notes
    stated = hl.open_table(styles, tags="style", absent="irrelevant", rules="one of: *")
    assert "exactly one" not in " ".join(stated.notes)
    assert stated.rules.texts == ("one of: folk, hip hop, jazz, rock",)


def test_a_column_of_classes_that_is_named_as_a_label_is_an_error_with_the_way_on(styles):
    with pytest.raises(ValueError, match=r"name it by tags='style', and not as a label"):
        hl.open_table(styles, labels="style")


@pytest.mark.parametrize(("n_classes", "is_noted"), [(2, False), (3, True)])
def test_three_classes_are_noticed_and_two_may_be_a_yes_and_a_no(n_classes, is_noted):
    frame = pd.DataFrame({"bpm": np.arange(12) + 0.5, "style": [f"class {k % n_classes}" for k in range(12)]})
    notes = " ".join(hl.open_table(frame, tags="style", absent="irrelevant").notes)
    assert ("exactly one tag" in notes) == is_noted
