"""The page of a finish for an auditor: its numbers are those of the proof, or absent, and nothing runs."""

import re

import numpy as np
import pytest
from tests.evidence.test_proof import begin, make_case, play

from halflabel._digests import is_page_intact
from halflabel.evidence.audit import tabulate_labels, tabulate_sources
from halflabel.evidence.certificate import ceil_percent, floor_percent, make_certificate
from halflabel.labels.names import POPULATIONS
from halflabel.labels.votes import Votes
from halflabel.report.audit_page import render_audit


def make(population="all", steps=80, **changes):
    """Return a certificate, its proof and votes of two sources; one of them gave nothing about the second label."""
    proof, truth = play(np.random.default_rng(1), population, steps=steps)
    facts = {"max_error": 0.05, "taken_back": 2, "journal": "0" * 64, "seed_from": "secrets"}
    certificate = make_certificate(proof, **facts)
    values = np.where(np.random.default_rng(0).random((2, *truth.shape)) < 0.2, truth < 0, truth > 0).astype(float)
    values[1, :, 1] = np.nan
    return type(certificate)({**certificate, **changes}), proof, Votes(("gpt", "<i>llama</i>"), values)


def read_rows(page, caption):
    """Return the cells of each row of a table, as text."""
    part = page[page.index(f"<caption><span>{caption}") :]
    rows = re.findall("<tr>(.*?)</tr>", part[: part.index("</table>")], re.DOTALL)[1:]
    return [[re.sub("<[^>]*>", "", cell) for cell in re.findall("<t[hd].*?>(.*?)</t[hd]>", row)] for row in rows]


def test_each_row_has_the_numbers_of_the_proof_and_the_page_is_signed(tmp_path):
    certificate, proof, votes = make()
    page = render_audit(certificate, proof, votes)
    rows = tabulate_labels(proof).to_dict("records")
    ranges = [f"{row['low']} to {row['high']}" for row in rows]
    found = read_rows(page, "Labels of the delivered table")
    assert found == [
        [row["label"], *(str(row[name]) for name in ("entries", "max_errors", "yes")), text]
        for row, text in zip(rows, ranges, strict=True)
    ]
    checked = ("label", "given", "chosen", "random", "wrong", "not_sure")
    assert read_rows(page, "Values that") == [[str(row[name]) for name in checked] for row in rows]
    sources = [row for row in tabulate_sources(proof, votes).itertuples() if row.votes]
    found = read_rows(page, "Wrong votes")
    assert len(found) == len(sources) == 5  # two sources and all labels, and one label of one source alone
    for cells, row in zip(found, sources, strict=True):
        assert cells[3] == f"{floor_percent(row.low)} to {ceil_percent(row.high)}"
        assert (cells[4] == "–") == (int(cells[6]) < 20)
    assert certificate["table"] in page
    path = tmp_path / "page.html"
    path.write_text(page, encoding="utf-8")
    assert is_page_intact(path)


@pytest.mark.parametrize("population", [name for name in POPULATIONS if name != "all"])
def test_a_bound_of_one_value_alone_gives_no_number_of_yes_and_no_errors_of_sources(population):
    page = render_audit(*make(population))
    assert {row[-1] for row in read_rows(page, "Labels")} == {"–"}
    assert {row[3] for row in read_rows(page, "Wrong votes")} == {"–"}


def test_without_random_answers_nothing_is_proved():
    ids, given, fill, _ = make_case(np.random.default_rng(1))
    proof = begin(ids, given, fill)
    made = make_certificate(proof, seed_from="caller", max_error=0.05, taken_back=0, journal="")
    page = render_audit(made, proof)
    assert "Nothing is proved yet" in page
    assert "It is proved" not in page
    assert {(row[2], row[4]) for row in read_rows(page, "Labels")} == {("–", "–")}


def test_the_page_holds_no_markup_of_its_data_and_loads_nothing():
    page = render_audit(*make(method="</dd><script>alert(1)</script>", labels=["<b>"]), title="<u>")
    for tag in ("<script", "<b>", "<u>", "<i>llama"):
        assert tag not in page
    assert "://" not in page
