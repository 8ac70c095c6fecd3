"""The tuning budget of a method: how many settings it compares, in how many folds."""

from __future__ import annotations

import pytest

from halflabel_papers.budget import describe_budget
from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs

SVM = {"use": "halflabel_papers.comparators:LinearSVM", "grid": [0.1, 1.0], "n_folds": 5}
EPR = {"use": "halflabel_papers.comparators:EPR", "C": [0.1, 1.0], "n_folds": 3}


@pytest.mark.parametrize(
    ("steps", "words"),
    [
        ([{"use": "sklearn.svm:SVC", "C": 10.0}], "one setting"),
        ([{"use": "halflabel.methods.baselines:BinaryRelevance", "classifier": SVM}], "2 settings, 5 folds"),
        ([{"use": "halflabel:LowRankVVMR", "knee": 0.1, "width": 1.0}], "3 settings, 5 folds"),
        ([{"use": "halflabel:MCb", "as_published": True}], "a path of weights for each of 4 settings, 5 folds"),
        ([{"use": "halflabel:SoftImputer"}, SVM], "a path of weights, 3 folds; 2 settings, 5 folds"),
        (
            [
                {
                    "use": "halflabel_papers.comparators.tuned:Tuned",
                    "estimator": EPR,
                    "grid": {"count_weight": [1.0, 3.0]},
                }
            ],
            "4 settings, 3 folds",
        ),
        ([{"use": "halflabel_papers.studies.data:describe"}], ""),
    ],
)
def test_a_budget_counts_grids_and_paths(steps, words):
    assert describe_budget(steps) == words


def test_every_method_of_tables_2_and_3_and_of_figure_1_has_the_same_budget():
    paper = load_paper("zhao2015")
    runs = [run for run in plan_runs(paper) if run.experiment in ("tables", "figure1-msrc", "figure1-tmc2007", "parts")]
    assert {describe_budget(run.steps) for run in runs} == {"18 settings, 3 folds"}
    assert {run.steps[-1]["use"] for run in runs} == {"halflabel_papers.comparators.tuned:Tuned"}  # the same loss
