"""The plug-in that counts fits and CPU time: what it counts, and what it fails."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from tests import costs

from halflabel.methods.auto import AutoLabeler
from halflabel.methods.baselines import BinaryRelevance

RATES = BinaryRelevance(DummyClassifier(strategy="prior"))


@pytest.fixture
def plugin(monkeypatch):
    monkeypatch.setattr(costs.PartialLabelEstimator, "_validate_input", costs.PartialLabelEstimator._validate_input)
    monkeypatch.setattr(costs, "MAX_FITS", {"tests": 10})
    monkeypatch.setattr(costs, "ABOVE_A_SECOND", {"tests/test_a.py": {"test_long": "a reason"}})
    return costs.Plugin(strict=True)


def report(plugin, test, *, fits=0, seconds=0.0, keywords=(), when="teardown"):
    """Report a test, as a worker of pytest-xdist does."""
    properties = [("fits", fits), ("cpu_seconds", seconds)]
    plugin.pytest_runtest_logreport(
        SimpleNamespace(when=when, nodeid=test, keywords=dict.fromkeys(keywords, 1), user_properties=properties)
    )


@pytest.mark.parametrize("model", [RATES, AutoLabeler("fast")])
def test_every_fit_is_counted(plugin, model, rng):
    X, Y = rng.normal(size=(12, 2)), np.where(np.arange(12) % 2, 1.0, 0.0)
    for _ in range(3):
        model.fit(X, Y)
    model.predict(X)
    with pytest.raises(ValueError, match="but a label is 1"):
        model.fit(X, 3 * Y)
    assert plugin.n_fits == 3


def test_fits_of_all_tests_of_a_folder_share_a_budget(plugin):
    report(plugin, "tests/test_a.py::test_one", fits=4)
    report(plugin, "tests/test_b.py::test_two", fits=6)
    report(plugin, "papers/tests/test_c.py::test_three", fits=100)  # no budget in this test
    assert plugin.costs.excesses() == []
    report(plugin, "tests/test_b.py::test_three", fits=1)
    (sentence,) = plugin.costs.excesses()
    assert sentence.startswith("The tests of tests need 11 fits, more than 10")
    assert sentence.index("test_two (6)") < sentence.index("test_one (4)") < sentence.index("test_three (1)")


def test_reports_of_slow_tests_and_of_other_phases_cost_nothing(plugin):
    report(plugin, "tests/test_a.py::test_one", fits=100, seconds=100, keywords=["slow"])
    report(plugin, "tests/test_a.py::test_two", fits=100, seconds=100, when="call")
    assert plugin.costs.excesses() == []


def test_a_test_far_above_its_second_is_named_once(plugin):
    report(plugin, "tests/test_a.py::test_long[x]", seconds=costs.MAX_SECONDS * 10)
    report(plugin, "tests/test_a.py::test_quick", seconds=costs.MAX_SECONDS)
    assert plugin.costs.excesses() == []
    report(plugin, "tests/test_a.py::test_new[y]", seconds=costs.MAX_SECONDS + 1)
    (sentence,) = plugin.costs.excesses()
    assert sentence.startswith(f"tests/test_a.py::test_new[y] took {costs.MAX_SECONDS + 1:.1f} CPU seconds")


@pytest.mark.parametrize(("strict", "status"), [(True, pytest.ExitCode.TESTS_FAILED), (False, pytest.ExitCode.OK)])
def test_an_excess_fails_a_strict_run(plugin, strict, status):
    plugin.strict = strict
    report(plugin, "tests/test_a.py::test_one", fits=11)
    session = SimpleNamespace(exitstatus=pytest.ExitCode.OK)
    plugin.pytest_sessionfinish(session)
    assert session.exitstatus == status


def test_at_most_twenty_tests_are_long_and_all_of_them_exist():
    named = [(file, name) for file, tests in costs.ABOVE_A_SECOND.items() for name in tests]
    assert len(named) <= 20
    for file, name in named:
        assert f"def {name}(" in (Path(__file__).parents[1] / file).read_text(encoding="utf-8"), name
    assert all(reason for tests in costs.ABOVE_A_SECOND.values() for reason in tests.values())
