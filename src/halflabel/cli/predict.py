"""The command that labels new items with a saved model: predict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from halflabel._wording import plural
from halflabel.cli import work
from halflabel.cli.console import print_note, show_progress
from halflabel.cli.options import add_set_option
from halflabel.cli.output_paths import PATH, add_index_column, check_tool_path, name_plain_table
from halflabel.cli.outputs import Outputs, find_tool, probabilities_option
from halflabel.table.columns import Description

if TYPE_CHECKING:
    import pandas as pd

    from halflabel._arrays import MatrixLike
    from halflabel.completion.model_file.predictor import Predictor
    from halflabel.files.raw_table import RawTable
    from halflabel.table.sources import Source


@click.command(name="predict")
@click.argument("model", type=PATH)
@click.argument("items", type=PATH, nargs=-1, required=True, metavar="ITEMS...")
@add_set_option("delimiter", "encoding", "format", "vectors", "images")
@click.option("-o", "--output", type=PATH, help="Labelled table; by default ITEMS.predicted.*, in the format of ITEMS.")
@probabilities_option
def predict_command(
    model: Path,
    items: tuple[Path, ...],
    keys: dict[str, Any],
    output: Path | None,
    probabilities: Path | None,
) -> None:
    """Label new items with a saved model.

    \b
    Examples:
      halflabel predict songs.halflabel new-songs.csv
      halflabel predict songs.halflabel new-songs.csv -o new-songs.label-studio.json
    """  # noqa: D301
    tool, predictor = find_tool(output), work.load(model)
    vectors = Path(keys.pop("vectors")) if "vectors" in keys else None
    stated = {name: keys.pop(name, None) for name in ("format", "images")}
    columns = Description(labels=(), **stated)
    source = work.read_file(items, columns, **keys)
    raw, embedded = source.raw, cast("MatrixLike | None", work.describe_images(source, columns).vectors)
    target = output or name_plain_table(items, source, "predicted")
    named = {"suggestions" if tool else "labelled": target, "probabilities": probabilities}
    outputs = Outputs.plan((model, *source.paths, vectors), named)
    outputs = outputs.together_with(check_tool_path(target, tool) if tool else ())
    if vectors is None and raw.matrix is not None:
        raw = raw.arranged(predictor.encoder.matrix_names, predictor.encoder.columns)
    matrix = work.read_vectors(vectors) if vectors else raw.matrix if embedded is None else embedded
    with show_progress():
        p, write = _predict(predictor, source, raw, matrix, tool)
    written = outputs.write(
        suggestions=write,
        labelled=write,
        probabilities=lambda path: work.write_frame(add_index_column(p), path),
    )
    lost = written.get("suggestions") or written.get("labelled") or ()
    print_note(*raw.notes, *predictor.encoder.describe_unseen(raw.frame), *lost)
    if probabilities and predictor.probability_of == "being assigned":
        print_note("Probabilities are of being assigned: the model was fitted without a label frequency.")
    outputs.print_paths(f"{plural(len(p), 'item')} labelled. Threshold rule: {predictor.rule}.")


def _predict(
    predictor: Predictor, source: Source, raw: RawTable, matrix: Any, tool: str | None
) -> tuple[pd.DataFrame, Callable[[Path], Sequence[str]]]:
    """Return the probabilities, and a function that writes the labels: as a table, or as suggestions for a tool."""
    if tool is None:
        labelled, p = predictor.complete_both(raw.frame, matrix, given=False)
        return p, lambda path: work.write_frame(labelled, path, raw.form)
    labels, p = predictor.predict_both(raw.frame, matrix)
    records = work.make_suggestions(predictor, source, raw.frame, labels, p)
    return p, lambda path: work.write_for_tool(records, path, tool)
