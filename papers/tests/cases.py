"""What several tests of reproductions share: the toy paper, small runs of the papers, records of given values."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

from halflabel_papers.plan import Run, plan_runs
from halflabel_papers.spec import Claim, Experiment, Paper
from halflabel_papers.store import Record
from halflabel_papers.verdicts.claims import check_claim
from halflabel_papers.verdicts.results import ClaimResult, Results

TOY = str(Path(__file__).with_name("toy.toml"))


def experiment_of(paper: Paper, key: str) -> Experiment:
    return next(each for each in paper.experiments if each.key == key)


def plan_cells(paper: Paper, key: str) -> dict[str, Run]:
    """One run of every method of an experiment."""
    first = replace(experiment_of(paper, key), trials=1)
    return {run.method: run for run in plan_runs(replace(paper, experiments=(first,)))}


def make_small(run: Run, **options) -> Run:
    """The same run on a toy set."""
    source = {"name": "toy", "make": "papers.tests.positives_models:make", "settings": {}, "fetch": ""}
    return replace(run, source=source, data={}, options={**run.options, **options})


def make_record(experiment, set, method, trial=0, grid=None, seconds=None, **metrics) -> Record:
    """A record with these metrics; ``metric__rule`` is the name ``metric@rule``."""
    key = f"{experiment} {set} {method} {trial} {grid}"
    named = {name.replace("__", "@"): value for name, value in metrics.items()}
    return Record(key, experiment, set, method, grid or {}, trial, named, seconds=seconds or {})


def check(paper: Paper, records, **arguments) -> ClaimResult:
    """The result of one check of a claim."""
    return check_claim(Claim("", "", arguments), Results(paper, records))


def read_marks(svg: str) -> list[tuple[str, bool, float, float]]:
    """Colour, whether it is filled, and the place of every mark of the maps, without frames and legend."""
    marks = []
    for path in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}path"):
        if "transform" in path.attrib and "stroke-opacity" not in path.attrib["style"]:
            fill, stroke = (re.search(rf"{name}: ([#\w]+)", path.attrib["style"])[1] for name in ("fill", "stroke"))
            for x, y in re.findall(r"M([\d.-]+) ([\d.-]+)", path.attrib["d"]):
                marks.append((stroke, fill != "none", float(x), float(y)))
    return marks
