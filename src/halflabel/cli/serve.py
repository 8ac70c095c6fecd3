"""The command that answers the requests of an annotation tool: serve."""

from __future__ import annotations

from pathlib import Path

import click

from halflabel.cli.console import print_note, print_result
from halflabel.cli.files import PATH


@click.command(name="serve")
@click.argument("export", type=PATH, required=False)
@click.option("--label-studio", "model", type=PATH, required=True, metavar="MODEL",
              help="A saved model, which predicts the tasks of a project of Label Studio.")  # fmt: skip
@click.option("--port", type=click.IntRange(1, 65535), default=9090, show_default=True, help="The port of the backend.")
def serve_command(export: Path | None, model: Path, port: int) -> None:
    """Predict for a project of Label Studio, and learn its annotations.

    EXPORT is the export of the project (JSON) that the model was fitted on. With it, a new version is fitted after
    every 20 annotations, and written next to the model.

    \b
    Example:
      halflabel complete export.json --text text --absent irrelevant --model topics.halflabel
      halflabel serve --label-studio topics.halflabel export.json
    """  # noqa: D301
    import uvicorn

    from halflabel.review_page.label_studio import Backend, read_export
    from halflabel.review_page.label_studio_server import make_app

    backend = Backend(model, () if export is None else read_export(export))
    if export is None:
        print_note("Without the export that the model was fitted on, the backend learns nothing.")
    print_result(
        f"Version {backend.version}. In Label Studio, add the model http://127.0.0.1:{port} (Settings, Model)."
    )
    uvicorn.run(make_app(backend, print_result), host="127.0.0.1", port=port, log_level="warning")
