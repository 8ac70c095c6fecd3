"""The command: parse, call one public function, print."""

from __future__ import annotations

import json
import os
import shlex
from pathlib import Path
from typing import Any

import click
import pandas as pd

from halflabel._version import __version__
from halflabel.completion import Completion, complete
from halflabel.console import (
    comparison_table,
    counted,
    errors_as_sentences,
    gap_counts,
    out,
    print_gaps,
    roles_table,
    say,
    tell,
    working,
)
from halflabel.datasets import fetch, read, read_vectors
from halflabel.experiments import IN_WORDS, evaluate, run_demo
from halflabel.experiments.comparison import DEFAULT
from halflabel.options import column_options, open_items, roles_without_labels
from halflabel.persistence import table_suffix, write_table
from halflabel.predictor import load
from halflabel.table import NoLabelsNamed

__all__ = ["main"]

_PATH = click.Path(path_type=Path)


class _Group(click.Group):
    """Errors in a command end as one sentence."""

    def invoke(self, ctx: click.Context) -> Any:
        with errors_as_sentences():
            return super().invoke(ctx)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="halflabel")
def main() -> None:
    """Finish half-labelled data: every label filled in with a calibrated probability, and the evidence for it.

    A label is 1 (has it), 0 (does not have it) or empty (unknown).
    """


@main.command()
@click.option(
    "-o", "--output", type=_PATH, default=Path("halflabel-demo"), show_default=True, help="Folder to write to."
)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def demo(output: Path, seed: int) -> None:
    """Show the whole story on 1797 scanned digits, offline: hide, complete, score, draw."""
    with working():
        story = run_demo(seed)
    output.mkdir(parents=True, exist_ok=True)
    half = output / "digits-half.csv"
    write_table(story.half, half)
    write_table(story.completion.table, output / "digits-completed.csv")
    with working():
        story.completion.report(output / "report.html", title="Scanned digits, half labelled", marks=story.images)
    print_gaps(story.completion)
    out.print(comparison_table(story.table, "Scored on the hidden truth (best in bold)"))
    others = story.table.drop(index=DEFAULT)["average_precision"]
    ahead = story.table.loc[DEFAULT, "average_precision"] - others.max()
    verdict = "is ahead of" if ahead >= 0.0005 else "ties with" if ahead > -0.0005 else "loses to"
    tell(f"In average precision halflabel {verdict} the best of the others, {others.idxmax()} ({ahead:+.3f}).")
    tell(f"Written: {half}, {output / 'digits-completed.csv'}, {output / 'report.html'} (open it in a browser).")
    again = f"halflabel complete {shlex.quote(str(half))} --id scan --labels {','.join(story.tags)} --seed {seed}"
    tell(f"\nThe same again, and the form for your own file (your columns after --id and --labels):\n  {again}")


@main.command(name="complete")
@click.argument("items", type=_PATH)
@column_options
@click.option("-o", "--output", type=_PATH, help="Completed table; by default ITEMS.completed.csv (or .parquet).")
@click.option("--probabilities", type=_PATH, help="Also write the probability of every label.")
@click.option("--report", type=_PATH, help="Report; by default ITEMS.report.html.")
@click.option("--model", type=_PATH, help="Also save the model for `halflabel predict`.")
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
def complete_command(
    items: Path,
    output: Path | None,
    probabilities: Path | None,
    report: Path | None,
    model: Path | None,
    min_precision: float | None,
    seed: int,
    as_json: bool,
    **columns: Any,
) -> None:
    """Fill the gaps of a half-labelled table.

    \b
    Examples:
      halflabel complete songs.csv --id song --labels rock,sad,live
      halflabel complete songs.csv --labels 'tag_*' --min-precision 0.95 --model songs.halflabel
      halflabel complete posts.csv --text body --tags tags --absent irrelevant
      halflabel complete images.parquet --vectors embedding --labels @labels.txt
      halflabel complete yeast.arff --xml yeast.xml
    """  # noqa: D301 - \b keeps click from refilling the examples
    written = {
        "table": output or _beside(items, f"completed{table_suffix(items)}"),
        "report": report or _beside(items, "report.html"),
        "probabilities": probabilities,
        "model": model,
    }
    _refuse_unwritable(items, *written.values())
    opened = open_items(items, **columns)
    if model and opened.labels.positive_only:
        raise ValueError("--model cannot be written: labels that are positive-only give a ranking, not a model.")
    if not as_json:
        out.print(roles_table(opened.roles, opened.encoder.matrix_names))
    with working():
        filled = complete(opened, min_precision=min_precision, random_state=seed)
    settings = {"min_precision": min_precision, "seed": seed, **{k: v for k, v in columns.items() if v is not None}}
    with working():
        _write_all(filled, written, str(items), settings)
    if as_json:
        click.echo(json.dumps({**gap_counts(filled), "written": {k: str(v) for k, v in written.items() if v}}))
        return
    say(*filled.opened.notes)
    print_gaps(filled)
    tell(f"Written: {', '.join(str(path) for path in written.values() if path)}.")


@main.command()
@click.argument("model", type=_PATH)
@click.argument("items", type=_PATH)
@click.option("-o", "--output", type=_PATH, help="Labelled table; by default ITEMS.predicted.csv (or .parquet).")
@click.option("--probabilities", type=_PATH, help="Also write the probability of every label.")
@click.option("--vectors", "matrix_file", type=_PATH, metavar="X.npy", help="Feature vectors beside the table.")
@click.option("--delimiter", help="Character between the cells of a text file, or 'tab'.")
def predict(
    model: Path,
    items: Path,
    output: Path | None,
    probabilities: Path | None,
    matrix_file: Path | None,
    delimiter: str | None,
) -> None:
    """Label new items with a saved model.

    \b
    Example:
      halflabel predict songs.halflabel new-songs.csv
    """  # noqa: D301
    target = output or _beside(items, f"predicted{table_suffix(items)}")
    _refuse_unwritable(items, target, probabilities)
    predictor = load(model)
    raw = read(items, delimiter=delimiter)
    if matrix_file is None and raw.matrix is not None:
        raw = raw.arranged(predictor.encoder.matrix_names, predictor.encoder.columns)
    matrix = read_vectors(matrix_file) if matrix_file else raw.matrix
    with working():
        labelled = predictor.label(raw.frame, matrix)
        p = predictor.predict_proba(raw.frame, matrix)
    say(*predictor.encoder.unseen(raw.frame))
    write_table(labelled, target)
    if probabilities:
        write_table(_with_index(p), probabilities)
    tell(f"{len(labelled)} items labelled. Written: {target}{f', {probabilities}' if probabilities else ''}.")


@main.command(name="map")
@click.argument("items", type=_PATH)
@column_options
@click.option("-d", "--dimensions", type=click.IntRange(1), default=2, show_default=True)
@click.option("-o", "--output", type=_PATH, help="Coordinates; by default ITEMS.map.csv.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def map_command(items: Path, dimensions: int, output: Path | None, seed: int, **columns: Any) -> None:
    """Draw the items in few dimensions.

    \b
    Example:
      halflabel map songs.csv --id song --labels rock,sad,live -d 2
    """  # noqa: D301
    target = output or _beside(items, "map.csv")
    _refuse_unwritable(items, target)
    with working():
        filled = complete(open_items(items, **columns), random_state=seed)
        coordinates = filled.embedding(dimensions)
    write_table(_with_index(coordinates), target)
    tell(f"{len(coordinates)} items in {dimensions} dimensions. Written: {target}.")


@main.command(name="evaluate")
@click.argument("items", type=_PATH)
@column_options
@click.option("--repeats", type=click.IntRange(2), default=5, show_default=True)
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print every record as JSON.")
def evaluate_command(items: Path, repeats: int, seed: int, as_json: bool, **columns: Any) -> None:
    """Hide known entries and say which method would have been right how often.

    \b
    Example:
      halflabel evaluate songs.csv --id song --labels rock,sad,live
    """  # noqa: D301
    opened = open_items(items, **columns)
    with working():
        result = evaluate(opened, repeats=repeats, seed=seed)
    if as_json:
        records = json.loads(result.records.to_json(orient="records"))
        click.echo(json.dumps({"pattern": result.pattern, "advice": result.advice, "records": records}))
        return
    out.print(comparison_table(result.summary, f"{result.pattern} Means of {repeats} repeats, best in bold"))
    for name, row in result.summary.drop(index=DEFAULT).iterrows():
        span = f"{row['difference']:+.3f} ({row['low']:+.3f} to {row['high']:+.3f})"
        metric = IN_WORDS[result.decisive]
        tell(f"halflabel minus {name}: {span} {metric}, ahead in {row['wins']:.0f} of {repeats}.")
    tell(f"\n{result.advice}")


@main.group()
def data() -> None:
    """Look at a file, or get a public benchmark set."""


@data.command()
@click.argument("items", type=_PATH)
@column_options
def describe(items: Path, **columns: Any) -> None:
    """Say what a file contains and which column plays which role.

    \b
    Example:
      halflabel data describe songs.csv --labels 'tag_*'
    """  # noqa: D301
    try:
        opened = open_items(items, **columns)
    except NoLabelsNamed as reason:  # still an answer: what else is in the file
        out.print(roles_table(roles_without_labels(items, **columns)))
        say(str(reason))
        return
    out.print(roles_table(opened.roles, opened.encoder.matrix_names))
    labels = opened.labels
    known = labels.observed
    partial = int((known.any(axis=1) & ~known.all(axis=1)).sum())
    tell(
        f"{counted(len(labels), 'item')}, {counted(opened.X.shape[1], 'feature')}, "
        f"{counted(len(labels.names), 'label')}. {counted(int(labels.unlabelled.sum()), 'item')} without any label, "
        f"{partial:,} with some; {known.mean():.1%} of all entries known, {labels.relevant.sum():,} of them relevant."
    )
    say(*opened.notes)


@data.command(name="fetch")
@click.argument("name")
@click.option("-o", "--output", type=_PATH, help="CSV file; by default NAME.csv.")
def fetch_command(name: str, output: Path | None) -> None:
    """Get a public multi-label set from OpenML (needs the network) and write it as CSV."""
    with working():
        dataset = fetch(name)
    X = dataset.X.toarray() if hasattr(dataset.X, "toarray") else dataset.X
    target = output or Path(f"{name}.csv")
    write_table(pd.DataFrame(X, columns=list(dataset.feature_names)).join(dataset.Y.to_frame()), target)
    size = f"{X.shape[0]} items, {X.shape[1]} features, {len(dataset.label_names)} labels"
    tell(f"{dataset.name}: {size}. Written: {target}.")


def _beside(items: Path, ending: str) -> Path:
    """Return the path of an output that stands beside its input, the suffix replaced."""
    return items.with_name(f"{items.name.removesuffix('.gz').rsplit('.', 1)[0]}.{ending}")


def _refuse_unwritable(items: Path, *targets: Path | None) -> None:
    """Refuse before the work starts what could not be written at its end, or would overwrite what is needed."""
    taken = {items.resolve()}
    for target in filter(None, targets):
        if not target.parent.is_dir():
            raise FileNotFoundError(f"{target} cannot be written: there is no folder {target.parent}.")
        if (target.exists() and not target.is_file()) or not os.access(target.parent, os.W_OK):
            raise PermissionError(f"{target} cannot be written: it is no ordinary file, or its folder is read-only.")
        if target.resolve() in taken:
            raise ValueError(f"{target} is the input or another output: give each its own name.")
        taken.add(target.resolve())


def _write_all(filled: Completion, written: dict[str, Path | None], title: str, settings: dict[str, Any]) -> None:
    """Write everything that was asked for, the report first: it is the likeliest to fail."""
    if written["report"]:
        filled.report(written["report"], title=title, settings=settings)
    if written["model"]:
        filled.save(written["model"])
    if written["probabilities"]:
        write_table(_with_index(filled.probabilities), written["probabilities"])
    if written["table"]:
        write_table(filled.table, written["table"])


def _with_index(table: pd.DataFrame) -> pd.DataFrame:
    """Put what items are known by into the first column, under a name of its own."""
    name = str(table.index.name or "row")
    while name in table.columns:
        name = f"_{name}"
    return table.rename_axis(name).reset_index()


if __name__ == "__main__":
    main()
