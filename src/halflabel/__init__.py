"""Finish half-labelled data."""

from halflabel._version import __version__
from halflabel.labels import PartialLabels

__all__ = ["PartialLabels", "__version__"]
