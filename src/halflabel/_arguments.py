"""Functions that take the fields of a record as arguments: shown in signature and docstring, with the nearest name."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def accept_keys(record: type, shown: Sequence[str] | None = None) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the fields of a record as its ``**keys``.

    Its signature and the line ``{keys}`` of its docstring show the named arguments, or all by default. The TypeError
    about an argument that does not exist names the nearest one.

    Examples
    --------
    >>> from halflabel.table import Description
    >>> @accept_keys(Description, ["labels"])
    ... def fill(items, **keys):
    ...     return keys
    >>> str(inspect.signature(fill))
    "(items, *, labels: 'Names | None' = None, **keys)"
    >>> fill([], tag="rock"), fill([], label="rock")
    Traceback (most recent call last):
    TypeError: fill() got an unexpected keyword argument 'label'. Did you mean 'labels'?
    """
    keys = {each.name: each for each in fields(record)}
    listed = [keys[name] for name in (keys if shown is None else shown)]

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        names = [*list(own.parameters)[:-1], *keys]

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if unknown := [name for name in kwargs if name not in names]:
                near = difflib.get_close_matches(unknown[0], names, n=1)
                hint = f" Did you mean {near[0]!r}?" if near else ""
                raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}.{hint}")
            return function(*args, **kwargs)

        made = [inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
                for each in listed]  # fmt: skip
        *before, rest = own.parameters.values()
        at = sum(each.kind is not each.KEYWORD_ONLY for each in before)
        after = [rest] if len(listed) < len(keys) else []
        shows: Any = checked
        shows.__signature__ = own.replace(parameters=[*before[:at], *made, *before[at:], *after])
        lines = "\n".join(f"    {each.name} : {each.type}\n        {each.metadata['help']}" for each in listed)
        shows.__doc__ = (function.__doc__ or "").replace("    {keys}", lines)
        return checked

    return decorate
