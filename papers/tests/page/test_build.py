"""The page of a paper: every number of the records in its cell, together with the printed one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.cases import TOY

from halflabel_papers.load import list_papers, load_paper
from halflabel_papers.page import build
from halflabel_papers.page.build import build_page
from halflabel_papers.page.markdown import render_markdown
from halflabel_papers.page.model import Bullets, Figure, Grid, render_html
from halflabel_papers.run import prepare
from halflabel_papers.store import Store
from halflabel_papers.verdicts.results import ClaimResult, Finding, Results, format_metric


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    work = prepare(TOY, "full", add=["papers.tests.toy_models:Breaks"])
    records = work.run(Store(tmp_path_factory.mktemp("toy") / "records.jsonl"), n_jobs=1)
    return work, records, build_page(work, records)


def blocks(page, title, kind):
    return [b for section in page.sections if section.title == title for b in section.blocks if isinstance(b, kind)]


@pytest.mark.parametrize("key", list_papers())
def test_the_page_of_a_paper_stands_without_any_run(key):
    work = prepare(key, "default")
    titles = {section.title for section in build_page(work, []).sections}
    assert {experiment.title for experiment in work.paper.experiments} <= titles


@pytest.mark.parametrize("finding", list(Finding))
def test_a_page_opens_with_what_its_own_records_decide(toy, monkeypatch, finding):
    """Whatever the tier: no finding stands above a row that decides nothing, and each has the words of its row."""
    work, records, _ = toy
    claims = tuple(replace(claim, main=True) for claim in work.paper.claims)
    monkeypatch.setattr(build, "check_claim", lambda claim, results: ClaimResult(finding, "12 of 14 runs."))
    page = build_page(replace(work, paper=replace(work.paper, claims=claims)), records)
    tiles = [item for b in blocks(page, "Main findings", Bullets) for item in b.items]
    assert tiles == [f"{finding.value.capitalize()}: {claim.text}. 12 of 14 runs." for claim in claims if finding
                     not in (Finding.NOT_MEASURED, Finding.UNDERPOWERED, Finding.UNDECIDED)]  # fmt: skip


def test_long_evidence_is_in_the_table_and_a_main_finding_has_its_counts(toy, monkeypatch):
    work, records, _ = toy
    long = ClaimResult(Finding.IN_PART, f"In 3 of 6 comparisons A is better, but not: {'B on a set, ' * 40}.")
    claims = (replace(work.paper.claims[0], main=True),)
    monkeypatch.setattr(build, "check_claim", lambda claim, results: long)
    page = build_page(replace(work, paper=replace(work.paper, claims=claims)), records)
    (tile,) = (item for b in blocks(page, "Main findings", Bullets) for item in b.items)
    assert tile == f"In part: {claims[0].text}. In 3 of 6 comparisons: see the table below."
    assert "B on a set" in render_html(page)


def test_many_states_of_the_code_are_counted(toy):
    work, records, _ = toy
    made = [replace(r, made={**r.made, "code": {"methods": f"c{i % 3}"}}) for i, r in enumerate(records) if r.metrics]
    facts = dict(build_page(work, made).facts)
    assert facts["Code"].startswith("3 ")
    assert "c0" not in str(facts)


def test_cells_hold_the_means_of_the_records(toy):
    _, records, page = toy
    table = blocks(page, "A table", Grid)[0]
    row = dict(table.rows)["average precision ↑"]
    good = [
        r.metrics["average_precision"] for r in records if r.method == "good" and r.experiment == "table" and r.metrics
    ]
    assert len(good) == 6
    assert row[table.columns.index("good")].measured.startswith(f"{sum(good) / 6:.3f} ± ")
    assert row[table.columns.index("good")].best


def test_numbers_are_shown_in_the_unit_of_the_paper(toy):
    _, records, page = toy
    table = blocks(page, "A table", Grid)[0]
    own = [r.metrics["hamming_loss"] for r in records if r.method == "good" and r.experiment == "table" and r.metrics]
    row = dict(table.rows)["Hamming loss (× 0.1) ↓"]
    assert row[table.columns.index("good")].measured.startswith(f"{10 * sum(own) / 6:.3f}")


def test_common_rules_follow_the_methods_own(toy):
    table = blocks(toy[2], "A table", Grid)[1]
    assert table.columns == ("own rule", "cardinality")
    assert [name for name, _ in table.rows] == ["Breaks (its predict method)", "good", "poor", "chance"]


def test_printed_cells_are_counted_by_verdict(toy):
    short = toy[2].sections[0].blocks[0].items
    assert short[0] == ("A table: of 3 printed values, 1 agree, 1 differ (1 better, 0 worse), 1 not measured.")
    assert short[1:] == (
        "In all, 3 printed values, each counted once; 2 are measured.",
        "Of 1 claim of the text: 1 in part.",  # one of the three sets is not here
        "Of 1 claim that the paper does not make: 1 refuted.",
    )


def test_failed_and_skipped_runs_are_listed_with_their_reason(toy):
    text = " ".join(item for b in toy[2].sections for block in b.blocks for item in getattr(block, "items", ()))
    assert "RuntimeError: nothing works" in text
    assert "away.arff" in text


def test_curves_and_ranks_are_drawn(toy):
    assert [figure.name for figure in blocks(toy[2], "A curve", Figure)] == ["curve-hamming_loss"]
    assert [figure.name for figure in blocks(toy[2], "Significance", Figure)] == ["table-ranks"]


def test_the_page_renders_both_ways(toy):
    text, figures = render_markdown(toy[2], "figures")
    assert {"curve-hamming_loss.svg", "table-ranks.svg"} == set(figures)
    assert "0.1 to" not in text
    assert "<script" not in render_html(toy[2])


def test_a_page_without_any_record_counts_none():
    work = prepare(TOY, "full")
    page = build_page(work, [])
    assert "0 of 0 measured" in dict(page.facts)["Runs"]


def test_a_method_without_figures_has_no_mean(toy):
    work, records, _ = toy
    measured = Results(work.paper, records).average(work.paper.experiments[0], "average_precision", "Breaks")
    assert measured.n == 0
    assert np.isnan(measured.mean)


@pytest.mark.parametrize(
    ("name", "words"), [("micro_f1", "micro-F1"), ("one_error", "one-error"), ("hamming_loss", "Hamming loss")]
)
def test_metrics_have_names_for_sentences(name, words):
    assert format_metric(name) == words


def test_a_tier_with_fewer_sets_is_not_compared():
    assert (
        load_paper("zhang2008", "quick").experiments[0].printed_sets
        != load_paper("zhang2008", "quick").experiments[0].sets
    )
