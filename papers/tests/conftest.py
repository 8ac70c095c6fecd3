"""Fixtures of halflabel's tests: the tests of the papers are run from the root of the repository."""

from tests.conftest import public_data, rng, small_forests

__all__ = ["public_data", "rng", "small_forests"]
