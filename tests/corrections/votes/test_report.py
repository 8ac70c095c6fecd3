"""The sources in the report."""

import pytest
from tests.corrections.votes.test_sources import fit
from tests.report.test_templates import context_of, render_section


@pytest.mark.parametrize("n_known", [0, 60])
def test_a_report_about_votes_names_every_source_with_votes_on_known_values(n_known):
    completion, options = fit(n_known), {}
    rows = context_of(completion, options)["sources"]["rows"]
    assert {row["source"] for row in rows} == (set(completion.corrections["votes"].names) if n_known else set())
    assert all(0 < row["checked"] < row["votes"] for row in rows)
    page = " ".join(render_section("report.html.j2", completion, options).split())
    assert ("on known values" in page) == bool(n_known)
