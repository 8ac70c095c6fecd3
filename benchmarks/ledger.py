"""Verify each kind of place after random changes, and measure what the digests of journals and folder runs cost.

Protocol: the places are made here: a journal of 200 answers, the report and the model of 60 digits, a certificate of 40
answers with its table, and a folder run of four parts. Each is changed in one file: cut at a random place, one bit
flipped, two blocks of 16 bytes swapped. Then `halflabel verify` runs as a command. A cut journal that is verified has
lost its last lines, which is named when the certificate or the report is given, too. A change that leaves the bytes as
they were is drawn again. The cost of a digest is the time inside the functions that compute it.

    python benchmarks/ledger.py [--changes 100] [--answers 2000]
"""

from __future__ import annotations

import hashlib
import json
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd
from _common import make_parser, use_one_thread
from click.testing import CliRunner

import halflabel as hl
from halflabel import _ledger
from halflabel.cli.verify import verify_command
from halflabel.datasets import load_digits_tags
from halflabel.folders import complete_folder

LABELS = ["even", "prime"]
BLOCK = 16


@dataclass
class Place:
    """What is verified, by which arguments, and the files that are changed."""

    name: str
    arguments: list[str]
    files: list[Path]


def make_items(n: int) -> pd.DataFrame:
    """Return digits with two labels, of which half of the items have them."""
    items = load_digits_tags()
    frame = pd.DataFrame(items.X[:n], columns=[f"x{j}" for j in range(items.X.shape[1])])
    known = np.random.default_rng(0).random(n) < 0.5
    for name in LABELS:
        frame[name] = np.where(known, items.Y.relevant[:n, items.Y.names.index(name)], np.nan)
    return frame.assign(id=[f"d{i}" for i in range(n)])


def write_answers(path: Path, n: int) -> None:
    """Write the journal of as many answers."""
    with _ledger.Ledger(path, "review") as ledger:
        ledger.begin({"table": "t"})
        for i in range(n):
            ledger.append([{"n": i + 1, "op": "answer", "key": f"k{i}", "item": f"d{i}", "label": "even", "value": 1}])


def make_places(folder: Path) -> list[Place]:
    """Return one place of each kind."""
    items, given = make_items(60), {"labels": LABELS, "id": "id"}
    items.to_csv(folder / "digits.csv", index=False)
    filled = hl.complete(folder / "digits.csv", effort="fast", **given)
    filled.report(folder / "report.html")
    filled.save(folder / "m.halflabel")
    task = filled.finish(0.2, seed=3, journal=folder / "finish.jsonl")
    asked = task.next(40)
    task.answer(asked.assign(answer=1))
    (folder / "c.json").write_text(json.dumps(task.certify(), indent=1))
    task.completion.write(folder / "completed.csv")
    task.close()
    write_answers(folder / "review.jsonl", 200)
    (folder / "in").mkdir()
    for part in range(4):
        items.iloc[part * 15 : part * 15 + 15].to_parquet(folder / "in" / f"{part}.parquet", index=False)
    complete_folder(folder / "in", folder / "out", effort="fast", **given)
    run = sorted(path for path in (folder / "out").rglob("*") if path.is_file())
    single = {"journal": "review.jsonl", "report": "report.html", "model": "m.halflabel"}
    places = [Place(name, [str(folder / file)], [folder / file]) for name, file in single.items()]
    certified = [str(folder / "c.json"), str(folder / "completed.csv")]
    return [
        *places,
        Place("certificate, with its table", certified, [folder / "c.json"]),
        Place("output of a folder run", [str(folder / "out")], run),
    ]


def cut(content: bytes, rng: np.random.Generator) -> bytes:
    """Return the begin of a file."""
    return content[: int(rng.integers(len(content)))]


def flip(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with one bit flipped."""
    at = int(rng.integers(len(content)))
    return content[:at] + bytes([content[at] ^ 1 << int(rng.integers(8))]) + content[at + 1 :]


def swap(content: bytes, rng: np.random.Generator) -> bytes:
    """Return a file with two blocks swapped."""
    first, second = sorted(BLOCK * rng.choice(max(len(content) // BLOCK, 2), 2, replace=False))
    left, right = content[first : first + BLOCK], content[second : second + BLOCK]
    return content[:first] + right + content[first + BLOCK : second] + left + content[second + BLOCK :]


def verify(place: Place) -> tuple[str, float]:
    """Return how `halflabel verify` ends, and its CPU seconds."""
    start = time.process_time()
    result = CliRunner().invoke(verify_command, place.arguments)
    seconds = time.process_time() - start
    raised = result.exception is not None and not isinstance(result.exception, ValueError | SystemExit)
    return "raw" if raised else "verified" if result.exit_code == 0 else "rejected", seconds


def count_outcomes(place: Place, change: Callable[..., bytes], n: int, rng: np.random.Generator) -> Counter[str]:
    """Return how often each outcome follows from a change."""
    counts = Counter[str]()
    for _ in range(n):
        path = place.files[int(rng.integers(len(place.files)))]
        content = path.read_bytes()
        while (changed := change(content, rng)) == content:
            pass
        path.write_bytes(changed)
        counts[verify(place)[0]] += 1
        path.write_bytes(content)
    return counts


def measure_share(folder: Path) -> float:
    """Return the share of the CPU time of a folder run of 20 000 rows that digests of files take."""
    spent, items = [0.0], pd.concat([make_items(1000)] * 20, ignore_index=True)
    items = items.assign(id=[f"d{i}" for i in range(len(items))])
    (folder / "large").mkdir()
    for part in range(4):
        items.iloc[part::4].to_parquet(folder / "large" / f"{part}.parquet", index=False)

    def timed(file: object, name: str) -> object:
        start = time.process_time()
        found = digest(file, name)
        spent[0] += time.process_time() - start
        return found

    digest, start = hashlib.file_digest, time.process_time()
    with patch("hashlib.file_digest", timed):
        complete_folder(folder / "large", folder / "large-out", effort="fast", labels=LABELS, id="id")
    return spent[0] / (time.process_time() - start)


def main() -> None:
    """Print the table of outcomes, and the costs."""
    options = make_parser(__doc__)
    options.add_argument("--changes", type=int, default=100)
    options.add_argument("--answers", type=int, default=2000)
    given = options.parse_args()
    rng = np.random.default_rng(0)
    with use_one_thread(), tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        print("| place | bytes | milliseconds | cut | flipped | swapped |\n|---|--:|--:|---|---|---|")
        for place in make_places(folder):
            assert verify(place)[0] == "verified"
            seconds = min(verify(place)[1] for _ in range(5))
            size = sum(path.stat().st_size for path in place.files)
            cells = [dict(count_outcomes(place, change, given.changes, rng)) for change in (cut, flip, swap)]
            print(f"| {place.name} | {size:,} | {1000 * seconds:.0f} | {' | '.join(map(str, cells))} |", flush=True)
        start = time.perf_counter()
        write_answers(folder / "many.jsonl", given.answers)
        each = (time.perf_counter() - start) / given.answers
        start = time.perf_counter()
        _ledger.read_lines(folder / "many.jsonl")
        print(f"an answer on the disk: {1000 * each:.2f} ms; read and checked: "
              f"{1e6 * (time.perf_counter() - start) / given.answers:.0f} microseconds")  # fmt: skip
        print(f"digests of files: {100 * measure_share(folder):.2f} % of a folder run")


if __name__ == "__main__":
    main()
