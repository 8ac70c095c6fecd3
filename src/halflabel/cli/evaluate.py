"""Commands that hide known entries and compare predictions: demo, evaluate."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel.cli import work
from halflabel.cli.console import (
    make_comparison_table,
    make_curve_table,
    out,
    print_result,
    show_progress,
)
from halflabel.cli.files import PATH
from halflabel.cli.options import ItemsFile, add_items_options, effort_option, seed_option
from halflabel.cli.reading import open_and_print, print_new_notes
from halflabel.cli.verdict import print_verdict

if TYPE_CHECKING:
    from halflabel.evaluation import Evaluation


@click.command()
@click.option(
    "-o", "--output", type=PATH, default=Path("halflabel-demo"), show_default=True, help="Folder to write to."
)
def demo(output: Path) -> None:
    """Show the whole story on 1797 scanned digits, offline: hide, complete, score, draw."""
    with show_progress():
        story = work.run_demo()
    output.mkdir(parents=True, exist_ok=True)
    half = output / "digits-half.csv"
    work.write_frame(story.half, half)
    work.write_frame(story.completion.table, output / "digits-completed.csv")
    with show_progress():
        story.completion.report(output / "report.html", title="Scanned digits, half labelled", marks=story.images)
    print_verdict(story.completion)
    print_result(story.sentence)
    title = f"Scored on the hidden truth, all by the rule {work.COMMON_RULE} (best in bold)"
    out.print(make_comparison_table(story.table, title))
    others = story.table.drop(index=work.DEFAULT)["average_precision"]
    ahead = story.table.loc[work.DEFAULT, "average_precision"] - others.max()
    verdict = "is ahead of" if ahead >= 0.0005 else "ties with" if ahead > -0.0005 else "loses to"
    print_result(f"In average precision halflabel {verdict} the best other method, {others.idxmax()} ({ahead:+.3f}).")
    print_result(
        f"Written: {half}, {output / 'digits-completed.csv'}, {output / 'report.html'} (open it in a browser)."
    )
    again = f"halflabel complete {shlex.quote(str(half))} --id scan --labels {','.join(story.tags)}"
    print_result(f"\nThe same again, and the form for your own file (your columns after --id and --labels):\n  {again}")


@click.command(name="evaluate")
@add_items_options()
@effort_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print every record as JSON.")
def evaluate_command(
    items: ItemsFile,
    observed_rate: float | None,
    effort: str,
    seed: int,
    as_json: bool,
) -> None:
    """Hide known entries, predict them by several methods, and compare.

    With --absent unknown: hide assigned tags, and print how many of them each method finds.

    \b
    Example:
      halflabel evaluate songs.csv --id song --labels rock,sad,live
      halflabel evaluate posts.csv --text body --tags tags --absent unknown
    """  # noqa: D301
    opened = open_and_print(items, silent=as_json)
    learned = work.leave_unlearned(opened)

    with show_progress():
        result = work.evaluate(learned, observed_rate=observed_rate, effort=effort, random_state=seed)
    if as_json:
        click.echo(json.dumps(_as_json(result)))
        return
    print_new_notes(learned.notes, opened)
    repeats = result.records["repeat"].nunique()
    out.print(make_comparison_table(result.summary, f"{result.pattern} Means of {repeats} repeats, best in bold"))
    print_result(f"All methods have the threshold rule {work.COMMON_RULE}.")
    if result.warning:
        print_result(result.warning)
    for name, row in result.summary.drop(index=work.DEFAULT).iterrows():
        span = f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
        metric = work.IN_WORDS[result.decisive]
        print_result(f"halflabel minus {name}: {span} {metric}, ahead in {row['wins']:.0f} of {repeats}.")
    if result.curve is not None and result.more_labels:
        out.print(make_curve_table(result.curve))
    print_result(*(f"\n{sentence}" for sentence in (result.more_labels, result.trust, result.advice) if sentence))


def _as_json(result: Evaluation) -> dict[str, Any]:
    """Return sentences and tables for JSON. A number that could not be measured is null."""
    sentences = ("pattern", "advice", "warning", "trust", "more_labels")
    tables = {"records": result.records, "curve": result.curve}
    return {
        **{name: getattr(result, name) for name in sentences},
        **{name: t if t is None else json.loads(t.to_json(orient="records")) for name, t in tables.items()},
    }
