"""The command of the board: benchmark."""

from __future__ import annotations

import os
from pathlib import Path

import click


@click.command()
@click.option("--method", "methods", multiple=True, metavar="NAME|FILE.py:CLASS",
              help="A method of the board, or your own; by default all of the board.")  # fmt: skip
@click.option("--quick", is_flag=True, help="Five sets, protocols and draws, one rate; otherwise the full board.")
@click.option(
    "--my", type=click.Path(path_type=Path), metavar="FILE", help="The quick board on your own table instead."
)
@click.option("--labels", default="", help="Label columns of --my, with commas; not for a file that declares them.")
@click.option("--folder", type=click.Path(path_type=Path),
              help="Folder of the benchmark sets; by default the variable HALFLABEL_DATA.")  # fmt: skip
@click.option("-o", "--output", type=click.Path(path_type=Path), default=Path("halflabel-benchmark"), show_default=True,
              help="Folder of the records and the page.")  # fmt: skip
@click.option("--jobs", type=click.IntRange(-1), default=1, show_default=True, help="Processes; -1 is one per core.")
@click.option("--verify", type=click.Path(path_type=Path), metavar="FILE",
              help="Run five cells of such a file again, drawn by its digest, and compare the figures.")  # fmt: skip
def benchmark(
    methods: tuple[str, ...],
    quick: bool,
    my: Path | None,
    labels: str,
    folder: Path | None,
    output: Path,
    jobs: int,
    verify: Path | None,
) -> None:
    """Compare methods for missing labels on the same gaps, or show the board that comes with this package.

    Without --method, --quick, --my and --verify nothing is run, and the published board is printed. Recorded runs are
    not repeated: if it is interrupted, the same command continues.

    \b
    Examples:
      halflabel benchmark
      halflabel benchmark --quick --method my.py:MyModel
      halflabel benchmark --my items.csv --labels rock,sad,live
      halflabel benchmark --verify mymodel.jsonl.gz --method my.py:MyModel
    """  # noqa: D301
    from halflabel_papers.benchmark import boards  # the help of the command needs none of its work

    folder = folder or (Path(os.environ["HALFLABEL_DATA"]) if os.environ.get("HALFLABEL_DATA") else None)
    if verify is not None:
        boards.verify_file(verify, methods, folder)
        return
    if not (methods or quick or my):
        boards.show_published()
        return
    names = tuple(filter(None, map(str.strip, labels.split(","))))
    asked = boards.Asked(methods, quick or my is not None, my, names, folder, jobs)
    boards.run_board(asked, output)
