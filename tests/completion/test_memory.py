"""Room for a fit: what is free, which effort has room, and what is refused."""

from __future__ import annotations

from math import inf

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel import AutoLabeler, PartialLabels
from halflabel.cli import main
from halflabel.completion.memory import free_memory
from halflabel.methods.auto.budget import memory
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
    monkeypatch.setattr("halflabel.completion.filling.fit_beside", lambda model, *given, **beside: model)


def needed(songs, effort):
    return memory(songs[list("abcde")].to_numpy(), PartialLabels.from_table(songs[LABELS]), effort)


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
        assert set(filled.model.members_) == {"kernel", "trees", "pool", "label rate"}

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


class TestWhatIsFree:
    @pytest.fixture
    def system(self, tmp_path, monkeypatch):
        """Return a function that writes the files in which Linux tells."""
        monkeypatch.setattr("halflabel.completion.memory.PROC", tmp_path / "proc")
        monkeypatch.setattr("halflabel.completion.memory.GROUPS", tmp_path / "groups")

        def write(**files):
            for name, content in files.items():
                path = tmp_path / name.replace("__", "/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(content)

        write(proc__meminfo="MemTotal: 9000 kB\nMemAvailable:    4000 kB\n")
        return write

    def test_what_is_available(self, system):
        assert free_memory() == 4000 * 1024

    def test_a_container_has_less(self, system):
        system(proc__self__cgroup="0::/job/own\n")
        group = {"memory.max": "3000000", "memory.current": "1000000", "memory.stat": "anon 5\ninactive_file 200000\n"}
        system(**{f"groups__job__{name}": content for name, content in group.items()})
        system(**{"groups__job__own__memory.max": "max\n", "groups__job__own__memory.current": "900000"})
        assert free_memory() == 2_200_000  # by the limit of the group around it, and files can be dropped

    def test_a_container_that_sees_the_path_of_its_host(self, system):
        system(proc__self__cgroup="0::/docker/abc\n")
        system(
            **{"groups__memory.max": "100", "groups__memory.current": "150", "groups__memory.stat": "inactive_file 20"}
        )
        assert free_memory() == 0

    def test_control_groups_of_version_1(self, system):
        system(proc__self__cgroup="9:name=systemd:/\n4:cpu,memory:/job\n0::/\n")
        names = {"limit_in_bytes": "2000000", "usage_in_bytes": "500000", "stat": "total_inactive_file 0"}
        system(**{f"groups__memory__job__memory.{name}": content for name, content in names.items()})
        assert free_memory() == 1_500_000

    def test_elsewhere_what_is_installed(self, system, monkeypatch):
        system(proc__meminfo="nothing\n")
        monkeypatch.setattr("os.sysconf", lambda name: 4096 if name == "SC_PAGE_SIZE" else 1000)
        assert free_memory() == 4_096_000

    def test_nobody_tells(self, system, monkeypatch):
        def fail(name):
            raise ValueError("unrecognized configuration name")

        system(proc__meminfo="")
        monkeypatch.setattr("os.sysconf", fail)
        assert free_memory() == inf
