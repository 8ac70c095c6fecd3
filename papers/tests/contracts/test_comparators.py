"""The comparators pass the contracts of every estimator of halflabel."""

from __future__ import annotations

import pytest
from tests.contracts import test_estimators as contracts
from tests.contracts.scikit_learn import each_check, run_check
from tests.methods.parameters import check_parameters

from halflabel_papers.comparators import (
    CPLST,
    EPR,
    LEML,
    LPP,
    MLGFHF,
    MLRGL,
    MLSI,
    ROLE,
    SPLC,
    ElkanNoto,
    FastTag,
    GaussianMixtureImputer,
    KernelSVM,
    LinearSVM,
    OtherLabels,
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


@pytest.mark.parametrize(
    ("model", "minima"),
    [
        (FastTag(), {"n_folds": 2}),
        (GaussianMixtureImputer(), {"n_components": 1, "max_iter": 1}),
        (LEML(), {"rank": 1, "n_folds": 2}),
        (LinearSVM(), {}),
        (LPP(), {"n_neighbors": 1}),
        (MLGFHF(), {"n_neighbors": 1, "n_folds": 2, "max_iter": 1}),
        (MLRGL(), {"n_folds": 2}),
        (MLSI(), {}),
        (OtherLabels(), {}),
        (RankSVM(), {"max_landmarks": 2, "n_folds": 2, "max_iter": 1}),
        (ROLE(), {"n_folds": 2, "max_iter": 1, "max_rounds": 1}),
        *((kind(), {"n_folds": 2, "max_iter": 1}) for kind in (ElkanNoto, EPR)),
    ],
    ids=lambda value: type(value).__name__,
)
def test_parameters_are_those_of_the_docstring(model, minima):
    check_parameters(model, **minima)


#: Of halflabel's own methods.
del test_scikit_learn_with_all_sparse_containers, test_an_observed_entry_without_an_out_of_fold_score_gets_the_rate  # noqa: F821
