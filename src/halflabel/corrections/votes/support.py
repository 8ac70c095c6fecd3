"""Whether the error rates of sources can be known: half of the entries need three independent votes."""

from __future__ import annotations

import numpy as np
from scipy import sparse
from scipy.sparse import csgraph

from halflabel._arrays import Floats, Ints, Mask

#: Two sources show their disagreement alone, and no rate below it can be known. With three independent ones it can be.
MIN_SOURCES = 3

#: Sources with a larger correlation of their errors count as one.
SAME = 0.3

#: Number of random votes that measure an error rate within five points, at a confidence of 95 %.
RANDOM = 385


def count_independent(given: Mask, correlations: Floats, has_weight: Mask) -> Ints:
    """Return the number of independent sources of each entry. Sources with correlated errors count as one.

    Parameters
    ----------
    given : ndarray of bool, shape (n_sources, n_items, n_labels)
        Whether a source voted.
    correlations : ndarray of shape (n_sources, n_sources)
        Of the errors of each pair of sources.
    has_weight : ndarray of bool, shape (n_sources,)
        A source whose votes look like chance has none.
    """
    group = csgraph.connected_components(sparse.csr_array(np.where(correlations >= SAME, 1.0, 0.0)), directed=False)[1]
    voted = given & has_weight[:, None, None]
    return np.asarray(sum(voted[group == each].any(axis=0).astype(np.intp) for each in np.unique(group)))


def explain_doubt(given: Mask, correlations: Floats, has_weight: Mask, known: Mask) -> str:
    """Return why no number of wrong votes or values can be stated, or an empty text.

    Parameters
    ----------
    given, correlations, has_weight
        As in :func:`count_independent`.
    known : ndarray of bool, shape (n_items, n_labels)
        The entries that no vote decides.
    """
    number = count_independent(given, correlations, has_weight)[given.any(axis=0) & ~known]
    if not len(number) or np.median(number) >= MIN_SOURCES:
        return ""
    return (
        f"Most entries with votes have fewer than {MIN_SOURCES} independent sources. Sources that agree can be wrong "
        "together."
    )
