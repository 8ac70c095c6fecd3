"""Commands that fill and draw a user's table: complete, predict, map."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._files import together
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
    check_outputs,
    check_page,
    check_tables,
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
from halflabel.cli.options import (
    ItemsFile,
    add_items_options,
    effort_option,
    marks_option,
    observed_rate_option,
    question_option,
    rule_option,
    show_option,
)
from halflabel.completion.explanation import find_label
from halflabel.completion.mapping.defaults import LABEL_WEIGHT, METHOD_NAMES
from halflabel.completion.marking import check_marks
from halflabel.files.conversion import check_tool, check_values, parse_question, write_frame
from halflabel.files.detection import FORMATS
from halflabel.files.vectors import read_vectors
from halflabel.report.display import describe_review
from halflabel.table import Columns
from halflabel.table.items import choose_shown
from halflabel.table.source_files import read_file
from halflabel.table.sources import Source

if TYPE_CHECKING:
    import pandas as pd

    from halflabel.completion import Completion
    from halflabel.completion.mapping.item_map import ItemMap


@click.command(name="complete")
@add_items_options
@complete_folders
@click.option(
    "-o", "--output", type=PATH, help="Completed table; by default ITEMS.completed.*, in the format of ITEMS."
)
@click.option("--to", metavar="NAME", help="Write suggestions with scores for a tool, in place of the completed table: "
              f"{', '.join(FORMATS)}.")  # fmt: skip
@question_option
@click.option("--probabilities", type=PATH, help="Also write the probability of every label.")
@click.option("--report", type=PATH, help="Report; by default ITEMS.report.html.")
@click.option("--model", type=PATH, help="Also save the model for `halflabel predict`.")
@click.option("--review", type=PATH, help="Also write a table of the entries to check, the most useful ones first.")
@click.option(
    "--review-rows", type=click.IntRange(1), default=500, show_default=True, help="Maximum number of rows of --review."
)
@click.option(
    "--review-in",
    type=PATH,
    help="A review table whose column 'answer' is filled in with 1 or 0; answers replace given entries.",
)
@click.option("--certificate", "certificates", type=PATH, multiple=True,
              help="A certificate of `halflabel audit` about this completed table, for the report.")  # fmt: skip
@explain_option
@show_option
@marks_option
@click.option(
    "--mark", is_flag=True, help="Add columns to the completed table: whether each entry was given or filled."
)
@click.option("--min-precision", type=click.FloatRange(0.5, 1, min_open=True, max_open=True),
              help="Leave entries empty that do not reach this expected precision.")  # fmt: skip
@click.option(
    "--cost",
    type=(float, float),
    metavar="FP FN",
    help="What a wrong yes and a wrong no cost; entries are filled at the least expected cost.",
)
@rule_option
@observed_rate_option
@effort_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON.")
def complete_command(
    items: ItemsFile,
    output: Path | None,
    to: str | None,
    question: str | None,
    probabilities: Path | None,
    report: Path | None,
    model: Path | None,
    review: Path | None,
    review_rows: int,
    review_in: Path | None,
    certificates: tuple[Path, ...],
    explain: tuple[tuple[str, str], ...],
    show: tuple[str, ...] | None,
    marks: tuple[int, int] | None,
    mark: bool,
    seed: int,
    as_json: bool,
    **asked: Any,
) -> None:
    """Fill the gaps of a half-labelled table.

    \b
    Examples:
      halflabel complete songs.csv --id song --labels rock,sad,live
      halflabel complete songs.csv --labels 'tag_*' --min-precision 0.95 --model songs.halflabel
      halflabel complete posts.csv --text body --tags tags --absent irrelevant
      halflabel complete posts.csv --text body --tags tags --absent unknown --observed-rate 0.7
      halflabel complete images.parquet --vectors embedding --labels @labels.txt
      halflabel complete posts.csv --text body --labels 'tag_*' --review check.csv
      halflabel complete posts.csv --text body --labels 'tag_*' --review-in check.csv
      halflabel complete yeast.arff --xml yeast.xml
      halflabel complete export.json --text text --absent irrelevant
      halflabel complete 'parts/*.parquet' --labels 'tag_*' -o all.parquet
      halflabel complete 'parts/*.parquet' --labels 'tag_*' --out completed/ --workers 4
      halflabel complete posts.csv --text body --labels 'tag_*' --to label-studio
      halflabel complete posts.csv --text body --labels 'tag_*' --to label-studio --question topic:text
    """  # noqa: D301 - \b keeps click from refilling the examples
    source = items.read()
    table = output or _name_completed(items.paths, source, to)
    is_one = len(items.paths) == 1 and items.paths[0].exists()
    written = {
        "table": table,
        "report": report or name_output(items.paths[0] if is_one else table, "report.html"),
        "probabilities": probabilities,
        "model": model,
        "review": review,
    }
    inputs = (*items.inputs, *source.paths, review_in, *certificates)
    proofs = _read_certificates(certificates)
    check_outputs(inputs, *written.values())
    further = check_completed(table, source, to, mark, question)
    check_outputs((*inputs, *written.values()), *further)
    check_tables(probabilities, review)
    check_page(written["report"])
    opened = items.open(source)
    check_values(opened.frame, table)
    if mark:
        check_marks(opened)
    shown = choose_shown(opened, show)
    entries_to_explain = read_entries(explain, opened.index, opened.labels.names)
    if not as_json:
        out.print(make_roles_table(opened.roles, opened.encoder.matrix_names, source.format))
    with show_progress():
        from halflabel.completion import complete

        filled = complete(opened, review=review_in, **asked, random_state=seed)
    settings = {**asked, "seed": seed, "show": show, "marks": marks, "review_in": review_in, **items.stated}
    entries = filled.review(review_rows, shown) if review else None
    with show_progress(), together():
        lost = filled.write(table, to, mark=mark, question=question)
        title = Path(source.raw.source).name
        of_report = {"show": shown, "marks": marks, "title": title, "certificates": proofs}
        _write_rest(filled, written, entries, settings=settings, **of_report)
    reasons = [filled.explain(item, label) for item, label in entries_to_explain]
    if as_json:
        paths = {"written": {k: str(v) for k, v in written.items() if v}}
        explained = {"explained": [why.to_dict() for why in reasons]} if reasons else {}
        click.echo(json.dumps({**count_gaps(filled), **paths, **explained}))
        return
    print_note(*filled.opened.notes, *lost)
    print_result(*filled.gaps)
    print_gaps(filled)
    print_assumptions(filled)
    print_first_to_check(filled, shown)
    print_result(*map(repr, reasons))
    if entries is not None:
        print_result(describe_review(filled, len(entries)))
    print_result(f"Written: {_list_paths(*written.values(), *(path for path in further if path.exists()))}.")


def _name_completed(given: tuple[Path, ...], source: Source, to: str | None) -> Path:
    """Return the path of the completed table, or of the suggestions for a tool, where none was named."""
    if to is None:
        return name_table(given, source, "completed")
    return name_format(require_one(given, source), to, FORMATS[check_tool(to)].suffixes[0])


def _read_certificates(paths: tuple[Path, ...]) -> list[Any]:
    if not paths:
        return []
    from halflabel.evidence.audit import read_certificate

    return [read_certificate(path) for path in paths]


def _write_rest(
    filled: Completion, written: dict[str, Path | None], review: pd.DataFrame | None, **of_report: Any
) -> None:
    """Write all outputs but the completed table."""
    if written["probabilities"]:
        write_frame(add_index_column(filled.probabilities), written["probabilities"])
    if written["review"] and review is not None:
        form = filled.opened.form
        write_frame(review.round({"probability": 4}), written["review"], form and replace(form, cells=None))
    if written["model"]:
        filled.save(written["model"], item_map=_try_map(filled))
    if written["report"]:
        filled.report(written["report"], **of_report)


def _try_map(filled: Completion) -> ItemMap | None:
    """Return the map of the report, for the model; None if the items have fewer than two dimensions."""
    try:
        return filled.map()
    except ValueError:
        return None


@click.command(name="predict")
@click.argument("model", type=PATH)
@click.argument("items", type=PATH, nargs=-1, required=True, metavar="ITEMS...")
@click.option("-o", "--output", type=PATH, help="Labelled table; by default ITEMS.predicted.*, in the format of ITEMS.")
@click.option("--to", metavar="NAME", help="Write suggestions with scores for a tool, in place of the labelled table: "
              f"{', '.join(FORMATS)}.")  # fmt: skip
@question_option
@click.option("--probabilities", type=PATH, help="Also write the probability of every label.")
@click.option("--map", "places", type=PATH, help="Also write the places of the items on the map of the report.")
@explain_option
@click.option("--vectors", type=PATH, metavar="X.npy", help="Feature vectors, one row per row of the table.")
@click.option("--delimiter", help="Character between the cells of a text file, or 'tab'; recognised by default.")
@click.option("--encoding", help="Encoding of a text file, such as cp1252; recognised by default.")
@click.option("--format", help="Format of ITEMS; recognised by default.")
def predict_command(
    model: Path,
    items: tuple[Path, ...],
    output: Path | None,
    to: str | None,
    question: str | None,
    probabilities: Path | None,
    places: Path | None,
    explain: tuple[tuple[str, str], ...],
    vectors: Path | None,
    delimiter: str | None,
    encoding: str | None,
    format: str | None,
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

    predictor = load(model)
    source = read_file(items, Columns(format=format, labels=()), delimiter=delimiter, encoding=encoding)
    raw = source.raw
    target = output or (_name_completed(items, source, to) if to else name_plain_table(items, source, "predicted"))
    check_outputs((model, *source.paths, vectors), target, probabilities, places)
    stated = parse_question(question, to)
    further = check_tool_path(target, to) if to else ()
    check_outputs((model, *source.paths, vectors, target, probabilities, places), *further)
    check_tables(probabilities, places, *(() if to else (target,)))
    if vectors is None and raw.matrix is not None:
        raw = raw.arranged(predictor.encoder.matrix_names, predictor.encoder.columns)
    matrix = read_vectors(vectors) if vectors else raw.matrix
    with show_progress():
        if to:
            labels, p = predictor.predict_both(raw.frame, matrix)
            records = make_suggestions(predictor, source, raw.frame, labels, p)
            write = partial(write_for_tool, records, target, to, stated)
        else:
            labelled, p = predictor.label_with_probabilities(raw.frame, matrix)
            write = partial(write_frame, labelled, target, raw.form)
        located = predictor.locate(raw.frame, matrix) if places else None
        entries = read_entries(explain, p.index, predictor.label_names)
        reasons = [predictor.explain(raw.frame, item, label, matrix, given=False) for item, label in entries]
    with together():
        lost = write()
        if probabilities:
            write_frame(add_index_column(p), probabilities)
        if places and located is not None:
            write_frame(add_index_column(located), places)
    print_note(*raw.notes, *predictor.encoder.describe_unseen(raw.frame), *lost)
    if probabilities and predictor.probability_of == "being assigned":
        print_note("Probabilities are of being assigned: the model was fitted without a label frequency.")
    written = _list_paths(target, probabilities, places, *further)
    done = f"{plural(len(p), 'item')} labelled. Threshold rule: {predictor.rule}."
    print_result(*map(repr, reasons), done, f"Written: {written}.")


def _list_paths(*paths: Path | None) -> str:
    return ", ".join(str(path) for path in paths if path)


@click.command(name="map")
@add_items_options
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
@show_option
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def map_command(
    items: ItemsFile,
    dimensions: int,
    outputs: tuple[Path, ...],
    label: str | None,
    method: str | None,
    label_weight: float,
    show: tuple[str, ...] | None,
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
    check_outputs((*items.inputs, *source.paths), *targets)
    check_maps(dimensions, *targets)
    opened = items.open(source)
    shown = choose_shown(opened, show)
    with show_progress():
        from halflabel.completion import complete

        filled = complete(opened, random_state=seed)
        find_label(filled, label)
        drawn = filled.map(dimensions, method=method, label_weight=label_weight, seed=seed)
    options = {"label": label, "show": shown, "title": Path(source.raw.source).name}
    with together():
        for target in targets:
            write_map(filled, drawn, target, **options)
    print_note(*filled.opened.notes, *drawn.describe())
    shape = f"{plural(len(drawn.coordinates), 'item')} in {plural(dimensions, 'dimension')}"
    print_result(f"{shape}. Written: {_list_paths(*targets)}.")
