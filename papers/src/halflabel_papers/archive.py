"""All records of a page in one compressed file next to it, from which the page is built."""

from __future__ import annotations

import gzip
import io
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from halflabel_papers.additions import add_methods, add_sets
from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs
from halflabel_papers.run import Reproduction
from halflabel_papers.sources import Availability, is_user_set
from halflabel_papers.spec import Method, SetSpec
from halflabel_papers.store import Record

#: Name of the file in the folder of a page.
NAME = "records.jsonl.gz"

#: Maximum size of its unpacked content; a record has about 1 kB.
MAX_BYTES = 2**28


def pack(work: Reproduction, records: Sequence[Record]) -> bytes:
    """Return the records, after a first line that describes the reproduction. Equal records give equal bytes.

    The folder of the benchmark sets is replaced by the name of its variable: it has no meaning on another machine.
    """
    lines = [json.dumps(_describe(work), sort_keys=True), *(record.to_line() for record in records)]
    text = "\n".join(lines) + "\n"
    if work.folder is not None:
        text = text.replace(f"{work.folder}/", "$HALFLABEL_DATA/").replace(f'"{work.folder}"', '"$HALFLABEL_DATA"')
    return zlib.compress(text.encode(), 9, zlib.MAX_WBITS | 16)  # as gzip, with the same header in every Python version


def read_archive(path: Path) -> tuple[Reproduction, list[Record]]:
    """Return the reproduction and its records, without the data sets.

    Raises
    ------
    ValueError
        If the file does not exist, or is not the archive of a page.
    """
    if not path.is_file():
        raise ValueError(f"{path}: there is no such file: only pages that `halflabel reproduce` wrote have one.")
    try:
        return unpack(path.read_bytes())
    except (OSError, EOFError, zlib.error, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise ValueError(
            f"{path}: it is not the archive of a page, or it is damaged: `halflabel reproduce KEY` writes it again."
        ) from None


def unpack(content: bytes) -> tuple[Reproduction, list[Record]]:
    """Return the reproduction and the records of an archive."""
    with gzip.open(io.BytesIO(content)) as file:
        text = file.read(MAX_BYTES + 1)
    if len(text) > MAX_BYTES:
        raise ValueError(f"it unpacks to more than {MAX_BYTES:,} bytes.")
    described, *lines = text.decode().splitlines()
    return _restore(json.loads(described)), [Record.from_line(line) for line in lines]


def _describe(work: Reproduction) -> dict[str, Any]:
    """Return the part of a page that is not in its records, in the types of JSON."""
    return {
        "paper": work.key,
        "tier": work.tier,
        "line": work.line,
        "here": {name: [state.status, state.advice] for name, state in work.sets.items()},
        "methods": [asdict(each) for each in work.paper.methods.values() if each.added],
        "sets": [asdict(each) for name, each in work.paper.sets.items() if is_user_set(name)],
        "digests": {name: dict(each.files) for name, each in work.paper.sets.items()},
    }


def _restore(described: Mapping[str, Any]) -> Reproduction:
    paper = load_paper(described["paper"], described["tier"])
    digests = described["digests"]
    sets = {name: replace(each, files=digests.get(name, each.files)) for name, each in paper.sets.items()}
    paper = add_methods(
        replace(paper, sets=sets), [Method(**{**each, "steps": tuple(each["steps"])}) for each in described["methods"]]
    )
    paper = add_sets(paper, [SetSpec(**each) for each in described["sets"]])
    here = {name: Availability(*state) for name, state in described["here"].items()}
    return Reproduction(described["paper"], paper, described["tier"], None, here, plan_runs(paper), described["line"])
