"""The parameters of an estimator: defaults as its docstring states them, and the smallest whole numbers it accepts."""

from __future__ import annotations

import ast
import inspect
import re

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled

ENTRY = re.compile(r"^ *(\w+(?:, \w+)*) : .*?\bdefault=(.+?)$", re.MULTILINE)


def read_defaults(kind):
    """Return the default of each parameter that the docstrings of a class and its bases state."""
    stated = {}
    for base in kind.__mro__:
        for names, value in ENTRY.findall(base.__doc__ or ""):
            for name in names.split(", "):
                stated.setdefault(name, ast.literal_eval(value))
    return stated


def check_parameters(model, **minima):
    """Check the defaults of a model's class, and that each whole number has this minimum."""
    stated = read_defaults(type(model))
    parameters = inspect.signature(type(model)).parameters.values()
    defaults = {each.name: each.default for each in parameters if each.name in stated}
    assert defaults
    assert defaults == {name: stated[name] for name in defaults}
    X, _, Y = half_labelled(np.random.default_rng(0), n=20)
    for name, least in minima.items():
        with pytest.raises(ValueError, match=rf"{name} must be a whole number of at least {least}\b"):
            clone(model).set_params(**{name: least - 1}).fit(X, Y)
