"""The section of the report about votes."""

from tests.corrections.votes.test_sources import fit
from tests.report.test_templates import context_of, render_section


def test_a_report_about_votes_names_every_source_and_claims_no_given_entry():
    completion, options = fit(), {}
    context = context_of(completion, options)
    assert {row["source"] for row in context["sources"]["rows"]} == set(completion.corrections["votes"].names)
    assert all(0 < row["checks"] <= row["votes"] for row in context["sources"]["rows"])
    page = " ".join(render_section("report.html.j2", completion, options).split())
    claims = [part for part in page.split("<p>")[1:] if "given entr" in part.split("</p>")[0]]
    true = ("None: for each of 0 given entries", "240 items without any given entry")
    assert [claim for claim in claims if not any(part in claim for part in true)] == []
    assert "well calibrated" not in page  # no known entry could show it
