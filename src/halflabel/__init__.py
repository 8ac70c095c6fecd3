"""Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it."""

from halflabel._version import __version__

from halflabel.labels import PartialLabels

from halflabel.ssdrmc import SSDRMC

__all__ = ["SSDRMC", "PartialLabels", "__version__"]
