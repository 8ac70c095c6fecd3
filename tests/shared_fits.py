"""A memory for the session: tests that ask for the same fit, or the same evidence of it, share one result."""

from __future__ import annotations

import functools
import pickle
import warnings
from collections.abc import Callable
from typing import Any

import joblib

_RESULTS: dict[tuple[str, str], bytes] = {}


def remember(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that is computed once for arguments of the same content.

    Every call returns a copy of the result and repeats its warnings. An exception is not kept. The function may depend
    on its arguments only, and a test of two equal calls must not use it: it compares a result with itself.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        key = function.__qualname__, joblib.hash((args, kwargs))
        if key not in _RESULTS:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                result = function(*args, **kwargs)
            _RESULTS[key] = pickle.dumps((result, [warning.message for warning in caught]))
        result, messages = pickle.loads(_RESULTS[key])  # noqa: S301 - our own bytes
        for message in messages:
            warnings.warn(message, stacklevel=2)
        return result

    return call


def remember_fits(fit: Callable[..., Any]) -> Callable[..., Any]:
    """Return the fit of a method with a memory; a method that a test defines is fitted every time."""
    remembered = remember(fit)

    @functools.wraps(fit)
    def call(model: Any, *args: Any, **kwargs: Any) -> Any:
        is_ours = type(model).__module__.startswith("halflabel.")
        return (remembered if is_ours else fit)(model, *args, **kwargs)

    return call
