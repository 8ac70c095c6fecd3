"""The values of ``effort``: members of the ensemble, and limits of their time and memory."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Effort:
    """The members of an ensemble and the limits of their work."""

    members: tuple[str, ...]
    #: ``n_trees``, ``n_trees_of_many``: Trees of a forest on up to 2 000 labelled items, and on more.
    n_trees: int
    n_trees_of_many: int
    #: Trees of boosting.
    n_rounds: int
    #: Maximum rank of the kernel map.
    n_landmarks: int
    #: Maximum number of items that the graph connects; other items are scored like new ones.
    max_nodes: int
    #: Maximum number of items that one tree is grown on.
    max_tree_items: int
    #: Members that are added for text features.
    text_members: tuple[str, ...] = ()


#: The members for any features; without any of them, the Brier score is higher on some sets.
DEFAULT_MEMBERS = ("kernel", "harmonic", "trees", "boosting")

#: The members that are added for text.
TEXT_MEMBERS = ("logistic",)

#: Maximum number of labelled items with ``n_trees`` trees: the more items, the less one more tree changes.
MAX_ITEMS_OF_ALL_TREES = 2_000

#: The values of the parameter ``effort``.
EFFORTS = {
    "fast": Effort(
        ("kernel", "trees"),
        n_trees=60,
        n_trees_of_many=40,
        n_rounds=40,
        n_landmarks=600,
        max_nodes=10_000,
        max_tree_items=5_000,
        text_members=TEXT_MEMBERS,
    ),
    "default": Effort(
        DEFAULT_MEMBERS,
        n_trees=200,
        n_trees_of_many=80,
        n_rounds=60,
        n_landmarks=800,
        max_nodes=20_000,
        max_tree_items=10_000,
        text_members=TEXT_MEMBERS,
    ),
    "best": Effort(
        DEFAULT_MEMBERS,
        n_trees=600,
        n_trees_of_many=300,
        n_rounds=120,
        n_landmarks=2_500,
        max_nodes=40_000,
        max_tree_items=40_000,
        text_members=TEXT_MEMBERS,
    ),
}
