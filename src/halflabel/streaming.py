"""The old place of the functions for a table in many files, which are in :mod:`halflabel.folders`."""

from halflabel._forwarding import forward

_NAMES = ["FolderCompletion", "complete_batches", "complete_folder"]
__getattr__ = forward(__name__, {name: f"halflabel.folders.{name}" for name in _NAMES})
