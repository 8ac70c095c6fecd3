"""Commands that fill and draw a user's table: complete, predict, map."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import click

from halflabel.cli.console import gap_counts, out, print_assumptions, print_gaps, roles_table, say, tell, working
from halflabel.cli.files import PATH, beside, refuse_unwritable, with_index
from halflabel.cli.options import column_options, effort_option, observed_rate_option, open_items
from halflabel.completion import Completion, complete
from halflabel.completion.model_file import load
from halflabel.datasets import read, read_vectors
from halflabel.datasets.writing import table_suffix, write_table


@click.command(name="complete")
@click.argument("items", type=PATH)
@column_options
@click.option("-o", "--output", type=PATH, help="Completed table; by default ITEMS.completed.csv (or .parquet).")
@click.option("--probabilities", type=PATH, help="Also write the probability of every label.")
@click.option("--report", type=PATH, help="Report; by default ITEMS.report.html.")
@click.option("--model", type=PATH, help="Also save the model for `halflabel predict`.")
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@click.option(
    "--cost",
    type=(float, float),
    metavar="FP FN",
    help="What a wrong yes and a wrong no cost; entries are filled at the least expected cost.",
)
@observed_rate_option
@effort_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print what happened as JSON.")
def complete_command(
    items: Path,
    output: Path | None,
    probabilities: Path | None,
    report: Path | None,
    model: Path | None,
    min_precision: float | None,
    cost: tuple[float, float] | None,
    effort: str,
    observed_rate: float | None,
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
      halflabel complete posts.csv --text body --tags tags --absent unknown --observed-rate 0.7
      halflabel complete images.parquet --vectors embedding --labels @labels.txt
      halflabel complete yeast.arff --xml yeast.xml
    """  # noqa: D301 - \b keeps click from refilling the examples
    written = {
        "table": output or beside(items, f"completed{table_suffix(items)}"),
        "report": report or beside(items, "report.html"),
        "probabilities": probabilities,
        "model": model,
    }
    refuse_unwritable((items, columns["tags_file"], columns["prior"]), *written.values())
    opened = open_items(items, **columns)
    asked: dict[str, Any] = {
        "effort": effort,
        "min_precision": min_precision,
        "cost": cost,
        "observed_rate": observed_rate,
    }
    if not as_json:
        out.print(roles_table(opened.roles, opened.encoder.matrix_names))
    with working():
        filled = complete(opened, **asked, random_state=seed)
    settings = {**asked, "seed": seed, **{k: v for k, v in columns.items() if v is not None}}
    with working():
        _write_all(filled, written, str(items), settings)
    if as_json:
        click.echo(json.dumps({**gap_counts(filled), "written": {k: str(v) for k, v in written.items() if v}}))
        return
    say(*filled.opened.notes)
    tell(*filled.gaps)
    print_gaps(filled)
    print_assumptions(filled)
    tell(f"Written: {', '.join(str(path) for path in written.values() if path)}.")


@click.command(name="predict")
@click.argument("model", type=PATH)
@click.argument("items", type=PATH)
@click.option("-o", "--output", type=PATH, help="Labelled table; by default ITEMS.predicted.csv (or .parquet).")
@click.option("--probabilities", type=PATH, help="Also write the probability of every label.")
@click.option("--vectors", "matrix_file", type=PATH, metavar="X.npy", help="Feature vectors beside the table.")
@click.option("--delimiter", help="Character between the cells of a text file, or 'tab'.")
def predict_command(
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
    target = output or beside(items, f"predicted{table_suffix(items)}")
    refuse_unwritable((model, items, matrix_file), target, probabilities)
    predictor = load(model)
    raw = read(items, delimiter=delimiter)
    if matrix_file is None and raw.matrix is not None:
        raw = raw.arranged(predictor.encoder.matrix_names, predictor.encoder.columns)
    matrix = read_vectors(matrix_file) if matrix_file else raw.matrix
    with working():
        labelled = predictor.label(raw.frame, matrix)
        p = predictor.predict_proba(raw.frame, matrix)
    say(*predictor.encoder.unseen(raw.frame))
    if probabilities and predictor.probability_of == "being assigned":
        say(
            "Probabilities are of being assigned: the model was not told how often a relevant tag is (--observed-rate)."
        )
    write_table(labelled, target)
    if probabilities:
        write_table(with_index(p), probabilities)
    tell(f"{len(labelled)} items labelled. Written: {target}{f', {probabilities}' if probabilities else ''}.")


@click.command(name="map")
@click.argument("items", type=PATH)
@column_options
@click.option("-d", "--dimensions", type=click.IntRange(1), default=2, show_default=True)
@click.option("-o", "--output", type=PATH, help="Coordinates; by default ITEMS.map.csv.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def map_command(items: Path, dimensions: int, output: Path | None, seed: int, **columns: Any) -> None:
    """Draw the items in few dimensions.

    \b
    Example:
      halflabel map songs.csv --id song --labels rock,sad,live -d 2
    """  # noqa: D301
    target = output or beside(items, "map.csv")
    refuse_unwritable((items, columns["tags_file"], columns["prior"]), target)
    with working():
        filled = complete(open_items(items, **columns), random_state=seed)
        coordinates = filled.embedding(dimensions)
    write_table(with_index(coordinates), target)
    tell(f"{len(coordinates)} items in {dimensions} dimensions. Written: {target}.")


def _write_all(filled: Completion, written: dict[str, Path | None], title: str, settings: dict[str, Any]) -> None:
    """Write everything that was asked for, the report first: it is the likeliest to fail."""
    if written["report"]:
        filled.report(written["report"], title=title, settings=settings)
    if written["model"]:
        filled.save(written["model"])
    if written["probabilities"]:
        write_table(with_index(filled.probabilities), written["probabilities"])
    if written["table"]:
        write_table(filled.table, written["table"])
