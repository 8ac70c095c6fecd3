"""Names that have moved: they work for one more version, with a warning that states the new place."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def forward(package: str, places: Mapping[str, str]) -> Callable[[str], Any]:
    """Return the function ``__getattr__`` of a module whose names have moved.

    Parameters
    ----------
    package : str
        Name of the module that the names were in.
    places : mapping of str to str
        Each old name, and the full name of its new place.
    """

    def find(name: str) -> Any:
        if name not in places:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module, _, renamed = places[name].rpartition(".")
        sentence = f"{package}.{name} is now {places[name]}; the old name goes with version 0.3."
        warnings.warn(sentence, FutureWarning, stacklevel=2)
        return getattr(import_module(module), renamed)

    return find
