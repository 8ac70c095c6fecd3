"""The command: parse, call one public function, print."""

from __future__ import annotations

import gc
import io
import sys
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from typing import Any, NamedTuple

import click

from halflabel._version import __version__

__all__ = ["main"]


#: Where the words of a command line are kept, for the commands that answer a question.
WORDS = "halflabel.words"


class _Place(NamedTuple):
    """Where a command is defined, and its line in the list of commands."""

    module: str
    function: str
    help: str


#: In the order in which a newcomer meets them.
_COMMANDS = {
    "demo": _Place("evaluate", "demo", "Show the whole story on 1797 scanned digits, offline."),
    "complete": _Place("complete", "complete_command", "Fill the gaps of a half-labelled table."),
    "review": _Place("review", "review_command", "Answer questions in the browser, with fits in the background."),
    "finish": _Place(
        "finish",
        "finish_command",
        "Ask questions until the whole delivered table has at most a stated share of errors.",
    ),
    "evaluate": _Place(
        "evaluate", "evaluate_command", "Hide known entries, predict them by several methods, and compare."
    ),
    "prevalence": _Place("prevalence", "prevalence_command", "Count how frequent each label is, with an interval."),
    "predict": _Place("predict", "predict_command", "Label new items with a saved model."),
    "describe": _Place("describe", "describe_command", "Print the contents of a file and the role of each column."),
    "verify": _Place("verify", "verify_command", "Check that a written file is unchanged."),
}

#: Commands of other distributions, which need not be installed: the folder of each in a clone, and its line.
_OF_OTHERS = {
    "complete-folder": ("scale", "Fill the gaps of a folder of Parquet files beyond memory."),
    "rank": ("scale", "Rank the likeliest of thousands of labels."),
    "reproduce": ("papers", "Measure the tables and figures of a paper again."),
    "benchmark": ("papers", "Compare methods for missing labels on the same gaps."),
}


def _find_added_commands() -> dict[str, EntryPoint]:
    """Return the commands that other installed distributions add, by name."""
    return {entry.name: entry for entry in entry_points(group="halflabel.commands") if entry.name not in _COMMANDS}


def _ask_to_install(name: str) -> click.Command:
    """Return a command that explains, with any arguments, how to install the distribution that has it."""
    folder, line = _OF_OTHERS[name]

    def raise_missing() -> None:
        raise ValueError(
            f"`halflabel {name}` is part of halflabel-{folder}, which is not installed: run `pip install "
            f"halflabel-{folder}`, or `pip install ./{folder}` in a clone of the repository."
        )

    context = {"ignore_unknown_options": True, "allow_extra_args": True}
    return click.Command(name, context, raise_missing, help=line, add_help_option=False)


class _Group(click.Group):
    """Commands are imported when they are called. An error in a command becomes one sentence."""

    def main(self, *args: Any, **kwargs: Any) -> Any:
        """Run a command. Characters that the terminal cannot show are replaced and never end the command."""
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")
        return super().main(*args, **kwargs)

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[WORDS] = list(args)
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(dict.fromkeys([*_COMMANDS, *_OF_OTHERS, *_find_added_commands()]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        command: click.Command
        if place := _COMMANDS.get(cmd_name):
            command = getattr(import_module(f"halflabel.cli.{place.module}"), place.function)
            return command
        if entry := _find_added_commands().get(cmd_name):
            command = entry.load()
            return command
        return _ask_to_install(cmd_name) if cmd_name in _OF_OTHERS else None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the list of commands without the modules that define them."""
        with formatter.section("Commands"):
            lines = {name: place.help for name, place in _COMMANDS.items()}
            lines |= {name: line for name, (_, line) in _OF_OTHERS.items()}
            for name, entry in _find_added_commands().items():
                lines.setdefault(name, f"From {entry.module.partition('.')[0]}.")
            formatter.write_dl(list(lines.items()))

    def invoke(self, ctx: click.Context) -> Any:
        from halflabel.cli.console import report_errors
        from halflabel.cli.deferred import defer_statistics

        gc.set_threshold(10_000)  # the default collects 400 times in a short command, which takes a tenth of its time
        defer_statistics()
        with report_errors():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(__version__, prog_name="halflabel")
def main() -> None:
    """Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it.

    A label is 1 (has it), 0 (does not have it) or empty (unknown).
    """
