"""Names for the dense regions of a map: the labels that are more frequent there than elsewhere."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtri

from halflabel._arrays import Floats, Mask
from halflabel._wording import clipped, decimal, plural
from halflabel.labels import PartialLabels
from halflabel.numerics.layout.density import find_regions

#: Maximum number of labels in the name of a region.
MAX_NAMES = 2

#: Maximum length of a label on a map.
LENGTH = 24

#: The share of the items with a first label from which a second label adds nothing to the name of a region.
IMPLIED = 0.95

#: The share of wrong names that is accepted, over all regions and labels together.
LEVEL = 0.05


@dataclass(frozen=True)
class Lift:
    """How much more frequent a label is in a region than elsewhere."""

    label: str
    lift: float  #: Rate of relevant entries in the region divided by the rate elsewhere, among observed entries.
    #: Its interval, at a confidence of 95 % for all regions and labels together.
    low: float
    high: float
    short: str = ""  #: The name on a map, if it is not the label.


@dataclass(frozen=True)
class Region:
    """A dense region of the map."""

    centre: int  #: Position of the item at its centre.
    n_items: int
    lifts: tuple[Lift, ...]  #: The labels that name it, at most two; at least one.

    @property
    def names(self) -> tuple[str, ...]:
        """Texts for the region, the longest first."""
        words = [each.short or clipped(each.label, LENGTH) for each in self.lifts]
        return tuple(" · ".join(words[:n]) for n in range(len(words), 0, -1))

    def describe(self) -> str:
        """Return the lifts in a sentence."""
        parts = [
            f"{clipped(each.label)} is {decimal(each.lift, 1)} times as frequent as elsewhere "
            f"({decimal(each.low, 1)} to {decimal(each.high, 1)})"
            for each in self.lifts
        ]
        return f"Region of {plural(self.n_items, 'item')}: {'; '.join(parts)}."


def name_once(regions: Sequence[Region]) -> list[tuple[str, ...]]:
    """Return the texts of each region, and none for a region whose labels name an earlier one, which is larger.

    Examples
    --------
    >>> loud, calm = Lift("loud", 2.0, 1.5, 3.0), Lift("calm", 2.5, 1.2, 5.0)
    >>> name_once([Region(0, 30, (loud, calm)), Region(7, 20, (calm, loud)), Region(9, 10, (loud,))])
    [('loud · calm', 'loud'), (), ('loud',)]
    """
    own = [frozenset(each.label for each in region.lifts) for region in regions]
    return [
        region.names if own.index(labels) == r else ()
        for r, (region, labels) in enumerate(zip(regions, own, strict=True))
    ]


def shorten_labels(names: Sequence[str]) -> list[str]:
    """Return the labels without the whole words that all begin with, each with at most :data:`LENGTH` characters.

    Examples
    --------
    >>> shorten_labels(["GO:0005 cell wall", "GO:0005 cell cycle", "GO:0005 ribosome"])
    ['cell wall', 'cell cycle', 'ribosome']
    """
    pairs = list(zip(min(names), max(names), strict=False)) if len(names) > 1 else []
    shared = next((k for k, (first, last) in enumerate(pairs) if first != last), len(pairs))
    ends = [k for k in range(shared, 0, -1) if not names[0][k - 1].isalnum()]
    n = next((end for end in ends if all(any(map(str.isalnum, name[end:])) for name in names)), 0)
    return [clipped(name[n:], LENGTH) for name in names]


def estimate_lift(inside: Floats, n_inside: Floats, outside: Floats, n_outside: Floats, z: float) -> Floats:
    """Return the ratio of two rates and its interval (Katz et al. 1978), each count raised by one half.

    The counts are the relevant and the observed entries in a region and elsewhere, and z is a quantile of the normal
    distribution. The first axis of the result has the lift, the lower end and the upper end.

    Examples
    --------
    >>> estimate_lift(np.array(30.0), np.array(40.0), np.array(20.0), np.array(200.0), 1.96).round(1)
    array([ 7.4,  4.7, 11.5])
    """
    a, n, b, m = inside + 0.5, n_inside + 0.5, outside + 0.5, n_outside + 0.5
    ratio, spread = np.log(a / n) - np.log(b / m), z * np.sqrt(np.maximum(1 / a - 1 / n + 1 / b - 1 / m, 0))
    ends: Floats = np.exp(np.array([ratio, ratio - spread, ratio + spread]))
    return ends


def name_regions(coordinates: Floats, labels: PartialLabels) -> tuple[Region, ...]:
    """Return the dense regions in which a label is more frequent than elsewhere, the largest first.

    Only observed entries count. The place of an item does not depend on its own observed labels, so that the
    names do not follow from the drawing.
    """
    region, centre = find_regions(coordinates)
    member = region[None, :] == np.arange(len(centre))[:, None]
    relevant, observed = (labels.relevant & labels.observed).astype(float), labels.observed.astype(float)
    inside, n_inside = member @ relevant, member @ observed
    outside, n_outside = relevant.sum(axis=0) - inside, observed.sum(axis=0) - n_inside
    short = shorten_labels(labels.names)
    z = -float(ndtri(LEVEL / 2 / max(inside.size, 1)))
    lift, low, high = estimate_lift(inside, n_inside, outside, n_outside, z)
    named = []
    for r, item in enumerate(centre):
        best = [j for j in np.argsort(-low[r], kind="stable") if low[r, j] > 1]
        implied = _find_implied(relevant, observed, best[0]) if best else ()
        best = [j for j in best if j == best[0] or not implied[j]][:MAX_NAMES]
        lifts = [Lift(labels.names[j], float(lift[r, j]), float(low[r, j]), float(high[r, j]), short[j]) for j in best]
        if lifts:
            named.append(Region(int(item), int(member[r].sum()), tuple(lifts)))
    return tuple(named)


def _find_implied(relevant: Floats, observed: Floats, j: int) -> Mask:
    """Return which labels nearly every item with label ``j`` has: the genus of a species, which adds nothing to it."""
    both, asked = relevant[:, j] @ relevant, relevant[:, j] @ observed
    return np.asarray((asked > 0) & (both >= IMPLIED * asked))
