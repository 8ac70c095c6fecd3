"""Calls that fail: the n-th fsync, rename, write, read or allocation raises, in a loop until none is reached.

As SQLite is tested: the loop ends when a whole attempt passes without the failure.
"""

from __future__ import annotations

import builtins
import io
import os
from itertools import count

import numpy as np
import pytest

from halflabel import _files

FULL_DISK = OSError(28, "No space left on device")
DAMAGED_DISK = OSError(5, "Input/output error")
FULL_MEMORY = MemoryError("Unable to allocate 1. GiB for an array")

#: Functions of NumPy that allocate an array.
ALLOCATING = ("empty", "zeros", "ones", "full", "array", "asarray", "ascontiguousarray", "arange", "concatenate")


class Failure:
    """Raises at the n-th call; a with statement ends with the real functions in their places."""

    def __init__(self, n, error):
        self.left, self.error, self.patch = n, error, pytest.MonkeyPatch()

    def __call__(self):
        self.left -= 1
        if self.left == 0:
            raise type(self.error)(*self.error.args)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.patch.undo()

    @property
    def has_happened(self):
        return self.left <= 0

    def before(self, function):
        """Return the function, preceded by a call that may fail."""

        def both(*arguments, **options):
            self()
            return function(*arguments, **options)

        return both


def fail_call(name):
    """Return a seam: a function of os fails."""

    def seam(failure):
        failure.patch.setattr(os, name, failure.before(getattr(os, name)))

    return seam


def fail_write(failure):
    """Fail below all buffers, where a full disk does."""

    class Raw(io.FileIO):
        write = failure.before(io.FileIO.write)

    def open_file(path, mode, **options):
        buffered = io.BufferedWriter(Raw(path, "w"), buffer_size=512)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, **options)

    failure.patch.setattr(_files, "open", open_file, raising=False)


def fail_read(failure):
    """Fail when bytes of a binary file come from the disk."""

    class Raw(io.FileIO):
        readinto = failure.before(io.FileIO.readinto)
        readall = failure.before(io.FileIO.readall)

    real = builtins.open

    def open_file(path, mode="r", *arguments, **options):
        if mode == "rb" and isinstance(path, str | os.PathLike):
            return io.BufferedReader(Raw(path), buffer_size=256)
        return real(path, mode, *arguments, **options)

    failure.patch.setattr(builtins, "open", open_file)
    failure.patch.setattr(io, "open", open_file)


def fail_allocation(failure):
    for name in ALLOCATING:
        failure.patch.setattr(np, name, failure.before(getattr(np, name)))


def attempts(seam, error, step=1):
    """Yield a failure at the n-th call, n = 1, 1 + step, ..., until an attempt passes without it."""
    for n in count(1, step):
        failure = Failure(n, error)
        seam(failure)
        yield failure
        failure.patch.undo()
        if not failure.has_happened:
            assert n > 1, "nothing ever failed"
            return
