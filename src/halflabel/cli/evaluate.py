"""Commands that hide known entries and compare predictions: demo, evaluate."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING

import click

from halflabel._wording import count
from halflabel.cli import work
from halflabel.cli.console import make_comparison_table, out, print_result, show_progress
from halflabel.cli.options import ItemsFile, add_items_options, effort_option, seed_option
from halflabel.cli.output_paths import PATH
from halflabel.cli.print_reading import open_and_print, print_new_notes
from halflabel.cli.verdict import print_verdict

if TYPE_CHECKING:
    from halflabel.labels.names import Effort


@click.command()
@click.option(
    "-o", "--output", type=PATH, default=Path("halflabel-demo"), show_default=True, help="Folder to write to."
)
def demo(output: Path) -> None:
    """Show the whole story on 1797 scanned digits, offline: hide, complete, score, draw."""
    with show_progress():
        story = work.run_demo()
    output.mkdir(parents=True, exist_ok=True)
    half, table, report = (output / name for name in ("digits-half.csv", "digits-completed.csv", "report.html"))
    words = f"{shlex.quote(str(half))} --id scan --labels {','.join(story.tags)} --set thumbnails=8x8"
    work.write_frame(story.half, half)
    work.write_frame(story.completion.table, table)
    with show_progress():
        story.completion.report(report, title="Scanned digits, half labelled", items=words)
    print_verdict(story.completion, words)
    wrong = story.wrong["halflabel"]
    print_result(f"Truth: 1 in {story.filled / max(wrong, 1):,.0f} is wrong ({count(wrong)} of {count(story.filled)}).")
    print_result("Wrong values: " + ", ".join(f"{name} {count(number)}" for name, number in story.wrong.items()) + ".")
    print_result(f"Written: {half}, {table}, {report} (open it in a browser).")
    print_result(f"\nThe same again, and the form for your own file:\n  halflabel complete {words}")


@click.command(name="evaluate")
@add_items_options()
@effort_option
@seed_option
def evaluate_command(
    items: ItemsFile,
    observed_rate: float | None,
    effort: Effort,
    seed: int,
) -> None:
    """Hide known entries, predict them by several methods, and compare.

    With --absent unknown: hide assigned tags, and print how many of them each method finds.

    \b
    Examples:
      halflabel evaluate songs.csv --id song --labels rock,sad,live
      halflabel evaluate posts.csv --text body --tags tags --absent unknown
    """  # noqa: D301
    opened = open_and_print(items)
    learned = work.leave_unlearned(opened)

    with show_progress():
        result = work.evaluate(learned, observed_rate=observed_rate, effort=effort, random_state=seed)
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
    print_result(*(f"\n{sentence}" for sentence in (result.more_labels, result.trust, result.advice) if sentence))
