"""Functions that take the fields of a record as arguments, and one line with the right name for a wrong one."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import fields
from functools import wraps
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
R = TypeVar("R")

#: Names of scikit-learn, pandas and other libraries that people write, each with the right way.
GUESSES: Mapping[str, str] = {
    "X": "the features are the first argument, items",
    "y": "the labels are the second argument, Y",
    "seed": "it is random_state",
    "n_jobs": "fits use the threads of the process (OMP_NUM_THREADS)",
    "verbose": "halflabel.report_progress(callback), or logging.getLogger('halflabel')",
    "threshold": "rule= decides, such as rule='cost:1,5', or min_precision=",
    "sample_weight": "items have no weight; give a method of your own, such as MaskedTargets(classifier)",
    "missing_values": "PartialLabels.from_minus_one(Y) and the keys unknown= and missing=",
    "groups": "group= is the name of a column",
    "feature_names": "the columns of a DataFrame have them; features= chooses columns",
    "classes": "labels= names label columns",
    "embed": "vectors= takes the numbers of your encoder, one row per item: an array or a .npy file",
    "read_tags": "give lists of tags, such as items.assign(tags=items['tags'].map(function))",
    "estimator": "it is method=",
    "model": "it is method=",
    "fit": "it is fitted; new labels are learned by .update(answers)",
    "predict": "it is .table for the fitted items, .predictor.predict(new) for others",
    "predict_proba": "it is .probabilities for the fitted items, .predictor.predict_proba(new) for others",
    "transform": "it is .map()",
    "score": "halflabel.evaluate hides known entries, and measures",
    "to_frame": "it is .table",
    "df": "it is .table",
    "columns": "it is .table.columns",
    "errors": "it is .expected_errors",
    "label_issues": "it is .suspects",
}


def name_right(wrong: str, names: Iterable[str]) -> str:
    """Return the right way for a wrong name, or the nearest of the right names, as the end of an error.

    Examples
    --------
    >>> name_right("seed", []), name_right("label", ["labels"]), name_right("?", [])
    (': it is random_state.', ". Did you mean 'labels'?", '.')
    """
    if wrong in GUESSES:
        return f": {GUESSES[wrong]}."
    near = difflib.get_close_matches(wrong, names, n=1)
    return f". Did you mean {near[0]!r}?" if near else "."


def accept_keys(record: type, shown: Sequence[str] = ()) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Let a function take the fields of a record as its ``**keys``.

    Its signature shows the named ones, and the line ``{keys}`` of its docstring all of them. The TypeError about an
    argument that does not exist has the right name.

    Examples
    --------
    >>> from halflabel.table import Description
    >>> @accept_keys(Description, ["labels"])
    ... def fill(items, **keys):
    ...     return keys
    >>> str(inspect.signature(fill))
    "(items, *, labels: 'Names | None' = None, **keys)"
    >>> fill([], tag="rock"), fill([], label="rock")
    Traceback (most recent call last):
    TypeError: fill() got an unexpected keyword argument 'label'. Did you mean 'labels'?
    """
    keys = {each.name: each for each in fields(record)}

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        own = inspect.signature(function)
        names = [*list(own.parameters)[:-1], *keys]

        @wraps(function)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            if unknown := [name for name in kwargs if name not in names]:
                start = f"{function.__name__}() got an unexpected keyword argument {unknown[0]!r}"
                raise TypeError(f"{start}{name_right(unknown[0], names)}")
            return function(*args, **kwargs)

        made = [inspect.Parameter(each.name, inspect.Parameter.KEYWORD_ONLY, default=each.default, annotation=each.type)
                for each in map(keys.__getitem__, shown)]  # fmt: skip
        *before, rest = own.parameters.values()
        at = sum(each.kind is not each.KEYWORD_ONLY for each in before)
        shows: Any = checked
        shows.__signature__ = own.replace(parameters=[*before[:at], *made, *before[at:], rest])
        lines = "\n        ".join(f"* ``{each.name}``: {each.metadata['help']}" for each in keys.values())
        shows.__doc__ = (function.__doc__ or "").replace("{keys}", lines)
        return checked

    return decorate
