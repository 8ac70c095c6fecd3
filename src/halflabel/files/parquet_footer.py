"""The number of values of each column of a Parquet file, from its footer.

pyarrow reports it, too, but damaged statistics of a column end the process there, without an exception.

References
----------
Apache Thrift, "Thrift compact protocol encoding", and Apache Parquet, "parquet.thrift".
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

#: Numbers of fields: of the row groups in the footer, the columns in a group, their metadata, and the values in these.
_ROW_GROUPS, _COLUMNS, _METADATA, _VALUES = 4, 1, 3, 5


def count_values(path: Path) -> list[list[int]]:
    """Return, for each row group, the number of values that each column announces.

    Raises
    ------
    LookupError, TypeError
        If the footer is damaged.
    """
    content = path.read_bytes()
    size = int.from_bytes(content[-8:-4], "little")
    footer = _Compact(content[-8 - size : -8]).read_struct()
    return [[column[_METADATA][_VALUES] for column in group[_COLUMNS]] for group in footer[_ROW_GROUPS]]


class _Compact:
    """Reads values of Thrift's compact protocol. Text and numbers with a fraction are skipped."""

    def __init__(self, content: bytes) -> None:
        self.content, self.at = content, 0

    def read_struct(self) -> dict[int, Any]:
        fields: dict[int, Any] = {}
        number = 0
        while head := self._read_byte():
            number = number + (head >> 4) if head >> 4 else self._read_signed()
            fields[number] = None if head & 15 in (1, 2) else self._read(head & 15)  # truth values are in the head
        return fields

    def _read(self, kind: int) -> Any:
        if kind in (1, 2, 3):
            return self._read_byte()
        if kind in (4, 5, 6):
            return self._read_signed()
        if kind in (7, 8, 13):
            return self._skip({7: 8, 13: 16}.get(kind) or self._read_unsigned())
        if kind in (9, 10):
            head = self._read_byte()
            size = head >> 4 if head >> 4 < 15 else self._read_unsigned()
            return [self._read(head & 15) for _ in range(size)]
        if kind == 11:
            size = self._read_unsigned()
            kinds = self._read_byte() if size else 0
            return [(self._read(kinds >> 4), self._read(kinds & 15)) for _ in range(size)]
        if kind == 12:
            return self.read_struct()
        raise LookupError(f"its footer has a value of the unknown kind {kind}")

    def _read_byte(self) -> int:
        self.at += 1
        return self.content[self.at - 1]

    def _skip(self, size: int) -> None:
        self.at += size
        if self.at > len(self.content):
            raise LookupError("its footer is too short")

    def _read_unsigned(self) -> int:
        value = shift = 0
        while (byte := self._read_byte()) > 127:
            value |= (byte & 127) << shift
            shift += 7
        return value | byte << shift

    def _read_signed(self) -> int:
        value = self._read_unsigned()
        return value >> 1 ^ -(value & 1)
