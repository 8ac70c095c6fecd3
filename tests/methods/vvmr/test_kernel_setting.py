"""Settings of the kernels: the slope for each knee, and the choice by cross-validation."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from halflabel import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel.labels.positive_only import pu_f1
from halflabel.methods.vvmr.kernel_setting import KernelSetting, Selection


def test_neither_a_trace_norm_nor_a_knee_is_the_default():
    assert KernelSetting(1.0, 2.0, 0.5) == KernelSetting(1.0, 2.0, 0.5, 0.0, 0.0)


def test_of_equals_the_first_is_kept():
    chosen = Selection(PartialLabels.from_table([[1], [0]]), 1.0)
    scores = np.array([[1.0], [0.0]])
    first, second = (KernelSetting(1.0, alpha, 0.0) for alpha in (1.0, 2.0))
    assert chosen.add(first, scores)
    assert not chosen.add(second, 2 * scores)
    assert chosen.best[1] is first


def test_the_sum_of_both_metrics_decides(rng):
    labels = PartialLabels.from_table((rng.random((12, 2)) < 0.5) * 1.0)
    chosen = Selection(labels, 0.8)
    settings = [KernelSetting(width, 1.0, 0.0) for width in (1.0, 2.0, 3.0, 4.0)]
    tables = [rng.normal(size=(12, 2)) for _ in settings]
    better = [chosen.add(setting, scores) for setting, scores in zip(settings, tables, strict=True)]
    f1 = [pu_f1(labels, scores, 0.8) for scores in tables]
    auc = [macro_auc(labels, scores) for scores in tables]
    total = np.add(f1, auc)
    assert better == [bool(k == 0 or total[k] > total[:k].max()) for k in range(4)]
    best = int(np.argmax(total))
    assert chosen.best[0] == pytest.approx(total[best])
    assert chosen.best[1] is settings[best]
    assert chosen.best[2] is tables[best]
    assert list(chosen.table) == ["width", "alpha", "alpha_manifold", "alpha_trace", "knee", "pu_f1", "macro_auc"]
    assert chosen.table["width"] == [1.0, 2.0, 3.0, 4.0]
    assert chosen.table["pu_f1"] == pytest.approx(f1)
    assert chosen.table["macro_auc"] == pytest.approx(auc)


def test_scores_that_rank_nothing_count_one_half():
    """The first label has one value, the second one no score: no area under a curve."""
    chosen = Selection(PartialLabels.from_table([[1, 1], [1, 0]]), 1.0)
    scores = np.array([[0.3, np.nan], [0.2, np.nan]])
    assert chosen.add(KernelSetting(1.0, 1.0, 0.0), scores)
    assert np.isnan(chosen.table["macro_auc"][0])
    assert chosen.best[0] == pytest.approx(pu_f1(chosen.labels, scores) + 0.5)
    nothing = Selection(chosen.labels, 1.0)
    nothing.add(KernelSetting(1.0, 1.0, 0.0), scores * np.nan)
    assert np.isnan(nothing.table["macro_auc"][0])


def test_only_entries_with_a_score_are_ranked():
    labels = PartialLabels.from_table([[1], [0], [0]])
    chosen = Selection(labels, 1.0)
    chosen.add(KernelSetting(1.0, 1.0, 0.0), np.array([[0.5], [0.1], [np.nan]]))
    assert chosen.table["macro_auc"] == [1.0]


@pytest.mark.parametrize(("threshold", "f1"), [(None, 1.0), (0.0, 0.8), (0.25, 1.0), (0.75, 0.0)])
def test_a_fixed_threshold_decides_the_f1(threshold, f1):
    labels = PartialLabels.from_table([[1], [1], [0]])
    chosen = Selection(labels, 1.0, threshold)
    chosen.add(replace(KernelSetting(1.0, 1.0, 0.0), alpha=2.0), np.array([[0.5], [0.6], [0.1]]))
    assert chosen.table["pu_f1"] == pytest.approx([f1])
