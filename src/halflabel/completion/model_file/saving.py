"""A model is written to a file, and read from it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from functools import cache

from halflabel.completion.model_file.archive import ModelFileError, load_tree, save_tree
from halflabel.completion.model_file.parts import check_parts
from halflabel.completion.model_file.predictor import Predictor


def save(path: str | os.PathLike[str], predictor: Predictor) -> None:
    """Write a model as one file of JSON and plain arrays, without pickle.

    Raises
    ------
    TypeError
        If a part of the model is of a class that a model file cannot hold.
    """
    save_tree(path, {"predictor": predictor}, saved_classes())


def load(path: str | os.PathLike[str]) -> Predictor:
    """Read a model. Nothing in the file is ever executed.

    Parameters
    ----------
    path : path
        Written by :meth:`halflabel.Completion.save`.

    Returns
    -------
    Predictor

    Raises
    ------
    ModelFileError
        If the file is not a model, is damaged, or was written by a newer version.
    """
    predictor = load_tree(path, saved_classes()).get("predictor")
    if not isinstance(predictor, Predictor):
        raise ModelFileError(f"{path} holds no halflabel model.")
    try:
        check_parts(predictor)
    except MemoryError:
        raise
    except Exception as error:  # parts that do not fit together fail in many ways when they are used
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        raise ModelFileError(f"{path} is damaged: its parts do not fit together ({reason}).") from None
    return predictor


@cache
def saved_classes() -> Mapping[str, type]:
    """Return by name the classes that a model file may hold. It imports all methods."""
    from halflabel.completion.model_file.registry import CLASSES, list_by_name, load_added_classes

    return list_by_name(Predictor, *CLASSES, *load_added_classes())
