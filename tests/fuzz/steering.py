"""The lines of halflabel that inputs reach: an input that reaches a new line is changed further."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import halflabel

SOURCE = str(Path(halflabel.__file__).parent)


class Lines:
    """The lines that were reached while they were traced.

    Attributes
    ----------
    number : int
    """

    def __init__(self) -> None:
        self.number = 0
        self._open: dict[int, tuple[CodeType, set[int]]] = {}  # by the id of the code, which is kept alive

    @contextmanager
    def traced(self) -> Iterator[None]:
        """Add the lines that are reached inside."""
        before = sys.gettrace()
        sys.settrace(self._enter)
        try:
            yield
        finally:
            sys.settrace(before)

    def _enter(self, frame: FrameType, _event: str, _argument: Any) -> Any:
        code = frame.f_code
        if id(code) not in self._open:
            is_own = code.co_filename.startswith(SOURCE)
            self._open[id(code)] = code, {line for *_, line in code.co_lines() if line} if is_own else set()
        return self._reach if self._open[id(code)][1] else None  # without open lines, a call costs nothing further

    def _reach(self, frame: FrameType, event: str, _argument: Any) -> Any:
        lines = self._open[id(frame.f_code)][1]
        if event == "line" and frame.f_lineno in lines:
            lines.remove(frame.f_lineno)
            self.number += 1
        return self._reach
