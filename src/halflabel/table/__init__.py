"""A user's table -> ids, X and PartialLabels: infers the role of each column, reports it and lets the user set it."""

from typing import TYPE_CHECKING

from halflabel._lazy import import_on_use
from halflabel.table.columns import Description

if TYPE_CHECKING:
    from halflabel.table.features import FeatureEncoder
    from halflabel.table.label_reading import LabelReading
    from halflabel.table.labelling import read_labels
    from halflabel.table.opened import OpenTable
    from halflabel.table.opening import open_table
    from halflabel.table.roles import NoLabelsNamed, Roles, choose_roles
    from halflabel.table.tag_columns import fill_tags
else:
    __getattr__, __dir__ = import_on_use(
        __name__,
        {
            "halflabel.table.features": ["FeatureEncoder"],
            "halflabel.table.label_reading": ["LabelReading"],
            "halflabel.table.labelling": ["read_labels"],
            "halflabel.table.opened": ["OpenTable"],
            "halflabel.table.opening": ["open_table"],
            "halflabel.table.roles": ["NoLabelsNamed", "Roles", "choose_roles"],
            "halflabel.table.tag_columns": ["fill_tags"],
        },
    )

__all__ = [
    "Description",
    "FeatureEncoder",
    "LabelReading",
    "NoLabelsNamed",
    "OpenTable",
    "Roles",
    "choose_roles",
    "fill_tags",
    "open_table",
    "read_labels",
]
