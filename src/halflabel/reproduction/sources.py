"""Where the data of a run come from: files of a benchmark folder, OpenML, a generator, a user's own file."""

from __future__ import annotations

import hashlib
import inspect
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import numpy as np
from sklearn.preprocessing import normalize

from halflabel.datasets import Dataset, fetch, load_benchmark, read
from halflabel.reproduction.methods import found
from halflabel.reproduction.spec import SetSpec
from halflabel.table import open_table

Part = Literal["whole", "train", "test"]

#: How the name of a user's own set begins.
OWN = "your "


@dataclass(frozen=True)
class Availability:
    """Whether a set can be used, and what to do where it cannot.

    Parameters
    ----------
    status : {"present", "drawn", "fetchable", "to be supplied", "differs"}
    advice : str
    """

    status: str
    advice: str

    @property
    def usable(self) -> bool:
        """Whether runs on this set can start now."""
        return self.status in ("present", "drawn")


def availability(spec: SetSpec, folder: Path | None, *, fetched: bool = False) -> Availability:
    """Look for a set's files, compare their digests, and say what is to be done where they are missing."""
    if spec.make:
        status, how = ("drawn", "drawn") if _draws(spec.make) else ("present", "loaded")
        return Availability(status, f"{how} by {spec.make}")
    if spec.settings.get("file"):
        return Availability("present", str(spec.settings["file"]))
    missing, differing = _compared(spec, folder)
    if not missing and not differing:
        return Availability("present", str(folder))
    if fetched and spec.fetch:
        return Availability("present", f"OpenML, {spec.fetch}")
    if differing:
        return Availability("differs", f"{differing[0]} is another file than the one the figures were measured on")
    if spec.fetch:
        return Availability("fetchable", "say --fetch")
    where = f"{folder or '$HALFLABEL_DATA'}/{spec.name}/"
    digests = {name: f" (SHA-256 {spec.files[name][:12]}...)" if spec.files[name] else "" for name in missing}
    files = ", ".join(f"{name}{digest}" for name, digest in digests.items())
    return Availability("to be supplied", f"put {files} into {where}. Source: {spec.source}.")


def _compared(spec: SetSpec, folder: Path | None) -> tuple[list[str], list[str]]:
    if folder is None:
        return list(spec.files), []
    paths = {name: folder / spec.name / name for name in spec.files}
    missing = [name for name, path in paths.items() if not path.is_file()]
    there = {name: path for name, path in paths.items() if name not in missing and spec.files[name]}
    return missing, [name for name, path in there.items() if _digest(path) != spec.files[name]]


def identified(spec: SetSpec, folder: Path | None) -> SetSpec:
    """Return a set with the digests of those of its files of which any will do, where they are there."""
    paths = {name: folder / spec.name / name for name, digest in spec.files.items() if folder and not digest}
    return replace(spec, files={**spec.files, **{n: _digest(path) for n, path in paths.items() if path.is_file()}})


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def user_set(path: Path, labels: tuple[str, ...]) -> SetSpec:
    """Return a user's file as a set; it declares its labels (ARFF with Mulan's XML) or they are named."""
    name = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    opened = _own_file(os.fspath(path.resolve()), labels)  # refused now, with a sentence, rather than in every run
    # The labels as found: a label file beside the data decides the figures, too.
    settings = {"file": os.fspath(path.resolve()), "labels": list(opened.label_names)}
    size = f"{opened.X.shape[0]} items, {opened.X.shape[1]} features, {len(opened.label_names)} labels"
    return SetSpec(f"{OWN}{name}", {path.name: _digest(path)}, source=f"{path} ({size})", settings=settings)


def is_own(name: str) -> bool:
    """Tell a user's own set from a set of the paper."""
    return name.startswith(OWN)


def load(source: Mapping[str, Any], folder: Path | None, part: Part, rng: np.random.Generator) -> Dataset:
    """Load what :meth:`SetSpec` describes: ``source`` holds its ``name``, ``make``, ``settings`` and ``fetch``."""
    if source["make"]:
        chance = {"rng": rng} if _draws(source["make"]) else {}
        drawn = found(source["make"])(**chance, **source["settings"])
        whole: Dataset = getattr(drawn, "dataset", drawn)  # a generator may return the truth beside the data
        return whole
    if source["settings"].get("file"):
        return _own_file(source["settings"]["file"], tuple(source["settings"]["labels"]))
    public = _public(source["name"], folder, part, source["fetch"])
    return _as_described(public, source["settings"], rng)


def _draws(make: str) -> bool:
    """Tell a generator, which takes ``rng``, from a loader of data that come with a library."""
    return "rng" in inspect.signature(found(make)).parameters


def _as_described(data: Dataset, settings: Mapping[str, Any], rng: np.random.Generator) -> Dataset:
    """Return what a set's settings make of its files."""
    if "top_labels" in settings:
        data = _with_top_labels(data, settings["top_labels"])
    if "items" in settings:
        rows = np.sort(rng.permutation(len(data.Y))[: settings["items"]])
        data = replace(data, X=data.X[rows], Y=data.Y[rows])
    return replace(data, X=normalize(data.X)) if settings.get("unit_length", False) else data


def _with_top_labels(data: Dataset, n_labels: int) -> Dataset:
    """Return the items that have one of the most frequent labels, with these labels only, in their order."""
    frequent = np.sort(np.argsort(-data.Y.relevant.sum(axis=0), kind="stable")[:n_labels])
    names = tuple(data.Y.names[j] for j in frequent)
    labels = replace(data.Y, state=data.Y.state[:, frequent], names=names)
    rows = labels.relevant.any(axis=1)
    return replace(data, X=data.X[rows], Y=labels[rows])


@lru_cache(maxsize=4)
def _public(name: str, folder: Path | None, part: Part, openml: str) -> Dataset:
    if openml and (folder is None or not (folder / name).is_dir()):
        return fetch(openml)
    return load_benchmark(name, folder, part=part)


@lru_cache(maxsize=2)
def _own_file(path: str, labels: tuple[str, ...]) -> Dataset:
    raw = read(Path(path))
    opened = open_table(
        raw.frame,
        labels=list(labels) or None,
        matrix=raw.matrix,
        matrix_names=raw.matrix_names,
        declared_labels=raw.label_names,
    )
    names = tuple(map(str, range(opened.X.shape[1])))
    return Dataset(Path(path).stem, opened.X, opened.labels, names, path, "the user's", raw.sha256)
