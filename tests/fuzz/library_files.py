"""One small valid file per format that a library with an extra reads, and gene annotations."""

from __future__ import annotations

import faulthandler
import importlib
import os
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
from tests.fuzz.mutator import mutate, overwrite
from tests.fuzz.own_files import content_of
from tests.fuzz.structure import Change

GAF = """!gaf-version: 2.2
UniProtKB\tP1\tA\tenables\tGO:1\tPMID:1\tIDA\t\tF\tname\tsyn\tprotein\ttaxon:9606\t20260101\tU
UniProtKB\tP2\tB\tNOT|enables\tGO:1\tPMID:1\tIDA\t\tF\tname\tsyn\tprotein\ttaxon:9606\t20260101\tU\t\tX
"""

SURVEY = pd.DataFrame({"person": ["p1", "p2"], "q1": [1.0, 2.0], "age": [20.5, -99.0]})


def write_survey(function: str, path: Path, **options: Any) -> None:
    getattr(importlib.import_module("pyreadstat"), function)(SURVEY, path, **options)


_WORDS = {"variable_value_labels": {"q1": {1: "Yes", 2: "No"}}}
_GAPS = {"missing_ranges": {"age": [{"lo": -99, "hi": -90}]}}

_WRITERS: dict[tuple[str, str], Callable[[Path], Any]] = {
    ("spss", ".sav"): partial(write_survey, "write_sav", **_WORDS, **_GAPS),
    ("compressed spss", ".zsav"): partial(write_survey, "write_sav", **_WORDS, compress=True),
    ("stata", ".dta"): partial(write_survey, "write_dta", **_WORDS),
}

#: (name, suffix, seed, change) of each format.
LIBRARY_TABLES: list[tuple[str, str, Callable[[], bytes], Change]] = [
    ("gaf", ".gaf", GAF.encode, mutate),
    *((name, suffix, content_of(write, suffix), overwrite) for (name, suffix), write in _WRITERS.items()),
]


def ends_process(name: str, path: Path) -> bool:
    """Return whether reading a file ends the process, by a fork: a new process takes longer than a small file."""
    reader = getattr(importlib.import_module("pyreadstat"), name)
    process = os.fork()
    if not process:
        faulthandler.disable()
        with suppress(BaseException):
            reader(path, metadataonly=True)
        os._exit(0)
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) != 0
