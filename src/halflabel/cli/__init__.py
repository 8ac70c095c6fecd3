"""The command: parse, call one public function, print."""

from __future__ import annotations

from typing import Any

import click

from halflabel._version import __version__
from halflabel.cli.audit import audit_command
from halflabel.cli.console import report_errors
from halflabel.cli.data import data
from halflabel.cli.items import complete_command, map_command, predict_command
from halflabel.cli.reproduce import reproduce
from halflabel.cli.trials import demo, evaluate_command

__all__ = ["main"]


class _Group(click.Group):
    """Errors in a command end as one sentence."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """In the order a newcomer meets them."""
        return list(self.commands)

    def invoke(self, ctx: click.Context) -> Any:
        with report_errors():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="halflabel")
def main() -> None:
    """Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it.

    A label is 1 (has it), 0 (does not have it) or empty (unknown).
    """


for command in (
    demo,
    complete_command,
    predict_command,
    evaluate_command,
    map_command,
    audit_command,
    reproduce,
    data,
):
    main.add_command(command)
