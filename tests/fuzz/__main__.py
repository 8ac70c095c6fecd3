"""A campaign of damaged and hostile inputs. Inputs that show a defect are kept in tests/fuzz/crashes.

A night: python -m tests.fuzz --minutes 30. By numbers: python -m tests.fuzz --inputs 300000 --bombs.
"""

from __future__ import annotations

import argparse
import math
import resource
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from tests.fuzz.bombs import BOMBS, set_off
from tests.fuzz.campaign import keep, run, temporary_folder
from tests.fuzz.seeds import FORMATS, Format
from tests.fuzz.steering import Lines

CRASHES = Path(__file__).parent / "crashes"

#: Bytes of address space: a reader that takes more ends in a MemoryError, which is a defect.
MAX_MEMORY = 6 * 2**30


def parse() -> argparse.Namespace:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument(
        "--minutes", type=float, default=0, help="for all formats together, instead of numbers of inputs"
    )
    options.add_argument("--inputs", type=int, default=0, help="changed files of all formats together")
    options.add_argument("--bombs", action="store_true", help="measure what small files with large contents cost")
    options.add_argument("--formats", nargs="*", default=[kind.name for kind in FORMATS])
    options.add_argument("--steered", action="store_true", help="change inputs that reach new lines further (slower)")
    options.add_argument("--seed", type=int, default=int(time.time()))
    return options.parse_args()


def main() -> int:
    """Run what the options ask for; return the number of defects."""
    given = parse()
    print(f"seed {given.seed}\n", flush=True)
    with tempfile.TemporaryDirectory() as disk, temporary_folder() as name:
        if given.bombs:
            _print_bombs(Path(disk))
        resource.setrlimit(resource.RLIMIT_AS, (MAX_MEMORY, MAX_MEMORY))  # writing the bombs takes more
        kinds = [kind for kind in FORMATS if kind.name in given.formats]
        count = sys.maxsize if given.minutes else math.ceil(given.inputs / len(kinds))
        return _run_all(kinds, Path(name), given, count, 60 * given.minutes or math.inf) if count else 0


def _run_all(kinds: Sequence[Format], folder: Path, given: argparse.Namespace, count: int, seconds: float) -> int:
    """Run formats in turn, print a row for each, and return the number of kinds of defects."""
    print("| format | inputs | read | rejected | defects | CPU seconds |\n|---|--:|--:|--:|--:|--:|", flush=True)
    total, found, began = Counter[str](), 0, time.process_time()
    for number, kind in enumerate(kinds):
        start = time.process_time()
        lines = Lines() if given.steered else None
        counts, defects = run(kind, folder, given.seed + number, count, seconds / len(kinds), lines=lines)
        _print_row(kind.name, counts, time.process_time() - start)
        for name, content in defects.items():
            print(f"{kind.name}: {name}: {keep(kind, content, CRASHES)}", file=sys.stderr, flush=True)
        total += counts
        found += len(defects)
    _print_row("all", total, time.process_time() - began)
    print()
    return found


def _print_row(name: str, counts: Counter[str], seconds: float) -> None:
    numbers = (sum(counts.values()), *(counts[each] for each in ("read", "rejected", "defect")), round(seconds))
    print(f"| {name} | {' | '.join(f'{number:,}'.replace(',', ' ') for number in numbers)} |", flush=True)


def _print_bombs(folder: Path) -> None:
    print("| file | bytes | peak MB | seconds | |\n|---|--:|--:|--:|---|")
    for number, bomb in enumerate(BOMBS):
        own = folder / f"bomb{number}"
        own.mkdir()
        cost = set_off(bomb, own)
        outcome = "rejected" if cost.sentence else "read"
        print(f"| {bomb.name} | {cost.size} | {cost.megabytes:.0f} | {cost.seconds:.1f} | {outcome} |", flush=True)
    print()


if __name__ == "__main__":
    sys.exit(bool(main()))
