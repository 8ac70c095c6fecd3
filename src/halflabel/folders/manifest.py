"""The manifest of an output folder: from which parts and settings it was made, and which parts are done.

The folder ``_halflabel`` in the output has the manifest, the core, and per finished part its tally. Parts wait there,
too, until the last one is done: readers of folders pass over names that begin with an underscore.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from halflabel._files import atomic_write, check_folder, fcntl, sync_folder
from halflabel._version import __version__
from halflabel._wording import option, quoted
from halflabel.folders.counts import Tally
from halflabel.folders.parts import Part

#: The folder of everything that is no part of the table.
FOLDER, MANIFEST, FORMAT = "_halflabel", "manifest.json", 1


@dataclass(frozen=True)
class Places:
    """The paths of an output folder.

    Parameters
    ----------
    out : Path
    """

    out: Path

    @property
    def folder(self) -> Path:
        """Everything that is no part of the table."""
        return self.out / FOLDER

    @property
    def parts(self) -> Path:
        """Where finished parts wait for the others."""
        return self.folder / "parts"

    @property
    def probabilities(self) -> Path:
        """Where the probabilities of finished parts wait."""
        return self.folder / "probabilities"

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.folder / MANIFEST

    def record(self, part: Part) -> Path:
        """Return the path of the tally of a finished part."""
        return self.folder / "records" / f"{part.name}.json"

    def final(self, part: Part) -> Path:
        """Return the path of a part in the end."""
        return self.out / part.name

    def is_done(self, part: Part) -> bool:
        """Return whether a part is finished."""
        return self.record(part).exists() and ((self.parts / part.name).exists() or self.final(part).exists())

    def remove_results(self) -> None:
        """Remove what is left of a run without a manifest: it may have had other options."""
        for folder in (self.parts, self.probabilities, self.folder / "records"):
            shutil.rmtree(folder, ignore_errors=True)

    def read_tally(self, part: Part) -> Tally:
        """Return the tally of a finished part."""
        return Tally.from_plain(json.loads(self.record(part).read_text(encoding="utf-8")))


def check_out(out: Path, parts: Sequence[Part], given: Sequence[Path], *, begun: bool) -> None:
    """Raise before the work starts if an output folder would mix with the input or with other files.

    ``begun`` is whether an earlier run began the folder.
    """
    check_folder(out)
    place = Path(os.path.abspath(out))
    inputs = {Path(os.path.abspath(part.path)).parent for part in parts}
    folders = [Path(os.path.abspath(path)) for path in given if path.is_dir()]
    if place in inputs or any(place == folder or folder in place.parents for folder in folders):
        raise ValueError(f"{out} is the folder of the input or inside it: name another folder ({option('out')}).")
    if any(place in Path(os.path.abspath(part.path)).parents for part in parts):
        raise ValueError(f"the input is inside {out}: name another folder ({option('out')}).")
    if out.exists() and not out.is_dir():
        raise NotADirectoryError(f"{out} is a file, but the parts need a folder: name another one.")
    if out.exists() and not begun and any(path.name != FOLDER for path in out.iterdir()):
        raise FileExistsError(f"{out} is not empty, and no run of this command began it: name another folder.")


def check_apart(probabilities: Path, out: Path) -> None:
    """Raise if probabilities would be among the completed parts, whose readers would take them for parts."""
    place, table = (Path(os.path.abspath(path)) for path in (probabilities, out))
    if place == table or table in place.parents:
        raise ValueError(
            f"{probabilities} is the folder of the completed parts or inside it: name another folder "
            f"({option('probabilities')})."
        )


def describe_input(parts: Sequence[Part]) -> list[list[Any]]:
    """Return name, size and time of modification of each part, by which a changed input is recognised."""
    return [[part.name, (stat := part.path.stat()).st_size, stat.st_mtime_ns] for part in parts]


def read_manifest(places: Places) -> dict[str, Any] | None:
    """Return the manifest of a run that began; None if there is none.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    if not places.manifest.exists():
        return None
    try:
        manifest = json.loads(places.manifest.read_text(encoding="utf-8"))
        if manifest["format"] != FORMAT:
            raise ValueError
        return dict(manifest)
    except (ValueError, KeyError, TypeError):
        raise ValueError(f"{places.manifest} is no manifest that this version can read: remove {places.out}.") from None


def check_same_run(manifest: Mapping[str, Any], places: Places, own: Mapping[str, Any]) -> None:
    """Raise if a run that began in a folder had other parts, other settings or another version."""
    named = {"input": "other parts, or parts that have changed since", "settings": "other options",
             "halflabel": f"version {manifest.get('halflabel')} of halflabel"}  # fmt: skip
    other = [text for key, text in named.items() if manifest.get(key) != own[key]]
    if other:
        raise FileExistsError(
            f"{places.out} holds the output of a run with {' and '.join(other)}: name another folder, or remove this "
            "one to start again."
        )


def check_finished(places: Places, parts: Sequence[Part], manifest: Mapping[str, Any]) -> None:
    """Raise if parts changed, or results were removed, while the parts were completed."""
    if describe_input(parts) != manifest["input"]:
        raise ValueError(
            f"parts have changed while they were completed: remove {places.out}, and start again when no other program "
            "writes them."
        )
    if lost := [part.name for part in parts if not places.is_done(part)]:
        raise FileNotFoundError(
            f"files of {quoted(lost)} were removed from {places.folder} while the other parts were completed: start "
            "again to complete them."
        )


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """Raise if another process completes parts in a folder; an empty folder is removed at the end."""
    out.mkdir(exist_ok=True)
    descriptor = None
    try:
        if fcntl is not None:
            descriptor = os.open(out, os.O_RDONLY)
            _lock(descriptor, out)
        yield
    finally:
        if descriptor is not None:
            os.close(descriptor)
        with suppress(OSError):  # it is not empty
            out.rmdir()


def _lock(descriptor: int, out: Path) -> None:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise FileExistsError(
            f"another process completes parts in {out}: wait for it, or name another folder."
        ) from None
    except OSError:
        return  # some file systems have no locks


def write_manifest(places: Places, manifest: Mapping[str, Any]) -> None:
    """Write the manifest."""
    with atomic_write(places.manifest, "w") as file:
        json.dump(manifest, file, indent=1)


def describe_run(parts: Sequence[Part], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return what makes a run: a run with equal values continues it."""
    plain = json.loads(json.dumps(settings, default=str))
    return {"format": FORMAT, "halflabel": __version__, "input": describe_input(parts), "settings": plain}


def publish(pairs: Sequence[tuple[Path, Path]], staging: Path) -> None:
    """Move finished files to their places and remove the folder where they waited.

    Files that were moved before an interruption are passed over.
    """
    for staged, final in pairs:
        if staged.exists():
            final.parent.mkdir(parents=True, exist_ok=True)
            os.replace(staged, final)
    for folder in {final.parent for _, final in pairs}:
        sync_folder(folder)
    shutil.rmtree(staging, ignore_errors=True)
