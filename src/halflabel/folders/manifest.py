"""The manifest of an output folder: the parts and settings of the run, and the parts that are done.

The folder ``_halflabel`` in the output has the manifest, the core, and per finished part its totals. Parts wait there,
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

from halflabel._digests import read_object
from halflabel._files import check_folder, fcntl, sync_folder
from halflabel._version import __version__
from halflabel._wording import option, quoted
from halflabel.folders.complete_part import Job, Output
from halflabel.folders.parts import Part

#: The folder of every file that is not a part of the table.
FOLDER, MANIFEST, FORMAT = "_halflabel", "manifest.json", 2


@dataclass(frozen=True)
class Places:
    """The paths of an output folder."""

    out: Path

    @property
    def folder(self) -> Path:
        """The folder of every file that is not a part of the table."""
        return self.out / FOLDER

    @property
    def parts(self) -> Path:
        """The folder where finished parts wait for the end of the run."""
        return self.folder / "parts"

    @property
    def probabilities(self) -> Path:
        """The folder where the probabilities of finished parts wait."""
        return self.folder / "probabilities"

    @property
    def manifest(self) -> Path:
        """The manifest."""
        return self.folder / MANIFEST

    def record(self, part: str) -> Path:
        """Return the path of the totals of a finished part, by its name."""
        return self.folder / "records" / f"{part}.json"

    def final(self, part: str) -> Path:
        """Return the path of a part after the run, by its name."""
        return self.out / part

    def remove_results(self) -> None:
        """Remove the results of a run without a manifest, because the run may have had other options."""
        for folder in (self.parts, self.probabilities, self.folder / "records"):
            shutil.rmtree(folder, ignore_errors=True)


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


def read_manifest(places: Places) -> dict[str, Any] | None:
    """Return the manifest of a run that began, or None if no run began.

    Raises
    ------
    ValueError
        If it is damaged.
    """
    if not places.manifest.exists():
        return None
    try:
        manifest = read_object(places.manifest)
        if manifest["format"] != FORMAT:
            raise ValueError
        return manifest
    except (ValueError, KeyError):
        raise ValueError(
            f"{places.manifest} is damaged, or no manifest that this version can read: remove {places.out} to start "
            "again."
        ) from None


def check_same_run(manifest: Mapping[str, Any], places: Places, own: Mapping[str, Any]) -> None:
    """Raise if a run that began in a folder had other parts, other settings or another version."""
    named = {"parts": "other parts", "settings": "other options",
             "halflabel": f"version {manifest.get('halflabel')} of halflabel"}  # fmt: skip
    begun = {**manifest, "parts": list(manifest["input"])}
    other = [text for key, text in named.items() if begun.get(key) != own[key]]
    if other:
        raise FileExistsError(
            f"{places.out} holds the output of a run with {' and '.join(other)}: name another folder, or remove this "
            "one to start again."
        )


def check_unchanged(places: Places, changed: Sequence[str]) -> None:
    """Raise if the content of a part has changed since the run began."""
    if changed:
        raise FileExistsError(
            f"{places.out} holds the output of a run whose input has changed since ({quoted(changed)}): name another "
            "folder, or remove this one to start again."
        )


def check_finished(places: Places, jobs: Sequence[Job]) -> None:
    """Raise if results were removed while the parts were completed."""
    results = {job.part.name: [job.record, *(output.find() for output in job.outputs)] for job in jobs}
    if lost := [name for name, paths in results.items() if not all(path.exists() for path in paths)]:
        raise FileNotFoundError(
            f"files of {quoted(lost)} were removed from {places.folder} while the other parts were completed: start "
            "again to complete them."
        )


@contextmanager
def lock_folder(out: Path) -> Iterator[None]:
    """Raise if another process completes parts in a folder. Remove an empty folder at the end."""
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


def describe_run(parts: Sequence[Part], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values that identify a run: a run with equal values continues it."""
    plain = json.loads(json.dumps(settings, default=str))
    return {"format": FORMAT, "halflabel": __version__, "parts": [part.name for part in parts], "settings": plain}


def publish(outputs: Sequence[Output], staging: Path) -> None:
    """Move finished files to their places and remove the folder where they waited.

    Files that were moved before an interruption are passed over.
    """
    for output in outputs:
        if output.staged.exists():
            output.final.parent.mkdir(parents=True, exist_ok=True)
            os.replace(output.staged, output.final)
    for folder in {output.final.parent for output in outputs}:
        sync_folder(folder)
    shutil.rmtree(staging, ignore_errors=True)
