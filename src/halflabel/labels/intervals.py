"""Intervals of a share and of a mean over repeated random splits, by default of 95 %."""

from __future__ import annotations

from math import sqrt

import numpy as np
from scipy.special import stdtrit

from halflabel._arrays import Floats


def wilson_interval(share: float, n: float, z: float = 1.96) -> tuple[float, float]:
    """Return the interval of a share that was observed in ``n`` trials (Wilson, 1927), by its normal quantile ``z``.

    An effective number of trials need not be a whole number.

    Examples
    --------
    >>> [round(end, 3) for end in wilson_interval(0.5, 100)]
    [0.404, 0.596]
    """
    middle, spread = share + z * z / (2 * n), z * sqrt(share * (1 - share) / n + z * z / (4 * n * n))
    return (middle - spread) / (1 + z * z / n), (middle + spread) / (1 + z * z / n)


def resampled_interval(differences: Floats, test_share: float) -> tuple[float, float]:
    """Return the 95 % interval of the mean difference of two methods over repeated random splits.

    The corrected t interval of Nadeau and Bengio (2003). The plain one is too narrow, because the repeats have most of
    their training items in common. ``differences`` are the first method minus the second, once per repeat, and
    ``test_share`` is the share of the labelled items that a split keeps for testing.

    Examples
    --------
    >>> [round(end, 4) for end in resampled_interval(np.array([0.01, 0.02, 0.03, 0.02]), 0.2)]
    [0.0016, 0.0384]
    """
    n = len(differences)
    scale = differences.std(ddof=1) * np.sqrt(1 / n + test_share / (1 - test_share))
    reach = stdtrit(n - 1, 0.975) * scale
    return float(differences.mean() - reach), float(differences.mean() + reach)
