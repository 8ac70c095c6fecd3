"""Every relative link and anchor of the pages leads somewhere; a broken one is found."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def links():
    specification = importlib.util.spec_from_file_location("links", ROOT / ".ci" / "links.py")
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_no_link_is_broken(links):
    pages = links.list_pages()
    assert {ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs" / "index.md"} <= set(pages)
    assert links.find_problems() == []


BROKEN = {
    "[a](gone.md)": "gone.md does not exist",
    "![a](gone.png)": "gone.png does not exist",
    '<img src="gone.png">': "gone.png does not exist",
    "[a](other.md#gone)": "other.md has no heading #gone",
    "[a](#gone)": "has no heading #gone",
    "[a](../../outside.md)": "leaves the checkout",
}


@pytest.mark.parametrize(("text", "problem"), BROKEN.items(), ids=BROKEN)
def test_a_broken_link_is_found(links, text, problem, tmp_path):
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "other.md").write_text("# A heading\n")
    (tmp_path / "docs" / "page.md").write_text(f"{text}\n")
    (found,) = links.find_problems(tmp_path)
    assert found.startswith("docs/page.md: ")
    assert found.endswith(problem)


@pytest.mark.parametrize(
    "text",
    [
        "[a](other.md#what-is-it-a-test-1)",
        "[a](other.md#own)",
        "[a](https://example.org/gone)",
        "`[a](gone.md)`",
        "```text\n[a](gone.md)\n```",
        "[a](/other.md)",
        "[a](reports/written-by-the-build.html)",
    ],
)
def test_other_links_are_right(links, text, tmp_path):
    (tmp_path / "docs").mkdir()
    headings = "# What is it? A `test`\n\n(own)=\n## What is it? A test\n\n```sh\n# gone\n```\n"
    (tmp_path / "docs" / "other.md").write_text(headings)
    (tmp_path / "docs" / "page.md").write_text(f"{text}\n")
    assert links.find_problems(tmp_path) == []
