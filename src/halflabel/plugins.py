"""Helpers for other distributions: kinds of arrays, progress, files that appear whole, ledgers, and numbers in words.

An installed distribution adds to halflabel by entry points of three groups:

* ``halflabel.commands``: a command of click under its name, such as ``halflabel reproduce``.
* ``halflabel.formats``: a :class:`~halflabel.files.Format` or a :class:`~halflabel.files.TableFormat` under its name.
* ``halflabel.classes``: a tuple of classes that a model file may hold. Only listed classes are built from a file.
"""

from halflabel._arrays import Floats, Ints, Mask, Matrix, is_sparse, stored
from halflabel._files import atomic_folder, atomic_write, together
from halflabel._ledger import Ledger, format_ledger, is_ledger, read_lines
from halflabel._progress import step
from halflabel._wording import NONE, clipped, count, decimal, listed, option, plural

__all__ = [
    "NONE",
    "Floats",
    "Ints",
    "Ledger",
    "Mask",
    "Matrix",
    "atomic_folder",
    "atomic_write",
    "clipped",
    "count",
    "decimal",
    "format_ledger",
    "is_ledger",
    "is_sparse",
    "listed",
    "option",
    "plural",
    "read_lines",
    "step",
    "stored",
    "together",
]
