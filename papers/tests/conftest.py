"""Fixtures of halflabel's tests: the tests of the papers are run from the root of the repository."""

from tests.conftest import one_member, public_data, pytest_configure, rng, small_forests
from tests.files.conftest import data_folder, write

__all__ = ["data_folder", "one_member", "public_data", "pytest_configure", "rng", "small_forests", "write"]
