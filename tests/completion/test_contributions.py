"""Planted cases: the part that carries a value is the part that was planted, and it names what it rests on."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from scipy.special import logit

import halflabel as hl
from halflabel.methods.contributions import CALIBRATION, OTHER_LABELS, PRIOR, RATE, SCORE

pytestmark = pytest.mark.usefixtures("small_forests")


def make_table(X, Y, names=None):
    frame = pd.DataFrame(X, columns=names or [f"f{k}" for k in range(X.shape[1])])
    return frame.assign(**{f"y{k}": column for k, column in enumerate(np.asarray(Y, dtype=float).T)})


def complete(X, Y, method, **options):
    labels = [f"y{k}" for k in range(Y.shape[1])]
    return hl.complete(make_table(X, Y), labels=labels, method=method, **options)


def hide(rng, Y, share=0.6):
    hidden = np.array(Y, dtype=float)
    hidden[rng.random(len(Y)) < share] = np.nan
    return hidden


def share_of(filled, part):
    """Return the share of a part in the sizes of all parts of the method, over the gaps."""
    parts = filled.model.decompose(np.arange(len(filled.labels)), filled.evidence.learned_from)
    gaps = ~filled.labels.observed
    sizes = {name: np.abs(table[gaps]).sum() for name, table in parts.items() if name not in (RATE, CALIBRATION)}
    return sizes[part] / sum(sizes.values())


def check_sum(why):
    assert why.contributions.columns.tolist() == ["part", "log_odds", "rests_on"]
    assert why.contributions["log_odds"].sum() == pytest.approx(logit(why.probability), abs=1e-9)
    assert why.contributions["rests_on"].str.len().gt(0).all()


def get_carriers(why, part, kind):
    rows = why.carriers[(why.carriers["part"] == part) & (why.carriers["kind"] == kind)]
    return pd.Series(rows["log_odds"].to_numpy(), index=rows["name"].tolist())


def pick_gap(filled, label=0):
    return int(np.flatnonzero(~filled.labels.observed[:, label])[0])


def test_labels_linear_in_the_features_are_carried_by_the_ridge_regression(rng):
    X = rng.normal(size=(200, 3))
    filled = complete(X, hide(rng, X[:, :1] > 0), hl.AutoLabeler(members=("kernel", "harmonic"), n_folds=3))
    assert share_of(filled, "kernel") > 0.6
    i = pick_gap(filled)
    why = filled.explain(i, "y0")
    check_sum(why)
    items = get_carriers(why, "kernel", "item")
    assert len(items) == 3
    assert filled.labels.observed[items.index, 0].all()  # only entries that are given carry a regression
    nearest = np.argsort(np.linalg.norm(X - X[i], axis=1))
    assert np.isin(items.index, nearest[:60]).all()


def test_labels_that_follow_clusters_are_carried_by_the_graph(rng):
    angle, radius = rng.uniform(0, 2 * np.pi, 300), np.repeat([1.0, 2.0, 3.0], 100)
    X = (np.c_[np.cos(angle), np.sin(angle)] * radius[:, None]) + rng.normal(scale=0.05, size=(300, 2))
    Y = (np.round(radius) == 2)[:, None]  # a ring inside another one, with few given entries
    filled = complete(X, hide(rng, Y, 0.85), hl.AutoLabeler(members=("trees", "harmonic"), n_folds=3))
    assert share_of(filled, "harmonic") > 0.6
    i = pick_gap(filled)
    why = filled.explain(i, "y0")
    check_sum(why)
    items = get_carriers(why, "harmonic", "item")
    assert 0 < len(items) <= 3
    assert i not in items.index
    assert (np.linalg.norm(X[items.index] - X[i], axis=1) < 0.5).all()
    assert "features: " not in why.contributions.set_index("part").loc["harmonic", "rests_on"]


def test_labels_above_a_threshold_are_carried_by_trees_and_by_this_feature(rng):
    X = rng.normal(size=(300, 20))
    filled = complete(X, hide(rng, X[:, 5:6] > 0.3, 0.4), hl.AutoLabeler(members=("trees", "harmonic"), n_folds=3))
    assert share_of(filled, "trees") > 0.6
    i = pick_gap(filled)
    why = filled.explain(i, "y0")
    check_sum(why)
    carriers = get_carriers(why, "trees", "feature")
    assert carriers.abs().idxmax() == "f5"
    assert np.sign(carriers["f5"]) == (1 if X[i, 5] > 0.3 else -1)
    assert why.contributions.set_index("part").loc["trees", "rests_on"].startswith("features f5")
    given = int(np.flatnonzero(filled.labels.observed[:, 0])[0])
    of_given = filled.explain(given, "y0")
    check_sum(of_given)
    assert of_given.out_of_fold
    assert not why.out_of_fold
    assert "fitted without the item" in repr(of_given)


def test_a_label_without_evidence_is_carried_by_the_prior(rng):
    X, Y = rng.normal(size=(200, 3)), rng.random((200, 1)) < 0.5
    prior = np.where(Y, 0.9, 0.1)
    prior[:20] = np.nan
    table = make_table(X, hide(rng, Y))
    filled = hl.complete(
        table, labels=["y0"], method=hl.AutoLabeler("fast", n_folds=3), prior=pd.DataFrame({"y0": prior[:, 0]})
    )
    i = int(np.flatnonzero(~filled.labels.observed[:, 0] & ~np.isnan(prior[:, 0]))[0])
    why = filled.explain(i, "y0")
    check_sum(why)
    row = why.contributions.set_index("part").loc[PRIOR]
    assert row["rests_on"] in ("a prior of 90 %", "a prior of 10 %")
    assert abs(row["log_odds"]) > 1
    without = int(np.flatnonzero(~filled.labels.observed[:20, 0])[0])
    parts = filled.explain(without, "y0").contributions.set_index("part")
    assert parts.loc[PRIOR, "log_odds"] == 0
    assert parts.loc[PRIOR, "rests_on"] == "no prior for this entry"


def test_a_label_that_copies_another_label_is_carried_by_it():
    rng = np.random.default_rng(1)  # a table whose calibration no check contradicts
    X, first = rng.normal(size=(300, 3)), rng.random(300) < 0.5
    Y = np.c_[first, first, rng.random(300) < 0.5].astype(float)
    Y[rng.random(Y.shape) < 0.4] = np.nan
    filled = complete(X, Y, hl.AutoLabeler("fast", n_folds=3))
    observed = filled.labels.observed
    i = int(np.flatnonzero(~observed[:, 0] & observed[:, 1] & observed[:, 2])[0])
    why = filled.explain(i, "y0")
    check_sum(why)
    labels = get_carriers(why, OTHER_LABELS, "label")
    assert labels.abs().idxmax() == "y1"
    assert np.sign(labels["y1"]) == np.sign(Y[i, 1] - 0.5)


def test_another_method_is_explained_by_its_score(rng):
    X = rng.normal(size=(60, 3))
    filled = complete(X, hide(rng, X[:, :1] > 0), hl.SSDRMC(n_neighbors=8))
    why = filled.explain(pick_gap(filled), "y0")
    check_sum(why)
    parts = why.contributions.set_index("part")
    assert parts.index.tolist() == [RATE, SCORE, CALIBRATION]
    assert parts.loc[SCORE, "rests_on"].startswith("all features together")
