"""A model applied to the batches of another engine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from functools import lru_cache

import pandas as pd

from halflabel.completion.model_file import Predictor, load


def complete_batches(
    batches: Iterable[pd.DataFrame], model: str | os.PathLike[str], *, probabilities: bool = False
) -> Iterator[pd.DataFrame]:
    """Yield each batch with its gaps filled, for engines that map a function over batches.

    Parameters
    ----------
    batches : iterable of DataFrame
        Batches with the columns of the table that the model was learned from. Label columns may be absent.
    model : path
        Written by :meth:`halflabel.Completion.save` or :func:`complete_folder`. Each worker reads it once.
    probabilities : bool, default=False
        Whether to add a column ``p_<label>`` for each label.

    Examples
    --------
    With Spark, the schema of the result is the schema of the table (here with the labels as whole numbers)::

        from functools import partial

        complete = partial(complete_batches, model="/shared/songs.halflabel")
        spark.read.parquet("songs").mapInPandas(complete, schema="song string, tempo double, rock long")
    """
    predictor = _load(os.fspath(model), os.path.getmtime(model))
    for batch in batches:
        table, p = predictor.complete(batch, return_proba=True)
        yield table.assign(**p.add_prefix("p_").set_axis(table.index)) if probabilities else table


@lru_cache(maxsize=1)
def _load(path: str, modified: float) -> Predictor:
    """Return a model that is read once, and read again after its file changes."""
    return load(path)
