"""The files that a command writes: named and checked before the work, written together after it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from halflabel._files import together
from halflabel.cli.console import print_result
from halflabel.cli.files import check_outputs, check_page, check_tables

#: Outputs that are a table, and outputs that are a page.
_TABLES, _PAGES = {"probabilities", "questions", "review", "places", "labelled"}, {"report"}


@dataclass(frozen=True, eq=False)
class Outputs:
    """The files that a command writes.

    Parameters
    ----------
    inputs : tuple of Path or None
        Files that are read, and never replaced.
    paths : dict of str to Path
        One path for each output.
    further : tuple of Path
        Files that come together with them.
    """

    inputs: tuple[Path | None, ...]
    paths: Mapping[str, Path]
    further: tuple[Path, ...] = ()

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
