"""Partial labels: which entries are relevant, irrelevant or unknown, and all that is computed from them alone."""

from halflabel.labels.partial import Absent, PartialLabels
from halflabel.labels.tables import MAX_CELLS

__all__ = ["MAX_CELLS", "Absent", "PartialLabels"]
