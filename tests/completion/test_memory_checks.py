"""Memory for a fit: too little warns and names a cheaper effort, or raises; it never changes the method."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.cli import main
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
    return lambda size: monkeypatch.setattr("halflabel.completion.checks.free_memory", lambda: size)


@pytest.fixture
def unfitted(monkeypatch):
    """Leave the model as it is before its fit."""
    monkeypatch.setattr("halflabel.completion.filling.fit_with_auxiliary", lambda model, *_, **__: model)


def needed(songs, effort):
    return estimate_memory(songs[list("abcde")].to_numpy(), PartialLabels.from_table(songs[LABELS]), effort)


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

        monkeypatch.setattr("halflabel.completion.filling.fit_with_auxiliary", fit)
        free(needed(songs, "fast"))
        songs.to_csv(tmp_path / "songs.csv", index=False)
        with pytest.raises(SystemExit, match="1"):
            main(["complete", str(tmp_path / "songs.csv"), "--labels", ",".join(LABELS)])
        note, error = capsys.readouterr().err.splitlines()
        assert note.startswith("Note: --effort default needs about ")
        assert "--effort fast needs about" in note
        assert error == "Error: stopped"


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
