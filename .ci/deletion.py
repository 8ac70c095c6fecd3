"""Whether a correction can be deleted: without its files and its line, everything else passes.

    python .ci/deletion.py [shift votes rules] [--tests PATH ...]

It copies the tree, deletes the files and tests of a correction and its lines of corrections/order.py, makes at most
three further edits, and runs the type checker, the order of imports and the tests of PATH (by default those of the
rooms that see corrections).
"""

from __future__ import annotations

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]

#: The file of the list.
ORDER = "src/halflabel/corrections/order.py"

#: Maximum number of other files that change.
MAX_EDITS = 3

#: The tests that run by default.
TESTS = ("tests/corrections", "tests/completion", "tests/evidence", "tests/report", "tests/test_public_names.py")


@dataclass(frozen=True)
class Deletion:
    """What belongs to a correction: its files and tests by patterns, its lines of the list, and edits elsewhere."""

    files: tuple[str, ...]
    lines: tuple[str, ...]
    #: A file, a pattern, and the text in its place.
    edits: tuple[tuple[str, str, str], ...] = ()


DELETIONS = {
    "shift": Deletion(
        ("src/halflabel/corrections/shift.py", "tests/corrections/test_shift*.py", "benchmarks/why_known.py"),
        ("SHIFT",),
    ),
    "votes": Deletion(
        (
            "src/halflabel/corrections/votes",
            "src/halflabel/report/votes.py",
            "tests/corrections/votes",
            "tests/corrections/test_votes_and_rules.py",
            "benchmarks/sources.py",
        ),
        ("VOTES",),
        (
            ("src/halflabel/report/summary.py", r"from .* import summarize_votes\n", ""),
            ("src/halflabel/report/summary.py", r"summarize_votes\(completion\)", "None"),
            ("tests/completion/test_withheld.py", r".*fit_two_models.*\n", ""),
            ("tests/completion/test_withheld.py", r'{"few-examples"', '{"source-rates", "few-examples"'),
            ("tests/report/test_templates.py", r".*votes.*\n", ""),
        ),
    ),
    "rules": Deletion(
        (
            "src/halflabel/corrections/rules.py",
            "src/halflabel/numerics/clauses",
            "tests/corrections/test_rules*.py",
            "tests/corrections/test_votes_and_rules.py",
            "tests/cli/test_rules_command.py",
            "tests/numerics/clauses",
        ),
        ("RULES",),
    ),
}


def delete(name: str, tree: Path) -> None:
    """Delete a correction from a copy of the tree."""
    each = DELETIONS[name]
    for pattern in each.files:
        found = list(tree.glob(pattern))
        if not found:
            raise SystemExit(f"{name}: there is no {pattern}.")
        for path in found:
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    order = [(ORDER, rf".*\b{line}\b.*\n", "") for line in each.lines]
    for file, pattern, text in (*order, *each.edits):
        changed, count = re.subn(pattern, text, (tree / file).read_text())
        if not count:
            raise SystemExit(f"{name}: {file} has nothing like {pattern}.")
        (tree / file).write_text(changed)


def check(name: str, tests: list[str]) -> list[str]:
    """Return the commands that fail without a correction."""
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder) / "tree"
        listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True).stdout
        for file in listed.decode().split("\0"):
            if file and (ROOT / file).exists():
                (tree / file).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(ROOT / file, tree / file)
        delete(name, tree)
        environment = os.environ | {"PYTHONPATH": str(tree / "src"), "MYPYPATH": str(tree / "src")}
        present = [test for test in tests if (tree / test).exists()]
        python, binary = sys.executable, Path(sys.executable).parent
        commands = (
            [python, "-m", "mypy", "--no-incremental", "src"],
            [str(binary / "lint-imports"), "--no-cache"],
            [python, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow and not browser", *present],
        )
        failed = []
        for command in commands:
            done = subprocess.run(command, cwd=tree, env=environment, capture_output=True, text=True, check=False)
            if done.returncode:
                failed.append(" ".join(command[1:4] if command[0] == python else command))
                print(done.stdout[-4000:], done.stderr[-1000:], sep="\n")
    return failed


def main() -> None:
    """Delete each correction in turn, and end with an error if something else fails."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=list(DELETIONS), metavar="NAME")
    parser.add_argument("--tests", nargs="*", default=list(TESTS), metavar="PATH")
    options = parser.parse_args()
    wrong = False
    for name in options.names:
        edits = len({file for file, *_ in DELETIONS[name].edits})
        failed = check(name, options.tests)
        wrong |= bool(failed) or edits > MAX_EDITS
        state = f"fails: {', '.join(failed)}" if failed else "passes"
        print(f"without {name}, with {edits} other files changed (at most {MAX_EDITS}): {state}", flush=True)
    sys.exit(wrong)


if __name__ == "__main__":
    main()
