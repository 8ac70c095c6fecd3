"""A plug-in that counts what every test costs: fits of a method, and CPU time. In CI it fails a suite that costs more.

A busy machine changes no number of fits. CPU time depends on it, so that only a test far above its bound fails.
"""

from __future__ import annotations

import functools
import resource
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from halflabel.methods.base import PartialLabelEstimator

#: Maximum number of fits of the fast suite by the folder of its tests: what it needs, plus 5 %. A whole fit behind a
#: command counts as one. Before you raise a number, share a fit.
MAX_FITS = {"src": 200, "tests": 5000, "papers": 3000}

#: The tests that take more than one CPU second on an idle machine, at most 20, and what each one needs the time for.
ABOVE_A_SECOND: dict[str, str] = {}

#: CPU seconds above which another test fails in CI: four times its bound, for a busy machine and the first imports.
MAX_SECONDS = 4.0

#: Number of tests that a failure lists.
LISTED = 15


@dataclass
class Costs:
    """Fits of each test of the fast suite, and its CPU seconds without those of its fixtures."""

    fits: Counter[str] = field(default_factory=Counter)
    seconds: Counter[str] = field(default_factory=Counter)

    def excesses(self) -> list[str]:
        """Return a sentence for every folder with too many fits, and for every test that takes far too long."""
        by_folder: Counter[str] = Counter()
        for test, fits in self.fits.items():
            by_folder[test.partition("/")[0]] += fits
        found = [
            f"The tests of {folder} need {fits} fits, more than {MAX_FITS[folder]} (tests/costs.py). "
            f"These fit most: {self._most_fits(folder)}."
            for folder, fits in sorted(by_folder.items())
            if fits > MAX_FITS.get(folder, fits)
        ]
        return found + [
            f"{test} took {seconds:.1f} CPU seconds. A test above one second shares a fit, or tests/costs.py names it."
            for test, seconds in self.seconds.most_common()
            if seconds > MAX_SECONDS and test.partition("[")[0] not in ABOVE_A_SECOND
        ]

    def _most_fits(self, folder: str) -> str:
        most = [(test, fits) for test, fits in self.fits.most_common() if test.startswith(f"{folder}/")]
        return ", ".join(f"{test} ({fits})" for test, fits in most[:LISTED])


def cpu_seconds() -> float:
    """Return the CPU seconds of this process and of those that it waited for."""
    usages = map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in usages)


class Plugin:
    """Count in the process that runs a test, send the numbers with its reports, and sum them where these arrive."""

    def __init__(self, *, strict: bool) -> None:
        self.strict = strict
        self.costs = Costs()
        self.n_fits = 0
        enter = PartialLabelEstimator._validate_input  # every fit begins with it

        @functools.wraps(enter)
        def counted(model: PartialLabelEstimator, X: Any, y: Any) -> Any:
            self.n_fits += 1
            return enter(model, X, y)

        PartialLabelEstimator._validate_input = counted

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.n_fits = 0
        return (yield)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Iterator[None]:
        start = cpu_seconds()
        try:
            return (yield)
        finally:
            item.user_properties.append(("cpu_seconds", cpu_seconds() - start))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> Iterator[Any]:
        if call.when == "teardown":
            item.user_properties.append(("fits", self.n_fits))
        return (yield)

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "teardown" and "slow" not in report.keywords:
            properties = dict(report.user_properties)
            self.costs.fits[report.nodeid] += properties.get("fits", 0)
            self.costs.seconds[report.nodeid] += properties.get("cpu_seconds", 0.0)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        if self.strict and self.costs.excesses() and session.exitstatus == pytest.ExitCode.OK:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        fits, seconds = sum(self.costs.fits.values()), sum(self.costs.seconds.values())
        terminalreporter.write_line(f"{fits} fits and {seconds:.0f} CPU seconds in tests.")
        for sentence in self.costs.excesses():
            terminalreporter.write_line(sentence, red=True)


def register(config: pytest.Config, *, strict: bool) -> None:
    """Count the costs of this run, once, though both suites ask for it; the workers of pytest-xdist only count."""
    if not config.pluginmanager.has_plugin("costs"):
        config.pluginmanager.register(Plugin(strict=strict and not hasattr(config, "workerinput")), "costs")
