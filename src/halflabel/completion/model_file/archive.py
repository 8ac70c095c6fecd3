"""Objects as plain data: a zip of one JSON tree and plain .npy arrays, never pickle."""

from __future__ import annotations

import json
import math
import os
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, is_dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from halflabel._arrays import is_sparse
from halflabel._files import atomic_write
from halflabel._memory import free_memory
from halflabel._version import __version__, list_versions
from halflabel.completion.model_file.schema import check_state
from halflabel.files.bounded import check_ordinary
from halflabel.files.raw_table import ReadError

FORMAT = 2

#: Maximum size of an unpacked model in bytes and as a share of the free memory.
MAX_BYTES, MAX_SHARE = 16 * 2**30, 0.5

#: Maximum size of its JSON tree in bytes. A large tree is mostly names, which do not shrink more than by this factor.
MAX_JSON, SMALL_JSON, MAX_SHRINKAGE = 32 * 2**20, 2**20, 32


#: Libraries whose versions are written into a model.
LIBRARIES = ("numpy", "scipy", "scikit-learn", "pandas")


class ModelFileError(ValueError):
    """A file is not a halflabel model, or not one that this version can read."""


@dataclass(frozen=True)
class Heading:
    """When and with which versions a model was written."""

    format: int  #: Of the file.
    written: str  #: Date and time (UTC).
    versions: Mapping[str, str]  #: The versions of this library and of the libraries that it was used with.
    size: int  #: Bytes of the file.


def save_tree(path: str | os.PathLike[str], tree: Mapping[str, Any], classes: Mapping[str, type]) -> None:
    """Write a tree of plain values, arrays, csr arrays and objects of the named ``classes`` as one file, atomically.

    Raises
    ------
    TypeError
        For an object of another class, which could not be read again.
    """
    arrays: list[np.ndarray[Any, Any]] = []
    written = datetime.now(UTC).isoformat(timespec="seconds")
    document = {"format": FORMAT, "halflabel": __version__, "versions": list_versions(*LIBRARIES), "written": written}
    document["tree"] = _encode(dict(tree), classes, arrays)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("model.json", json.dumps(document))
        for number, array in enumerate(arrays):
            with archive.open(f"{number}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def load_tree(path: str | os.PathLike[str], classes: Mapping[str, type]) -> dict[str, Any]:
    """Read a file of :func:`save_tree`. Objects of other classes than the named ``classes`` are never built.

    Raises
    ------
    ModelFileError
        If the file is not such a zip, is damaged, comes from a newer format, unpacks to more
        than :data:`MAX_BYTES`, or names another class.
    """
    with _open_archive(path) as archive:
        tree = _Decoder(archive, classes)(_read_document(archive)["tree"])
    if not isinstance(tree, dict):
        raise ModelFileError(f"{path} holds no halflabel model.")
    return tree


def read_heading(path: str | os.PathLike[str]) -> Heading:
    """Return the time and the versions with which a model was written. It raises the errors of :func:`load_tree`."""
    with _open_archive(path) as archive:
        document = _read_document(archive)
        written, versions = document["written"], document["versions"]
        if not isinstance(versions, dict) or not all(isinstance(each, str) for each in (written, *versions.values())):
            raise ValueError("its versions are not text")
        return Heading(document["format"], written, versions, os.path.getsize(path))


def is_model(path: Path) -> bool:
    """Return whether a file is a model, by its suffix or by its content."""
    if path.suffix == ".halflabel":
        return True
    try:
        check_ordinary(path)
        with zipfile.ZipFile(path) as archive:
            return "model.json" in archive.namelist()
    except Exception:  # for a file that is not a zip, or is damaged, zipfile raises errors of many kinds
        return False


@contextmanager
def _open_archive(path: str | os.PathLike[str]) -> Iterator[zipfile.ZipFile]:
    """Open a model. Any error while it is read becomes a ModelFileError that names the file."""
    if not Path(path).exists():
        raise ModelFileError(f"{path}: there is no such file.")
    try:
        check_ordinary(Path(path))
        with zipfile.ZipFile(path) as archive:
            yield archive
    except ReadError as error:
        raise ModelFileError(str(error)) from None
    except ModelFileError as error:
        raise ModelFileError(f"{path}: {error}") from None
    except MemoryError:
        raise
    except Exception as error:  # a damaged zip makes zipfile, zlib, json and NumPy raise errors of many kinds
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelFileError(f"{path} is not a halflabel model, or is damaged ({reason}).") from None


def _read_document(archive: zipfile.ZipFile) -> dict[str, Any]:
    """Return the JSON of a model, its sizes and its format checked."""
    _check_size(archive)
    document: dict[str, Any] = json.loads(archive.read("model.json"))
    _check_format(document)
    return document


def _check_size(archive: zipfile.ZipFile) -> None:
    limit = int(min(MAX_BYTES, MAX_SHARE * free_memory()))
    if sum(member.file_size for member in archive.infolist()) > limit:
        raise ModelFileError(
            f"the file unpacks to more than {limit / 2**30:.1f} GiB, the limit (half of the free memory); it is not "
            "read."
        )
    member = archive.getinfo("model.json")
    limit = min(MAX_JSON, max(SMALL_JSON, MAX_SHRINKAGE * member.compress_size))
    if member.file_size > limit:
        raise ModelFileError(f"its description alone unpacks to more than {limit / 2**20:.0f} MiB; it is not read.")


def _check_format(document: Any) -> None:
    number = document["format"]
    if type(number) is not int or number < FORMAT:
        raise ValueError(f"its format is {number!r:.40}, not {FORMAT}")
    if number > FORMAT:
        by = str(document.get("halflabel", "a newer version"))[:40]
        raise ModelFileError(f"it was written by halflabel {by}; this is {__version__}: upgrade to read it.")


def _encode(value: Any, classes: Mapping[str, type], arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Return a value as JSON. Its arrays are appended to ``arrays``, and have their number in their place."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        if value.dtype.hasobject:  # feature names; anything else with objects fails in JSON, as it should
            return {"names": value.tolist()}
        arrays.append(value)
        return {"npy": len(arrays) - 1}

    def encode_all(values: Iterable[Any]) -> list[Any]:
        return [_encode(each, classes, arrays) for each in values]

    if is_sparse(value):
        csr = sparse.csr_array(value)
        return {"csr": encode_all((csr.data, csr.indices, csr.indptr)), "shape": csr.shape}
    if isinstance(value, list | tuple):
        return {type(value).__name__: encode_all(value)}
    if isinstance(value, Mapping):
        return {"dict": [encode_all(pair) for pair in value.items()]}
    name = type(value).__name__
    if classes.get(name) is not type(value):
        raise TypeError(f"a {name} cannot be saved as plain data; only the methods of this library can.")
    names = [each.name for each in fields(value)] if is_dataclass(value) else []
    own = {each: getattr(value, each) for each in names} if names else value.to_state()  # type: ignore[attr-defined]
    return {"object": name, "state": _encode(own, classes, arrays)}


@dataclass
class _Decoder:
    """Undoes :func:`_encode`."""

    archive: zipfile.ZipFile
    classes: Mapping[str, type]
    seen: set[int] = field(default_factory=set)

    def __call__(self, value: Any) -> Any:
        if not isinstance(value, dict):
            return value
        if "npy" in value:
            return self._read_array(int(value["npy"]))
        if "names" in value:
            return np.array(value["names"], dtype=object)
        if "csr" in value:
            matrix = sparse.csr_array(tuple(map(self, value["csr"])), shape=tuple(value["shape"]))
            matrix.check_format(full_check=True)
            return matrix
        if "list" in value:
            return list(map(self, value["list"]))
        if "tuple" in value:
            return tuple(map(self, value["tuple"]))
        if "dict" in value:
            return {self(key): self(each) for key, each in value["dict"]}
        return self._build(value["object"], self(value["state"]))

    def _build(self, name: Any, state: Any) -> Any:
        """Make an object of its state, which is checked before."""
        if name not in self.classes:
            raise ModelFileError(
                f"the file holds an object of the unknown class {str(name)[:40]!r}; it may come from a newer version."
            )
        kind = self.classes[name]
        check_state(kind, state)
        return kind.from_state(state) if hasattr(kind, "from_state") else kind(**state)

    def _read_array(self, number: int) -> NDArray[Any]:
        """Read an array once. Arrays that are read repeatedly could exceed the limit on the unpacked size of a file."""
        if number in self.seen:
            raise ValueError(f"array {number} is used twice")
        self.seen.add(number)
        member = self.archive.getinfo(f"{number}.npy")
        with self.archive.open(member) as stream:
            if np.lib.format.read_magic(stream) != (1, 0):
                raise ValueError(f"array {number} has another header than this library writes")
            shape, _, dtype = np.lib.format.read_array_header_1_0(stream)
            if dtype.hasobject or any(length < 0 for length in shape) or _count_bytes(shape, dtype) > member.file_size:
                raise ValueError(f"array {number} announces more than its file holds")
            stream.seek(0)
            array: NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
            return array


def _count_bytes(shape: tuple[int, ...], dtype: np.dtype[Any]) -> int:
    return math.prod(shape) * dtype.itemsize
