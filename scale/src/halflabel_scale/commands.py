"""The commands `halflabel complete-folder` and `halflabel rank`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
import pandas as pd

from halflabel.plugins import atomic_write
from halflabel_scale.folder import complete_folder
from halflabel_scale.ranking import rank_labels

#: The readers of `rank`, by the suffix of a file.
READERS: dict[str, Any] = {
    ".csv": pd.read_csv,
    ".tsv": lambda path: pd.read_csv(path, sep="\t"),
    ".jsonl": lambda path: pd.read_json(path, lines=True),
    ".parquet": pd.read_parquet,
}

_PATH = click.Path(path_type=Path)
_ID = click.option("--id", metavar="COL", help="Column that identifies the rows.")
_TEXT = click.option("--text", metavar="COL", help="A column of free text.")
_MEANING = click.option("--absent", type=click.Choice(["irrelevant", "unknown"]), help="Meaning of an unlisted tag.")
_SEED = click.option("--seed", "random_state", type=click.IntRange(0), default=0, help="Decides every random choice.")
_SETTINGS = click.option(
    "--set", "settings", multiple=True, metavar="KEY=VALUE", help="Any other argument of complete(), such as sep=;."
)


@click.command(name="complete-folder")
@click.argument("items", nargs=-1, required=True, type=_PATH)
@click.option("-o", "--output", "out", type=_PATH, required=True, help="Folder of the completed parts.")
@click.option("--labels", metavar="NAMES", help="Label columns: names or patterns ('tag_*'), comma-separated.")
@click.option("--tags", metavar="COL", help="One column of tags, in place of --labels.")
@_ID
@_TEXT
@_MEANING
@_SETTINGS
@_SEED
@click.option("--effort", type=click.Choice(["fast", "default", "best"]), default="default")
@click.option("--min-precision", type=float, help="Leave entries empty that do not reach this expected precision.")
@click.option("--max-labelled", type=int, default=50_000, help="Labelled rows that the model is fitted on.")
@click.option("--max-unlabelled", type=int, default=20_000, help="Unlabelled rows that the model is fitted on.")
@click.option("--probabilities", type=_PATH, help="Another folder, for the probabilities of each part.")
@click.option("--report", type=_PATH, help="The report about the rows that the model is fitted on.")
@click.option(
    "--workers", default="1", metavar="N|ADDRESS", help="Number of processes, or address of a Dask scheduler."
)
def complete_folder_command(
    items: tuple[Path, ...], labels: str | None, workers: str, settings: tuple[str, ...], **given: Any
) -> None:
    """Fill the gaps of a folder of Parquet files, part by part: for tables beyond memory."""
    stated = {name: value for name, value in given.items() if value is not None}
    if labels is not None:
        stated["labels"] = [name.strip() for name in labels.split(",")]
    place = int(workers) if workers.isdigit() else workers
    result = complete_folder(list(items), workers=place, **stated, **_read_settings(settings))
    for sentence in (*result.notes, result.describe(), f"Written: {result.out}; counts and model in its _halflabel."):
        click.echo(sentence)


@click.command(name="rank")
@click.argument("items", type=_PATH)
@click.option(
    "-o", "--output", type=_PATH, help="The table of items, labels and probabilities: by default ITEMS.top.csv."
)
@click.option("--tags", metavar="COL", required=True, help="Column of tags.")
@_MEANING
@_ID
@_TEXT
@_SETTINGS
@_SEED
@click.option("--top", type=click.IntRange(1), default=20, help="Labels per item.")
def rank_command(items: Path, output: Path | None, settings: tuple[str, ...], **given: Any) -> None:
    """Write the likeliest labels of each item, for thousands of labels."""
    stated = {name: value for name, value in given.items() if value is not None}
    if items.suffix not in READERS:
        raise ValueError(f"{items} has none of the suffixes {', '.join(READERS)}: convert it to one of them.")
    if "absent" not in stated:
        raise ValueError("state the meaning of an unlisted tag: --absent irrelevant or --absent unknown.")
    ranking = rank_labels(READERS[items.suffix](items), **stated, **_read_settings(settings))
    target = output or items.with_name(f"{items.stem}.top.csv")
    with atomic_write(target) as file:
        ranking.table.round({"probability": 4}).to_csv(file, index=False)
    click.echo(repr(ranking))
    click.echo(f"Written: {target}.")


def _read_settings(settings: tuple[str, ...]) -> dict[str, Any]:
    pairs = [each.partition("=") for each in settings]
    if odd := [key for key, mark, _ in pairs if not mark]:
        raise ValueError(f"--set {odd[0]} has no value: write --set KEY=VALUE.")
    return {key: value for key, _, value in pairs}
