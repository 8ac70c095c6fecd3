"""Arguments that do not exist end in an error that names the nearest one."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

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
            raise TypeError(f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}.{hint}")
        return function(*args, **kwargs)

    return checked
