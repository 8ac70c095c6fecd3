"""The tuning budget of a method: the number of settings that its cross-validation compares, and of its folds."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from halflabel.plugins import plural
from halflabel_papers.imports import import_object


def describe_budget(steps: Sequence[Mapping[str, Any]]) -> str:
    """Return the settings and the folds of each choice in these steps, "one setting", or "" for a function of the data.

    Only classes of this project choose among the values of a parameter, by default or as a step states them.

    Examples
    --------
    >>> describe_budget([{"use": "halflabel:VVMR", "width": [0.5, 1.0]}])
    '6 settings, 5 folds'
    >>> describe_budget([{"use": "halflabel:MC1", "label_weight": 1.0}])
    'a path of weights, 5 folds'
    """
    if not isinstance(import_object(steps[-1]["use"]), type):
        return ""
    found = dict.fromkeys(text for step in steps for text in _list_choices(step))
    return "; ".join(found) or "one setting"


def _list_choices(step: Mapping[str, Any]) -> Iterator[str]:
    """Yield the choice of a step, and the choices of the estimators among its parameters."""
    own = {name: value for name, value in step.items() if name not in ("use", "as_published")}
    if isinstance(own.get("estimator"), Mapping):  # its choices and the grid are one
        yield from _list_choices({**own["estimator"], **own.get("grid", {})})
        return
    if step["use"].startswith("halflabel"):
        kind = import_object(step["use"])
        default = kind.as_published() if step.get("as_published") else kind()
        yield from _describe_choice({**default.get_params(deep=False), **own})
    for value in own.values():
        if isinstance(value, Mapping) and "use" in value:
            yield from _list_choices(value)


def _describe_choice(parameters: Mapping[str, Any]) -> Iterator[str]:
    has_path = parameters.get("alpha", 0) is None
    n_settings = math.prod(len(value) for value in parameters.values() if isinstance(value, list | tuple))
    words = ["a path of weights"] * has_path + [plural(n_settings, "setting")] * (n_settings > 1)
    if words:
        yield f"{' for each of '.join(words)}, {parameters['n_folds']} folds"
