"""The comparators pass the contracts of every estimator of halflabel."""

from __future__ import annotations

import pytest
from tests.contracts import test_estimators as contracts
from tests.contracts.scikit_learn import each_check, run_check

from halflabel_papers.comparators import (
    CPLST,
    EPR,
    LEML,
    MLGFHF,
    MLRGL,
    ROLE,
    SPLC,
    ElkanNoto,
    FastTag,
    KernelSVM,
    RankSVM,
)

ESTIMATORS = [
    MLGFHF(n_neighbors=6),
    RankSVM(C=10.0, n_folds=2),
    LEML(alpha=1.0, rank=2, n_folds=2, tol=1e-7, max_iter=2000),
    FastTag(alpha=0.1, alpha_enrichment=1.0, n_folds=2),
    MLRGL(alpha=0.1, n_folds=2, tol=1e-9),
    KernelSVM(C=10.0, n_folds=2),
    ElkanNoto(observed_rate=0.7, n_folds=2),
    EPR(n_folds=2),
    ROLE(C=0.03, n_folds=2, tol=3e-7, max_rounds=1000),
    SPLC(C=0.1, n_folds=2, max_iter=1000),
    CPLST(n_folds=2),
]

pytestmark = contracts.pytestmark
pytest_generate_tests = contracts.pytest_generate_tests

#: Every contract with an estimator, under its own name; the hook above gives it the list of this module.
globals().update({name: test for name, test in vars(contracts).items() if name.startswith("test_")})

CHECKED = [
    MLGFHF(n_neighbors=3),
    RankSVM(n_folds=2),
    LEML(alpha=1.0, n_folds=2),
    FastTag(n_folds=2),
    MLRGL(alpha=0.1, n_folds=2),
]


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.SkipTestWarning")
@each_check(*CHECKED)
def test_scikit_learn(estimator, check):
    run_check(estimator, check)


#: Of halflabel's own methods.
del test_scikit_learn_with_all_sparse_containers, test_an_observed_entry_without_an_out_of_fold_score_gets_the_rate  # noqa: F821
