"""Checks before a fit: labels, settings and methods; too little memory warns or raises, and changes no method."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.cli import main
from halflabel.completion.preconditions import (
    _write_size,
    check_accepted,
    check_calibrate_on,
    check_observed_rate,
    check_positive_only_support,
    check_prior_support,
    estimate_per_effort,
)
from halflabel.corrections.fit import Fit
from halflabel.methods.auto import EFFORTS
from halflabel.methods.auto.budget import estimate_memory
from halflabel.methods.baselines import BinaryRelevance

LABELS = ["rock", "sad", "live"]


@pytest.fixture
def songs(rng):
    X, Y, _ = half_labelled(rng)
    return pd.DataFrame(np.hstack([X, Y]), columns=[*"abcde", *LABELS])


@pytest.fixture
def free(monkeypatch):
    """Return a function that sets the free memory of the machine in bytes."""
    return lambda size: monkeypatch.setattr("halflabel.completion.preconditions.free_memory", lambda: size)


@pytest.fixture
def unfitted(monkeypatch):
    """Leave the model as it is before its fit."""
    make = lambda model, given: Fit(model, given.opened, given.labels)  # noqa: E731
    monkeypatch.setattr("halflabel.completion.filling.fit_corrected", make)


def needed(songs, effort):
    return estimate_memory(songs[list("abcde")].to_numpy(), PartialLabels.from_table(songs[LABELS]), effort)


POSITIVES, ORDINARY = PartialLabels.from_positives([[1, 0]]), PartialLabels.from_table([[1, 0]])


def test_a_label_frequency_is_for_positive_only_labels():
    check_observed_rate(POSITIVES, 0.7)
    check_observed_rate(ORDINARY, None)
    with pytest.raises(ValueError, match="these labels have irrelevant entries: leave it out"):
        check_observed_rate(ORDINARY, 0.7)
    with pytest.raises(ValueError, match=r"must be above 0 and at most 1, not 1\.5"):
        check_observed_rate(POSITIVES, 1.5)


def test_a_method_must_support_what_is_given():
    auto, other = AutoLabeler(), BinaryRelevance()
    check_prior_support(auto)
    with pytest.raises(ValueError, match="BinaryRelevance does not accept a prior: leave out the method, or prior="):
        check_prior_support(other)
    check_calibrate_on(ORDINARY, auto)
    with pytest.raises(ValueError, match="BinaryRelevance does not accept calibrate_on="):
        check_calibrate_on(ORDINARY, other)
    with pytest.raises(ValueError, match="calibrate_on= needs irrelevant entries"):
        check_calibrate_on(POSITIVES, auto)
    check_positive_only_support(auto, POSITIVES, None)
    check_positive_only_support(AutoLabeler(observed_rate=0.7), POSITIVES, 0.9)
    with pytest.raises(ValueError, match="an expected precision depends on how many relevant entries"):
        check_positive_only_support(auto, POSITIVES, 0.9)
    with pytest.raises(ValueError, match="BinaryRelevance needs irrelevant entries"):
        check_positive_only_support(other, POSITIVES, None)


class TestTheEffort:
    def test_with_enough_memory_nothing_happens(self, songs, free, unfitted):
        free(needed(songs, "best"))
        assert hl.complete(songs, labels=LABELS, effort="best").model.effort == "best"

    @pytest.mark.parametrize("cheaper", ["default", "fast"])
    def test_too_little_warns_and_names_the_most_work_that_has_room(self, songs, free, unfitted, cheaper):
        free(needed(songs, cheaper))
        with pytest.warns(UserWarning, match=rf"^effort='best' needs about .* free: .* effort='{cheaper}' needs about"):
            filled = hl.complete(songs, labels=LABELS, effort="best")
        assert filled.model.effort == "best"

    def test_where_no_effort_has_room_the_way_out_is_named(self, songs, free):
        free(needed(songs, "fast") - 1)
        sentence = (
            r"60 items with 5 features and 3 labels need about \S+ GiB of memory even with effort='fast', .* are free"
        )
        with pytest.raises(ValueError, match=sentence + r": complete a random part .* \(halflabel predict\)"):
            hl.complete(songs, labels=LABELS)

    def test_the_result_does_not_depend_on_the_memory(self, songs, free, monkeypatch):
        small = replace(EFFORTS["default"], n_trees=10)
        monkeypatch.setitem(EFFORTS, "default", small)
        free(needed(songs, "default"))
        with_room = hl.complete(songs, labels=LABELS)
        free(needed(songs, "fast"))
        with pytest.warns(UserWarning, match="effort='fast' needs about"):
            without = hl.complete(songs, labels=LABELS)
        pd.testing.assert_frame_equal(without.probabilities, with_room.probabilities, check_exact=True)
        assert without.opened.notes == with_room.opened.notes

    def test_the_command_prints_the_warning_before_the_work(self, songs, free, tmp_path, monkeypatch, capsys):
        def fit(*_, **__):
            raise MemoryError("stopped")

        monkeypatch.setattr("halflabel.corrections.fit.fit_with_auxiliary", fit)
        free(needed(songs, "fast"))
        songs.to_csv(tmp_path / "songs.csv", index=False)
        with pytest.raises(SystemExit, match="1"):
            main(["complete", str(tmp_path / "songs.csv"), "--labels", ",".join(LABELS)])
        note, error = capsys.readouterr().err.splitlines()
        assert note.startswith("Note: --effort default needs about ")
        assert "--effort fast needs about" in note
        assert error == "Error: stopped"


@pytest.mark.parametrize("groups", [None, np.arange(9000) // 3])
def test_groups_of_items_need_memory_of_their_own(groups, rng):
    X, labels = rng.normal(size=(9000, 2)), PartialLabels.from_table(np.eye(2)[rng.integers(2, size=9000)])
    needed = estimate_per_effort(SimpleNamespace(X=X, labels=labels, groups=groups), AutoLabeler("default"))
    grouped, alone = (
        {effort: estimate_memory(X, labels, effort, grouped=flag) for effort in ("fast", "default")}
        for flag in (True, False)
    )
    assert needed == (alone if groups is None else grouped)
    assert grouped != alone


class TestAnotherMethod:
    def test_it_raises_where_it_has_no_room(self, songs, free):
        free(20_000)
        with pytest.raises(ValueError, match=r"60 items with 5 features and 3 labels need about .* GiB are free: "):
            hl.complete(songs, labels=LABELS, method=BinaryRelevance())

    def test_an_auto_labeler_of_the_users_own_keeps_its_effort(self, songs, free, unfitted):
        free(needed(songs, "fast"))
        with pytest.warns(UserWarning, match="effort='fast' needs about"):
            assert hl.complete(songs, labels=LABELS, method=AutoLabeler("best")).model.effort == "best"

    def test_positive_only(self, songs, free):
        free(20_000)
        tags = songs[[*"abcde"]].assign(tags=["x;y", "y", "x", None] * 15)
        with pytest.raises(ValueError, match="60 items with 5 features and 2 labels need about"):
            hl.complete(tags, tags="tags", absent="unknown")


@pytest.mark.parametrize(
    ("n", "positive_only", "of_kind"),
    [
        (50, False, 50 * (15 * 12 * 4 + 20 * 3 * 8)),
        (50, True, 50 * (3 * 50 * 8 + 29 * 3 * 8)),
        (1200, True, 1200 * (3 * 1000 * 8 + 29 * 3 * 8)),
    ],
    ids=["neighbours", "kernel", "landmarks"],
)
def test_any_method_needs_three_copies_of_the_features_its_edges_or_kernel_and_its_tables(n, positive_only, of_kind):
    """Fifteen edges of twelve bytes in four copies, or three kernels on at most 1000 items; 20 or 29 tables."""
    read = PartialLabels.from_positives if positive_only else PartialLabels.from_table
    X, labels = np.ones((n, 4)), read(np.eye(n, 3))
    for features, stored in ((X, n * 4), (sparse.csr_array(X * [1, 0, 0, 0]), n)):
        opened = SimpleNamespace(X=features, labels=labels, groups=None)
        assert estimate_per_effort(opened, BinaryRelevance()) == {"": 3 * 8 * stored + of_kind}


def test_sizes_are_written_in_gibibytes():
    assert _write_size(3 * 2**29) == "1.5 GiB"


def test_an_accepted_code_is_one_of_the_codes():
    check_accepted(["few-items", "drift"])
    with pytest.raises(ValueError, match=r"no warning has the code 'few-item' \(accept=\): did you mean 'few-items'\?"):
        check_accepted(["drift", "few-item"])
