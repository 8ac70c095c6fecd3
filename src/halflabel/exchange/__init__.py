"""Records of other tools: Label Studio, Prodigy, Argilla and others, read and written, with the losses named.

:func:`read` returns items and labels of any format, :func:`write` returns one sentence for each thing that the written
file cannot carry, and :func:`detect` finds out which format a file has.
"""

from halflabel.exchange.detection import FORMATS, Detected, detect
from halflabel.exchange.files import SUFFIXES, read, write, write_frame, write_records
from halflabel.exchange.formats import Format
from halflabel.exchange.loss import Loss
from halflabel.exchange.records import Records
from halflabel.exchange.tables import from_tables

__all__ = [
    "FORMATS",
    "SUFFIXES",
    "Detected",
    "Format",
    "Loss",
    "Records",
    "detect",
    "from_tables",
    "read",
    "write",
    "write_frame",
    "write_records",
]
