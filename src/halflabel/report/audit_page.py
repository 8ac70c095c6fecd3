"""The page of a finish, for an auditor: the limit, the checked values, and the errors that the proof allows."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import numpy as np

from halflabel._digests import sign_page
from halflabel._version import __version__
from halflabel._wording import clipped
from halflabel.evidence.audit import tabulate_labels, tabulate_sources
from halflabel.evidence.betting import FLOOR
from halflabel.evidence.certificate import Certificate, ceil_percent, floor_percent
from halflabel.evidence.proof import Proof
from halflabel.evidence.source_rates import MIN_CHECKED, tabulate_rates
from halflabel.labels.votes import Votes
from halflabel.report.render import load_templates

#: Maximum number of rows of a table.
MAX_ROWS = 200


def render_audit(certificate: Certificate, proof: Proof, votes: Votes | None = None, title: str = "") -> str:
    """Return the page of a certificate and its proof, without a script. ``votes`` come from the sources.

    A number that is not known is absent: a bound that excludes nothing, and shares of fewer than ``MIN_CHECKED`` votes
    on given values.
    """
    page = load_templates().get_template("audit.html.j2")
    text = page.render(
        created=datetime.now(UTC).isoformat(timespec="seconds"), version=__version__, title=clipped(title),
        certificate=certificate, sentence=str(certificate), floor=floor_percent, ceil=ceil_percent, lowest=FLOOR,
        is_proved=certificate["max_errors"] <= certificate["max_error"] * certificate["entries"] + 1e-9,
        is_of_all=certificate["population"] == "all", labels=tabulate_labels(proof).head(MAX_ROWS).to_dict("records"),
        n_labels=len(proof.names), sources=[] if votes is None else _list_sources(proof, votes),
    )  # fmt: skip
    return sign_page(f"{text}\n")


def _list_sources(proof: Proof, votes: Votes) -> list[dict[str, Any]]:
    """Return the errors of each source and label: by the proof, and on the values that were given before it."""
    given = proof.given.reshape(votes.values.shape[1:])
    rates = tabulate_rates(votes, given > 0, given != 0, tuple(proof.names)).rename(
        columns={"low": "given_low", "high": "given_high"}
    )
    rates.loc[rates["checked"] < MIN_CHECKED, ["error", "given_low", "given_high"]] = np.nan
    both = tabulate_sources(proof, votes).merge(rates.drop(columns="votes"), on=["source", "label"])
    both = both[both["votes"] > 0].head(MAX_ROWS)
    return [
        {str(name): None if value != value else value for name, value in row.items()} for row in both.to_dict("records")
    ]
