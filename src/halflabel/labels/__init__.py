"""Partial labels: which entries are relevant, irrelevant or unknown, and all that is computed from them alone."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use
from halflabel.labels.names import Absent

if TYPE_CHECKING:
    from halflabel.labels.partial import PartialLabels
    from halflabel.labels.tables import MAX_CELLS
else:
    __getattr__, __dir__ = import_on_use(
        __name__, {"halflabel.labels.partial": ["PartialLabels"], "halflabel.labels.tables": ["MAX_CELLS"]}
    )

__all__ = ["MAX_CELLS", "Absent", "PartialLabels"]
