"""A sum of terms, each of which has its own columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from halflabel._arrays import Floats
from halflabel.numerics.losses.smooth import Loss


@dataclass(frozen=True, eq=False)
class SideBySide:
    """A sum of terms, each of which has its own columns."""

    terms: Sequence[Loss]
    #: Number of columns of each term, from the left.
    widths: Sequence[int]

    @property
    def columns(self) -> list[slice]:
        """Columns of each term."""
        return [slice(a, b) for a, b in pairwise(np.cumsum([0, *self.widths]).tolist())]

    @property
    def lipschitz(self) -> float:
        """Largest constant of a term."""
        return max(term.lipschitz for term in self.terms)

    @property
    def roughness(self) -> Floats:
        """Roughness of each term, in its columns."""
        return np.concatenate([term.roughness for term in self.terms])

    def value_and_grad(self, Z: Floats, out: Floats | None = None) -> tuple[float, Floats]:
        """Return the value and the gradient."""
        grad = np.empty_like(Z) if out is None else out
        pairs = zip(self.terms, self.columns, strict=True)
        return sum(term.value_and_grad(Z[:, c], grad[:, c])[0] for term, c in pairs), grad

    def curvature(self, Z: Floats) -> Floats:
        """Return the second derivatives."""
        parts = zip(self.terms, self.columns, strict=True)
        return np.hstack([np.broadcast_to(term.curvature(Z[:, c]), Z[:, c].shape) for term, c in parts])

    def split(self, size: int) -> Sequence[tuple[slice, SideBySide]]:
        """Return the sum block by block. It is one block if a term needs all rows at once."""
        parts = [term.split(size) for term in self.terms]
        if len({len(part) for part in parts}) > 1:
            return [(slice(0, max(part[-1][0].stop for part in parts)), self)]
        rows = [block for block, _ in parts[0]]
        together = zip(*([term for _, term in part] for part in parts), strict=True)
        return [(block, SideBySide(terms, self.widths)) for block, terms in zip(rows, together, strict=True)]
