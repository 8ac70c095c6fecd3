"""Commands that fill and draw a user's table: complete, predict, map."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
import pandas as pd

from halflabel._wording import plural
from halflabel.cli.console import (
    count_gaps,
    make_roles_table,
    out,
    print_assumptions,
    print_gaps,
    print_note,
    print_result,
    show_progress,
)
from halflabel.cli.explaining import explain_option, read_entries
from halflabel.cli.files import (
    PATH,
    add_index_column,
    check_completed,
    check_maps,
    check_tool_path,
    name_format,
    name_output,
    name_plain_table,
    name_table,
    require_one,
    write_map,
)
from halflabel.cli.folders import complete_folders
from halflabel.cli.listing import print_first_to_check
from halflabel.cli.old_names import Given, accept_old_names, old_name, renamed
from halflabel.cli.options import (
    MAX_ROWS,
    ItemsFile,
    add_items_options,
    add_rule_option,
    add_set_option,
    effort_option,
    observed_rate_option,
    seed_option,
)
from halflabel.cli.outputs import Outputs
from halflabel.completion.explanation import find_label
from halflabel.completion.mapping.defaults import LABEL_WEIGHT, METHOD_NAMES
from halflabel.completion.marking import check_marks
from halflabel.files.conversion import check_values, parse_question, write_frame
from halflabel.files.registry import FORMATS, check_name
from halflabel.files.vectors import read_vectors
from halflabel.report.display import describe_review
from halflabel.table import Columns
from halflabel.table.items import choose_shown
from halflabel.table.source_files import read_file
from halflabel.table.sources import Source

if TYPE_CHECKING:
    from halflabel.completion import Completion
    from halflabel.completion.mapping.item_map import ItemMap


#: Suggestions for a tool; of Label Studio also the name of one question.
_to_option = click.option(
    "--to", metavar="TOOL",
    help="Write suggestions with scores for a tool, in place of the table: "
    f"{', '.join(FORMATS)}. label-studio:NAME[:OBJECT] has one question whose choices are the labels, and names the "
    "object that it is about.",
)  # fmt: skip

_probabilities_option = click.option("--probabilities", type=PATH, help="Also write the probability of every label.")


def _add_question(given: Given, question: str) -> None:
    given["to"] = f"{given['to'] or ''}:{question}"


_OLD_QUESTION = old_name("--question", "--to label-studio:{}", _add_question)

_OLD_OPTIONS = (
    _OLD_QUESTION,
    renamed("--mark", "source_columns", "--source-columns", is_flag=True),
    renamed("--review-in", "answers", "--answers {}", type=PATH),
    renamed("--review", "review", "`halflabel review ITEMS --to {}`", type=PATH),
    renamed("--review-rows", "review_rows", "`halflabel review ITEMS --rows {}`", type=click.IntRange(1)),
)


@click.command(name="complete")
@add_items_options()
@accept_old_names(*_OLD_OPTIONS)
@add_rule_option
@complete_folders
@_to_option
@_probabilities_option
@click.option("--report", type=PATH, help="Report; by default ITEMS.report.html.")
@click.option("--model", type=PATH, help="Also save the model for `halflabel predict`.")
@click.option("--answers", type=PATH, help="A table of `halflabel review` whose column 'answer' is filled in with 1 or "
              "0; answers replace given entries.")  # fmt: skip
@click.option("--certificate", "certificates", type=PATH, multiple=True,
              help="A certificate of `halflabel audit` about this completed table, for the report.")  # fmt: skip
@explain_option
@click.option("--source-columns", is_flag=True,
              help="Add columns to the completed table: whether each entry was given or filled.")  # fmt: skip
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@observed_rate_option
@effort_option
@seed_option
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def complete_command(
    items: ItemsFile,
    output: Path | None,
    to: str | None,
    certificates: tuple[Path, ...],
    answers: Path | None,
    source_columns: bool,
    as_json: bool,
    seed: int,
    review_rows: int = MAX_ROWS,
    *,
    probabilities: Path | None,
    report: Path | None,
    model: Path | None,
    explain: tuple[tuple[str, str], ...] = (),
    review: Path | None = None,
    **asked: Any,
) -> None:
    """Fill the gaps of a half-labelled table.

    \b
    Examples:
      halflabel complete songs.csv --id song --labels rock,sad,live
      halflabel complete songs.csv --labels 'tag_*' --min-precision 0.95 --model songs.halflabel
      halflabel complete posts.csv --text body --tags tags --absent irrelevant
      halflabel complete posts.csv --text body --tags tags --absent unknown --observed-rate 0.7
      halflabel complete images.parquet --set vectors=embedding --labels @labels.txt
      halflabel complete posts.csv --text body --labels 'tag_*' --answers check.csv
      halflabel complete yeast.arff --set xml=yeast.xml
      halflabel complete export.json --text text --absent irrelevant
      halflabel complete 'parts/*.parquet' --labels 'tag_*' -o all.parquet
      halflabel complete 'parts/*.parquet' --labels 'tag_*' -o completed/ --workers 4
      halflabel complete posts.csv --text body --labels 'tag_*' --to label-studio:topic:text
    """  # noqa: D301
    tool, question = _split_tool(to)
    source, proofs = items.read(), _read_certificates(certificates)
    table = output or _name_completed(items.paths, source, tool)
    is_one = len(items.paths) == 1 and items.paths[0].exists()
    outputs = Outputs.plan(
        (*items.inputs, *source.paths, answers, *certificates),
        {
            "table": table,
            "report": report or name_output(items.paths[0] if is_one else table, "report.html"),
            "probabilities": probabilities,
            "model": model,
            "review": review,
        },
    )
    outputs = outputs.together_with(check_completed(table, source, tool, source_columns, question))
    opened = items.open(source)
    check_values(opened.frame, table)
    if source_columns:
        check_marks(opened)
    shown = choose_shown(opened)
    entries_to_explain = read_entries(explain, opened.index, opened.labels.names)
    if not as_json:
        out.print(make_roles_table(opened.roles, opened.encoder.matrix_names, source.format))
    with show_progress():
        from halflabel.completion import complete

        filled = complete(opened, review=answers, **asked, random_state=seed)
    settings = {**asked, "seed": seed, "answers": answers, **items.stated}
    entries = filled.review(review_rows, shown) if review else None
    of_report = {"title": Path(source.raw.source).name, "certificates": proofs, "settings": settings}
    with show_progress():
        written = outputs.write(
            table=lambda path: filled.write(path, tool, mark=source_columns, question=question),
            probabilities=lambda path: write_frame(add_index_column(filled.probabilities), path),
            review=lambda path: write_review(filled, entries, path),
            model=lambda path: filled.save(path, item_map=_try_map(filled)),
            report=lambda path: filled.report(path, **of_report),
        )
    reasons = [filled.explain(item, label) for item, label in entries_to_explain]
    if as_json:
        paths = {"written": {name: str(path) for name, path in outputs.paths.items()}}
        explained = {"explained": [why.to_dict() for why in reasons]} if reasons else {}
        click.echo(json.dumps({**count_gaps(filled), **paths, **explained}))
        return
    print_note(*filled.opened.notes, *written["table"])
    print_result(*filled.evidence.gaps)
    print_gaps(filled)
    print_assumptions(filled)
    print_first_to_check(filled, shown)
    print_result(*map(repr, reasons))
    if entries is not None:
        print_result(describe_review(filled, len(entries)))
    outputs.print_paths()


def _split_tool(to: str | None) -> tuple[str | None, str | None]:
    """Return the name of a tool, and of the question that is asked there."""
    tool, _, question = (to or "").partition(":")
    return tool or None, question or None


def _name_completed(given: tuple[Path, ...], source: Source, to: str | None) -> Path:
    """Return the path of the completed table, or of the suggestions for a tool, where none was named."""
    if to is None:
        return name_table(given, source, "completed")
    return name_format(require_one(given, source), to, FORMATS[check_name(to, tuple(FORMATS))].suffixes[0])


def _read_certificates(paths: tuple[Path, ...]) -> list[Any]:
    if not paths:
        return []
    from halflabel.evidence.audit import read_certificate

    return [read_certificate(path) for path in paths]


def write_review(filled: Completion, entries: pd.DataFrame | None, path: Path) -> None:
    """Write the entries to check, in the notation of the items."""
    form = filled.opened.form
    if entries is not None:
        write_frame(entries.round({"probability": 4}), path, form and replace(form, cells=None))


def _try_map(filled: Completion) -> ItemMap | None:
    """Return the map of the report, for the model, or None if the items have fewer than two dimensions."""
    try:
        return filled.map()
    except ValueError:
        return None


@click.command(name="predict")
@click.argument("model", type=PATH)
@click.argument("items", type=PATH, nargs=-1, required=True, metavar="ITEMS...")
@add_set_option("delimiter", "encoding", "format")
@accept_old_names(_OLD_QUESTION)
@click.option("-o", "--output", type=PATH, help="Labelled table; by default ITEMS.predicted.*, in the format of ITEMS.")
@_to_option
@_probabilities_option
@click.option("--map", "places", type=PATH, help="Also write the places of the items on the map of the report.")
@explain_option
@click.option("--vectors", type=PATH, metavar="X.npy", help="Feature vectors, one row per row of the table.")
def predict_command(
    model: Path,
    items: tuple[Path, ...],
    keys: dict[str, Any],
    output: Path | None,
    to: str | None,
    probabilities: Path | None,
    places: Path | None,
    explain: tuple[tuple[str, str], ...],
    vectors: Path | None,
) -> None:
    """Label new items with a saved model.

    \b
    Example:
      halflabel predict songs.halflabel new-songs.csv
      halflabel predict songs.halflabel new-songs.csv --to label-studio
    """  # noqa: D301
    from halflabel.completion.model_file import load
    from halflabel.completion.output import write_for_tool
    from halflabel.completion.predictions import make_suggestions

    tool, question = _split_tool(to)
    predictor = load(model)
    source = read_file(items, Columns(format=keys.pop("format", None), labels=()), **keys)
    raw = source.raw
    target = output or (_name_completed(items, source, tool) if tool else name_plain_table(items, source, "predicted"))
    stated = parse_question(question, tool)
    named = {"suggestions" if tool else "labelled": target, "probabilities": probabilities, "places": places}
    outputs = Outputs.plan((model, *source.paths, vectors), named)
    outputs = outputs.together_with(check_tool_path(target, tool) if tool else ())
    if vectors is None and raw.matrix is not None:
        raw = raw.arranged(predictor.encoder.matrix_names, predictor.encoder.columns)
    matrix = read_vectors(vectors) if vectors else raw.matrix
    with show_progress():
        if tool:
            labels, p = predictor.predict(raw.frame, matrix, return_proba=True)
            records = make_suggestions(predictor, source, raw.frame, labels, p)
        else:
            labelled, p = predictor.complete(raw.frame, matrix, given=False, return_proba=True)
        located = predictor.locate(raw.frame, matrix) if places else pd.DataFrame()
        entries = read_entries(explain, p.index, predictor.label_names)
        reasons = [predictor.explain(raw.frame, item, label, matrix, given=False) for item, label in entries]
    written = outputs.write(
        suggestions=lambda path: write_for_tool(records, path, tool or "", stated),
        labelled=lambda path: write_frame(labelled, path, raw.form),
        probabilities=lambda path: write_frame(add_index_column(p), path),
        places=lambda path: write_frame(add_index_column(located), path),
    )
    lost = written.get("suggestions") or written.get("labelled") or ()
    print_note(*raw.notes, *predictor.encoder.describe_unseen(raw.frame), *lost)
    if probabilities and predictor.probability_of == "being assigned":
        print_note("Probabilities are of being assigned: the model was fitted without a label frequency.")
    print_result(*map(repr, reasons))
    outputs.print_paths(f"{plural(len(p), 'item')} labelled. Threshold rule: {predictor.rule}.")


@click.command(name="map")
@add_items_options()
@click.option("-d", "--dimensions", type=click.IntRange(1), default=2, show_default=True)
@click.option("-o", "--output", "outputs", type=PATH, multiple=True,
              help="A picture (.html, .svg, .png) or coordinates with labels (.csv, .parquet); may be given more than "
              "once. By default ITEMS.map.html and ITEMS.map.csv.")  # fmt: skip
@click.option("--label", help="The label for the colours; by default the one with the most relevant entries.")
@click.option(
    "--method", type=click.Choice(METHOD_NAMES), help="By default tsne for 1 or 2 dimensions, ssdrmc for more."
)
@click.option("--label-weight", type=click.FloatRange(0), default=LABEL_WEIGHT, show_default=True,
              help="Weight of the labels against the features; 0 draws the features alone.")  # fmt: skip
@seed_option
def map_command(
    items: ItemsFile,
    dimensions: int,
    outputs: tuple[Path, ...],
    label: str | None,
    method: str | None,
    label_weight: float,
    seed: int,
) -> None:
    """Draw the items in a small number of dimensions.

    \b
    Examples:
      halflabel map songs.csv --id song --labels rock,sad,live
      halflabel map songs.csv --id song --labels rock,sad,live --label sad -o sad.svg -o songs.map.parquet
      halflabel map songs.csv --id song --labels rock,sad,live --label-weight 0
    """  # noqa: D301
    source = items.read()
    kinds = ("map.html", "map.csv") if dimensions == 2 else ("map.csv",)
    targets = outputs or tuple(name_output(require_one(items.paths, source), kind) for kind in kinds)
    named = {f"map {number}": path for number, path in enumerate(targets)}
    planned = Outputs.plan((*items.inputs, *source.paths), named)
    check_maps(dimensions, *targets)
    opened = items.open(source)
    with show_progress():
        from halflabel.completion import complete

        filled = complete(opened, random_state=seed)
        find_label(filled, label)
        drawn = filled.map(dimensions, method=method, label_weight=label_weight, random_state=seed)
    options: dict[str, Any] = {"label": label, "show": choose_shown(opened), "title": Path(source.raw.source).name}
    planned.write(**{name: partial(write_map, filled, drawn, **options) for name in named})
    print_note(*filled.opened.notes, *drawn.describe())
    planned.print_paths(f"{plural(len(drawn.coordinates), 'item')} in {plural(dimensions, 'dimension')}.")
