"""Fixtures of the product's tests of formats."""

from tests.conftest import *  # noqa: F403 # the profiles and fixtures of the product
from tests.files.conftest import tables, write

__all__ = ["tables", "write"]
