"""Names that have moved or changed: they work for one more version, with a warning that states the new one."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from functools import wraps
from importlib import import_module
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


def forward(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the function ``__getattr__`` of a module whose names have moved.

    ``places`` has each old name, and the full name of its new place.
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, renamed = places[name].rpartition(".")
        sentence = f"{package}.{name} is now {places[name]}; the old name goes with version 0.3."
        warnings.warn(sentence, FutureWarning, stacklevel=2)
        return getattr(import_module(module), renamed)

    return find


def accept_seed(function: Callable[P, R]) -> Callable[P, R]:
    """Accept ``seed``, the name that ``random_state`` of a function had before, with a warning."""

    @wraps(function)
    def call(*args: P.args, **options: P.kwargs) -> R:
        if "seed" in options:
            name = function.__qualname__
            if "random_state" in options:
                raise TypeError(f"{name}() takes random_state or seed, its old name, and not both.")
            sentence = f"{name}(seed=) is now {name}(random_state=); the old name goes with version 0.3."
            warnings.warn(sentence, FutureWarning, stacklevel=2)
            options["random_state"] = options.pop("seed")
        return function(*args, **options)

    return call
