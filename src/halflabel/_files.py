"""Files on disk: each appears whole or not at all, and a set of them appears together."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import IO, Any

#: Windows has no locks of this kind: stale files stay there.
fcntl: Any = import_module("fcntl") if find_spec("fcntl") else None

#: Temporary files have a short name of their own: a long output name leaves no room for a suffix.
PREFIX, SUFFIX = ".halflabel-", ".tmp"


@dataclass
class _Written:
    """A temporary file that has reached the disk; locked until it takes its name."""

    temporary: str
    target: Path
    lock: int

    def remove(self) -> None:
        Path(self.temporary).unlink(missing_ok=True)
        os.close(self.lock)


#: Files that wait for their names while :func:`together` is open.
_PENDING: ContextVar[list[_Written] | None] = ContextVar("pending", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Let the files that are written inside appear together: all bytes reach the disk first, then all take their names.

    A kill or a full disk before the end leaves every old file as it was. Sets may be nested; the outermost decides.
    """
    if _PENDING.get() is not None:
        yield
        return
    pending: list[_Written] = []
    token = _PENDING.set(pending)
    try:
        yield
        _rename(pending)
    finally:
        _PENDING.reset(token)
        for written in pending:
            written.remove()


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Write a file that appears whole or not at all.

    The bytes go to a temporary file in the same folder, reach the disk, and then take the name in one
    step, or at the end of the set (:func:`together`): a kill or a full disk leaves the old file or none. A link
    keeps pointing where it did; anything but an ordinary file (a folder, a device) is an error.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        raise PermissionError(f"{path} cannot be written: it is a folder or a device.")
    encoding = None if "b" in mode else "utf-8"
    try:
        with together():
            descriptor, temporary = _locked_temporary(target.parent)
            pending = _PENDING.get()
            assert pending is not None  # a set is open
            written = _Written(temporary, target, os.dup(descriptor))
            try:
                os.fchmod(descriptor, 0o666 & ~_umask())
                with open(descriptor, mode, encoding=encoding, newline="" if encoding else None) as file:
                    yield file
                    file.flush()
                    os.fsync(file.fileno())
            except BaseException:
                written.remove()
                raise
            pending.append(written)
    except OSError as error:
        error.filename = os.fspath(path)
        raise


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a folder that appears whole or not at all; its files go to a temporary folder next to it first.

    Raises
    ------
    FileExistsError
        If the path exists and is anything but an empty folder.
    """
    target = Path(path).resolve()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise FileExistsError(f"{path} exists already: remove it, or name another folder.")
    temporary = Path(tempfile.mkdtemp(prefix=PREFIX, suffix=".folder", dir=target.parent))
    token = _PENDING.set(None)  # files inside take their names before the folder takes its own
    try:
        temporary.chmod(0o777 & ~_umask())
        yield temporary
        os.replace(temporary, target)
    except BaseException:
        shutil.rmtree(temporary, ignore_errors=True)
        raise
    finally:
        _PENDING.reset(token)


def _rename(pending: list[_Written]) -> None:
    """Give all temporary files their names, and let the entries of their folders reach the disk."""
    for written in pending:
        os.replace(written.temporary, written.target)
    for folder in {written.target.parent for written in pending}:
        with suppress(OSError):  # some file systems cannot do this
            descriptor = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(descriptor)
            finally:
                os.close(descriptor)


def _locked_temporary(folder: Path) -> tuple[int, str]:
    """Return a new temporary file, locked as long as it is open, so that no other process takes it for a stale one."""
    _remove_stale(folder)
    while True:
        descriptor, name = tempfile.mkstemp(prefix=PREFIX, suffix=SUFFIX, dir=folder)
        if fcntl is None:
            return descriptor, name
        with suppress(OSError):
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if os.fstat(descriptor).st_nlink:  # another process may have removed it before it was locked
            return descriptor, name
        os.close(descriptor)


def _remove_stale(folder: Path) -> None:
    """Remove the temporary files that a killed run left: those that no process has locked."""
    if fcntl is None:
        return
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError), path.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            path.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
