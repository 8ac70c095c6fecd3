"""The verdict in the terminal: four lines, and everything else on request."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from halflabel.cli import work
from halflabel.cli.console import out, print_result

if TYPE_CHECKING:
    from halflabel.completion import Completion


def print_verdict(filled: Completion, items: str = "", *, verbose: bool = False, shown: tuple[str, ...] = ()) -> None:
    """Print how many gaps were filled, how many values are wrong, and the next step.

    ``items`` are the words of a command line that name the table. Verbose output also has the method, the checks and
    the first values to check, with the columns ``shown``.
    """
    if verbose:
        from halflabel.cli.listing import print_first_to_check

        print_result(*filled.evidence.gaps, *work.describe_warnings(filled))
        print_assumptions(filled)
        print_first_to_check(filled, shown)
    print_result(*work.decide(filled.evidence, items).sentences)


def print_assumptions(filled: Completion) -> None:
    """Print, for positive-only labels, the effect of the label frequency."""
    if not filled.labels.positive_only:
        return
    table = Table("assigned", "filled as relevant", "relevant, expected", "threshold", box=None, pad_edge=False)
    for column in table.columns:
        column.justify = "right"
    table.title, table.title_justify = "If this share of the relevant entries was assigned", "left"
    for rate, n_filled, expected, cut in filled.evidence.assumptions.to_numpy():
        threshold = "–" if math.isnan(cut) else f"{cut:.2f}"
        likely = "–" if math.isnan(expected) else f"{expected:,.0f}"
        numbers = (f"{rate:.0%}", f"{n_filled:,.0f}", likely, threshold)
        table.add_row(*(Text(number, "bold" if rate == filled.evidence.observed_rate else "") for number in numbers))
    out.print(table)
