"""The verdict in the terminal: four lines, and everything else on request."""

from __future__ import annotations

from typing import TYPE_CHECKING

from halflabel.cli import work
from halflabel.cli.console import print_result

if TYPE_CHECKING:
    from halflabel.completion import Completion


def print_verdict(filled: Completion, items: str = "", *, verbose: bool = False, shown: tuple[str, ...] = ()) -> None:
    """Print how many gaps were filled, how many values are wrong, and the next step.

    The errors of sources come first. ``items`` are the words of a command line that name the table. Verbose output also
    has the method, the checks and the first values to check, with the columns ``shown``.
    """
    if verbose:
        from halflabel.cli.listing import print_first_to_check

        print_result(*filled.evidence.gaps, *work.describe_warnings(filled))
        print_first_to_check(filled, shown)
    else:
        print_result(*filled.evidence.counts)
    print_result(*work.decide(filled.evidence, items).sentences)
