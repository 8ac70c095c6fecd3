"""Data that are low-rank by construction: items, labels and the truth behind both."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from scipy.special import expit

from halflabel._arrays import Floats
from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels

#: Variance of the entries of W and b; the paper's N(0, 10) reproduces with 10 as the variance.
WEIGHT_VARIANCE = 10.0


@dataclass(frozen=True, eq=False)
class LowRank:
    """A synthetic data set and the parameters that it was drawn from."""

    #: Noisy features and complete labels.
    dataset: Dataset
    #: Shape (n_items, n_features). The features without noise, of low rank and unit variance.
    clean: Floats
    #: Shape (n_items, n_labels). The log-odds from which the labels were drawn; their sign is the best possible guess.
    soft: Floats


def make_low_rank(n: int, d: int, r: int, t: int, noise: float, rng: np.random.Generator) -> LowRank:
    r"""Draw items and labels as in section 4.1 of Goldberg et al. (2010).

    :math:`X^0 = RL^T` with standard normal factors, scaled to variance 1; :math:`Y^0 = X^0W^T + 1b^T` with the entries
    of W and b from :math:`N(0, 10)` (variance 10); features :math:`X^0 + \epsilon`; labels relevant with probability
    :math:`1/(1 + e^{-y^0})`. Hide entries with :mod:`halflabel.labels.masking`.

    Parameters
    ----------
    n, d, r, t : int
        Items, features, rank and labels.
    noise : float
        Variance of the noise on the features.
    rng : numpy.random.Generator

    References
    ----------
    .. [1] A. B. Goldberg, X. Zhu, B. Recht, J.-M. Xu, R. Nowak, "Transduction with Matrix Completion: Three Birds
       with One Stone", NIPS 2010, section 4.1.

    Examples
    --------
    >>> drawn = make_low_rank(50, 20, 2, 10, 0.01, np.random.default_rng(0))
    >>> drawn.dataset.X.shape, drawn.dataset.Y.shape, int(np.linalg.matrix_rank(drawn.clean))
    ((50, 20), (50, 10), 2)
    """
    clean = rng.normal(size=(n, r)) @ rng.normal(size=(r, d))
    clean /= clean.std()
    sd = np.sqrt(WEIGHT_VARIANCE)
    soft = clean @ rng.normal(scale=sd, size=(d, t)) + rng.normal(scale=sd, size=t)
    X = clean + rng.normal(scale=np.sqrt(noise), size=(n, d))
    Y = (rng.random((n, t)) < expit(soft)).astype(np.float64)
    dataset = Dataset(
        name=f"low rank {n} x {d}, rank {r}, {t} labels, noise {noise:g}",
        X=X,
        Y=PartialLabels.from_table(Y),
        feature_names=tuple(f"feature{k}" for k in range(d)),
        source="drawn as in Goldberg et al. (2010), section 4.1",
        licence="none needed",
        sha256=hashlib.sha256(X.tobytes() + Y.tobytes()).hexdigest(),
    )
    return LowRank(dataset, clean, soft)
