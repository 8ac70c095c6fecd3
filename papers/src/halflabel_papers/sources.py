"""The data of a run: files of a benchmark folder, OpenML, a generator, or a user's own file."""

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

from halflabel.datasets.benchmark import Dataset
from halflabel.files.raw_table import RawTable
from halflabel.files.reading import read_table
from halflabel.table import open_table
from halflabel_papers.imports import import_object
from halflabel_papers.sets import fetch, load_benchmark, stack
from halflabel_papers.spec import SetSpec

Part = Literal["whole", "train", "test"]

#: Prefix of the name of a user's own set.
OWN = "your "


@dataclass(frozen=True)
class Availability:
    """Whether a set can be used, and advice if it cannot."""

    #: One of "present", "generated", "fetchable", "to be supplied", "differs".
    status: str
    advice: str

    @property
    def usable(self) -> bool:
        """Whether runs on this set can start now."""
        return self.status in ("present", "generated")


def check_availability(spec: SetSpec, folder: Path | None, *, fetched: bool = False) -> Availability:
    """Find a set's files, compare their digests, and give advice if one is missing."""
    if spec.make:
        status, how = ("generated", "generated") if _is_random(spec.make) else ("present", "loaded")
        return Availability(status, f"{how} by {spec.make}")
    if is_user_set(spec.name):
        return Availability("present", spec.source)
    missing, differing = _compare_files(spec, folder)
    if not missing and not differing:
        return Availability("present", str(folder))
    if fetched and spec.fetch:
        return Availability("present", f"OpenML, {spec.fetch}")
    if differing:
        return Availability("differs", f"{differing[0]} is not the file on which the figures were measured")
    if spec.fetch:
        return Availability("fetchable", "add --fetch to download it from OpenML")
    where = f"{folder or '$HALFLABEL_DATA'}/{spec.name}/"
    digests = {name: f" (SHA-256 {spec.files[name][:12]}...)" if spec.files[name] else "" for name in missing}
    files = ", ".join(f"{name}{digest}" for name, digest in digests.items())
    return Availability("to be supplied", f"put {files} into {where}. Source: {spec.source}.")


def _compare_files(spec: SetSpec, folder: Path | None) -> tuple[list[str], list[str]]:
    """Return the files that are missing, and the files with another digest."""
    if folder is None:
        return list(spec.files), []
    paths = {name: folder / spec.name / name for name in spec.files}
    missing = [name for name, path in paths.items() if not path.is_file()]
    known = {name: path for name, path in paths.items() if name not in missing and spec.files[name]}
    return missing, [name for name, path in known.items() if _digest_file(path) != spec.files[name]]


def add_digests(spec: SetSpec, folder: Path | None) -> SetSpec:
    """Return a set with the digests of the existing files for which the description has none."""
    paths = {name: folder / spec.name / name for name, digest in spec.files.items() if folder and not digest}
    return replace(spec, files={**spec.files, **{n: _digest_file(path) for n, path in paths.items() if path.is_file()}})


def _digest_file(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def describe_user_set(path: Path, labels: tuple[str, ...]) -> SetSpec:
    """Return a user's set: a file, or a folder with Mulan's ``NAME-train.arff``, ``NAME-test.arff`` and ``NAME.xml``.

    A folder keeps its own split. The labels of a file are named, unless the file declares them (ARFF with an XML file).
    """
    if path.is_dir():
        return _describe_folder(path)
    name = path.name.removesuffix(".gz").rsplit(".", 1)[0]
    opened = _read_user_file(os.fspath(path.resolve()), labels)  # an unreadable file is an error now, not in every run
    # The resolved labels are part of the key, because a label file next to the data decides the figures, too.
    settings = {"file": os.fspath(path.resolve()), "labels": list(opened.label_names)}
    return SetSpec(
        f"{OWN}{name}", {path.name: _digest_file(path)}, source=_describe_size(path, opened), settings=settings
    )


def _describe_folder(path: Path) -> SetSpec:
    """Return a folder with its own split as a set. It is read once, so that an error appears before any run."""
    path = path.resolve()
    data, n_train = _read_user_folder(os.fspath(path))
    files = sorted(each for pattern in ("*.arff*", "*.xml") for each in path.glob(pattern))
    split = f"its own split: {n_train} and {len(data.Y) - n_train} items"
    return SetSpec(
        f"{OWN}{path.name}",
        {each.name: _digest_file(each) for each in files},
        source=f"{_describe_size(path, data)}; {split}",
        settings={"folder": os.fspath(path)},
    )


def _describe_size(path: Path, data: Dataset) -> str:
    return f"{path} ({data.X.shape[0]} items, {data.X.shape[1]} features, {len(data.label_names)} labels)"


def is_user_set(name: str) -> bool:
    """Return whether a set is a user's own, not one of the paper."""
    return name.startswith(OWN)


def load_data(source: Mapping[str, Any], folder: Path | None, part: Part, rng: np.random.Generator) -> Dataset:
    """Load a set. ``source`` holds ``name``, ``make``, ``settings`` and ``fetch`` of its :class:`SetSpec`."""
    if source["make"]:
        random = {"rng": rng} if _is_random(source["make"]) else {}
        made = import_object(source["make"])(**random, **source["settings"])
        whole: Dataset = getattr(made, "dataset", made)  # a generator may return the truth together with the data
        return whole
    if source["settings"].get("file"):
        return _read_user_file(source["settings"]["file"], tuple(source["settings"]["labels"]))
    if source["settings"].get("folder"):
        return _select_part(*_read_user_folder(source["settings"]["folder"]), part)
    public = _load_public(source["name"], folder, part, source["fetch"])
    return _apply_settings(public, source["settings"], rng)


def _is_random(make: str) -> bool:
    """Return whether ``make`` is a random generator (with ``rng``), not a loader of data that come with a library."""
    return "rng" in inspect.signature(import_object(make)).parameters


def _apply_settings(data: Dataset, settings: Mapping[str, Any], rng: np.random.Generator) -> Dataset:
    """Select labels and items, and scale the features, as a set's settings require."""
    if "top_labels" in settings:
        data = _keep_top_labels(data, settings["top_labels"])
    if "items" in settings:
        rows = np.sort(rng.permutation(len(data.Y))[: settings["items"]])
        data = replace(data, X=data.X[rows], Y=data.Y[rows])
    return replace(data, X=normalize(data.X)) if settings.get("unit_length", False) else data


def _keep_top_labels(data: Dataset, n_labels: int) -> Dataset:
    """Return the most frequent labels, in their order, and the items that have one of them."""
    frequent = np.sort(np.argsort(-data.Y.relevant.sum(axis=0), kind="stable")[:n_labels])
    labels = data.Y.select(frequent)
    rows = labels.relevant.any(axis=1)
    return replace(data, X=data.X[rows], Y=labels[rows])


@lru_cache(maxsize=4)
def _load_public(name: str, folder: Path | None, part: Part, openml: str) -> Dataset:
    if openml and (folder is None or not (folder / name).is_dir()):
        return fetch(openml)
    return load_benchmark(name, folder, part=part)


@lru_cache(maxsize=2)
def _read_user_file(path: str, labels: tuple[str, ...]) -> Dataset:
    return _open(read_table(Path(path)), path, labels)


@lru_cache(maxsize=2)
def _read_user_folder(path: str) -> tuple[Dataset, int]:
    """Return the training items followed by the test items of a folder, and the number of training items."""
    files = {part: sorted(Path(path).glob(f"*-{part}*.arff*")) for part in ("train", "test")}
    for part, found in files.items():
        if len(found) != 1:
            raise ValueError(
                f"{path}: a folder must have one file NAME-train.arff and one NAME-test.arff (or .arff.gz), with "
                f"NAME.xml; there are {len(found)} for the {part} part. Give another set as a file."
            )
    parts = [read_table(found[0]) for found in files.values()]
    return _open(stack(*parts), path, ()), len(parts[0])


def _open(raw: RawTable, path: str, labels: tuple[str, ...]) -> Dataset:
    """Return a table as a set, with its columns of categories encoded."""
    opened = open_table(raw, labels=labels or None)
    names = tuple(map(str, range(opened.X.shape[1])))
    return Dataset(Path(path).stem, opened.X, opened.labels, names, path, "the user's", raw.sha256)


def _select_part(data: Dataset, n_train: int, part: Part) -> Dataset:
    rows = {"whole": slice(None), "train": slice(n_train), "test": slice(n_train, None)}[part]
    return replace(data, X=data.X[rows], Y=data.Y[rows])
