"""Measure what the tests notice: change one operator or number of a module, and run the module's own tests.

Run it from the root of a checkout; pytest does not collect it::

    python tests/mutate.py numerics labels methods --sample 200 --seed 1 --log mutants.jsonl

A mutant is killed if a test fails or takes far too long. The module is changed in a copy of ``src``, never in the
checkout. Every result is a line of the log; a second run with the same log goes on where the first one ended.
"""

from __future__ import annotations

import argparse
import ast
import compileall
import hashlib
import importlib
import json
import math
import multiprocessing
import os
import random
import re
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "halflabel"

#: Libraries that nearly every test needs, imported once; never the package itself.
LIBRARIES = ("pandas", "pyarrow.parquet", "scipy.stats", "sklearn.ensemble", "sklearn.pipeline", "matplotlib.pyplot")

COMPARISONS = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq, ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot, ast.IsNot: ast.Is, ast.In: ast.NotIn, ast.NotIn: ast.In,
}  # fmt: skip
OPERATORS = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult, ast.FloorDiv: ast.Div,
    ast.And: ast.Or, ast.Or: ast.And, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd,
}  # fmt: skip

#: Keywords that only check, or only cost time, memory or bytes: a change of their value can alter no result.
WITHOUT_EFFECT = {
    "strict", "check_finite", "overwrite_a", "overwrite_b", "copy", "frozen", "eq", "slots", "stacklevel",
    "compresslevel", "force_zip64", "n_jobs",
}  # fmt: skip

#: Functions that only limit the number of threads, or report progress: their arguments can alter no result.
CALLS_WITHOUT_EFFECT = {"threadpool_limits", "limit_threads", "step"}

#: The range from which seeds of random numbers are drawn: any other one serves as well.
SEEDS = "2 ** 31"


def mutated(node: ast.AST) -> ast.AST | None:
    """Return another expression in place of this one, or None where there is nothing to change."""
    if isinstance(node, ast.Compare) and type(node.ops[0]) in COMPARISONS:
        return ast.Compare(node.left, [COMPARISONS[type(node.ops[0])](), *node.ops[1:]], node.comparators)
    if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        return ast.BinOp(node.left, OPERATORS[type(node.op)](), node.right)
    if isinstance(node, ast.BoolOp):
        return ast.BoolOp(OPERATORS[type(node.op)](), node.values)
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.Not | ast.Invert):
        return node.operand
    if isinstance(node, ast.Constant) and isinstance(node.value, bool):
        return ast.Constant(not node.value)
    if isinstance(node, ast.Constant) and isinstance(node.value, int | float):
        return ast.Constant(node.value + 1 if isinstance(node.value, int) else 2 * node.value or 1.0)
    return None


def is_without_effect(node: ast.AST) -> bool:
    """Return whether nothing in this keyword, call, seed or range of seeds can change more than random numbers."""
    if isinstance(node, ast.BinOp):
        return ast.unparse(node) == SEEDS
    if isinstance(node, ast.Call):
        return ast.unparse(node.func) in CALLS_WITHOUT_EFFECT or _has_fixed_seed(node)
    return isinstance(node, ast.keyword) and node.arg in WITHOUT_EFFECT


def _has_fixed_seed(call: ast.Call) -> bool:
    """Return whether a generator of random numbers starts at a number in the code: any other seed serves as well."""
    return ast.unparse(call.func) == "np.random.default_rng" and all(isinstance(a, ast.Constant) for a in call.args)


def sites(node: ast.AST, path: tuple[str | int, ...] = ()) -> Iterator[tuple[tuple[str | int, ...], ast.AST]]:
    """Yield every expression that can change a result, with its path from the root; annotations are left out."""
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "type_params"):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if isinstance(child, ast.AST) and not is_without_effect(child):
                here = (*path, field) if index is None else (*path, field, index)
                if mutated(child) is not None:
                    yield here, child
                yield from sites(child, here)


def replaced(source: str, path: tuple[str | int, ...]) -> str:
    """Return the source with the expression at this path changed; comments are lost, docstrings stay."""
    tree = ast.parse(source)
    parent: object = tree
    for step in path[:-1]:
        parent = parent[step] if isinstance(step, int) else getattr(parent, step)
    last = path[-1]
    child = parent[last] if isinstance(last, int) else getattr(parent, last)
    if isinstance(last, int):
        parent[last] = mutated(child)
    else:
        setattr(parent, last, mutated(child))
    return ast.unparse(ast.fix_missing_locations(tree))


def own_tests(module: Path) -> tuple[Path, ...]:
    """Return the test files of a module, and the test of stated defaults, which reads every module."""
    return (*_mirror(module), ROOT / "tests" / "test_defaults.py")


def _mirror(module: Path) -> tuple[Path, ...]:
    """Return the test file of a module; without one, the files of the mirrored folder that use a name of the module."""
    folder = ROOT / "tests" / module.parent
    own = folder / f"test_{module.stem.lstrip('_')}.py"
    if own.is_file():
        return (own,)
    if not folder.is_dir():
        return (folder.with_name(f"test_{folder.name}.py"),)
    body = ast.parse((PACKAGE / module).read_text(encoding="utf-8")).body
    names = {node.name for node in body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    using = [file for file in folder.glob("test_*.py") if names & set(re.findall(r"\w+", file.read_text("utf-8")))]
    return tuple(sorted(using)) or (folder,)


def copy_package(folder: Path) -> Path:
    """Return a compiled copy of ``src``, and import the libraries."""
    sys.dont_write_bytecode, sys.pycache_prefix = False, str(folder / "bytecode")
    source = Path(shutil.copytree(ROOT / "src", folder / "src", ignore=shutil.ignore_patterns("__pycache__")))
    # Bytecode is compared with the text of its module: mutants of one second may have the same size.
    compileall.compile_dir(source, quiet=1, invalidation_mode=PycInvalidationMode.CHECKED_HASH)
    for name in LIBRARIES:
        importlib.import_module(name)
    return source


def run_tests(source: Path, tests: tuple[Path, ...]) -> None:
    """Run tests against this copy of the package, silently, and end the process with pytest's status."""
    os.chdir(ROOT)
    sys.path.insert(0, str(source))
    os.environ |= {"PYTHONPATH": str(source), "PYTHONDONTWRITEBYTECODE": "1"}
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    sys.exit(pytest.main(["-q", "-x", "-p", "no:cacheprovider", *map(str, tests)]))


def passes(source: Path, tests: tuple[Path, ...], seconds: float) -> bool:
    """Return whether these tests pass in time; they run in a fork of this process, which has imported the libraries."""
    process = multiprocessing.get_context("fork").Process(target=run_tests, args=(source, tests))
    process.start()
    process.join(seconds)
    if process.is_alive():
        process.kill()
    process.join()
    return process.exitcode == 0


def sample(names: list[str], size: int, seed: int) -> list[dict[str, Any]]:
    """Draw mutants of these folders or modules at random, every changeable expression with the same probability."""
    mutants = []
    for file in sorted({file for name in names for file in [*(PACKAGE / name).rglob("*.py"), PACKAGE / f"{name}.py"]}):
        if file.is_file() and file.name != "__init__.py":
            source, module = file.read_text(encoding="utf-8"), file.relative_to(PACKAGE)
            digest = hashlib.sha256(source.encode()).hexdigest()[:12]
            for path, node in sites(ast.parse(source)):
                change = f"{ast.unparse(node)}  ->  {ast.unparse(mutated(node))}"
                mutants.append({"at": f"{module}:{node.lineno}", "change": change, "path": path, "digest": digest})
    return random.Random(seed).sample(mutants, min(size, len(mutants)))


def verdict(mutant: dict[str, Any], source: Path, intact: dict[tuple[Path, ...], float]) -> str:
    """Return "killed" or "survived", or "broken" where the tests fail without any change."""
    module = Path(mutant["at"].rpartition(":")[0])
    file = source / "halflabel" / module
    tests = (*own_tests(module), file)  # with the doctests of the module
    if tests not in intact:
        start = time.monotonic()
        intact[tests] = time.monotonic() - start if passes(source, tests, 3600) else math.nan
    if math.isnan(intact[tests]):
        return "broken"
    text = file.read_text(encoding="utf-8")
    file.write_text(replaced(text, mutant["path"]), encoding="utf-8")
    try:
        return "survived" if passes(source, tests, 60 + 5 * intact[tests]) else "killed"
    finally:
        file.write_text(text, encoding="utf-8")


def main() -> None:
    """Print the verdict of each mutant, and the share that was killed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("names", nargs="+", help="folders or modules of the package, such as numerics or labels/folds")
    parser.add_argument("--sample", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--log", type=Path, default=Path("mutants.jsonl"))
    options = parser.parse_args()
    lines = options.log.read_text(encoding="utf-8").splitlines() if options.log.is_file() else []
    known = {(r["at"], r["change"], str(r["path"]), r["digest"]): r["verdict"] for r in map(json.loads, lines)}
    verdicts, intact = [], {}
    with tempfile.TemporaryDirectory() as folder, options.log.open("a", encoding="utf-8") as log:
        source = copy_package(Path(folder))
        for mutant in sample(options.names, options.sample, options.seed):
            key = mutant["at"], mutant["change"], str(list(mutant["path"])), mutant["digest"]
            if key not in known:
                known[key] = verdict(mutant, source, intact)
                print(json.dumps(mutant | {"verdict": known[key]}), file=log, flush=True)
            verdicts.append(known[key])
            print(f"{known[key]:9}{mutant['at']}  {mutant['change']}", flush=True)
    killed, survived = verdicts.count("killed"), verdicts.count("survived")
    print(f"killed {killed} of {killed + survived} ({killed / max(killed + survived, 1):.1%})")


if __name__ == "__main__":
    main()
