"""A table in many files, beyond memory and beyond one machine: completed part by part.

:func:`complete_folder` fits a model on a sample of the rows and completes each file of a folder.
:func:`complete_batches` is the same for the batches of another engine, such as ``mapInPandas`` of Spark.
"""

from halflabel.folders.batches import complete_batches
from halflabel.folders.folder import complete_folder
from halflabel.folders.result import FolderCompletion

__all__ = ["FolderCompletion", "complete_batches", "complete_folder"]
