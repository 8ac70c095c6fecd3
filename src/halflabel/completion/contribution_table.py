"""The parts of one probability as a table, with the items, features and labels that each part rests on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel._wording import clipped, percent
from halflabel.labels import PartialLabels
from halflabel.methods.contributions import (
    CALIBRATION,
    CLIPPING,
    NOT_ASSIGNED,
    OTHER_LABELS,
    PRIOR,
    RATE,
    Carriers,
)

#: Maximum number of features, and of items, that are named for one part.
MAX_NAMED = 3

#: A carrier with a smaller share, in log odds, is not named.
MIN_SHARE = 0.005

#: The evidence of each part, if no carriers are known.
TEXTS = {
    RATE: "the share of relevant entries among the given ones",
    PRIOR: "the prior of this entry",
    OTHER_LABELS: "the given labels of this item",
    CALIBRATION: "the calibration of the sum above",
    CLIPPING: "probabilities stay between 0.000001 and 0.999999",
    NOT_ASSIGNED: "the item is annotated and lacks the label",
}

#: The evidence of a part that the method does not divide.
UNDIVIDED = "all features together: the method does not divide this part"


@dataclass(frozen=True, eq=False)
class Names:
    """The names of carriers."""

    features: Sequence[str]
    labels: Sequence[str]
    #: The ids of the fitted items; None for a model from a file, which has no ids.
    items: pd.Index[Any] | None = None
    places: Mapping[str, Ints] | None = None  #: The positions of "examples" and "nodes" among the fitted items.


def list_carriers(
    carriers: Mapping[str, Carriers], names: Names, *, own: int = -1, known: Sequence[Any] = ()
) -> pd.DataFrame:
    """Return the named carriers of each part: part, kind ("feature", "item" or "label"), name, log_odds, given.

    ``own`` is the position of the item itself, which is left out; negative for a new item. ``known`` are the given
    values of the fitted items: 1, 0 or missing.
    """
    rows: list[tuple[Any, ...]] = []
    for part, of_part in carriers.items():
        if of_part.features is not None:
            rows += [(part, "feature", names.features[k], z, pd.NA) for k, z in _take_largest(of_part.features)]
        if of_part.labels is not None:
            rows += [(part, "label", names.labels[k], z, pd.NA) for k, z in _take_largest(of_part.labels)]
        if names.items is not None and names.places is not None:
            pieces = _add_by_item(of_part, names.places, len(names.items))
            if own >= 0:
                pieces[own] = 0.0
            rows += [(part, "item", names.items[k], z, known[k]) for k, z in _take_largest(pieces)]
    table = pd.DataFrame(rows, columns=["part", "kind", "name", "log_odds", "given"])
    return table.astype({"log_odds": "float64", "given": "Int8"})


def tabulate(parts: Mapping[str, float], carriers: pd.DataFrame, texts: Mapping[str, str]) -> pd.DataFrame:
    """Return the parts of one entry: part, log_odds, rests_on. Parts of special cases are left out where they are 0.

    ``carriers`` are from :func:`list_carriers`. ``texts`` has the evidence of parts, in place of :data:`TEXTS`.
    """
    special = {CLIPPING, NOT_ASSIGNED, *texts} - {RATE, PRIOR}
    shown = [name for name, value in parts.items() if value or name not in special]
    by_part = {part: _describe(rows) for part, rows in carriers.groupby("part", sort=False)}
    rests_on = [by_part.get(name) or texts.get(name) or TEXTS.get(name, UNDIVIDED) for name in shown]
    return pd.DataFrame({"part": shown, "log_odds": [float(parts[name]) for name in shown], "rests_on": rests_on})


def describe_rate(labels: PartialLabels, label: int) -> str:
    """Return how many of the given entries of a label are relevant."""
    return (
        f"{int(labels.relevant[:, label].sum())} of {int(labels.observed[:, label].sum())} given entries are relevant"
    )


def describe_prior(value: float) -> str:
    """Return the prior of an entry in words."""
    return "no prior for this entry" if np.isnan(value) else f"a prior of {percent(value)}".replace("\xa0", " ")


def _add_by_item(carriers: Carriers, places: Mapping[str, Ints], n_items: int) -> Floats:
    """Return the share of every fitted item, as an example and as a neighbour."""
    pieces = np.zeros(n_items)
    for kind, values in (("examples", carriers.examples), ("nodes", carriers.nodes)):
        if values is not None:
            np.add.at(pieces, places[kind], values)
    return pieces


def _take_largest(pieces: Floats) -> list[tuple[int, float]]:
    """Return the positions and values of the largest pieces, in either direction."""
    largest = np.argsort(-np.abs(pieces), kind="stable")[:MAX_NAMED]
    return [(int(k), float(pieces[k])) for k in largest if abs(pieces[k]) >= MIN_SHARE]


def _describe(carriers: pd.DataFrame) -> str:
    """Return carriers in words, by kind."""
    words = []
    for kind, rows in carriers.groupby("kind", sort=False):
        named = [
            f"{clipped(name)}{'' if given is pd.NA else f' ({given})'} {write_log_odds(log_odds)}"
            for name, log_odds, given in zip(rows["name"], rows["log_odds"], rows["given"], strict=True)
        ]
        words.append(f"{kind}{'s' if len(named) > 1 else ''} {', '.join(named)}")
    return "; ".join(words)


def write_log_odds(value: float) -> str:
    """Return log odds with a sign and two decimals."""
    return f"{value:+.2f}".replace("-", "\N{MINUS SIGN}")
