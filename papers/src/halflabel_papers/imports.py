"""Import paths of estimators and generators: ``module:name``, or ``FILE.py:name`` for a user's own file."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from halflabel_papers.spec import SpecError


def import_object(path: str) -> Any:
    """Return the object at an import path.

    Parameters
    ----------
    path : str
        ``module:name`` or ``FILE.py:name``. Modules of the current folder are found as well, after all others.

    Raises
    ------
    SpecError
        If the file, the module or the name does not exist, or if the file cannot be imported.

    Examples
    --------
    >>> import_object("halflabel.labels.metrics:micro_f1").__name__
    'micro_f1'
    """
    module, name = split_path(path)
    imported = _import_file(path, Path(module)) if module.endswith(".py") else _import_module(path, module)
    try:
        return getattr(imported, name)
    except AttributeError:
        raise SpecError(f"{path}: the module {module} has no {name!r}.") from None


def split_path(path: str) -> tuple[str, str]:
    """Return the module (or file) and the name of an import path.

    Examples
    --------
    >>> split_path("sklearn.svm:SVC"), split_path("C:/models/my.py:Model")
    (('sklearn.svm', 'SVC'), ('C:/models/my.py', 'Model'))
    """
    module, _, name = path.rpartition(":")
    if not module or not name or name.endswith(".py"):
        raise SpecError(
            f"{path!r} is not an import path: write FILE.py:NAME or module:NAME, for example my.py:MyModel or "
            f"mypackage.models:MyModel."
        )
    return module, name


def make_absolute(path: str) -> str:
    """Return an import path that means the same in every folder: the file with its whole path."""
    module, name = split_path(path)
    return f"{Path(module).resolve()}:{name}" if module.endswith(".py") else path


def _import_module(path: str, module: str) -> ModuleType:
    """Import a module. The current folder is searched last, because the console script does not search it at all."""
    if module.partition(".")[0] not in sys.modules:
        _search(Path.cwd())
    try:
        return importlib.import_module(module)
    except ModuleNotFoundError as error:
        raise SpecError(
            f"{path}: there is no module {error.name!r} that Python could import. For a file, write FILE.py:NAME."
        ) from None
    except Exception as error:
        raise SpecError(f"{path}: it cannot be imported ({type(error).__name__}: {error}).") from error


def _import_file(path: str, file: Path) -> ModuleType:
    """Import a file as the module of its name, so that it can import its neighbours and be sent to other processes."""
    if not file.is_file():
        raise SpecError(f"{path}: there is no file {file}.")
    file = file.resolve()
    if not file.stem.isidentifier():
        raise SpecError(f"{path}: a module cannot have the name {file.stem!r}: rename the file.")
    _search(file.parent)
    spec = sys.modules[file.stem].__spec__ if file.stem in sys.modules else importlib.util.find_spec(file.stem)
    if spec is None or spec.origin is None or Path(spec.origin).resolve() != file:
        raise SpecError(f"{path}: Python has another module of the name {file.stem!r}: rename your file.")
    return _import_module(path, file.stem)


def _search(folder: Path) -> None:
    """Let Python search a folder for modules, after all others: no file there replaces an installed package."""
    if str(folder) not in sys.path:
        sys.path.append(str(folder))
        importlib.invalidate_caches()
