"""scikit-learn's checks of an estimator, as parameters of a test.

Every container of a sparse matrix is converted in the validation that all estimators share. The fast suite therefore
checks all of them for one estimator; `slow` checks them for the others. It has all checks of an estimator that shares
its fit with another one, too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import pytest
from sklearn.base import BaseEstimator
from sklearn.utils.estimator_checks import estimator_checks_generator

#: Checks that feed a target with the value 2; a label is 1, 0 or missing, and nothing else is accepted.
FEEDS_A_TWO = {"check_estimators_dtypes", "check_fit2d_1feature"}

SPARSE_CONTAINERS = {"check_estimator_sparse_array", "check_estimator_sparse_matrix"}


def each_check(*estimators: BaseEstimator, all_containers: bool = False, siblings: Sequence[BaseEstimator] = ()):
    """Parametrise a test with the estimators and their checks; those of siblings are slow."""
    cases = []
    for estimator, check in (pair for one in (*estimators, *siblings) for pair in estimator_checks_generator(one)):
        is_slow = estimator in siblings or (name_of(check) in SPARSE_CONTAINERS and not all_containers)
        slow = [pytest.mark.slow] * is_slow
        cases.append(pytest.param(estimator, check, marks=slow, id=f"{type(estimator).__name__}-{name_of(check)}"))
    return pytest.mark.parametrize(("estimator", "check"), cases)


def run_check(estimator: BaseEstimator, check: Callable[[BaseEstimator], None]) -> None:
    """Run a check; one that feeds the value 2 must end with the message about it."""
    if name_of(check) not in FEEDS_A_TWO:
        check(estimator)
        return
    with pytest.raises((ValueError, AssertionError), match=r"label 'label0' holds 2 .*, but a label is 1"):
        check(estimator)


def name_of(check: Callable[[BaseEstimator], None]) -> str:
    """Return the name of the function behind a check."""
    while isinstance(check, partial):
        check = check.func
    return check.__name__
