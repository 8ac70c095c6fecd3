"""``scipy.stats`` is imported when a command uses it: scikit-learn imports it always, and it takes half a second."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from threading import RLock
from types import ModuleType
from typing import Any

_NAME = "scipy.stats"

#: Names that modules of scikit-learn take from it when they are imported.
_TAKEN = ("chi2", "gmean", "rankdata", "spearmanr")

_lock = RLock()


def defer_statistics() -> None:
    """Let the process of a command import ``scipy.stats`` at its first use. A library changes no imports of others."""
    if _NAME not in sys.modules:
        sys.meta_path.insert(0, _Finder())


def _import_statistics() -> ModuleType:
    with _lock:
        if isinstance(sys.modules.get(_NAME), _Deferred):
            sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, _Finder)]
            del sys.modules[_NAME]
        return import_module(_NAME)


class _Deferred(ModuleType):
    """The module before its import. Any public name imports it."""

    def __getattr__(self, name: str) -> Any:
        if name in _TAKEN:
            return _Taken(name)
        if name.startswith("__") and name != "__all__":  # these are read where all modules are inspected
            raise AttributeError(name)
        return getattr(_import_statistics(), name)


class _Taken:
    """A function or distribution that is imported at its first use."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __call__(self, *args: Any, **options: Any) -> Any:
        return getattr(_import_statistics(), self._name)(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(getattr(_import_statistics(), self._name), name)


class _Finder(MetaPathFinder, Loader):
    """Finds the deferred module, and the parts of the imported one."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if name == _NAME or name.startswith(f"{_NAME}."):
            return ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: ModuleSpec) -> ModuleType | None:
        if spec.name == _NAME:
            return None  # Python makes it
        _import_statistics()
        part = import_module(spec.name)
        spec.loader_state = part.__spec__
        return part

    def exec_module(self, module: ModuleType) -> None:
        if module.__name__ == _NAME:
            module.__class__ = _Deferred
        elif module.__spec__ is not None:
            module.__spec__ = module.__spec__.loader_state
