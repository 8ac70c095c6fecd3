"""Arguments that do not exist end in an error that names the nearest one."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

#: Arguments of open_table only: they state how a file is read, how tags are written, and how items are shown.
OF_TABLE = (
    "case",
    "tag_marks",
    "scores",
    "missing",
    "skip_rows",
    "delimiter",
    "encoding",
    "xml",
    "top_labels",
    "show",
    "thumbnails",
    "images",
    "embed",
)

P = ParamSpec("P")
R = TypeVar("R")


def suggest_arguments(function: Callable[P, R]) -> Callable[P, R]:
    """Let the TypeError about an unknown argument name the nearest one, as Python 3.13 does.

    Examples
    --------
    >>> @suggest_arguments
    ... def fill(*, labels=(), tags=None):
    ...     return labels
    >>> fill(label="rock")
    Traceback (most recent call last):
    TypeError: fill() got an unexpected keyword argument 'label'. Did you mean 'labels'?
    """
    names = list(inspect.signature(function).parameters)

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        if unknown := [name for name in kwargs if name not in names]:
            near = difflib.get_close_matches(unknown[0], names, n=1)
            hint = f" Did you mean {near[0]!r}?" if near else ""
            if unknown[0] in OF_TABLE:
                hint = f" State it to open_table: {function.__name__}(open_table(items, {unknown[0]}=...))."
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}.{hint}")
        return function(*args, **kwargs)

    return checked
