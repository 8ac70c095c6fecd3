"""A data set: labels and features whose roles are known."""

from __future__ import annotations

from dataclasses import dataclass

from halflabel._arrays import Matrix
from halflabel.labels import PartialLabels


@dataclass(frozen=True, eq=False)
class Dataset:
    """A data set whose columns have found their roles.

    Parameters
    ----------
    name : str
        Short name.
    X : ndarray or csr_array of shape (n_items, n_features)
        Features.
    Y : PartialLabels of shape (n_items, n_labels)
        Labels.
    feature_names : tuple of str
        One name per column of ``X``.
    source : str
        Where it comes from: files, or the place it was fetched from.
    licence : str
        Terms of use, as far as they are stated.
    sha256 : str
        Digest of the file, see :class:`RawTable`.
    """

    name: str
    X: Matrix
    Y: PartialLabels
    feature_names: tuple[str, ...]
    source: str
    licence: str
    sha256: str

    @property
    def label_names(self) -> tuple[str, ...]:
        """One name per column of ``Y``."""
        return self.Y.names
