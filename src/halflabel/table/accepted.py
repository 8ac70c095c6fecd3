"""Names, in signatures, for the objects that a person may give as a table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

if TYPE_CHECKING:
    from narwhals.typing import IntoDataFrame

    from halflabel._arrays import MatrixLike


class ArrowTable(Protocol):
    """A table of a library that offers its columns through the Arrow interface."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...


#: A path of one file, of a folder, or a pattern.
PathLike: TypeAlias = str | os.PathLike[str]

#: A table in memory, of any library.
TableLike: TypeAlias = "IntoDataFrame | ArrowTable | Sequence[Mapping[str, Any]]"

#: New items for a model.
NewItems: TypeAlias = "TableLike | MatrixLike"
