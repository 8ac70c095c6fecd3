"""The sets in a folder of Mulan's files, and a table that declares its labels as a set."""

from __future__ import annotations

import hashlib
import os
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy import sparse

from halflabel.datasets import Dataset
from halflabel.files import RawTable, ReadError
from halflabel.labels import PartialLabels
from halflabel.plugins import Matrix, is_sparse
from halflabel_papers.sets.mulan import list_stems, read_mulan


def stack(first: RawTable, second: RawTable) -> RawTable:
    """Return the rows of ``first`` followed by the rows of ``second``, for a set in two parts (train and test).

    Raises
    ------
    ReadError
        If the two do not have the same columns and labels in the same order.
    """
    a, b = ((*t.frame.columns, *t.matrix_names, *t.label_names) for t in (first, second))
    if a != b:
        raise ReadError.at(
            second.source, f"its columns differ from the columns of {first.source}, so the two cannot be joined."
        )
    both: list[Any] = [first.matrix, second.matrix]
    matrix: Matrix | None = None
    if first.matrix is not None:
        matrix = sparse.vstack(both, format="csr") if is_sparse(first.matrix) else np.vstack(both)
    digest = hashlib.sha256((first.sha256 + second.sha256).encode()).hexdigest()
    return replace(
        first,
        frame=pd.concat([first.frame, second.frame], ignore_index=True),
        matrix=matrix,
        source=f"{first.source} + {second.source}",
        sha256=digest,
    )


def to_dataset(raw: RawTable, name: str, *, licence: str = "not stated") -> Dataset:
    """Return a data set from a table that declares its labels. Every other column is a feature.

    ``X`` is ``raw.matrix`` followed by the remaining columns of ``raw.frame``, in float64.

    Raises
    ------
    ReadError
        If no label is declared, or a feature is not numeric.
    """
    if not raw.label_names:
        raise ReadError.at(
            raw.source, "it declares no labels: give the Mulan XML file, or use declare_labels(raw, names)."
        )
    features = raw.frame.drop(columns=list(raw.label_names))
    for column in features.columns:
        if not pd.api.types.is_numeric_dtype(features[column].dtype):
            reason = "is not numeric, and a benchmark set needs numbers: halflabel.complete takes such tables."
            raise ReadError.at(raw.source, reason, column=str(column))
    X: Matrix = features.to_numpy(dtype=np.float64, na_value=np.nan)
    if raw.matrix is not None:
        parts: list[Any] = [raw.matrix, X] if X.shape[1] else [raw.matrix]
        X = sparse.hstack(parts, format="csr") if is_sparse(raw.matrix) else np.hstack(parts)
    return Dataset(
        name=name,
        X=X,
        Y=PartialLabels.from_table(raw.frame[list(raw.label_names)]),
        feature_names=(*raw.matrix_names, *map(str, features.columns)),
        source=raw.source,
        licence=licence,
        sha256=raw.sha256,
    )


def load_benchmark(
    name: str,
    folder: str | os.PathLike[str] | None = None,
    *,
    part: Literal["whole", "train", "test"] = "whole",
) -> Dataset:
    """Load a benchmark set from ``folder/name/``, which holds ``NAME*.arff.gz`` (or ``.arff``) and ``NAME.xml``.

    Parameters
    ----------
    name : str
        Name of the set, and of the folder that holds it.
    folder : path, optional
        By default the one that the environment variable ``HALFLABEL_DATA`` names.
    part : {"whole", "train", "test"}
        The origin's own split. The whole of a set that ships as two parts only is
        train followed by test.
    """
    root = folder if folder is not None else os.environ.get("HALFLABEL_DATA")
    if root is None:
        raise ReadError(f"{name}: set the folder of the benchmark sets with folder= or the variable HALFLABEL_DATA.")
    files = {_part_of(path): path for path in sorted((Path(root) / name).glob("*.arff*"))}
    wanted = [part] if part in files or part != "whole" else ["train", "test"]
    if missing := [each for each in wanted if each not in files]:
        raise ReadError.at(Path(root) / name, f"there is no ARFF file for the {' or '.join(missing)} part.")
    tables = [read_mulan(files[each]) for each in wanted]
    raw = tables[0] if len(tables) == 1 else stack(*tables)
    return to_dataset(raw, name if part == "whole" else f"{name}-{part}")


def _part_of(path: Path) -> str:
    stems = list(list_stems(path))
    return next((part for part in ("train", "test") if any(stem.endswith(f"-{part}") for stem in stems)), "whole")
