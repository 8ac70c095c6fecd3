"""Public multi-label sets through scikit-learn's OpenML fetcher: the one place that reaches the network, when asked."""

from __future__ import annotations

import hashlib
import os
from dataclasses import dataclass
from typing import Any

import pandas as pd

from halflabel.datasets import Dataset
from halflabel.files import RawTable, ReadError
from halflabel_papers.sets.folders import to_dataset
from halflabel_papers.sets.mulan import declare_labels


@dataclass(frozen=True)
class _Known:
    """Identity of a set on OpenML, and the size it must have to be the set we mean."""

    data_id: int
    n_items: int
    n_labels: int


#: The sets of OpenML's multi-label benchmark that the papers use. The number of yeast
#: is the one in scikit-learn's documentation; the server's answer is checked for all.
OPENML_SETS: dict[str, _Known] = {
    "emotions": _Known(40589, 593, 6),
    "enron": _Known(40590, 1702, 53),
    "scene": _Known(40595, 2407, 6),
    "yeast": _Known(40597, 2417, 14),
}


def fetch(name: str, *, cache_dir: str | os.PathLike[str] | None = None) -> Dataset:
    """Fetch a public multi-label set from OpenML, or from the cache of an earlier call.

    Parameters
    ----------
    name : {"emotions", "enron", "scene", "yeast"}
        Name of the set.
    cache_dir : path, optional
        Where to keep the download; by default scikit-learn's data folder.

    Returns
    -------
    Dataset
        Every label is observed. ``sha256`` is a digest of the values read.

    Raises
    ------
    ReadError
        If the name is not known, the server cannot be reached, or its answer is not
        the set of that name and size.

    References
    ----------
    Probst et al., "Multilabel classification with R package mlr", R Journal 9(1),
    2017, whose benchmark sets these are.
    """
    from sklearn.datasets import fetch_openml

    if name not in OPENML_SETS:
        raise ReadError(f"{name}: not a set that can be fetched; known are {', '.join(OPENML_SETS)}.")
    known = OPENML_SETS[name]
    try:
        answer = fetch_openml(data_id=known.data_id, as_frame=True, data_home=cache_dir, parser="auto")
    except OSError as error:  # URLError, HTTPError, timeouts, a full disk
        raise ReadError(
            f"{name}: OpenML could not be reached ({error}). Where there is a network, download {name}.arff and "
            f"{name}.xml from https://mulan.sourceforge.net/datasets-mlc.html into one folder, then run "
            f"'halflabel complete {name}.arff'."
        ) from error
    return to_dataset(_table(name, known, answer), name, licence=str(answer.details.get("licence", "not stated")))


def _table(name: str, known: _Known, answer: Any) -> RawTable:
    """Return the server's answer as a table with declared labels, once it is known to be the right set."""
    frame, targets = answer.data, pd.DataFrame(answer.target)
    found = (answer.details.get("name"), *targets.shape)
    if found != (name, known.n_items, known.n_labels):
        raise ReadError(
            f"{name}: OpenML's data set {known.data_id} is {found[0]!r} with {found[1]} items and {found[2]} labels, "
            f"where {known.n_items} and {known.n_labels} were expected; download the set by hand instead."
        )
    whole = pd.concat([frame.apply(pd.to_numeric), targets.astype("str").astype("category")], axis=1)
    digest = hashlib.sha256(pd.util.hash_pandas_object(whole, index=False).to_numpy().tobytes()).hexdigest()
    source = f"https://www.openml.org/d/{known.data_id}"
    return declare_labels(RawTable(whole, None, (), (), source, digest), tuple(targets.columns))
