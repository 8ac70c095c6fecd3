"""complete(): tables in and out, evidence, positive-only labels, errors."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.labels.calibration import fill_confident

pytestmark = pytest.mark.usefixtures("one_member")

LABELS = ["rock", "sad", "live"]


def make_songs():
    rng = np.random.default_rng(0)
    X, Y, _ = half_labelled(rng)
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)], index=rng.permutation(60) * 10)
    frame.insert(2, "name", [f"song {i}" for i in range(60)])
    for j, label in enumerate(LABELS):
        frame.insert(j, label, Y[:, j])
    return frame


@pytest.fixture
def songs():
    return make_songs()


@pytest.fixture(scope="module")
def rock():
    """One completion, shared by the tests that only read it."""
    return hl.complete(make_songs(), labels=["rock"])


def test_the_default_random_state_is_zero(songs):
    default, zero, one = (
        hl.complete(songs, labels=LABELS, effort="fast", **seed).probabilities
        for seed in ({}, {"random_state": 0}, {"random_state": 1})
    )
    pd.testing.assert_frame_equal(default, zero)
    assert (default != one).to_numpy().any()


def test_index_columns_and_order_survive(songs):
    before = songs.copy()
    table = hl.complete(songs, labels=["rock", "sad", "live"]).table
    assert table.columns.tolist() == songs.columns.tolist()
    assert table.index.tolist() == songs.index.tolist()
    assert not table[["rock", "sad", "live"]].isna().any(axis=None)
    known = songs["rock"].notna()
    np.testing.assert_array_equal(table.loc[known, "rock"], songs.loc[known, "rock"])
    pd.testing.assert_frame_equal(table[["f0", "name"]], songs[["f0", "name"]])
    pd.testing.assert_frame_equal(songs, before)


def test_labels_apart_must_be_in_the_same_order(songs):
    features, labels = songs.filter(regex="^f"), songs[["rock"]]
    assert hl.complete(features, labels).table.columns.tolist() == ["rock"]
    with pytest.raises(ValueError, match="different row labels"):
        hl.complete(features, labels.sort_index())
    with pytest.raises(ValueError, match="60 items but labels for 59"):
        hl.complete(features.to_numpy(), labels.to_numpy()[:-1])


def test_tags_in_tags_out(rng):
    X, Y, _ = half_labelled(rng)
    frame = pd.DataFrame(X, columns=list("abcde"))
    names = np.array(["rock", "sad", "live"])
    frame["tags"] = [None if np.isnan(row).any() else ";".join(names[row == 1][::-1]) for row in Y]
    filled = hl.complete(frame, tags="tags", absent="irrelevant")
    known = frame["tags"].notna() & (frame["tags"] != "")
    assert filled.table.loc[known, "tags"].tolist() == frame.loc[known, "tags"].tolist()
    i = int(np.flatnonzero(frame["tags"].isna())[0])
    expected = {name for name, state in zip(filled.labels.names, filled.state[i], strict=True) if state > 0}
    assert set(filter(None, filled.table["tags"].iloc[i].split(";"))) == expected


def test_min_precision_leaves_the_rest_empty(songs):
    filled = hl.complete(songs, labels=["rock", "sad", "live"], min_precision=0.995)
    gaps = ~filled.labels.observed
    plain = fill_confident(np.where(gaps, filled.probabilities.to_numpy(), np.nan), 0.995)
    np.testing.assert_array_equal(filled.state[gaps], filled.evidence.fill_at(0.995)[gaps])
    assert not ((filled.state != 0) & (plain != filled.state))[gaps].any()  # lower probabilities fill fewer gaps
    left = filled.table[["rock", "sad", "live"]].isna().to_numpy()
    assert left.any()
    np.testing.assert_array_equal(left, filled.state == 0)


class TestEvidence:
    def test_a_planted_error_is_the_first_suspect(self, rng):
        X = np.repeat([[0.0], [5.0]], 40, axis=0) + rng.normal(size=(80, 1))
        y = np.repeat([0.0, 1.0], 40)
        y[::4] = np.nan
        y[7] = 1.0
        first = hl.complete(X, y).suspects.iloc[0]
        assert (first["item"], first["given"]) == (7, 1)
        assert first["probability"] < 0.2

    def test_next_to_label_are_items_far_from_labelled_ones(self):
        X = np.linspace(0, 10, 100)[:, None]
        y = np.where(X[:, 0] < 2, 0.0, 1.0)
        y[(np.arange(100) % 5 != 0) | (X[:, 0] > 5)] = np.nan
        chosen = hl.complete(X, y, effort="fast").next_to_label(3)
        assert chosen["item"].between(55, 99).all()
        assert np.isnan(y[chosen["item"]]).all()
        assert (chosen["unknown"] == 1).all()


def test_labels_that_know_what_is_irrelevant_have_no_label_frequency(rock):
    assert rock.evidence.observed_rate is None
    assert rock.evidence.learned_from is rock.labels


class TestErrors:
    def test_an_empty_label(self, songs):
        with pytest.raises(ValueError, match=r"no value is given for 'blank'.*leave it out"):
            hl.complete(songs.assign(blank=np.nan, one=1), labels=["blank", "one"])


class TestNumberedColumns:
    """Columns named 0, 1, 2, ..., as pandas names those of an array."""

    @pytest.fixture
    def frame(self, rng):
        X, Y, _ = half_labelled(rng)
        frame = pd.DataFrame(np.hstack([X, Y]))
        frame[9] = [f"s{i}" for i in range(60)]
        return frame

    def test_labels_and_id(self, frame):
        filled = hl.complete(frame, labels=[5, 6, 7], id=9, ignore=[4], features=[0, 1], effort="fast")
        assert filled.table.columns.tolist() == frame.columns.tolist()
        assert not filled.table[[5, 6, 7]].isna().any(axis=None)
        assert filled.index[3] == "s3"
        assert filled.opened.roles.numeric == ("0", "1")

    def test_tags(self, frame):
        tags = pd.Series(["a;b", "b", "a", None] * 15)
        frame = frame.drop(columns=[5, 6, 7])
        frame[8] = tags
        table = hl.complete(frame, tags=8, absent="irrelevant", id=9, effort="fast").table
        assert table[8].tolist()[:2] == ["a;b", "b"]
        assert table[8].notna().all()

    def test_saved_and_loaded(self, frame, tmp_path):
        filled = hl.complete(frame, labels=[5, 6], id=9, effort="fast")
        filled.save(tmp_path / "m")
        assert hl.load(tmp_path / "m").predict_proba(frame).index.tolist() == frame[9].tolist()


class TestInput:
    def test_an_array_holds_no_label_columns(self, rng):
        with pytest.raises(ValueError, match=r"in the columns of a table, but items are a numpy\.ndarray"):
            hl.complete(rng.normal(size=(5, 2)), labels=["x"])
        with pytest.raises(ValueError, match=r"nowhere\.csv: there is no such file"):
            hl.complete("nowhere.csv", labels=["x"])

    def test_a_column_of_features_needs_two_dimensions(self, rng):
        with pytest.raises(ValueError, match="not 1 dimensions"):
            hl.complete(rng.normal(size=5), [0, 1, 0, 1, None])


def test_groups_are_held_out_together(rng):
    thread = np.repeat(np.arange(60), 4)
    posts = pd.DataFrame(rng.normal(size=(60, 3))[thread] + 0.1 * rng.normal(size=(240, 3)), columns=list("abc"))
    posts["thread"], posts["rock"] = thread, rng.integers(2, size=60)[thread].astype(float)  # a coin per thread
    posts.loc[180:, "rock"] = np.nan
    alone, grouped = (
        hl.complete(posts.drop(columns=drop), labels=["rock"], group=group)
        for drop, group in ((["thread"], None), ([], "thread"))
    )
    assert alone.model.members_["ensemble"] < 0.15  # twins in other folds give the answer away
    assert grouped.model.members_["ensemble"] > 0.2


def test_a_method_is_not_changed_by_its_use(songs):
    method = hl.SSDRMC()
    first = hl.complete(songs, labels=["rock"], method=method)
    hl.complete(songs, labels=["sad"], method=method)
    assert not hasattr(method, "transduction_")
    assert first.table["rock"].notna().all()


def test_a_prior_is_used_and_its_error_is_reported(rng):
    X, Y, complete_Y = half_labelled(rng, 150)
    noise = rng.normal(size=X.shape)
    prior = pd.DataFrame(np.where(complete_Y == 1, 0.8, 0.2), columns=["label0", "label1", "label2"])
    filled = hl.complete(noise, Y, prior=prior, effort="fast")
    gaps = np.isnan(Y)
    assert (filled.table.to_numpy() == complete_Y)[gaps].mean() > 0.95
    assert any(
        sentence.startswith("On entries with a prior: error of the prior alone") for sentence in filled.evidence.gaps
    )
    assert "The prior has a value for 450 of 450 entries." in filled.opened.notes


def test_a_prior_is_used_for_positive_only_labels(rng):
    X, _, complete_Y = half_labelled(rng, 300)
    missing = (complete_Y == 1) & (rng.random(complete_Y.shape) < 0.4)
    labels = hl.PartialLabels.from_positives(np.where(missing, 0, complete_Y))
    prior, noise = np.where(complete_Y == 1, 0.8, 0.2), rng.normal(size=X.shape)
    with_prior, without = (
        hl.complete(noise, labels, prior=given, observed_rate=0.6, effort="fast") for given in (prior, None)
    )
    found = with_prior.table.to_numpy().astype(bool)
    assert found[missing].mean() > 0.9
    assert found[complete_Y == 0].mean() < 0.1
    assert without.table.to_numpy().astype(bool)[missing & (complete_Y == 1)].mean() < 0.9
    # New items have no prior: their probabilities are of being relevant all the same, as without one.
    new = rng.normal(size=(200, X.shape[1]))
    means = [filled.model.predict_proba(new).mean() for filled in (with_prior, without)]
    np.testing.assert_allclose(means, complete_Y.mean(), atol=0.12)
