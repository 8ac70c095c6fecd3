"""Names of a package that are imported when they are first used: scikit-learn takes longer than most commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from typing import Any

#: The functions that import a folder for a folder below it, by name. ``halflabel`` itself, which is imported
#: before and is above every folder, fills it in.
HOOKS: dict[str, Callable[[], Any]] = {}


def import_on_use(package: str, places: Mapping[str, Sequence[str]]) -> tuple[Callable[[str], Any], Callable[[], Any]]:
    """Return the functions ``__getattr__`` and ``__dir__`` of a package, which lists its public names only.

    Type checkers read the same imports under ``if TYPE_CHECKING``. ``places`` has the modules, and the names that the
    package has from each of the modules.

    Examples
    --------
    >>> find, names = import_on_use("halflabel", {"halflabel.labels": ["PartialLabels"]})
    >>> find("PartialLabels").__module__
    'halflabel.labels.partial'
    """
    modules = {name: module for module, names in places.items() for name in names}

    def find(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}", name=name, obj=sys.modules[package])
        module = import_module(modules[name])
        value = module if modules[name] == f"{package}.{name}" else getattr(module, name)
        setattr(sys.modules[package], name, value)  # found without this function the next time
        return value

    def list_names() -> list[str]:
        return sorted(sys.modules[package].__all__)

    return find, list_names
