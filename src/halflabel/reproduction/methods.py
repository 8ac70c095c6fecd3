"""From a method's description to estimators."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sklearn.base import clone

from halflabel._arrays import Matrix
from halflabel.labels import PartialLabels
from halflabel.reproduction.spec import Method, SpecError

#: Answers ``{ same_as = ..., attribute = ... }``: the attribute of the first step of the method of that name.
Lookup = Callable[[str, str], Any]


def found(path: str) -> Any:
    """Return what an import path ``module:name`` names.

    Raises
    ------
    SpecError
        If there is no such module or name.

    Examples
    --------
    >>> found("halflabel.labels.metrics:micro_f1").__name__
    'micro_f1'
    """
    module, _, name = path.partition(":")
    if not name:
        raise SpecError(f"{path!r} is no import path: write module:name, for example mypackage.models:MyModel.")
    try:
        return getattr(importlib.import_module(module), name)
    except ModuleNotFoundError as error:
        raise SpecError(f"{path}: there is no module {error.name!r} that Python could import.") from None
    except AttributeError:
        raise SpecError(f"{path}: the module {module} has no {name!r}.") from None


def user_method(path: str, classifier: Sequence[Mapping[str, Any]]) -> Method:
    """Return a user's estimator as a method; a transformer is followed by the paper's classifier."""
    kind = found(path)
    if not hasattr(kind, "fit"):
        raise SpecError(f"{path}: it has no fit method, so it is no estimator.")
    if not hasattr(kind, "predict") and not classifier:
        raise SpecError(f"{path}: it has no predict method, and this paper has no classifier to put behind it.")
    steps = ({"use": path}, *(() if hasattr(kind, "predict") else classifier))
    return Method(path.partition(":")[2], steps, natural="as it comes", ours=True, note=f"{path}, given by --add.")


def filled_in(value: Any, values: Mapping[str, Any]) -> Any:
    """Return a description with every ``"$name"`` replaced by the value of that name.

    Examples
    --------
    >>> filled_in([{"use": "m:C", "k": "$k", "scale": "$none"}], {"k": 8})
    [{'use': 'm:C', 'k': 8, 'scale': None}]
    """
    if isinstance(value, str) and value.startswith("$"):
        known = {**values, "none": None}
        if value[1:] not in known:
            raise SpecError(f"{value} stands for nothing: grid and settings have {', '.join(values) or 'none'}.")
        return known[value[1:]]
    if isinstance(value, Mapping):
        return {key: filled_in(each, values) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [filled_in(each, values) for each in value]
    return value


def build(step: Mapping[str, Any], n_features: int, lookup: Lookup) -> Any:
    """Return the unfitted estimator that a step describes."""
    settings = dict(step)
    kind = found(settings.pop("use"))
    published = settings.pop("as_published", False)
    parameters = {name: _parameter(value, n_features, lookup) for name, value in settings.items()}
    try:
        return kind.as_published().set_params(**parameters) if published else kind(**parameters)
    except (TypeError, ValueError) as error:
        raise SpecError(f"{step['use']} cannot be built: {error}") from None


def _parameter(value: Any, n_features: int, lookup: Lookup) -> Any:
    if not isinstance(value, Mapping):
        return value
    if "use" in value:
        return build(value, n_features, lookup)
    if "same_as" in value:
        return lookup(value["same_as"], value["attribute"])
    if "share_of_features" in value:
        return max(1, round(value["share_of_features"] * n_features))
    return dict(value)


def first_step_attribute(first_steps: Mapping[str, Mapping[str, Any]], X: Matrix, labels: PartialLabels) -> Lookup:
    """Return the lookup of ``same_as`` for these training rows."""

    def lookup(name: str, attribute: str) -> Any:
        step = build(first_steps[name], X.shape[1], lookup)
        return getattr(clone(step).fit(X, labels), attribute)

    return lookup
