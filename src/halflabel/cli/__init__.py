"""The command: parse, call one public function, print."""

from __future__ import annotations

from importlib import import_module
from typing import Any, NamedTuple

import click

from halflabel._version import __version__

__all__ = ["main"]


class _Place(NamedTuple):
    """Where a command is defined, and its line in the list of commands."""

    module: str
    function: str
    help: str


#: In the order in which a newcomer meets them.
_COMMANDS = {
    "demo": _Place("trials", "demo", "Show the whole story on 1797 scanned digits, offline."),
    "complete": _Place("items", "complete_command", "Fill the gaps of a half-labelled table."),
    "predict": _Place("items", "predict_command", "Label new items with a saved model."),
    "evaluate": _Place(
        "trials", "evaluate_command", "Hide known entries, predict them by several methods, and compare."
    ),
    "map": _Place("items", "map_command", "Draw the items in a small number of dimensions."),
    "review": _Place("review", "review_group", "Answer questions about uncertain labels in the browser."),
    "audit": _Place("audit", "audit_command", "Certify how many filled entries are right."),
    "reproduce": _Place("reproduce", "reproduce", "Measure the tables and figures of a paper again."),
    "data": _Place("data", "data", "Describe a file, or get a public benchmark set."),
}


class _Group(click.Group):
    """Commands are imported when they are called; errors in a command end as one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(_COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in _COMMANDS:
            return None
        place = _COMMANDS[cmd_name]
        command: click.Command = getattr(import_module(f"halflabel.cli.{place.module}"), place.function)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without the modules that define them."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in _COMMANDS.items()])

    def invoke(self, ctx: click.Context) -> Any:
        from halflabel.cli.console import report_errors

        with report_errors():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="halflabel")
def main() -> None:
    """Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it.

    A label is 1 (has it), 0 (does not have it) or empty (unknown).
    """
