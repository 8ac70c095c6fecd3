"""The space of a map: components of the features, and log odds of the labels with a share of the variance."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import sparse
from scipy.special import logit

from halflabel import PartialLabels
from halflabel.completion.mapping.joint_space import CLIP, JointSpace, measure_skill, weigh_by_skill

X = np.array([[0.0, 1.0, 5.0], [2.0, 3.0, 4.0], [4.0, 8.0, 1.0]])
P = np.array([[0.2, 0.9, 0.5], [0.4, 0.1, 0.5], [0.7, 0.5, np.nan]])
ORDER = np.array([1, 0])


@pytest.mark.parametrize("weight", [1.0, 0.25])
def test_log_odds_have_their_share_of_the_variance(weight):
    space = JointSpace.learn(X, P, ORDER, weight)
    features, labels = space.describe_features(X), space.describe_labels(P)
    np.testing.assert_allclose(features, ((X - X.mean(axis=0)) / X.std(axis=0))[:, space.weighting.order])
    z = logit(P[:, ORDER])
    z -= z.mean(axis=0)
    np.testing.assert_allclose(labels, z * np.sqrt(weight * features.var(axis=0).sum() / z.var(axis=0).sum()))


def test_without_weight_there_are_the_features_alone():
    space = JointSpace.learn(X, P, ORDER, 0.0)
    assert space.describe_labels(P).shape == (3, 0)
    thin = sparse.csr_array(X)
    space = JointSpace.learn(thin, P, ORDER, 0.0)
    np.testing.assert_allclose(space.describe_features(thin), (X - X.mean(axis=0))[:, space.weighting.order])


def test_a_missing_value_is_the_mean():
    space = JointSpace.learn(X, P, ORDER, 1.0)
    np.testing.assert_allclose(space.describe_features(np.array([[np.nan, 4.0, 10 / 3]])), [[0, 0, 0]], atol=1e-12)
    missing = space.describe_labels(np.array([[np.nan, 0.5, 0.1]]))
    np.testing.assert_allclose(missing, space.describe_labels(np.full((1, 3), 0.5)))


def test_equal_items_have_no_map():
    same = np.ones((3, 2))
    with pytest.raises(ValueError, match="all items have the same features and the same labels: a map needs"):
        JointSpace.learn(same, np.full((3, 2), 0.5), ORDER, 1.0)
    with pytest.raises(ValueError, match="all items have the same features: a map needs"):
        JointSpace.learn(same, P, ORDER, 0.0)
    near = 0.5 + 0.01 * np.arange(9.0).reshape(3, 3)
    by_labels = JointSpace.learn(same, near, ORDER, 1.0)  # the labels differ a little: in their own units
    z = logit(near[:, ORDER])
    np.testing.assert_allclose(by_labels.describe_labels(near), z - z.mean(axis=0))


def test_sure_probabilities_have_finite_log_odds():
    space = JointSpace.learn(X, P, ORDER, 1.0)
    sure, nearly = (
        space.describe_labels(np.array([[0.0, 1.0, 0.0]])),
        space.describe_labels(np.array([[CLIP, 1 - CLIP, 0]])),
    )
    np.testing.assert_array_equal(sure, nearly)
    assert np.isfinite(sure).all()


def test_skill_is_measured_on_entries_that_count():
    gap = np.nan
    labels = PartialLabels.from_table([[1, 1], [0, 1], [1, gap], [gap, 1], [1, 1]])
    p = np.array([[0.8, 0.0], [0.3, 0.0], [0.9, 0.0], [0.0, 0.0], [gap, 0.0]])
    errors = 0.2**2 + 0.3**2 + 0.1**2
    rates = 0.25**2 + 0.75**2 + 0.25**2  # three of four are relevant; the second label has one value
    assert measure_skill(labels, p) == pytest.approx(1 - errors / rates)
    assert measure_skill(PartialLabels.from_table([[1.0], [1.0]]), np.ones((2, 1))) == 0


@pytest.mark.parametrize(("skill", "share"), [(0.05, 1.0), (0.04, 0.8), (0.0, 0.0), (-1.0, 0.0), (1.0, 1.0)])
def test_labels_without_skill_have_less_weight(skill, share):
    assert weigh_by_skill(2.0, skill) == pytest.approx(2 * share)
