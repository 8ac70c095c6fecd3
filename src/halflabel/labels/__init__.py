"""Partial labels: which entries are relevant, irrelevant or unknown, and all that is computed from them alone."""

from halflabel.labels.partial import MAX_CELLS, Absent, PartialLabels

__all__ = ["MAX_CELLS", "Absent", "PartialLabels"]
