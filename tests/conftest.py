"""Shared fixtures: one generator per test, and half-labelled toy data without ties."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

# Before NumPy is imported: the matrices of tests are small, and pytest-xdist uses every core already.
for library in ("OMP", "OPENBLAS", "MKL"):
    os.environ.setdefault(f"{library}_NUM_THREADS", "1")

import hypothesis  # noqa: E402
import numpy as np  # noqa: E402
import pytest  # noqa: E402
from tests import costs  # noqa: E402
from tests.shared_fits import remember, remember_fits  # noqa: E402

from halflabel import PartialLabels  # noqa: E402
from halflabel.completion import evidence  # noqa: E402
from halflabel.corrections import fit  # noqa: E402
from halflabel.evaluation import learning_curve  # noqa: E402
from halflabel.evidence.lower_bounds import ResampledCalibration  # noqa: E402
from halflabel.methods.auto import EFFORTS  # noqa: E402
from halflabel.methods.auto.residuals import refine  # noqa: E402
from halflabel.methods.canonical_order import order_items  # noqa: E402

# No test is timed: a busy machine is no failure. The examples are the same in every run, so that a change is judged by
# itself: HYPOTHESIS_PROFILE=many has more of them, and `search`, which .ci/run --long uses, others in every run. A
# failure prints the line that repeats it.
IN_CI = bool(os.environ.get("CI"))
for name, n_examples in (("quick", 25), ("many", 100), ("search", 100)):
    hypothesis.settings.register_profile(
        name, deadline=None, derandomize=name != "search", print_blob=True, max_examples=n_examples
    )
hypothesis.settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))

#: For a property of files: an example takes fifty times as long as one of numbers.
FEWER_EXAMPLES = hypothesis.settings(
    max_examples=hypothesis.settings.default.max_examples // 3,
    suppress_health_check=[hypothesis.HealthCheck.too_slow, hypothesis.HealthCheck.function_scoped_fixture],
)


def pytest_configure(config: pytest.Config) -> None:
    # Many examples of a property, or a mutant, cost more.
    costs.register(config, strict=IN_CI and hypothesis.settings.get_current_profile_name() == "quick")


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture(scope="session")
def public_data() -> Path:
    """Folder of the public benchmark sets."""
    folder = Path(os.environ.get("HALFLABEL_DATA", Path(__file__).parents[2] / "shared" / "data"))
    if not folder.is_dir():
        pytest.skip(f"no public benchmark sets at {folder} (set HALFLABEL_DATA)")
    return folder


@pytest.fixture(scope="module")
def small_forests() -> Iterator[None]:
    """Make forests small: for tests in which the number of trees is not the subject."""
    with pytest.MonkeyPatch.context() as patch:
        for effort, work in EFFORTS.items():
            patch.setitem(EFFORTS, effort, replace(work, n_trees=20, n_rounds=6))
        patch.setitem(refine.__kwdefaults__, "n_trees", 10)
        # 300 trees for the drift take four times as long as a fit; with 40, each item is left out by one of them.
        patch.setattr("halflabel.evidence.drift.TREES", 40)
        patch.setattr("halflabel.evidence.lower_bounds.SAMPLES", 5)
        yield


@pytest.fixture(scope="module")
def one_member(small_forests: None) -> Iterator[None]:
    """Complete with the kernel alone, a sketch of a map and few bootstrap samples; compare with one setting of others.

    For tests of what is read, written or shown around a fit; some tests of each command use all members. Tests that fit
    the same items and labels in the same way share the fit.
    """
    with pytest.MonkeyPatch.context() as patch:
        for effort, work in EFFORTS.items():
            patch.setitem(EFFORTS, effort, replace(work, members=("kernel",), text_members=()))
        patch.setattr("halflabel.evidence.drift.TREES", 30)
        patch.setattr("halflabel.evidence.lower_bounds.SAMPLES", 3)
        patch.setattr("halflabel.numerics.layout.tsne.ITERATIONS", (5, 5))
        patch.setattr(
            "halflabel.evaluation.comparison.MAX_ENTRIES_FOR_KNEES", 0
        )  # one setting of LowRankVVMR, not three
        for module in (fit, learning_curve):
            patch.setattr(module, "fit_with_auxiliary", remember_fits(module.fit_with_auxiliary))
        patch.setattr(evidence, "measure_drift", remember(evidence.measure_drift))
        patch.setattr(evidence, "estimate_errors", remember(evidence.estimate_errors))
        patch.setattr(ResampledCalibration, "fit", remember(ResampledCalibration.fit))
        yield


def in_canonical_order(X, Y):
    """Return the items in the order in which a method is fitted, for a test that repeats what the fit does."""
    order = order_items(X, PartialLabels.from_table(Y))
    return X[order], Y[order]


def half_labelled(rng: np.random.Generator, n: int = 60, n_labels: int = 3, entries: bool = False):
    """Return (X, Y with gaps, Y complete): three clouds, labels linear in X plus noise, two items in five labelled."""
    centers = rng.normal(size=(3, 5)) * 2
    X = centers[rng.integers(3, size=n)] + rng.normal(size=(n, 5))
    complete = (X @ rng.normal(size=(5, n_labels)) + 0.3 * rng.normal(size=(n, n_labels)) > 0).astype(float)
    complete[:2] = [[0.0] * n_labels, [1.0] * n_labels]
    hidden = rng.random((n, n_labels)) < 0.5 if entries else np.repeat(rng.random((n, 1)) < 0.6, n_labels, axis=1)
    hidden[:2] = False
    return X, np.where(hidden, np.nan, complete), complete
