"""The code that decides a record: the git tree ids of folders, and the source or version of any other package."""

from __future__ import annotations

import ast
import hashlib
from collections.abc import Iterator, Sequence
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path

import halflabel
from halflabel_papers.imports import split_path

#: The two packages and their folders.
PACKAGES = {"halflabel": Path(halflabel.__file__).parent, "halflabel_papers": Path(__file__).parent}

#: The folders of halflabel that decide a result. Their trees are in each record, and in the history of the repository.
DECIDING = ("completion", "corrections", "labels", "methods", "numerics")

#: Further folders of halflabel, and the parts of this package without effect: a key follows all other folders of both.
READING = ("datasets", "files", "table")
WITHOUT_EFFECT = ("page", "verdicts", "specs")


@cache
def list_trees() -> dict[str, str]:
    """Return the first digits of the git tree id of each deciding folder, with or without git.

    In a clone ``git rev-parse COMMIT:src/halflabel/methods`` is the same id, at every commit with this content.
    """
    return {name: find_tree(PACKAGES["halflabel"] / name)[:12] for name in DECIDING}


def find_tree(folder: Path, left_out: Sequence[str] = ()) -> str:
    """Return the id that git gives to the content of a folder."""
    entries = []
    for path in folder.iterdir():
        if path.name.startswith((".", "__pycache__")) or path.name in left_out:
            continue
        if path.is_dir():
            entries.append((f"{path.name}/", b"40000", bytes.fromhex(find_tree(path))))
        else:
            mode = b"100755" if path.stat().st_mode & 0o100 else b"100644"
            entries.append((path.name, mode, _hash_object(b"blob", path.read_bytes())))
    listed = (mode + b" " + name.rstrip("/").encode() + b"\0" + digest for name, mode, digest in sorted(entries))
    return _hash_object(b"tree", b"".join(listed)).hex()


def _hash_object(kind: bytes, content: bytes) -> bytes:
    return hashlib.sha1(kind + b" %d\0" % len(content) + content, usedforsecurity=False).digest()


@cache
def digest_code(paths: tuple[str, ...]) -> str:
    """Return the digest of the code behind the import paths of a run: both packages, and each other package or file."""
    digest = hashlib.sha256(_digest_packages().encode())
    for path in sorted(set(paths)):
        module, _ = split_path(path)
        if module.partition(".")[0] not in PACKAGES:
            digest.update(path.rpartition("/")[2].encode() + _describe_foreign(module).encode())
    return digest.hexdigest()


@cache
def _digest_packages() -> str:
    folders = [PACKAGES["halflabel"] / name for name in (*DECIDING, *READING)]
    return "".join([*map(find_tree, folders), find_tree(PACKAGES["halflabel_papers"], WITHOUT_EFFECT)])


def _describe_foreign(module: str) -> str:
    """Return the version of an installed package, or the digest of the source of a user's own file or package."""
    if module.endswith(".py"):
        return _digest_files(sorted(_list_neighbours(Path(module))))
    package = module.partition(".")[0]
    try:
        return version({"sklearn": "scikit-learn"}.get(package, package))
    except PackageNotFoundError:
        return _digest_files(sorted(_list_sources(package)))


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


def _list_sources(package: str) -> Iterator[Path]:
    """Yield every source file of a package, or the one file of a module."""
    spec = find_spec(package)
    folders = {Path(folder).resolve() for folder in (spec.submodule_search_locations or ())} if spec else set()
    yield from (path for folder in folders for path in folder.rglob("*.py"))
    if spec and spec.origin and not folders:
        yield Path(spec.origin)


def _digest_files(files: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in files:
        digest.update(path.name.encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
