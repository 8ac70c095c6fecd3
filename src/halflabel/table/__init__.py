"""A user's table -> ids, X and PartialLabels: which column plays which role is chosen, said and settable."""

from halflabel.table.features import FeatureEncoder
from halflabel.table.labelling import LabelReading, fill_tags, read_labels, read_tag_pairs
from halflabel.table.opening import OpenTable, open_table
from halflabel.table.prior import align_prior
from halflabel.table.roles import NoLabelsNamed, Roles, choose_roles, select

__all__ = [
    "FeatureEncoder",
    "LabelReading",
    "NoLabelsNamed",
    "OpenTable",
    "Roles",
    "align_prior",
    "choose_roles",
    "fill_tags",
    "open_table",
    "read_labels",
    "read_tag_pairs",
    "select",
]
