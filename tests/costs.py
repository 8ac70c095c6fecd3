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
MAX_FITS = {"src": 20, "tests": 1970, "papers": 1160}

#: The tests that take more than one CPU second on an idle machine, at most 20, by file: what they need the time for.
ABOVE_A_SECOND = {
    "papers/tests/page/test_charts.py": {
        "test_another_process_gives_the_same_bytes_without_pyplot_and_its_state": "a process that imports matplotlib",
    },
    "papers/tests/test_archive.py": {
        "test_the_same_records_give_the_same_bytes": "two whole pages of a paper",
    },
    "papers/tests/test_run.py": {
        "test_killed_runs_resume_to_the_same_records": "a process that is killed, and two runs",
    },
    "papers/tests/test_studies.py": {
        "test_more_entries_recover_better": "MC-1 to convergence without noise",
    },
    "papers/tests/test_zhang2008.py": {
        "test_neither_storage_nor_rotation_changes_an_answer": "text of the real size",
    },
    "tests/cli/test_startup.py": {
        "test_a_table_is_completed_without_scipy_stats": "processes",
    },
    "tests/cli/test_whole_commands.py": {
        "test_complete_then_predict": "the command with nothing made small",
        "test_evaluate": "the command with nothing made small",
        "test_the_same_table_gives_the_same_files_in_another_order": "two such commands",
    },
    "tests/corrections/votes/test_sources.py": {
        "test_it_is_better_than_the_majority_and_known_entries_make_it_better": "completions of two tables",
    },
    "tests/contracts/test_from_positives.py": {
        "test_probabilities_are_calibrated_for_new_items": "900 items, all members",
    },
    "tests/evaluation/test_demo.py": {
        "test_the_demo_can_be_repeated_by_the_line_it_prints": "the demo and its command",
    },
    "tests/report/test_browser.py": {
        "test_hostile_names_run_nothing_even_without_the_policy": "two browsers",
        "test_no_request_leaves_the_page": "two browsers",
        "test_the_page_never_scrolls_sideways": "a browser and three large pages",
    },
    "tests/review_page/test_browser_file.py": {
        "test_a_browser_that_does_not_return_blocks_nothing_and_shows_no_token": "a server in a process of its own",
        "test_another_account_can_neither_read_the_file_nor_use_what_it_sees": "a server and another account",
    },
    "tests/test_processes.py": {
        "test_no_worker_outlives_a_process_that_was_killed": "processes that are killed",
    },
}

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
            if seconds > MAX_SECONDS and not is_named(test)
        ]

    def _most_fits(self, folder: str) -> str:
        most = [(test, fits) for test, fits in self.fits.most_common() if test.startswith(f"{folder}/")]
        return ", ".join(f"{test} ({fits})" for test, fits in most[:LISTED])


def is_named(test: str) -> bool:
    """Return whether a test is one of those that may take more than a CPU second."""
    file, _, name = test.partition("[")[0].partition("::")
    return name.rpartition("::")[2] in ABOVE_A_SECOND.get(file, ())


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
        def count_fit(model: PartialLabelEstimator, X: Any, y: Any) -> Any:
            read = enter(model, X, y)
            self.n_fits += 1  # an input that raises is no fit
            return read

        PartialLabelEstimator._validate_input = count_fit

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
