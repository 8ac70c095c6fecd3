"""Compare the size of each room with its budget in size.toml: syntax nodes of Python, bytes of other source.

    python .ci/size.py           report, and fail where a room is above its budget
    python .ci/size.py --lower   lower each budget to the present size, never raise one

A room is a folder of the product, another distribution, the tests, the benchmarks, or what makes the pages. Syntax
nodes are counted because denser lines are not smaller code. ``product`` is the sum over all distributions without
tests: code that moves from one to another is no smaller. A commit that raises a budget states for whom it grows.
"""

from __future__ import annotations

import argparse
import ast
import io
import subprocess
import sys
import tokenize
import tomllib
from collections import Counter
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).parents[1]
BUDGET = Path(__file__).with_name("size.toml")

#: Suffixes of source other than Python, below the sources of the distributions; a template counts as what it makes.
OTHER = (".js", ".css", ".html", ".toml")
NO_CODE = {tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER}


def find_room(path: PurePosixPath) -> str:
    """Return the room of a Python file."""
    parts = path.parts
    if path.is_relative_to("src/halflabel"):
        return f"halflabel/{parts[2]}" if len(parts) > 3 else "halflabel"
    if "tests" in parts[:2]:
        return "tests" if parts[0] == "tests" else f"{parts[0]}/tests"
    return "docs" if parts[0] in ("docs", ".ci") else parts[0]


def count_nodes(text: str) -> int:
    """Return the number of syntax nodes."""
    return sum(1 for _ in ast.walk(ast.parse(text)))


def count_code_lines(text: str) -> int:
    """Return the number of lines that hold code, without comments and docstrings."""
    bodies = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    documented = (node for node in ast.walk(ast.parse(text)) if isinstance(node, bodies) and ast.get_docstring(node))
    strings = (node.body[0] for node in documented)
    without = {line for node in strings for line in range(node.lineno, (node.end_lineno or node.lineno) + 1)}
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    lines = {n for each in tokens if each.type not in NO_CODE for n in range(each.start[0], each.end[0] + 1)}
    return len(lines - without)


def list_files() -> list[PurePosixPath]:
    """Return the files of the repository, and those that git does not ignore."""
    listing = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listing, check=True, cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    return sorted({PurePosixPath(name) for name in names if (ROOT / name).is_file()})


def measure() -> tuple[dict[str, Counter[str]], Counter[str]]:
    """Return nodes and lines by room, and bytes of other source by suffix."""
    rooms: dict[str, Counter[str]] = {}
    others: Counter[str] = Counter()
    for path in list_files():
        if path.suffix == ".py":
            text = (ROOT / path).read_text(encoding="utf-8")
            size = {"nodes": count_nodes(text), "code": count_code_lines(text), "lines": text.count("\n")}
            rooms.setdefault(find_room(path), Counter()).update(size)
        elif "src" in path.parts[:2]:
            suffix = PurePosixPath(path.name.removesuffix(".j2")).suffix
            others[suffix] += (ROOT / path).stat().st_size if suffix in OTHER else 0
    return rooms, +others


def sum_up(rooms: dict[str, Counter[str]]) -> dict[str, Counter[str]]:
    """Return the rooms and the sum of those that are installed."""
    outside = ("tests", "benchmarks", "docs")
    product = sum((size for room, size in rooms.items() if room.rpartition("/")[2] not in outside), Counter())
    return {**dict(sorted(rooms.items())), "product": product}


def list_excesses(sizes: dict[str, int], budget: dict[str, int]) -> list[str]:
    """Return a sentence for each size above its budget, and for each one without a budget."""
    return [
        f"{name} has {size:,}, more than its budget {budget[name]:,} in .ci/size.toml: delete as much, or state for "
        "whom the budget grows."
        if name in budget
        else f"{name} has no budget in .ci/size.toml: add one, {size}."
        for name, size in sizes.items()
        if size > budget.get(name, -1)
    ]


def write_lowered(sizes: dict[str, dict[str, int]], budgets: dict[str, dict[str, int]]) -> None:
    """Write budgets that are at most the present sizes; a room that is gone has none."""
    lines = []
    for unit, budget in budgets.items():
        kept = {name: min(size, sizes[unit][name]) for name, size in budget.items() if name in sizes[unit]}
        lines += [f"[{unit}]", *(f'"{name}" = {size}' for name, size in sorted(kept.items())), ""]
    BUDGET.write_text("\n".join(lines).rstrip() + "\n", encoding="utf-8")


def main() -> int:
    """Print a table and the excesses; return 1 where there is one."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--lower", action="store_true", help="lower each budget to the present size")
    lower = parser.parse_args().lower
    rooms, others = measure()
    counted = sum_up(rooms)
    print(f"{'room':24}{'nodes':>9}{'code':>8}{'lines':>8}{'nodes a code line':>20}")
    for room, size in counted.items():
        print(f"{room:24}{size['nodes']:9,}{size['code']:8,}{size['lines']:8,}{size['nodes'] / size['code']:20.1f}")
    print(*(f"{suffix[1:]} {size:,} bytes" for suffix, size in sorted(others.items())), sep=", ")
    budgets = tomllib.loads(BUDGET.read_text(encoding="utf-8"))
    sizes = {"nodes": {room: size["nodes"] for room, size in counted.items()}, "bytes": dict(others)}
    excesses = [sentence for unit, budget in budgets.items() for sentence in list_excesses(sizes[unit], budget)]
    print(*excesses, sep="\n")
    if lower:
        write_lowered(sizes, budgets)
    return bool(excesses)


if __name__ == "__main__":
    sys.exit(main())
