"""Room for a fit: what is free, which effort has room, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.cli import main
from halflabel.methods.auto.budget import estimate_memory
from halflabel.methods.baselines import BinaryRelevance

LABELS = ["rock", "sad", "live"]


@pytest.fixture
def songs(rng):
    X, Y, _ = half_labelled(rng)
    return pd.DataFrame(np.hstack([X, Y]), columns=[*"abcde", *LABELS])


@pytest.fixture
def free(monkeypatch):
    """Return a function that lets the machine have so many bytes."""
    return lambda size: monkeypatch.setattr("halflabel.completion.memory.free_memory", lambda: size)


@pytest.fixture
def unfitted(monkeypatch):
    """Leave the model as it is before its fit."""
    monkeypatch.setattr("halflabel.completion.filling.fit_with_auxiliary", lambda model, *given, **beside: model)


def needed(songs, effort):
    return estimate_memory(songs[list("abcde")].to_numpy(), PartialLabels.from_table(songs[LABELS]), effort)


class TestTheEffort:
    def test_as_asked_where_it_has_room(self, songs, free, unfitted):
        free(needed(songs, "best"))
        filled = hl.complete(songs, labels=LABELS, effort="best")
        assert filled.model.effort == "best"
        assert not any("memory" in note for note in filled.opened.notes)

    @pytest.mark.parametrize("taken", ["default", "fast"])
    def test_else_the_next_cheaper_one_and_a_note(self, songs, free, unfitted, taken):
        free(needed(songs, taken))
        filled = hl.complete(songs, labels=LABELS, effort="best")
        assert filled.model.effort == taken
        (note,) = (note for note in filled.opened.notes if "memory" in note)
        assert note.startswith("effort='best' needs about ")
        assert f"effort={taken!r} was taken instead" in note

    def test_the_cheapest_is_refused_with_the_way_out(self, songs, free):
        free(needed(songs, "fast") - 1)
        sentence = (
            r"60 items with 5 features and 3 labels need about \S+ GiB of memory even with effort='fast' .* are free"
        )
        with pytest.raises(ValueError, match=sentence + r": complete a random part .* \(halflabel predict\)"):
            hl.complete(songs, labels=LABELS)

    def test_it_is_fitted_with_the_effort_taken(self, songs, free):
        free(needed(songs, "fast"))
        filled = hl.complete(songs, labels=LABELS)
        assert set(filled.model.members_) == {"kernel", "trees", "ensemble", "label rate"}

    def test_the_command_says_so(self, songs, free, tmp_path, capsys):
        free(needed(songs, "fast"))
        songs.to_csv(tmp_path / "songs.csv", index=False)
        with pytest.raises(SystemExit, match="0"):
            main(["complete", str(tmp_path / "songs.csv"), "--labels", ",".join(LABELS)])
        assert "effort='fast' was taken instead" in capsys.readouterr().err


class TestAnotherMethod:
    def test_is_refused_but_never_changed(self, songs, free):
        free(20_000)
        with pytest.raises(ValueError, match=r"60 items with 5 features and 3 labels need about .* GiB are free: "):
            hl.complete(songs, labels=LABELS, method=BinaryRelevance())

    def test_an_auto_labeler_of_the_users_own_keeps_its_effort(self, songs, free, unfitted):
        free(needed(songs, "fast"))
        assert hl.complete(songs, labels=LABELS, method=AutoLabeler("best")).model.effort == "best"

    def test_positive_only(self, songs, free):
        free(20_000)
        tags = songs[[*"abcde"]].assign(tags=["x;y", "y", "x", None] * 15)
        with pytest.raises(ValueError, match="60 items with 5 features and 2 labels need about"):
            hl.complete(tags, tags="tags", absent="unknown")
