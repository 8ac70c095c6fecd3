"""The memory of fits: what is computed again, and what a second test gets."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from sklearn.base import clone
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES, Watched
from tests.shared_fits import remember, remember_fits

from halflabel import PartialLabels
from halflabel.methods.auxiliary import fit_with_auxiliary


def test_equal_content_is_computed_once_and_every_call_gets_its_own_copy():
    calls = []

    def double(x, by=2):
        calls.append(x)
        warnings.warn(f"{len(x)} numbers", UserWarning, stacklevel=1)
        return {"x": x * by}

    remembered = remember(double)
    results = []
    for _ in range(2):
        with pytest.warns(UserWarning, match="3 numbers"):
            results.append(remembered(np.arange(3), by=3))
    assert len(calls) == 1
    results[0]["x"][:] = -1
    np.testing.assert_array_equal(results[1]["x"], [0, 3, 6])
    with pytest.warns(UserWarning, match="3 numbers"):
        assert remembered(np.arange(3.0), by=3)["x"].dtype == np.float64
    with pytest.warns(UserWarning, match="3 numbers"):
        assert remembered(np.arange(3), by=4)["x"][1] == 4
    assert len(calls) == 3


def test_an_exception_is_not_kept():
    calls = []

    def fail(x):
        calls.append(x)
        raise ValueError(x)

    for _ in range(2):
        with pytest.raises(ValueError, match="a"):
            remember(fail)("a")
    assert calls == ["a", "a"]


def test_the_fit_of_a_method_is_shared_and_that_of_a_test_is_not(rng, monkeypatch):
    X, Y, _ = half_labelled(rng)
    labels, fitted = PartialLabels.from_table(Y), []
    fit = remember_fits(lambda model, *args: fitted.append(model) or fit_with_auxiliary(model, *args))
    first, second = (fit(clone(RATES), X, labels) for _ in range(2))
    assert first is not second
    assert len(fitted) == 1
    np.testing.assert_array_equal(first.label_probabilities_, second.label_probabilities_)
    fit(clone(RATES), X, labels.hide(labels.observed & (rng.random(labels.shape) < 0.1)))
    assert len(fitted) == 2
    monkeypatch.setattr(Watched, "seen", [], raising=False)
    for _ in range(2):
        fit(Watched(RATES.classifier), X, labels)
    assert len(Watched.seen) == len(fitted) - 2 == 2
