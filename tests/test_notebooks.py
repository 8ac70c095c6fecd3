"""Every example is also a notebook: valid, with all of its snippets, and without what only the pages understand."""

from __future__ import annotations

import ast
import importlib
import json
import re
import sys
from pathlib import Path

import pytest

pytest.importorskip("sphinx", reason="the pages need the extra docs")

DOCS = Path(__file__).parents[1] / "docs"
sys.path.append(str(DOCS / "_ext"))
notebooks, snippets = (importlib.import_module(name) for name in ("notebooks", "snippets"))
gallery = importlib.import_module("gallery")

EXAMPLES = sorted(page for page in (DOCS / "examples").glob("*.md") if page.stem != "index")


@pytest.mark.parametrize("page", EXAMPLES, ids=lambda page: page.stem)
def test_an_example_becomes_a_notebook(page):
    text = page.read_text(encoding="utf-8")
    notebook = json.loads(json.dumps(notebooks.make_notebook(text)))
    assert (notebook["nbformat"], notebook["nbformat_minor"]) == (4, 5)
    cells = notebook["cells"]
    assert len({cell["id"] for cell in cells}) == len(cells)
    assert all(set(cell) >= {"cell_type", "id", "metadata", "source"} for cell in cells)
    assert cells[0]["source"].startswith("# ")
    code = [cell["source"] for cell in cells if cell["cell_type"] == "code"]
    shown = [block for block in snippets.blocks(text) if block.mark is None and block.language == "python"]
    assert [each for each in code if each[0] not in "%!"] == [block.code.strip("\n") for block in shown]
    for source in code:
        if source[0] not in "%!":
            ast.parse(source)
    prose = "\n".join(cell["source"] for cell in cells if cell["cell_type"] == "markdown")
    assert not re.search(r"\{\w+\}|\.md\)|\.\./|^% ", prose, re.M)


def test_the_cells_of_a_notebook():
    page = """% needs: yeast

# Title

See [the page](../missing.md#a), {class}`~halflabel.methods.base.Base` and [a paper](https://example.org).

```console
$ halflabel complete a.csv \\
    --id a
$ head a.csv
```

% not run: it needs the network
```console
$ halflabel benchmark yeast
```

```text a.csv
a,b
```

```{screen} question
A picture.
```

```python
1 + 1
```

% check
```python
assert False
```
"""
    cells = [cell["source"] for cell in notebooks.make_notebook(page)["cells"]]
    assert cells == [
        "# Title\n\nSee the page, `Base` and [a paper](https://example.org).",
        "%matplotlib inline",
        "!halflabel complete a.csv \\\n    --id a\n!head a.csv",
        "```\n$ halflabel benchmark yeast\n```",
        "%%writefile a.csv\na,b",
        "1 + 1",
    ]


def test_every_example_is_in_the_gallery():
    (lines,) = re.findall(r"```\{gallery\}\n(.*?)```", (DOCS / "examples" / "index.md").read_text("utf-8"), re.S)
    tiles = [gallery.split_line(line) for line in lines.splitlines()]
    assert len(tiles) == 10
    assert {page for page, _, _ in tiles} | {"genes"} == {page.stem for page in EXAMPLES}
    for page, picture, _ in tiles:
        text = (DOCS / "examples" / f"{page}.md").read_text(encoding="utf-8")
        assert gallery.read_title(text)
        assert "figure" in text if picture == "1" else (DOCS / picture).is_file()
        assert snippets.needs(text) is None, f"{page} needs a public data set"


def test_the_gallery_is_read_last():
    pages = ["examples/digits", "examples/index", "examples/method", "start"]
    gallery.read_gallery_last(None, None, pages)
    assert pages == ["examples/digits", "examples/method", "start", "examples/index"]
    gallery.read_gallery_last(None, None, only := ["start"])
    assert only == ["start"]
