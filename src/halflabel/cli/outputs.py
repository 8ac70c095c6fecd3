"""The files that a command writes: named and checked before the work, written together after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._files import together
from halflabel.cli import work
from halflabel.cli.console import print_result
from halflabel.cli.output_paths import PATH, check_outputs, check_page, check_tables
from halflabel.files.registry import TOOLS

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion

#: Outputs that are a table, and outputs that are a page.
_TABLES, _PAGES = {"prevalence", "probabilities", "questions", "review", "places", "labelled"}, {"report"}

probabilities_option = click.option("--probabilities", type=PATH, help="Also write the probability of every label.")


def find_tool(output: Path | None) -> str | None:
    """Return the tool that the name of an output states before its suffix, such as songs.label-studio.json."""
    parts = () if output is None else output.name.split(".")
    return next((name for name in TOOLS if name in parts[1:-1]), None)


def write_review(filled: Completion, entries: pd.DataFrame | None, path: Path) -> None:
    """Write the entries to check, in the notation of the items."""
    form = filled.opened.form
    if entries is not None:
        work.write_frame(entries.round({"probability": 4}), path, form and replace(form, cells=None))


@dataclass(frozen=True, eq=False)
class Outputs:
    """The files that a command writes."""

    inputs: tuple[Path | None, ...]  #: Files that are read, and never replaced.
    paths: Mapping[str, Path]  #: One path for each output.
    further: tuple[Path, ...] = ()  #: Files that come together with them.

    @classmethod
    def plan(cls, inputs: Iterable[Path | None], paths: Mapping[str, Path | None]) -> Outputs:
        """Return the outputs that have a path. Raise for an output that cannot be written or would replace an input."""
        outputs = cls(tuple(inputs), {name: path for name, path in paths.items() if path is not None})
        check_outputs(outputs.inputs, *outputs.paths.values())
        check_tables(*(path for name, path in outputs.paths.items() if name in _TABLES))
        for name in _PAGES & outputs.paths.keys():
            check_page(outputs.paths[name])
        return outputs

    def together_with(self, further: Iterable[Path]) -> Outputs:
        """Return the outputs and the files that come with them. Raise if a file cannot be written."""
        outputs = replace(self, further=tuple(further))
        check_outputs((*self.inputs, *self.paths.values()), *outputs.further)
        return outputs

    def write(self, **writers: Callable[[Path], Any]) -> dict[str, Any]:
        """Write all planned outputs together, and return the results of their writers."""
        with together():
            return {name: write(self.paths[name]) for name, write in writers.items() if name in self.paths}

    def print_paths(self, *sentences: str) -> None:
        """Print sentences, and where everything was written."""
        written = (*self.paths.values(), *(path for path in self.further if path.exists()))
        print_result(" ".join([*sentences, f"Written: {', '.join(map(str, written))}."]))
