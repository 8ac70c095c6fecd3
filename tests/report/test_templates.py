"""Every template renders in every state of a completion; an undefined name is an error."""

from __future__ import annotations

from importlib.resources import files

import numpy as np
import pandas as pd
import pytest
from tests.corrections.votes.test_sources import fit as fit_to_votes
from tests.report.test_audit_page import make as make_audit
from tests.report.test_render import TAGS

from halflabel.report import summarize
from halflabel.report.audit_page import render_audit
from halflabel.report.display import render_completion
from halflabel.report.figures import draw_calibration, draw_map
from halflabel.report.pictures import draw_picture
from halflabel.report.render import load_templates
from halflabel.report.scatter import CODES

TEMPLATES = sorted(
    path.name for path in files("halflabel.report").joinpath("templates").iterdir() if path.name.endswith(".j2")
)

#: Values of a column that is shown: a link, a missing image file, plain text.
SHOWN = pd.DataFrame({"page": ["https://example.org/<a>", "none.png", "x", "", None, "y"]})

#: What the pages of the states are rendered with, by the identity of the completion.
CONTEXTS = {}

REVIEWED = [("Answers", "<3>")]


@pytest.fixture(scope="module")
def states(by_hand, at_random):
    """Return completions with the options of their report, by a name for each state."""
    all_codes = by_hand([[1.0], [0.0], *[[None]] * 5], [[0.9], [0.1], [0.9], [0.1], [0.6], [0.4], [0.5]], names=("a",))
    left = type("Left", (type(all_codes),), {"state": np.array([[1], [-1], [1], [-1], [1], [-1], [0]])})
    all_codes.__class__ = left
    return {
        "mixed": (by_hand(), {"title": "<t>", "settings": {"seed": 0, "cost": None}, "reviewed": REVIEWED}),
        "all values of an entry": (all_codes, {}),
        "precision": (by_hand(min_precision=0.95), {}),
        "images": (by_hand(), {"marks": np.arange(24).reshape(6, 2, 2)}),
        "shown": (by_hand(frame=SHOWN), {"show": ["page"]}),
        "positive-only": (by_hand(TAGS), {}),
        "positive-only with c": (by_hand(TAGS, observed_rate=0.7), {}),
        "positive-only at a precision": (by_hand(TAGS, observed_rate=0.7, min_precision=0.9), {}),
        "selected by value": (by_hand(is_selected=True), {}),
        "more assigned than c": (by_hand(TAGS, np.full((6, 2), 0.99), observed_rate=0.1), {}),
        "no gap": (by_hand([[1, 0], [0, 1], [1, 1]], [[0.9, 0.2], [0.1, 0.8], [0.7, 0.9]]), {}),
        "no map": (by_hand(coordinates=np.zeros((6, 1))), {}),
        "drift": (by_hand(drift=0.9, notes=("a <note>",)), {}),
        "many": (at_random(300, 70), {}),
        "votes": (fit_to_votes(), {}),
    }


@pytest.fixture(scope="module", autouse=True)
def contexts():
    """Sections of the page are rendered with what was computed once for each state."""
    CONTEXTS.clear()
    yield
    CONTEXTS.clear()


def context_of(completion, options):
    """Return what the page of a completion is rendered with, computed once."""
    if id(completion) not in CONTEXTS:
        CONTEXTS[id(completion)] = make_context(completion, options)
    return CONTEXTS[id(completion)]


def make_context(completion, options):
    summary = summarize(completion, **options)
    figure = None if "reason" in summary["map"] else draw_map(summary["map"])
    curve = draw_calibration(summary["quality"]["curve"]) if summary["quality"]["curve"] else None
    return {**summary, "map_figure": figure, "curve": curve}


def render_section(name, completion, options):
    return load_templates().get_template(name).render(**context_of(completion, options))


def render_figures(name, completion, options):
    context, macros = context_of(completion, options), load_templates().get_template(name).module
    drawn = macros.swatch("left", "unknown")
    if context["curve"]:
        drawn += macros.calibration_curve(context["curve"])
    if context["map_figure"]:
        points, figure = context["map"], context["map_figure"]
        drawn += macros.item_map(figure, points)
    return drawn


def render_rows(name, completion, options):
    macros, context = load_templates().get_template(name).module, context_of(completion, options)
    return "".join(macros.card(row, kind) for row in context["strip"] for kind in ("yes", "being assigned"))


def render_picture(name, completion, options):
    if getattr(completion, "coordinates", np.zeros((1, 2))).shape[1] < 2:
        return "no picture is drawn without two dimensions"
    suffix = ".svg" if name == "map.svg.j2" else ".html"
    return draw_picture(completion, completion.map(), suffix, show=options.get("show", ())).decode()


def render_notebook(name, completion, options):
    return render_completion(completion)


SECTIONS = ("base", "details", "report")

#: How each template is rendered: as a section of the page, unless it is a page or a picture of its own.
RENDERED = {
    **dict.fromkeys((f"{name}.html.j2" for name in SECTIONS), render_section),
    "figures.html.j2": render_figures,
    "rows.html.j2": render_rows,
    "map.svg.j2": render_picture,
    "map_page.html.j2": render_picture,
    "notebook.html.j2": render_notebook,
    "audit.html.j2": lambda *_: render_audit(*make_audit()),
}


@pytest.mark.parametrize("name", TEMPLATES)
def test_a_template_renders_in_every_state(name, states):
    """A new template without a line in RENDERED fails here."""
    pages = {state: RENDERED[name](name, *given) for state, given in states.items()}
    assert [state for state, page in pages.items() if ">None<" in page] == []
    assert any(page.strip() for page in pages.values())


def test_the_states_hold_every_value_of_an_entry(states):
    maps = [context_of(*state)["map"] for state in states.values()]
    drawn = {code for points in maps for label in points.get("labels", ()) for code in label["codes"]}
    assert drawn == set(CODES)


def test_no_template_is_left_without_a_case():
    assert set(TEMPLATES) == set(RENDERED)
