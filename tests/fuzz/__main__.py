"""A night of fuzzing: python -m tests.fuzz --minutes 30. Inputs that show a defect are kept in tests/fuzz/crashes."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.campaign import keep, run
from tests.fuzz.seeds import FORMATS

CRASHES = Path(__file__).parent / "crashes"


def main() -> int:
    """Run every format in turn until the time is over; return the number of defects."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--minutes", type=float, default=30)
    options.add_argument("--seed", type=int, default=int(time.time()))
    options.add_argument("--formats", nargs="*", default=[kind.name for kind in FORMATS])
    given = options.parse_args()
    kinds = [kind for kind in FORMATS if kind.name in given.formats]
    found = 0
    print(f"seed {given.seed}")
    with tempfile.TemporaryDirectory() as folder:
        for number, kind in enumerate(kinds):
            share = 60 * given.minutes / len(kinds)
            counts, defects = run(kind, Path(folder), given.seed + number, sys.maxsize, share)
            print(f"{kind.name}: {dict(counts)}", flush=True)
            for name, content in defects.items():
                print(f"  {name}: {keep(kind, content, CRASHES)}")
            found += len(defects)
    return found


if __name__ == "__main__":
    sys.exit(bool(main()))
