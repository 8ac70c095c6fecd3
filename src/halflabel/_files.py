"""Files on disk, whole or not at all; models as a zip of one JSON tree and plain .npy arrays, never pickle."""

from __future__ import annotations

import dataclasses
import io
import json
import os
import tempfile
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

import numpy as np
from scipy import sparse

from halflabel._arrays import is_sparse
from halflabel._version import __version__

FORMAT = 1

#: A model file is refused if it unpacks to more than this many bytes.
MAX_BYTES = 16 * 2**30
MAX_JSON = 64 * 2**20


class ModelFileError(ValueError):
    """A file is not a halflabel model, or not one that this version can read."""


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Write a file that appears whole or not at all.

    The bytes go to a temporary file in the same folder, reach the disk, and then take the name in one
    step: a kill or a full disk leaves the old file or none. A link keeps pointing where it did; anything but
    an ordinary file (a folder, a device) is refused.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        raise PermissionError(f"{path} cannot be written: it is a folder or a device.")
    encoding = None if "b" in mode else "utf-8"
    descriptor, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".tmp", dir=target.parent)
    try:
        os.fchmod(descriptor, 0o666 & ~_umask())
        with open(descriptor, mode, encoding=encoding, newline="" if encoding else None) as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, target)
    except BaseException as error:
        Path(temporary).unlink(missing_ok=True)
        if isinstance(error, OSError):
            error.filename = os.fspath(path)
        raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def save_tree(path: str | os.PathLike[str], tree: Mapping[str, Any]) -> None:
    """Write a tree of plain values, arrays, csr arrays, dataclasses and estimators as one file, atomically."""
    arrays: list[np.ndarray[Any, Any]] = []
    document = {"format": FORMAT, "halflabel": __version__, "tree": _encode(dict(tree), arrays)}
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("model.json", json.dumps(document))
        for number, array in enumerate(arrays):
            with archive.open(f"{number}.npy", "w", force_zip64=True) as member:
                np.lib.format.write_array(member, np.ascontiguousarray(array), allow_pickle=False)


def load_tree(path: str | os.PathLike[str], classes: Mapping[str, type]) -> dict[str, Any]:
    """Read what :func:`save_tree` wrote; only the named ``classes`` are ever built.

    Raises
    ------
    ModelFileError
        If the file is not such a zip, is damaged, comes from a newer format, unpacks to more
        than :data:`MAX_BYTES`, or names another class.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(member.file_size for member in archive.infolist()) > MAX_BYTES:
                raise ModelFileError(f"{path}: the file unpacks to more than {MAX_BYTES >> 30} GiB; it is not read.")
            if archive.getinfo("model.json").file_size > MAX_JSON:
                raise ModelFileError(
                    f"{path}: its description alone is larger than {MAX_JSON >> 20} MiB; it is not read."
                )
            document = json.loads(archive.read("model.json"))
            if document["format"] > FORMAT:
                written_by = document.get("halflabel", "a newer version")
                raise ModelFileError(
                    f"{path} was written by halflabel {written_by}; this is {__version__}: upgrade to read it."
                )
            tree: dict[str, Any] = _Decoder(archive, classes)(document["tree"])
            return tree
    except ModelFileError:
        raise
    except (zipfile.BadZipFile, KeyError, TypeError, AttributeError, ValueError, EOFError, RecursionError) as error:
        raise ModelFileError(f"{path} is not a halflabel model, or is damaged ({error}).") from None


def _encode(value: Any, arrays: list[np.ndarray[Any, Any]]) -> Any:
    """Turn a value into JSON, with arrays replaced by their number."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return _encode_array(value, arrays)
    if is_sparse(value):
        csr = sparse.csr_array(value)
        return {"csr": [_encode(part, arrays) for part in (csr.data, csr.indices, csr.indptr)], "shape": csr.shape}
    if isinstance(value, list | tuple):
        return {type(value).__name__: [_encode(item, arrays) for item in value]}
    if isinstance(value, Mapping):
        return {"dict": [[_encode(k, arrays), _encode(v, arrays)] for k, v in value.items()]}
    return {"object": type(value).__name__, "state": _encode(_state_of(value), arrays)}


def _state_of(value: Any) -> dict[str, Any]:
    """Return what an object is made of: by its ``to_state`` where it has one, else its dataclass fields."""
    if hasattr(value, "to_state"):
        return dict(value.to_state())
    if dataclasses.is_dataclass(value):
        return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}
    raise TypeError(f"a {type(value).__name__} cannot be saved as plain data; only the methods of this library can.")


def _encode_array(value: np.ndarray[Any, Any], arrays: list[np.ndarray[Any, Any]]) -> Any:
    if value.dtype.hasobject:  # feature names; anything else with objects fails in JSON, as it should
        return {"names": value.tolist()}
    arrays.append(value)
    return {"npy": len(arrays) - 1}


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
            return self._array(int(value["npy"]))
        if "names" in value:
            return np.array(value["names"], dtype=object)
        if "csr" in value:
            matrix = sparse.csr_array(tuple(map(self, value["csr"])), shape=tuple(value["shape"]))
            matrix.check_format(full_check=True)
            return matrix
        if "list" in value:
            return [self(item) for item in value["list"]]
        if "tuple" in value:
            return tuple(self(item) for item in value["tuple"])
        if "dict" in value:
            return {self(k): self(v) for k, v in value["dict"]}
        name = value["object"]
        if name not in self.classes:
            raise ModelFileError(
                f"the file holds an object of the unknown class {name!r}; it may come from a newer version."
            )
        return _build(self.classes[name], self(value["state"]))

    def _array(self, number: int) -> np.ndarray[Any, Any]:
        """Read an array once: the limit on what a file unpacks to would not hold if one were read again and again."""
        if number in self.seen:
            raise ValueError(f"array {number} is used twice")
        self.seen.add(number)
        content = self.archive.read(f"{number}.npy")
        stream = io.BytesIO(content)
        if np.lib.format.read_magic(stream) != (1, 0):
            raise ValueError(f"array {number} has another header than this library writes")
        shape, fortran, dtype = np.lib.format.read_array_header_1_0(stream)
        # Not read_array, which allocates whatever the header announces before it looks for it.
        values = np.frombuffer(bytearray(content), dtype=dtype, offset=stream.tell())
        return values.reshape(shape, order="F" if fortran else "C")


def _build(kind: type, state: dict[str, Any]) -> Any:
    """Make an object of its state: through ``from_state`` where the class has one, else as a dataclass."""
    return kind.from_state(state) if hasattr(kind, "from_state") else kind(**state)
