"""The schema of a model file: the annotations of a class, checked before an object of it is built."""

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
_KINDS = {"i": "iu", "u": "iu"}


def check_state(kind: type, state: Any) -> None:
    """Raise a ValueError unless a state has the fields of a class, each of the declared type.

    The numbers of a record are finite. An estimator of another distribution may have attributes that it does not
    declare, unless they hide a method.
    """
    if not isinstance(state, dict) or not all(isinstance(name, str) for name in state):
        raise ValueError(f"the state of a {kind.__name__} is not a table of fields")
    hints, required, is_closed = _read_schema(kind)
    if absent := sorted(required - state.keys()):
        raise ValueError(f"{kind.__name__}.{absent[0]} is missing")
    for name, value in state.items():
        if name not in hints and (is_closed or hasattr(kind, name)):
            raise ValueError(f"{kind.__name__} has no field {name[:40]!r}")
        if name in hints and not _matches(value, hints[name]):
            raise ValueError(f"{kind.__name__}.{name} is not of the declared type")
        if is_dataclass(kind) and (kind.__name__, name) not in NOT_FINITE and not is_finite(value):
            raise ValueError(f"{kind.__name__}.{name} is not finite")
    if kind.__name__ == "Trees":
        _check_trees(**state)
    if kind.__name__ == "ModeratedPlatt":
        _check_covariance(state["covariance"])


@cache
def _read_schema(kind: type) -> tuple[dict[str, Any], frozenset[str], bool]:
    """Return the types of the fields of a class, the names that a state needs, and whether it has no others.

    The fields of an estimator are its parameters, and the attributes that a fit stores and a file holds.
    """
    hints = get_type_hints(kind)
    if is_dataclass(kind):
        needed = [each.name for each in fields(kind) if each.default is MISSING and each.default_factory is MISSING]
        return {each.name: hints[each.name] for each in fields(kind)}, frozenset(needed), True
    parameters = kind._get_param_names()  # type: ignore[attr-defined]
    left_out = getattr(kind, "_transductive", ())
    fitted = {
        name: hint
        for name, hint in hints.items()
        if (name.endswith("_") or name.startswith("_")) and name not in left_out and get_origin(hint) is not ClassVar
    }
    needed = [*parameters, *(name for name in fitted if not hasattr(kind, name))]
    return dict.fromkeys(parameters, object) | fitted, frozenset(needed), kind.__module__.startswith("halflabel.")


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


def _in_range(indices: Ints, n: int) -> bool:
    return not len(indices) or bool(indices.min() >= 0 and indices.max() < n)


def _check_covariance(covariance: Floats) -> None:
    """Raise unless the uncertainty of each label is positive in every direction: its root is taken."""
    first, both, second = covariance
    if (first < 0).any() or (second < 0).any() or (both**2 > first * second * (1 + 1e-9)).any():
        raise ValueError("the uncertainty of a calibration is negative")


def _matches(value: Any, hint: Any) -> bool:
    """Return whether a value is of a declared type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hasattr(origin, "__value__"):  # from Python 3.12 on, NumPy's NDArray is a lazy alias
        return _matches(value, origin.__value__[inner])
    if origin in (Union, UnionType):
        return any(_matches(value, each) for each in inner)
    if origin is Literal:
        return any(type(value) is type(each) and value == each for each in inner)
    if origin is np.ndarray:
        return _is_array_of(value, get_args(inner[1])[0])
    if origin is tuple and inner[-1] is not Ellipsis:
        return isinstance(value, tuple) and len(value) == len(inner) and all(map(_matches, value, inner))
    if origin in (tuple, list):
        return isinstance(value, origin) and all(_matches(each, inner[0]) for each in value)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, dict) and all(all(map(_matches, pair, inner)) for pair in value.items())
    return _is_a(value, hint, origin)


def _is_array_of(value: Any, number: Any) -> bool:
    kind = np.dtype(number).kind if isinstance(number, type) and issubclass(number, np.generic) else "O"
    return isinstance(value, np.ndarray) and (kind == "O" or value.dtype.kind in _KINDS.get(kind, kind))


def _is_a(value: Any, hint: Any, origin: Any) -> bool:
    if hint is Any:  # a matrix, or a plain value
        return isinstance(value, np.ndarray | str | int | float | NoneType) or is_sparse(value) or is_dataclass(value)
    if hint in (int, float):
        return isinstance(value, int | hint) and not isinstance(value, bool)
    if hint is sparse.csr_array:
        return is_sparse(value)
    if origin is Callable or hint is Callable or getattr(hint, "_is_protocol", False):
        return is_dataclass(value)  # a calibration, a model: one of the records of this library
    return isinstance(value, NoneType if hint is None else hint)
