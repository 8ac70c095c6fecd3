"""The errors of each label and of each source that a proof about the delivered table leaves possible.

At most B of the filled values without an answer are wrong. So a number that depends on these values differs by at most
B from the same number of the table as it is delivered. Given values and answers are taken as true.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

from halflabel._arrays import Mask
from halflabel.evidence.expected_errors import ALL
from halflabel.evidence.proof import UNSURE, Proof
from halflabel.labels.names import POPULATIONS
from halflabel.labels.votes import Votes


def bound_count(proof: Proof, counted: Mask, among: Mask) -> tuple[int, int]:
    """Return the least and the largest true number of entries that count, among some entries of the proof.

    ``counted`` are the entries that count if each filled value is right. Where its filled value is wrong, an
    entry counts if and only if it would not.
    """
    is_sure = np.abs(proof.answers) == 1
    known = among & ((proof.given != 0) | is_sure)
    filled = among & proof.gaps & ~is_sure & np.isin(proof.fill, POPULATIONS[proof.population])
    yes, no = (int((filled & each).sum()) for each in (counted, ~counted))
    true, wrong, open_ = int((known & counted).sum()), proof.max_errors, int((among & ~known & ~filled).sum())
    return true + yes - min(yes, wrong), true + yes + min(no, wrong) + open_


def tabulate_labels(proof: Proof) -> pd.DataFrame:
    """Return the checked entries and the possible errors of each label.

    Columns: label, given (values), chosen and random (numbers of answers), wrong (values among the random ones),
    not_sure, entries (filled or answered), max_errors (the bound of these alone), yes (values as delivered), low and
    high (the true number of yes).
    """
    rows = []
    for j, at in _find_labels(proof).items():
        part, drawn = proof.of_label(j), [entry for entry, drawn in proof.whole if drawn and at[entry]]
        is_yes = proof.delivered.ravel() > 0
        low, high = bound_count(part, is_yes, at)
        rows.append({
            "label": proof.names[j], "given": int((at & (proof.given != 0)).sum()),
            "chosen": int(part.answered.sum()) - len(drawn), "random": len(drawn),
            "wrong": int((proof.answers[drawn] != proof.fill[drawn]).sum()),
            "not_sure": int((part.answers[part.answered] == UNSURE).sum()), "entries": part.entries,
            "max_errors": part.max_errors, "yes": int((is_yes & at).sum()), "low": low, "high": high,
        })  # fmt: skip
    return pd.DataFrame(rows)


def tabulate_sources(proof: Proof, votes: Votes) -> pd.DataFrame:
    """Return the least and the largest share of wrong votes: source, label, votes, low, high.

    The first rows are about all labels together.
    """
    labels, rows = _find_labels(proof), []
    whole = (ALL, proof, np.any(list(labels.values()), axis=0))
    for label, part, at in (whole, *((proof.names[j], proof.of_label(j), at) for j, at in labels.items())):
        for name, values in zip(votes.names, votes.values.reshape(len(votes.names), -1), strict=True):
            among = at & ~np.isnan(values)
            low, high = bound_count(part, (values >= 0.5) != (proof.delivered.ravel() > 0), among)
            n = int(among.sum())
            rows.append({"source": name, "label": label, "votes": n, "low": low / max(n, 1), "high": high / max(n, 1)})
    return pd.DataFrame(rows)


def _find_labels(proof: Proof) -> dict[int, Mask]:
    """Return the entries of each label that the proof is about, by its position."""
    column = np.arange(len(proof.gaps)) % len(proof.names)
    return {j: column == j for j, name in enumerate(proof.names) if proof.labels is None or name in proof.labels}
