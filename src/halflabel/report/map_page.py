"""The map as one page that can be moved, zoomed, searched and selected from: it loads nothing and sends nothing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup

from halflabel._version import __version__
from halflabel._wording import clipped
from halflabel.report.region_names import HEIGHT, WIDTH
from halflabel.report.render import load_templates
from halflabel.report.scatter import CODES, WORDS, fit_to_frame, summarize_map

if TYPE_CHECKING:  # completion is above report
    from halflabel.completion import Completion
    from halflabel.completion.mapping.item_map import ItemMap

#: Maximum number of items on the page.
MAX_ITEMS = 100_000

#: Units of the points for one unit of the map, so that a point is two numbers of 16 bits.
SCALE = 65

#: The modules of the page in the order of their imports.
SCRIPTS = ("map.js", "lasso.js", "gestures.js", "map-page.js")


def draw_map_page(completion: Completion, drawn: ItemMap, show: Sequence[str], title: str, first: int) -> str:
    """Return the page, with all items up to :data:`MAX_ITEMS`. :func:`draw_picture` explains the parameters."""
    points = summarize_map(completion, drawn, show, first=first, max_points=MAX_ITEMS)
    rows = points["rows"]
    places = np.rint(SCALE * fit_to_frame(drawn.places)[0][rows]).astype("<u2")
    data = {
        "size": [SCALE * WIDTH, SCALE * HEIGHT],
        "scale": SCALE,
        "points": base64.b64encode(places.tobytes()).decode(),
        "labels": points["labels"],
        "words": dict(zip(CODES, WORDS, strict=True)),
        "regions": points["regions"],
        "titles": points["titles"],
        "ids": [str(item) for item in completion.index[rows]],
    }
    script = _read_scripts()
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return (
        load_templates()
        .get_template("map_page.html.j2")
        .render(
            title=clipped(title),
            map=points,
            data=Markup(json.dumps(data, separators=(",", ":")).replace("<", "\\u003c")),
            script=Markup(script),
            digest=f"sha256-{digest}",
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            version=__version__,
        )
    )


def _read_scripts() -> str:
    """Return the modules of the page as one module."""
    folder = files("halflabel.report") / "scripts"
    code = "\n".join((folder / name).read_text(encoding="utf-8") for name in SCRIPTS)
    return re.sub(r"^import .*\n|^export ", "", code, flags=re.MULTILINE)
