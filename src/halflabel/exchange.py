"""The old place of the records of annotation tools, which are in :mod:`halflabel.files`."""

from halflabel._forwarding import forward

_NAMES = ["FORMATS", "SUFFIXES", "Detected", "Format", "Loss", "Records", "detect", "from_tables", "read", "write"]
__getattr__ = forward(__name__, {name: f"halflabel.files.{name}" for name in [*_NAMES, "write_frame", "write_records"]})
