"""The tuning budget of a method: how many settings it compares, in how many folds."""

from __future__ import annotations

import pytest

from halflabel_papers.budget import describe_budget
from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs

SVM = {"use": "halflabel_papers.comparators:LinearSVM", "grid": [0.1, 1.0], "n_folds": 5}
EPR = {"use": "halflabel_papers.comparators:EPR", "n_folds": 3}


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"use": "sklearn.svm:SVC", "C": 10.0}], "one setting"),
        ([{"use": "halflabel.methods.baselines:BinaryRelevance", "classifier": SVM}], "2 settings, 5 folds"),
        ([{"use": "halflabel:LowRankVVMR", "knee": 0.1, "width": 1.0}], "3 settings, 5 folds"),
        ([{"use": "halflabel:MCb", "as_published": True}], "a path of weights for each of 4 settings, 5 folds"),
        ([{"use": "halflabel:SoftImputer"}, SVM], "a path of weights, 3 folds; 2 settings, 5 folds"),
        (
            [{"use": "halflabel_papers.comparators.tuned:Tuned", "estimator": EPR, "grid": {"C": [1.0, 3.0]}}],
            "2 settings, 3 folds",
        ),
        ([{"use": "halflabel_papers.studies.data:describe"}], ""),
    ],
)
def test_a_budget_counts_grids_and_paths(steps, words):
    assert describe_budget(steps) == words


def test_rivals_of_the_table_of_budgets_have_that_of_the_proposed_method_and_a_second_row_with_defaults():
    runs = [run for run in plan_runs(load_paper("zhao2015")) if run.experiment == "budgets"]
    rivals = {run.method.removesuffix(", 18 settings") for run in runs if run.method.endswith(", 18 settings")}
    equal = [run for run in runs if run.method == "Proposed" or run.method.endswith(", 18 settings")]
    assert {describe_budget(run.steps) for run in equal} == {"18 settings, 3 folds"}
    assert {run.method.partition(",")[0] for run in runs if run not in equal} == rivals
