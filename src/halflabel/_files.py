"""Files on disk: each appears whole or not at all, and a set of them appears together."""

from __future__ import annotations

import os
import secrets
import shutil
import stat
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
class _Waiting:
    """A temporary file or folder: locked until, if it is written, it takes the name of its target."""

    temporary: Path
    target: Path
    lock: int | None = None
    is_written: bool = False

    def remove(self) -> None:
        """Remove the temporary file or folder and unlock it. A second call does nothing."""
        if self.temporary.is_dir():
            shutil.rmtree(self.temporary, ignore_errors=True)
        else:
            self.temporary.unlink(missing_ok=True)
        if self.lock is not None:
            lock, self.lock = self.lock, None
            os.close(lock)


#: The temporary files of the open set; each is listed before it is made, so that an interrupt at any moment removes it.
_PENDING: ContextVar[list[_Waiting] | None] = ContextVar("pending", default=None)


@contextmanager
def together() -> Iterator[None]:
    """Let the files that are written inside appear together: all bytes reach the disk first, then all take their names.

    A kill or a full disk before the end leaves every old file as it was, and so does a name that cannot be taken.
    Sets may be nested; the outermost decides.
    """
    if _PENDING.get() is not None:
        yield
        return
    pending: list[_Waiting] = []
    token = _PENDING.set(pending)
    try:
        yield
        _rename(pending)
    finally:
        _PENDING.reset(token)
        _remove_all(pending)


@contextmanager
def atomic_write(path: str | os.PathLike[str], mode: str = "wb") -> Iterator[IO[Any]]:
    """Write a file that appears whole or not at all.

    The bytes go to a temporary file in the same folder, reach the disk, and then take the name in one
    step, or at the end of the set (:func:`together`): a kill or a full disk leaves the old file or none. The new
    file has the permissions and the group of the old one. A link keeps pointing where it did; anything but an
    ordinary file (a folder, a device) is an error.
    """
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        raise PermissionError(f"{path} cannot be written: it is a folder or a device.")
    check_folder(path)
    with _name_output(path), together():
        waiting = _make_temporary(target, folder=False)
        options: dict[str, Any] = {} if "b" in mode else {"encoding": "utf-8", "newline": ""}
        with _mark_when_written(waiting), open(waiting.temporary, mode, **options) as file:
            _hand_on_permissions(target, waiting.temporary)
            yield file
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def atomic_folder(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Write a folder that appears whole or not at all. Its files go to a temporary folder next to it first.

    Raises
    ------
    FileExistsError
        If the path exists and is anything but an empty folder.
    """
    target = Path(path).resolve()
    if target.exists() and not (target.is_dir() and not any(target.iterdir())):
        raise FileExistsError(f"{path} exists already: remove it, or name another folder.")
    check_folder(path)
    with together():
        waiting = _make_temporary(target, folder=True)
        with _mark_when_written(waiting):
            token = _PENDING.set(None)  # files inside take their names before the folder takes its own
            try:
                yield waiting.temporary
            finally:
                _PENDING.reset(token)
            _hand_on_permissions(target, waiting.temporary)


def check_folder(path: str | os.PathLike[str]) -> None:
    """Raise, before anything is written, if the folder of an output does not exist."""
    folder = Path(path).resolve().parent
    if not folder.exists():
        raise FileNotFoundError(
            f"{path} cannot be written: there is no folder {folder}. Make it first, or name another one."
        )
    if not folder.is_dir():
        raise NotADirectoryError(f"{path} cannot be written: {folder} is a file, not a folder.")


def folds_case(folder: Path) -> bool:
    """Return whether names that differ in case only are one name in a folder, as on macOS and Windows by default.

    It is tried out with an empty temporary file; if that is impossible, the answer is yes.
    """
    try:
        with tempfile.NamedTemporaryFile(prefix=f"{PREFIX}case-", suffix=SUFFIX, dir=folder) as file:
            return os.path.exists(folder / os.path.basename(file.name).swapcase())
    except OSError:
        return True


def _hand_on_permissions(old: Path, new: Path) -> None:
    """Give a new file the permissions and the group of the one that it will replace, if there is one."""
    if not old.exists():
        return
    before, after = old.stat(), new.stat()
    mode = stat.S_IMODE(before.st_mode) & 0o777
    if before.st_gid != after.st_gid:
        try:
            os.chown(new, -1, before.st_gid)
        except OSError:  # another group must not get the permissions of the first group
            mode &= ~stat.S_IRWXG
    with suppress(OSError):  # some file systems have no permissions
        new.chmod(mode)


@contextmanager
def _name_output(path: str | os.PathLike[str]) -> Iterator[None]:
    """Let an error of the system name the output, not its temporary file."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise


@contextmanager
def _mark_when_written(waiting: _Waiting) -> Iterator[None]:
    """Let a file take its name at the end of the set, or remove it if writing fails."""
    try:
        yield
    except BaseException:
        waiting.remove()
        raise
    waiting.is_written = True


def _remove_all(pending: list[_Waiting]) -> None:
    """Remove the remaining files of a set, also if an interrupt comes while this runs."""
    try:
        for waiting in pending:
            waiting.remove()
    except KeyboardInterrupt:
        for waiting in pending:
            waiting.remove()
        raise


def _rename(pending: list[_Waiting]) -> None:
    """Give all written files their names, or none, and let the entries of their folders reach the disk."""
    new = [waiting for waiting in pending if waiting.is_written]
    old = [_keep(waiting.target, pending) for waiting in new]
    undo: list[tuple[Path, Path]] = []
    try:
        for waiting, kept in zip(new, old, strict=True):
            if kept is not None:
                undo.append((kept, waiting.target))
            elif not waiting.target.exists():
                undo.append((waiting.target, waiting.temporary))
            with _name_output(waiting.target):
                os.replace(waiting.temporary, waiting.target)
        for folder in {waiting.target.parent for waiting in new}:
            sync_folder(folder)
    except BaseException:
        for now, before in undo:
            with suppress(FileNotFoundError):  # the failure came before the file had its name
                os.replace(now, before)
        raise


def _keep(target: Path, pending: list[_Waiting]) -> Path | None:
    """Give an old file a second name until the whole set is written. Some file systems cannot do this."""
    kept = _list_temporary(target, pending)
    try:
        os.link(target, kept.temporary)
        kept.lock = _open_locked(kept.temporary)
    except OSError:
        return None
    return kept.temporary


def sync_folder(folder: Path) -> None:
    """Let the names in a folder reach the disk."""
    with suppress(OSError):  # some file systems cannot do this
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _make_temporary(target: Path, folder: bool) -> _Waiting:
    """Make a file or folder next to its target, locked as long as it waits: other processes remove stale ones."""
    pending = _PENDING.get()
    assert pending is not None  # a set is open
    _remove_stale(target.parent)
    while True:
        waiting = _list_temporary(target, pending)
        if folder:
            waiting.temporary.mkdir()
        else:
            waiting.temporary.touch(exist_ok=False)
        with suppress(FileNotFoundError):  # another process may remove it before it is locked
            waiting.lock = _open_locked(waiting.temporary)
            if waiting.temporary.exists():
                return waiting


def _list_temporary(target: Path, pending: list[_Waiting]) -> _Waiting:
    waiting = _Waiting(target.with_name(f"{PREFIX}{secrets.token_hex(6)}{SUFFIX}"), target)
    pending.append(waiting)
    return waiting


def _open_locked(path: Path) -> int | None:
    """Open and lock a file or folder. Return None without locks, or if another process holds it.

    Raises
    ------
    FileNotFoundError
        If it is no longer there.
    """
    if fcntl is None:
        return None
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove_stale(folder: Path) -> None:
    """Remove the temporary files and folders of killed runs, which no process has locked."""
    for path in folder.glob(f"{PREFIX}*{SUFFIX}"):
        with suppress(OSError):
            if (lock := _open_locked(path)) is not None:
                _Waiting(path, path, lock).remove()
