"""The page of a completion shows items as this room describes them: the same completion, checked by hand."""

from tests.report.conftest import by_hand

__all__ = ["by_hand"]
