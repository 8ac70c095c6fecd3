"""Every file format: tables, benchmark sets and the records of annotation tools, read and written within limits.

:func:`read` returns the items and labels of an annotation tool's file, :func:`write` returns one sentence for each
thing that the written file cannot carry, and :func:`detect` finds out which format a file has. :func:`read_table`
returns a table of any other format as it is. Every reader has limits and unpickles nothing; an error is one sentence
about the file.
"""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use

if TYPE_CHECKING:
    from halflabel.files.bounded import check_ordinary, lines, open_text, sha256_of
    from halflabel.files.collector import Collector
    from halflabel.files.conversion import read, write, write_records
    from halflabel.files.detection import Detected, detect
    from halflabel.files.formats import Format, Options
    from halflabel.files.label_tables import from_tables
    from halflabel.files.loss import Loss
    from halflabel.files.raw_table import RawTable, ReadError, TableFormat
    from halflabel.files.reading import read_table, write_frame
    from halflabel.files.records import Cell, Records
    from halflabel.files.registry import FORMATS, SUFFIXES
    from halflabel.files.vectors import read_vectors
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.files.bounded": ["check_ordinary", "lines", "open_text", "sha256_of"],
            "halflabel.files.collector": ["Collector"],
            "halflabel.files.conversion": ["read", "write", "write_records"],
            "halflabel.files.detection": ["Detected", "detect"],
            "halflabel.files.formats": ["Format", "Options"],
            "halflabel.files.label_tables": ["from_tables"],
            "halflabel.files.loss": ["Loss"],
            "halflabel.files.raw_table": ["RawTable", "ReadError", "TableFormat"],
            "halflabel.files.reading": ["read_table", "write_frame"],
            "halflabel.files.records": ["Cell", "Records"],
            "halflabel.files.registry": ["FORMATS", "SUFFIXES"],
            "halflabel.files.vectors": ["read_vectors"],
        },
    )

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Cell",
    "Collector",
    "Detected",
    "Format",
    "Loss",
    "Options",
    "RawTable",
    "ReadError",
    "Records",
    "TableFormat",
    "check_ordinary",
    "detect",
    "from_tables",
    "lines",
    "open_text",
    "read",
    "read_table",
    "read_vectors",
    "sha256_of",
    "write",
    "write_frame",
    "write_records",
]
