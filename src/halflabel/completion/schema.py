"""The schema of a model file: the annotations of a record, checked before the record is built."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Any, ClassVar, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, is_sparse

#: Arrays that may hold infinity or NaN: the threshold of a leaf, a ridge weight that is not known or not used.
NOT_FINITE = {("Trees", "threshold"), ("KernelRidge", "alpha")}

#: Kinds of numbers that may replace a declared kind: single precision for double, any width of whole numbers.
_KINDS = {"f": "f", "i": "iu", "u": "iu", "b": "b"}


def check_record(kind: type, state: Any) -> None:
    """Raise a ValueError unless ``state`` has the fields of a dataclass, each of the declared type and finite."""
    if not isinstance(state, dict):
        raise ValueError(f"the state of a {kind.__name__} is not a table of fields")
    hints = _get_hints(kind)
    required = {each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING}
    if not required <= set(state) <= {each.name for each in fields(kind)}:
        odd = sorted(map(str, set(state) ^ required))[:3]
        raise ValueError(f"a {kind.__name__} has other fields than the file gives it: {', '.join(odd)}")
    for name, value in state.items():
        if not _matches(value, hints[name]):
            raise ValueError(f"{kind.__name__}.{name} is not of the declared type")
        if (kind.__name__, name) not in NOT_FINITE and not is_finite(value):
            raise ValueError(f"{kind.__name__}.{name} is not finite")
    if kind.__name__ == "Trees":
        _check_trees(**state)
    if kind.__name__ == "ModeratedPlatt":
        _check_covariance(state["covariance"])


def check_attributes(kind: type, state: Any) -> None:
    """Raise a ValueError if an estimator hides a method, lacks a parameter, or has an attribute of another type.

    Estimators of this distribution have no attribute that they do not declare. Other estimators may have more.
    """
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        raise ValueError(f"the state of a {kind.__name__} is not a table of attributes")
    hidden = [name for name in state if callable(getattr(kind, name, None)) or _is_property(kind, name)]
    if hidden:
        raise ValueError(f"{hidden[0]!r} is a method of {kind.__name__}, not an attribute")
    lacking = [name for name in kind._get_param_names() if name not in state]  # type: ignore[attr-defined]
    if lacking:
        raise ValueError(f"the parameter {lacking[0]!r} of {kind.__name__} is missing")
    fitted = _get_fitted(kind)
    if absent := [name for name in fitted if name not in state and not hasattr(kind, name)]:
        raise ValueError(f"{kind.__name__}.{absent[0]} is missing")
    for name in state.keys() - set(kind._get_param_names()):  # type: ignore[attr-defined]
        if name not in fitted and kind.__module__.startswith("halflabel."):
            raise ValueError(f"{name!r} is not an attribute of {kind.__name__}")
        if name in fitted and not _matches(state[name], fitted[name]):
            raise ValueError(f"{kind.__name__}.{name} is not of the declared type")


def is_finite(value: Any) -> bool:
    """Whether every number of a value is finite, or the value has no numbers."""
    if is_sparse(value):
        value = value.data
    if isinstance(value, np.ndarray):
        return value.dtype.kind not in "fc" or bool(np.isfinite(value).all())
    return not isinstance(value, float) or bool(np.isfinite(value))


def _check_trees(
    feature: Ints, threshold: Floats, left: Ints, right: Ints, leaf: Ints, roots: Ints, values: Floats
) -> None:
    """Raise unless every way from a root ends in a leaf: children come after their parent, a leaf points to itself."""
    n, own = len(feature), np.arange(len(feature))
    if any(part.shape != (n,) for part in (threshold, left, right, leaf)) or values.ndim != 2:
        raise ValueError("the arrays of a tree have different lengths")
    inner = np.isfinite(threshold)
    for child in (left, right):
        if (child[inner] <= own[inner]).any() or (child[~inner] != own[~inner]).any() or (child >= n).any():
            raise ValueError("a tree has a way that does not end in a leaf")
    if not len(roots) or not _in_range(roots, n) or not _in_range(leaf[~inner], len(values)) or (feature < 0).any():
        raise ValueError("a tree points outside its arrays")


def _check_covariance(covariance: Floats) -> None:
    """Raise unless the uncertainty of each label is positive in every direction: its root is taken."""
    first, both, second = covariance
    if (first < 0).any() or (second < 0).any() or (both**2 > first * second * (1 + 1e-9)).any():
        raise ValueError("the uncertainty of a calibration is negative")


def _in_range(indices: Ints, n: int) -> bool:
    return not len(indices) or bool(indices.min() >= 0 and indices.max() < n)


def _is_property(kind: type, name: str) -> bool:
    return isinstance(getattr(kind, name, None), property)


@cache
def _get_fitted(kind: type) -> dict[str, Any]:
    """Return the annotations of the attributes that a fit of an estimator stores and a file holds."""
    left_out = getattr(kind, "_transductive", ())
    names = {name for name in _get_hints(kind) if name.endswith("_") or name.startswith("_")} - {*left_out}
    return {name: hint for name, hint in _get_hints(kind).items() if name in names and get_origin(hint) is not ClassVar}


@cache
def _get_hints(kind: type) -> dict[str, Any]:
    return get_type_hints(kind)


def _matches(value: Any, hint: Any) -> bool:
    origin, arguments = get_origin(hint), get_args(hint)
    if hasattr(origin, "__value__"):  # from Python 3.12 on, NumPy's NDArray is a lazy alias
        return _matches(value, origin.__value__[arguments])
    if origin in (Union, UnionType):
        return any(_matches(value, each) for each in arguments)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in arguments)
    if origin is np.ndarray:
        return _is_array_of(value, arguments)
    if origin is tuple:
        return _is_tuple_of(value, arguments)
    if origin is list:
        return isinstance(value, list) and all(_matches(item, arguments[0]) for item in value)
    if origin is not None and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(
            _matches(key, arguments[0]) and _matches(item, arguments[1]) for key, item in value.items()
        )
    return _is_a(value, hint, origin)


def _is_array_of(value: Any, arguments: tuple[Any, ...]) -> bool:
    number = get_args(arguments[1])[0]
    kind = np.dtype(number).kind if isinstance(number, type) and issubclass(number, np.generic) else "O"
    return isinstance(value, np.ndarray) and (kind == "O" or value.dtype.kind in _KINDS.get(kind, kind))


def _is_tuple_of(value: Any, arguments: tuple[Any, ...]) -> bool:
    if not isinstance(value, tuple):
        return False
    if arguments[-1:] == (Ellipsis,):
        return all(_matches(item, arguments[0]) for item in value)
    return len(value) == len(arguments) and all(map(_matches, value, arguments))


def _is_a(value: Any, hint: Any, origin: Any) -> bool:
    if hint is Any:  # a matrix
        return isinstance(value, np.ndarray) or is_sparse(value) or _is_plain(value)
    if hint in (None, NoneType):
        return value is None
    if hint is float:
        return isinstance(value, float | int) and not isinstance(value, bool)
    if hint is int:
        return isinstance(value, int) and not isinstance(value, bool)
    if hint is sparse.csr_array:
        return is_sparse(value)
    if origin is Callable or hint is Callable or getattr(hint, "_is_protocol", False):
        return is_dataclass(value)  # a calibration, a model: one of the records of this library
    return isinstance(value, hint)


def _is_plain(value: Any) -> bool:
    return value is None or isinstance(value, str | int | float) or is_dataclass(value)
