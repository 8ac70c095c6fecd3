"""The document model and its two renderings: order, escaping, verdicts without colour, and nothing that runs."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError
from importlib.resources import files
from itertools import pairwise
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from tests.report import test_browser
from tests.report.page import Page as Read

from halflabel_papers.page.charts import draw_lines
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import Bullets, Cell, Figure, Grid, Page, Section, Text, render_html
from halflabel_papers.verdicts.results import Verdict

browse = test_browser.browse  # the fixture

SVG = draw_lines({"SSDRMC": [(5, 0.5), (10, 0.6)]}, x_label="labelled, %", y_label="micro-F1")

#: Names as someone could write them into a file: HTML, Markdown, templates.
HOSTILE = [
    '"><img src=x onerror=alert(1)><script>alert(1)</script>{{ 7 * 7 }}',
    "a | b \\| c \\",
    "`code` *one* **two** _three_ __four__ ~~five~~ micro_f1",
    "[link](javascript:alert(1)) ![image](http://leak.test/a.png) <http://leak.test>",
    "# heading",
    "1. one",
    "- item",
    "---",
    "&lt;b&gt; &amp; $x$",
    "<!-- comment --> </section></main>",
]

CELLS = (
    Cell("0.93", "0.91", Verdict.BETTER, best=True),
    Cell("0.80", "0.81", Verdict.AGREES),
    Cell("0.70", "0.75", Verdict.WORSE, why="3 trials instead of 50"),
    Cell("12 s", "80 s", Verdict.NOT_COMPARABLE, why="another machine"),
    Cell("", "0.66", Verdict.NOT_MEASURED, why="another machine"),
    Cell("17"),
)
GRID = Grid("Accuracy", ("yeast", "scene", "arts", "time", "tmc", "n"), (("MDDM", CELLS),), note="k is 10.")


def page_with(*blocks, n_sections: int = 1) -> Page:
    sections = tuple(Section(f"Part {i}", blocks if i == 0 else ()) for i in range(n_sections))
    return Page("A paper", "What was found.", (("Trials", "10"),), sections)


#: How often each of them is text on the page below: a paragraph, a bullet, a fact and its value, a heading; caption,
#: column and note of its own table; name, value, published value and reason in every table; caption of a figure.
PLACES = 5 + 3 + 4 * len(HOSTILE) + 1


def hostile_page() -> Page:
    rows = tuple((name, (Cell(name, name, Verdict.WORSE, why=name), Cell("1"))) for name in HOSTILE)
    blocks = [*map(Text, HOSTILE), Bullets(tuple(HOSTILE))]
    grids = [Grid(name, (name, "two"), rows, note=name) for name in HOSTILE]
    figures = [Figure(f"f{i}", name, name, SVG) for i, name in enumerate(HOSTILE)]
    sections = tuple(Section(name, (*blocks, *grids, *figures)) for name in HOSTILE[:1])
    sections += tuple(Section(name, ()) for name in HOSTILE[1:])
    return Page(HOSTILE[0], HOSTILE[1], tuple((name, name) for name in HOSTILE), sections)


def words(html: str) -> str:
    return " ".join(Read(html).text.split())


# --- the model ---------------------------------------------------------------------------------------------------


def test_the_model_is_frozen():
    with pytest.raises(FrozenInstanceError):
        CELLS[0].measured = "1"


def test_reasons_are_numbered_once_in_reading_order():
    assert GRID.reasons == ("3 trials instead of 50", "another machine")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Grid("Accuracy", ("a", "b"), (("MDDM", CELLS[:1]),)), "'MDDM' of table 'Accuracy' has 1 cells for 2"),
        (lambda: Section("Part", (), level=4), "level of section 'Part' must be 2 or 3, not 4"),
        (lambda: Figure("../a", "", "", SVG), "letters, digits, - and _; '../a' is not"),
        (lambda: Figure("a", "", "", "<svg onload='x'/>"), "cannot go on a page"),
        (lambda: page_with(Figure("a", "", "", SVG), Figure("a", "", "", SVG)), "two figures have the name 'a'"),
    ],
)
def test_an_invalid_part_of_a_page_raises(make, message):
    with pytest.raises(ValueError, match=message):
        make()


# --- HTML --------------------------------------------------------------------------------------------------------


def test_verdicts_are_words_and_signs():
    html = render_html(page_with(GRID))
    text = words(html)
    for cell in CELLS[:5]:
        assert f"{cell.verdict.mark} {cell.verdict.value}" in text
    assert len({verdict.mark for verdict in Verdict}) == len(Verdict)
    assert "★best: 0.93 published: 0.91" in text
    assert "– published: 0.66" in text


def test_a_reason_stands_below_the_table_and_its_cells_lead_there():
    html = render_html(page_with(GRID))
    page = Read(html)
    assert [link["href"] for link in page.all("a")] == ["#s1-1-1", "#s1-1-2", "#s1-1-2"]
    assert [item["id"] for item in page.all("li")] == ["s1-1-1", "s1-1-2"]
    assert page.text.count("another machine") == 1


def test_sections_are_linked_when_there_are_more_than_three():
    assert not Read(render_html(page_with(n_sections=3))).all("nav")
    page = Page("A paper", "", (), tuple(Section(f"Part {i}", (), level=2 + (i % 2)) for i in range(8)))
    read = Read(render_html(page))
    assert [link["href"] for link in read.all("a")] == ["#s1", "#s3", "#s5", "#s7"]
    assert {link["href"][1:] for link in read.all("a")} <= {attrs.get("id") for _, attrs in read.elements}


def test_sections_of_equal_titles_are_no_landmarks_of_equal_names():
    sections = (Section("A", ()), Section("Table", (), level=3), Section("B", ()), Section("Table", (), level=3))
    named = [each.get("aria-labelledby") for each in Read(render_html(Page("t", "", (), sections))).all("section")]
    assert named == ["s1-title", None, "s3-title", None]


def test_headings_do_not_skip_a_level():
    sections = (Section("A", ()), Section("B", (), level=3), Section("C", ()))
    levels = [
        int(tag[1]) for tag, _ in Read(render_html(Page("t", "", (), sections))).elements if tag in ("h1", "h2", "h3")
    ]
    assert levels[0] == levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_tables_and_drawings_have_names():
    html = render_html(
        page_with(GRID, Figure("a", "A curve.", "It rises", SVG), Figure("b", "Another.", "It falls", SVG))
    )
    page = Read(html)
    assert len(page.all("table")) == len(page.all("caption")) == 1
    assert all(th.get("scope") in ("col", "row") for th in page.all("th"))
    assert [box["aria-label"] for box in page.all("div") if box.get("role") == "img"] == ["It rises", "It falls"]
    assert html.count(SVG) == 2
    ids = [attrs["id"] for _, attrs in page.elements if "id" in attrs]
    assert len(ids) == len(set(ids))


def test_the_page_runs_and_loads_nothing():
    html = render_html(page_with(GRID, Figure("a", "A curve.", "It rises", SVG)))
    page = Read(html)
    policy = next(attrs["content"] for attrs in page.all("meta") if attrs.get("http-equiv"))
    assert "default-src 'none'" in policy
    assert "script-src" not in policy
    assert not page.all("script")
    links = [v for _, attrs in page.elements for k, v in attrs.items() if k in ("src", "href", "action", "srcset")]
    assert links
    assert all(link.startswith(("#", "data:")) for link in links)
    css = files("halflabel_papers.page").joinpath("templates/page.css").read_text()
    assert not re.search(r"url\(|@import|https?:|#[0-9a-f]{3}", css)  # colours come from the report's variables


def test_everything_is_escaped():
    html = render_html(hostile_page())
    page = Read(html)
    for tag in ("script", "img", "a href=http"):
        assert not page.all(tag)
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    text = " ".join(page.text.split())
    for name in HOSTILE:
        assert text.count(name) >= PLACES
    assert "49" not in page.text


@pytest.mark.browser
def test_the_page_never_scrolls_sideways(browse, tmp_path: Path):
    cells = tuple(Cell("0.193 ± 0.004", "0.190", Verdict.WORSE, why="w" * 90) for _ in range(12))
    wide = Grid(
        "c" * 90, tuple(f"set-{j}" + "x" * 20 for j in range(12)), (("a method " * 9, cells), ("m" * 90, cells))
    )
    long = Grid("Sentences", ("one",), (("a", (Cell("a sentence " * 20),)),))
    blocks = (Text("t" * 300), Bullets(("b" * 300,)), wide, long, Figure("f", "c" * 200, "alt", SVG))
    page = Page("T" * 80, "l" * 200, (("n" * 90, "v" * 200),), tuple(Section("s" * 90, blocks[:4]) for _ in range(4)))
    page = Page(page.title, page.lead, page.facts, (*page.sections, Section("Figure", blocks[4:])))
    html = render_html(page)
    test_browser.measure(browse, html, tmp_path)
    unfolded = html.replace("<details>", "<details open>")
    assert test_browser.measure(browse, unfolded, tmp_path)[1280] == "true"  # on a phone the cells are below each other


# --- Markdown ----------------------------------------------------------------------------------------------------


def read_markdown(text: str) -> str:
    """Return the HTML that an independent reader of Markdown makes of it; raw HTML is passed on, as GitHub would."""
    return MarkdownIt("commonmark", {"html": True}).enable(["table", "strikethrough"]).render(text)


def test_markdown_has_the_same_content():
    text, drawings = render_markdown(page_with(GRID, Figure("curve", "A curve.", "It rises", SVG)), "a paper/figures/")
    assert drawings == {"curve.svg": SVG}
    html = read_markdown(text)
    page = Read(html)
    assert page.all("img") == [{"src": "a%20paper/figures/curve.svg", "alt": "It rises"}]
    assert "<strong>0.93</strong> / 0.91 · differs, better" in html
    assert "0.70 / 0.75 · differs, worse <sup>1</sup>" in html
    assert "– / 0.66 · not measured <sup>2</sup>" in html
    assert [len(re.findall("<t[hd]>", row)) for row in re.findall(r"<tr>.*?</tr>", html, flags=re.S)] == [7, 7]
    assert words(html).endswith("k is 10. 3 trials instead of 50 another machine A curve. Trials: 10")
    assert [len(page.all(tag)) for tag in ("details", "summary", "table")] == [1, 1, 1]


def test_markdown_shows_names_as_they_are():
    html = read_markdown(render_markdown(hostile_page(), "figures")[0])
    page = Read(html)
    own = "a h1 h2 p ul ol li strong details summary table thead tbody tr th td img sup"
    assert {tag for tag, _ in page.elements} | {"strong"} == set(own.split())
    assert {attrs["src"] for attrs in page.all("img")} == {f"figures/f{i}.svg" for i in range(len(HOSTILE))}
    assert {attrs["alt"] for attrs in page.all("img")} == set(HOSTILE)
    assert len(page.all("h2")) == len(HOSTILE)
    assert len(page.all("table")) == len(HOSTILE)
    assert len(page.all("td")) == len(HOSTILE) * len(HOSTILE) * 3
    text = " ".join(page.text.split())
    for name in HOSTILE:
        assert text.count(name) >= PLACES


def test_bold_means_best_and_an_asterisk_means_significant():
    cells = (Cell("0.1", best=True), Cell("0.2", significant=True), Cell("0.3"))
    page = page_with(Grid("A table", ("a", "b", "c"), (("row", cells),)))
    html = render_html(page)
    assert html.count("<strong>") == 1
    assert "<strong>0.1</strong>" in html
    assert '0.2<span class="significant">*</span>' in html
    assert r"| row | **0.1** | 0.2\* | 0.3 |" in render_markdown(page, "figures")[0]


def test_charts_of_several_sets_stand_in_rows():
    def draw(name, per_row):
        return Figure(name, name, name, SVG, per_row)

    blocks = (draw("a", 0), draw("b", 2), draw("c", 2), Text("t"), draw("d", 3), draw("e", 2))
    html = render_html(page_with(*blocks))
    page = Read(html)
    groups = [box["style"] for box in page.all("div") if box.get("class") == "multiples"]
    assert groups == ["--per-row: 2", "--per-row: 3", "--per-row: 2"]
    assert html.count("<div") == html.count("</div>")


def test_only_a_table_with_sentences_is_stacked_on_small_screens():
    short, long = Cell("supported"), Cell("In 3 of 4 comparisons the mean is lower.")
    grids = (Grid("A", ("finding",), (("row", (short,)),)), Grid("B", ("evidence",), (("row", (long,)),)))
    assert [table["class"] for table in Read(render_html(page_with(*grids))).all("table")] == ["cells", "cells wordy"]
