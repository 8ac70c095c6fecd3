"""The code that decides a record: the modules that a run imports, directly or through others.

A change of another module keeps the record, and so does a change of comments, docstrings or layout.
"""

from __future__ import annotations

import ast
import hashlib
import importlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import halflabel
from halflabel_papers.imports import import_object, split_path

#: The packages whose modules decide a record, and their folders.
PACKAGES = {"halflabel": Path(halflabel.__file__).parent, "halflabel_papers": Path(__file__).parent}

#: The module where every run begins: it loads the data, fits, predicts and measures through the protocols.
START = ("halflabel_papers.execute",)

#: Modules that only summarise, print and draw, or that prepare runs: the description of a run holds their decisions.
WITHOUT_EFFECT = (
    "halflabel._files",
    "halflabel._progress",
    "halflabel._version",
    "halflabel._wording",
    "halflabel.cli",
    "halflabel.evaluation",
    "halflabel.report",
    "halflabel_papers.fingerprint",
    "halflabel_papers.imports",
    "halflabel_papers.page",
    "halflabel_papers.plan",
    "halflabel_papers.spec",
    "halflabel_papers.store",
    "halflabel_papers.verdicts",
    "halflabel.review_page",
)

#: Readers of tables; only a user's own file passes them.
OF_TABLES = ("halflabel.files.reading", "halflabel.table")


@cache
def digest_code(paths: tuple[str, ...], *, own: bool = False) -> str:
    """Return the digest of the code behind import paths, together with the protocols.

    The paths are of estimators and generators. ``own`` states that the data are a user's own file.
    """
    modules = {path: _find_module(path) for path in paths}
    ours = [module for module in modules.values() if _is_ours(module)]
    left_out = WITHOUT_EFFECT if own else WITHOUT_EFFECT + OF_TABLES
    digest = hashlib.sha256()
    for name in sorted(list_imported((*START, *ours), left_out)):
        digest.update(name.encode() + digest_source(_find_file(name)).encode())
    for path in sorted(set(paths) - {path for path, module in modules.items() if module in ours}):
        digest.update(path.encode() + _describe_foreign(split_path(path)[0]).encode())
    return digest.hexdigest()


def list_imported(modules: Sequence[str], left_out: Sequence[str] = ()) -> set[str]:
    """Return modules of our packages, with all modules that they import, except the modules in ``left_out``."""
    found: set[str] = set()
    waiting = list(modules)
    while waiting:
        name = waiting.pop()
        if name in found or any(name == each or name.startswith(f"{each}.") for each in left_out):
            continue
        found.add(name)
        waiting += _list_imports(name)
    return found


@cache
def _list_imports(name: str) -> tuple[str, ...]:
    """Return the modules of our packages that a module imports anywhere, also inside functions."""
    tree = ast.parse(_find_file(name).read_bytes())
    return tuple(dict.fromkeys(module for node in ast.walk(tree) for module in _resolve(node)))


def _resolve(node: ast.AST) -> Iterator[str]:
    """Yield the modules behind an import statement or the bases of a class, as ``class A(halflabel.B)``.

    A name from a package is followed to the module that defines it.
    """
    if isinstance(node, ast.Import):
        yield from (each.name for each in node.names if _is_ours(each.name) and "." in each.name)
    elif isinstance(node, ast.ImportFrom) and _is_ours(node.module or ""):
        for each in node.names:
            yield _find_definition(str(node.module), each.name)
    elif isinstance(node, ast.ClassDef):
        for base in node.bases:
            if isinstance(base, ast.Attribute) and isinstance(base.value, ast.Name) and base.value.id in PACKAGES:
                yield _find_definition(base.value.id, base.attr)


@cache
def _find_definition(module: str, name: str) -> str:
    """Return the module that defines a name: a package may pass it on from one of its modules."""
    if _find_file(module).name != "__init__.py":
        return module
    if find_spec(f"{module}.{name}") is not None:
        return f"{module}.{name}"
    value = getattr(importlib.import_module(module), name, None)
    home = getattr(value, "__module__", None)
    return home if isinstance(home, str) and _is_ours(home) else _find_import(module, name)


def _find_import(package: str, name: str) -> str:
    """Return the module from which a package imports a name, or the package itself if it defines the name."""
    for node in ast.walk(ast.parse(_find_file(package).read_bytes())):
        if isinstance(node, ast.ImportFrom) and any((each.asname or each.name) == name for each in node.names):
            return str(node.module)
    return package


def _find_module(path: str) -> str:
    """Return the module that defines the object of an import path. The file of a user stays a file."""
    module, name = split_path(path)
    if not _is_ours(module):
        return module
    return str(getattr(import_object(path), "__module__", None) or _find_definition(module, name))


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] in PACKAGES


@cache
def _find_file(module: str) -> Path:
    package, *rest = module.split(".")
    base = PACKAGES[package].joinpath(*rest)
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


@cache
def digest_source(path: Path) -> str:
    """Return the digest of a module's code, without comments, docstrings and layout."""
    tree = ast.parse(path.read_bytes())
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) and _has_docstring(
            node
        ):
            node.body = node.body[1:] or [ast.Pass()]
    return hashlib.sha256(ast.dump(tree).encode()).hexdigest()


def _has_docstring(node: ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    first = node.body[0] if node.body else None
    return isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str)


@cache
def _describe_foreign(module: str) -> str:
    """Return the version of an installed package, or the digest of the source of a user's own file or package."""
    if module.endswith(".py"):
        return _digest_files(sorted(_list_neighbours(Path(module))))
    package = module.partition(".")[0]
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return _digest_package(package)


def _list_neighbours(path: Path) -> set[Path]:
    """Return a file with the files of its folder that it imports, directly or through others."""
    found: set[Path] = set()
    waiting = [path]
    while waiting:
        file = waiting.pop()
        if file in found:
            continue
        found.add(file)
        for node in ast.walk(ast.parse(file.read_bytes())):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            near = (file.parent / f"{name.partition('.')[0]}.py" for name in names)
            waiting += [each for each in near if each.is_file()]
    return found


def _digest_package(package: str) -> str:
    """Digest every source file of a package, or the one file of a module."""
    spec = find_spec(package)
    folders = {Path(folder).resolve() for folder in (spec.submodule_search_locations or ())} if spec else set()
    files = sorted(path for folder in folders for path in folder.rglob("*.py"))
    if spec and spec.origin and not folders:
        files = [Path(spec.origin)]
    return _digest_files(files)


def _digest_files(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + digest_source(path).encode())
    return digest.hexdigest()
