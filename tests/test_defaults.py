"""The defaults that docstrings state are those of the signatures, in every module of the package."""

from __future__ import annotations

import ast
import importlib
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

import halflabel

PACKAGE = Path(halflabel.__file__).parent
ENTRY = re.compile(r"^ *(\*{0,2}\w+(?:, \w+)*) : [^\n]*?\bdefault=([^\n]+?)\s*$", re.MULTILINE)
FILES = [file for file in sorted(PACKAGE.rglob("*.py")) if ENTRY.search(file.read_text(encoding="utf-8"))]


def list_defaults(node: ast.FunctionDef | ast.ClassDef) -> dict[str, ast.expr]:
    """Return the default of each parameter: of a function, of ``__init__``, or of the fields of a dataclass."""
    if isinstance(node, ast.ClassDef):
        own = {each.name: each for each in node.body if isinstance(each, ast.FunctionDef)}
        if "__init__" in own:
            return list_defaults(own["__init__"])
        fields = [each for each in node.body if isinstance(each, ast.AnnAssign) and isinstance(each.target, ast.Name)]
        return {each.target.id: each.value for each in fields if each.value is not None}
    given = node.args
    positional = [*given.posonlyargs, *given.args]
    pairs = [
        *zip(positional[::-1], given.defaults[::-1], strict=False),
        *zip(given.kwonlyargs, given.kw_defaults, strict=True),
    ]
    return {each.arg: default for each, default in pairs if default is not None}


def evaluate(node: ast.expr, names: Mapping[str, object]) -> object:
    """Return the value of a literal, so that 1 is 1.0, or of a name of the module; the text of another expression."""
    if isinstance(node, ast.Name):
        return names.get(node.id, node.id)
    try:
        return ast.literal_eval(node)
    except ValueError:
        return ast.unparse(node)


def find_differences(source: str, names: Mapping[str, object]) -> list[str]:
    """Return the parameters whose stated default is another one than in the signature."""
    different = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            defaults = list_defaults(node)
            for parameters, stated in ENTRY.findall(ast.get_docstring(node) or ""):
                value = evaluate(ast.parse(stated, mode="eval").body, names)
                known = [name for name in parameters.split(", ") if name in defaults]
                wrong = [name for name in known if evaluate(defaults[name], names) != value]
                different += [f"{node.name}: {name}={stated}" for name in wrong]
    return different


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.relative_to(PACKAGE).as_posix())
def test_a_stated_default_is_that_of_the_signature(file):
    module = importlib.import_module(".".join(file.relative_to(PACKAGE.parent).with_suffix("").parts))
    assert find_differences(file.read_text(encoding="utf-8"), vars(module)) == []


def test_another_default_is_found():
    source = '''
def f(a, *, b=2, c="x"):
    """F.

    Parameters
    ----------
    b, c : int, default=2
    """
'''
    assert find_differences(source, {}) == ["f: c=2"]
    assert find_differences(source.replace('"x"', "2"), {}) == []
    assert find_differences(source.replace('"x"', "LIMIT"), {"LIMIT": 2.0}) == []
    assert find_differences(source.replace('"x"', "LIMIT"), {"LIMIT": 3}) == ["f: c=2"]
