"""The page: its order, its figures, its safety and its size."""

from __future__ import annotations

import json
import re
import sys
from importlib.resources import files
from importlib.util import cache_from_source
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from jinja2 import Environment
from tests.report.conftest import FLIPPED
from tests.report.page import Page, contrast

from halflabel.labels import PartialLabels
from halflabel.report import render, render_html, summarize

HOSTILE = '"><img src=x onerror=alert(1)><script>alert(1)</script>{{ 7 * 7777 }}'


def page_of(completion, **options) -> Page:
    return Page(render_html(summarize(completion, **options)))


def test_the_verdict_comes_first_then_the_strip_the_map_and_three_folds(by_hand):
    page = page_of(by_hand())
    assert [section["id"] for section in page.all("section")] == ["strip", "map"]
    folds = [fold for fold in page.all("details") if "id" in fold]
    assert [fold["id"] for fold in folds] == ["labels", "check", "details"]
    assert not any("open" in fold for fold in folds)
    filled = by_hand()
    text = " ".join(page.text[page.text.index("halflabel ·") if "halflabel ·" in page.text else 0 :].split())
    at = [text.index(part) for part in (filled.verdict.filled, filled.verdict.command, "drawn at random", "Map of")]
    assert at == sorted(at)
    assert {link["href"][1:] for link in page.all("a")} <= {attrs.get("id") for _, attrs in page.elements}


def test_headings_do_not_skip_a_level(by_hand):
    levels = [int(tag[1]) for tag, _ in page_of(by_hand()).elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))


def test_figures_and_tables_have_titles(by_hand):
    html = render_html(summarize(by_hand(*FLIPPED)))
    page = Page(html)
    figures = [svg for svg in page.all("svg") if svg.get("role")]
    assert [svg["role"] for svg in figures] == ["img", "img"]
    assert all(re.search(f'<title id="{svg["aria-labelledby"]}">\\S', html) for svg in figures)
    assert len(page.all("table")) == len(page.all("caption"))
    assert all(th.get("scope") in ("col", "row") for th in page.all("th"))
    assert len({attrs["id"] for _, attrs in page.elements if "id" in attrs}) == html.count(' id="')


def test_landmarks_have_different_names(by_hand):
    html = render_html(summarize(by_hand()))
    page = Page(html)
    regions = [attrs for _, attrs in page.elements if attrs.get("role") == "region" or "aria-labelledby" in attrs]
    titles = dict(re.findall(r'<\w+[^>]* id="([^"]+)"[^>]*>([^<]*)', html))
    names = [attrs.get("aria-label") or titles[attrs["aria-labelledby"]] for attrs in regions]
    assert len(names) > 5
    assert len(set(names)) == len(names)


def test_each_label_can_be_chosen_on_the_map(by_hand):
    page = page_of(by_hand())
    radios = [box["id"] for box in page.all("input")]
    assert radios == [label["for"] for label in page.all("label")] == ["m0", "m1"]
    assert not page_of(by_hand([[1], [0], [None]], [[0.9], [0.2], [0.4]], names=("rock",))).all("input")


def test_it_runs_and_loads_nothing(by_hand):
    page = page_of(by_hand(), marks=np.arange(24).reshape(6, 2, 2))
    policy = next(meta["content"] for meta in page.all("meta") if meta.get("http-equiv") == "Content-Security-Policy")
    assert policy.startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert "script" not in {tag for tag, _ in page.elements}
    links = [v for _, attrs in page.elements for k, v in attrs.items() if k in ("src", "href", "action", "srcset")]
    assert links
    assert all(link.startswith(("#", "data:")) for link in links)
    assert not re.search(r"url\(|@import|https?:", files("halflabel.report").joinpath("templates/base.css").read_text())


def test_everything_from_outside_is_escaped(by_hand):
    completion = by_hand(names=(HOSTILE, "sad"), index=pd.Index([f"{HOSTILE}{i}" for i in range(6)]), notes=(HOSTILE,))
    page = page_of(completion, title=HOSTILE, settings={HOSTILE: HOSTILE})
    assert not page.all("script")
    assert not page.all("img")
    assert not [name for _, attrs in page.elements for name in attrs if name.startswith("on")]
    assert page.text.count(HOSTILE) >= 6
    assert "54439" not in page.text


TAGS = PartialLabels.from_tags([["rock"], ["sad"], ["rock", "sad"], None, [], ["sad"]], absent="unknown")


def test_positive_only_page_names_the_kind_of_probability(by_hand):
    text = " ".join(page_of(by_hand(TAGS)).text.split())
    assert "How many of them are wrong is not known." in text
    assert "Probability of being assigned" in text
    assert "can be irrelevant or a missing positive" in text
    text = " ".join(page_of(by_hand(TAGS, observed_rate=0.7)).text.split())
    assert "Probability of yes" in text


def test_without_two_dimensions_there_is_no_map_but_a_reason(by_hand):
    page = page_of(by_hand(coordinates=np.zeros((6, 1))))
    assert "There is no map: a map of these items has 1 dimension, not 2." in page.text


def test_a_summary_renders_the_same_after_a_trip_through_json(by_hand):
    summary = summarize(by_hand(), marks=np.arange(24).reshape(6, 2, 2))
    assert render_html(json.loads(json.dumps(summary))) == render_html(summary)


def test_the_page_stays_small_at_any_size(at_random):
    html = render_html(summarize(at_random(5_000, 3)))
    assert len(html.encode()) < 1_000_000
    assert "1,000 of 5,000 items are drawn" in html


def test_the_page_stays_small_at_any_length_of_text(at_random):
    long = "é" * 2000
    names, ids = [f"{j}{long}" for j in range(100)], pd.Index([f"{i}{long}" for i in range(800)])
    completion = at_random(800, 100, n_given=20, names=names, index=ids, notes=(long,) * 1000)
    marks = np.random.default_rng(0).integers(256, size=(800, 100, 100), dtype=np.uint8)
    settings = {f"{i}{long}": long for i in range(999)}
    html = render_html(summarize(completion, title=long, marks=marks, settings=settings))
    assert 1_000_000 < len(html.encode()) < 10_000_000


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_colours_have_enough_contrast(scheme):
    css = files("halflabel.report").joinpath("templates/base.css").read_text()
    light, dark = re.findall(r":root \{(.*?)\}", css, flags=re.S)[:2]
    colours = dict(re.findall(r"--([\w-]+): (#\w{6})", light))
    if scheme == "dark":
        colours |= dict(re.findall(r"--([\w-]+): (#\w{6})", dark))
    for text in ("ink", "soft", "accent", "warm"):
        for ground in ("paper", "raised", "glow"):
            assert contrast(colours[text], colours[ground]) >= 4.5, (text, ground)
    assert contrast(colours["pale"], colours["raised"]) >= 3
    assert contrast("#000000" if scheme == "light" else "#ffffff", colours["tile"]) >= 4.5


def test_the_direction_of_text_from_outside_stays_its_own(by_hand):
    name = "\u05e9\u05dc\u05d5\u05dd"
    html = render_html(summarize(by_hand(names=(name, "sad"), index=pd.Index([f"{name} {i}" for i in range(6)]))))
    body = re.sub(r"<title>.*?</title>|<[^>]*>", "", html.replace("<bdi>", "[").replace("</bdi>", "]"))
    places = [match.start() for match in re.finditer(name, body)]
    assert len(places) > 8
    # Everything but sentences of the checks and of the reading: a name is the start of an isolated text.
    assert sum(body[place - 1] == "[" for place in places) >= len(places) - 2


def count_compiled(monkeypatch, folder, *, writes):
    """Return how many templates a new start compiles, with its compiled modules in a folder."""
    monkeypatch.setattr(sys, "pycache_prefix", str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", not writes)
    Path(cache_from_source(render.__file__)).parent.mkdir(parents=True, exist_ok=True)  # as Python does
    templates, compiled = render.load_templates.__wrapped__(), []
    before = Environment._compile
    monkeypatch.setattr(Environment, "_compile", lambda *given: compiled.append(1) or before(*given))
    for name in templates.list_templates(["j2"]):
        templates.get_template(name)
    monkeypatch.setattr(Environment, "_compile", before)
    return len(compiled)


def test_templates_are_compiled_once_where_modules_are_compiled_once(tmp_path, monkeypatch):
    number = count_compiled(monkeypatch, tmp_path / "never", writes=False)
    assert count_compiled(monkeypatch, tmp_path / "never", writes=False) == number > 6
    assert [count_compiled(monkeypatch, tmp_path / "once", writes=True) for _ in range(2)] == [number, 0]
    for path in (tmp_path / "once").rglob("*.jinja"):
        path.write_bytes(path.read_bytes()[:-9])
    assert count_compiled(monkeypatch, tmp_path / "once", writes=True) == number
