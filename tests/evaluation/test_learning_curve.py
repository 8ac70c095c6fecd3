"""The learning curve of an evaluation: nested subsets of the labelled items."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled
from tests.evaluation.conftest import RATES

from halflabel.evaluation import evaluate
from halflabel.evaluation.comparison import DEFAULT
from halflabel.methods.baselines import BinaryRelevance
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("one_member")


def test_it_is_nested_and_ends_at_the_comparison(rng, watched):
    X, Y, _ = half_labelled(rng, n=250)
    labels = open_table(X, Y).labels
    result = evaluate(open_table(X, Y), repeats=3, methods={DEFAULT: watched, "rate": RATES})
    assert result.curve["share"].tolist() == [0.25, 0.5, 1.0]
    known = watched.seen[:3]
    for repeat, fewer in ((0, watched.seen[3:5]), (1, watched.seen[5:7])):
        half, quarter = (labels.observed & other.observed for other in fewer)
        assert not (half & ~known[repeat].observed).any()
        assert not (quarter & ~half).any()
    counts = [(~seen.unlabelled).sum() for seen in (watched.seen[4], watched.seen[3], known[0])]
    np.testing.assert_allclose(result.curve["labelled"], counts, atol=1)
    np.testing.assert_allclose(result.curve["labelled"] / counts[-1], [0.25, 0.5, 1.0], atol=0.04)
    at_the_end = result.records.query("method == @DEFAULT and repeat < 2")[["average_precision", "micro_f1"]].mean()
    assert result.curve.iloc[-1][["average_precision", "micro_f1"]].tolist() == at_the_end.tolist()
    assert "labelled items" in result.more_labels


def test_it_changes_nothing_else_and_can_be_left_out(opened):
    methods = {DEFAULT: BinaryRelevance(n_folds=2), "rate": RATES}
    with_it = evaluate(opened, repeats=2, methods=methods)
    without = evaluate(opened, repeats=2, methods=methods, curve=False)
    assert without.curve is None
    assert without.more_labels == ""
    pd.testing.assert_frame_equal(*(r.records.drop(columns="seconds") for r in (with_it, without)))


def test_too_few_labelled_items_give_no_sentence(rng, watched):
    X, Y, _ = half_labelled(rng, n=40)
    result = evaluate(open_table(X, Y), repeats=2, methods={DEFAULT: watched, "rate": RATES})
    assert result.curve["share"].tolist() == [1.0]
    assert result.more_labels == ""
