"""Where a check contradicts the probabilities of gaps, no output states a percentage, a number of errors or a band."""

from __future__ import annotations

import functools
import html
import json
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from tests.completion.ways_of_missing import assign, know_entries
from tests.corrections.votes.test_sources import fit_two_models

import halflabel as hl
from halflabel.cli.console import count_gaps
from halflabel.cli.verdict import print_verdict
from halflabel.evidence.checks import CODES, STATED
from halflabel.report import render_html, summarize
from halflabel.review_page.advice import advise
from halflabel.review_page.answers import AnswerBook
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.queues import Situation

N = 400
LABELS = ["a", "b", "c"]


def draw(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(N, 8))
    return X, (X[:, :3] + 0.7 * rng.normal(size=(N, 3)) > 0.4).astype(float), rng


def fill(known, X, **options):
    return hl.complete(X, pd.DataFrame(known, columns=LABELS), effort="fast", **options)


def by_items(choose):
    """Complete a table of which some items are labelled."""
    X, truth, _ = draw()
    return fill(np.where(choose(X, truth)[:, None], truth, np.nan), X)


def of_groups():
    X, truth, rng = draw()
    items = pd.DataFrame(X, columns=[f"x{k}" for k in range(8)]).assign(site=np.arange(N) % 8)
    items[LABELS] = np.where(rng.random((N, 1)) < 0.5, truth, np.nan)
    return hl.complete(items, labels=LABELS, group="site", effort="fast")


def by_value():
    X, truth, rng = draw()
    return fill(know_entries(0.7, 0.15)(truth, rng), X, calibration="as known")


def badly_calibrated():
    X, truth, rng = draw()
    filled = fill(np.where(rng.random((N, 1)) < 0.5, truth, np.nan), X)
    model = filled.model
    model.label_probabilities_ = model.label_probabilities_**0.3
    return replace(filled, evidence=replace(filled.evidence, fit=replace(filled.evidence.fit, model=model)))


def of_tags(c, assumed, *share, marked=True):
    X, truth, rng = draw()
    return hl.complete(X, assign(truth, c, rng, *share, marked=marked), observed_rate=assumed, effort="fast")


CASES = {
    "few-groups": of_groups,
    "drift": lambda: by_items(lambda X, truth: X[:, 5] > 0.3),
    "unlike-gaps": by_value,
    "calibration": badly_calibrated,
    "source-rates": fit_two_models,
    "more-assigned": lambda: of_tags(0.9, 0.4),
    "look-unlabelled": lambda: of_tags(0.6, 0.6, 0.5, marked=False),
}


@functools.cache
def complete(code):
    return CASES[code]()


#: A claim about filled values: with a percentage or a number of errors.
CLAIMS = (
    r"precision (\w+ )?\d",
    r"\d ?% (of|are|is|right|wrong|to)",
    r"About [\d,]+ of",
    r"(expected|likely) to be (right|wrong)",
    r"\([\d,]+ ?(–|to) ?[\d,]+\)",
    r"\d[^.%–]{0,60} (is|are) wrong\b",
)


def strip_warnings(text, filled):
    """Return what is printed without the sentences of the checks themselves."""
    plain = html.unescape(re.sub(r"<[^>]*>", " ", re.sub(r"<(style|svg|script).*?</\1>", " ", text, flags=re.DOTALL)))
    plain = " ".join(plain.split())
    for each in filled.evidence.warnings:
        for part in (each["text"], each["text"][:300], each["title"]):  # a notebook cuts long sentences
            plain = plain.replace(" ".join(part.split()), " ")
    return plain


def take_folds(page):
    """Return a page without its details: those of calibration are about known entries."""
    body = page[page.index("<body") :]
    return body[: body.index("<h3>Checks")]


@pytest.mark.parametrize("code", CASES)
class TestPlaces:
    def test_the_check_contradicts(self, code):
        assert code in {each["code"] for each in complete(code).evidence.contradictions}
        assert not complete(code).evidence.has_precision

    def test_what_is_printed(self, code, capsys):
        filled = complete(code)
        print_verdict(filled, verbose=True)
        page = render_html(summarize(filled))
        texts = {
            "terminal": capsys.readouterr().out,
            "repr": repr(filled),
            "notebook": filled._repr_html_(),
            "report": take_folds(page),
            "entries": "\n".join(filled.evidence.gaps),
        }
        for place, text in texts.items():
            for claim in CLAIMS:
                found = re.search(claim, strip_warnings(text, filled))
                assert not found, (place, strip_warnings(text, filled)[max(found.start() - 80, 0) : found.end() + 40])

    def test_tables_in_python(self, code):
        filled = complete(code)
        errors = filled.expected_errors
        assert errors[["expected", "low", "high"]].isna().all(axis=None)
        assert errors["filled"].iloc[-1] == errors["filled"].iloc[:-1].sum()
        gaps = filled.review(10_000)["given"].isna()
        assert filled.review(10_000).loc[gaps, "probability"].isna().all()
        if code != "calibration":  # known entries correct the mean of poorly calibrated probabilities
            with pytest.raises(ValueError, match="a check contradicts"):
                filled.prevalence()
        with pytest.raises(ValueError, match="a check contradicts"):
            filled.plot.coverage()

    def test_numbers_for_programs(self, code):
        filled = complete(code)
        summary = json.loads(json.dumps(summarize(filled)))
        assert summary["by_value"] is None
        assert json.loads(json.dumps(count_gaps(filled)))["has_precision"] is False

    def test_the_review_page(self, code):
        filled = complete(code)
        fit = summarize_fit(filled)
        assert fit.band is None
        given = filled.labels.state
        now = Situation(given, np.zeros_like(given), fit)
        advice = advise(now, AnswerBook([str(i) for i in filled.index], list(filled.labels.names)))
        assert advice["expected"] is None
        assert not any(re.search(claim, advice["sentence"]) for claim in CLAIMS)


def test_every_check_that_contradicts_has_a_table():
    assert set(CASES) == set(CODES) - set(STATED) - {"few-examples", "broken-rules", "reading"}
