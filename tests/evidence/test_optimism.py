"""The errors of probabilities over the errors that they state."""

import numpy as np
import pytest
from scipy.special import expit, logit

from halflabel.evidence import optimism
from halflabel.evidence.optimism import measure_optimism
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.methods.auto.beta_calibration import calibrate
from halflabel.methods.auto.member_weights import learn_weights


def draw(rng, n, n_members=2, noise=1.0, n_labels=3):
    """Return log odds of members, labels and folds; the members differ from the truth by independent noise."""
    truth = rng.normal(0, 2, (n, n_labels))
    labels = PartialLabels.from_table((rng.random((n, n_labels)) < expit(truth)).astype(float))
    parts = [truth + noise * rng.normal(size=truth.shape) for _ in range(n_members)]
    return parts, labels, np.arange(n) % 5


def measure_by_loops(parts, labels, folds):
    """Return the ratio by one loop over folds, members and cells."""
    errors = stated = 2.0
    for fold in range(5):
        rows = [i for i in range(len(folds)) if folds[i] != fold]
        z = [logit(fit_platt(part[rows], labels[rows])(part)) for part in parts]
        cells = [(i, j) for i in rows for j in range(labels.shape[1]) if labels.observed[i, j]]
        table = np.array([[each[cell] for cell in cells] for each in z])
        w = learn_weights(table, np.array([labels.relevant[cell] for cell in cells]), len(rows))
        total = sum(weight * each for weight, each in zip(w, z, strict=True))
        p = calibrate(total[rows], labels[rows], folds[rows])(total)
        for i in set(range(len(folds))) - set(rows):
            for j in range(labels.shape[1]):
                if labels.observed[i, j]:
                    errors += (p[i, j] - labels.relevant[i, j]) ** 2
                    stated += p[i, j] * (1 - p[i, j])
    return errors / stated


def test_the_ratio_is_that_of_loops(rng):
    parts, labels, folds = draw(rng, 60)
    labels = labels.hide(rng.random(labels.shape) < 0.2)
    assert measure_optimism(parts, labels, folds, rng) == pytest.approx(
        measure_by_loops(parts, labels, folds), rel=1e-9
    )


def test_probabilities_that_generalise_have_the_ratio_1(rng):
    assert measure_optimism(*draw(rng, 900), rng) == pytest.approx(1, abs=0.04)


def test_few_items_and_many_labels_have_a_larger_ratio():
    generators = map(np.random.default_rng, range(3))
    assert np.mean([measure_optimism(*draw(rng, 25, noise=3, n_labels=6), rng) for rng in generators]) > 1.02


def test_unknown_entries_and_items_in_no_fold_are_not_read(rng):
    parts, labels, folds = draw(rng, 50)
    hidden = rng.random(labels.shape) < 0.3
    folds[:7] = -1
    hidden[:7] = True
    known = labels.hide(hidden)
    other = [np.where(hidden & (rng.random(hidden.shape) < 0.5), np.nan, part) for part in parts]
    other = [np.where(hidden, np.nan_to_num(part, nan=9.0), part) for part in other]
    before = measure_optimism(parts, known, folds, np.random.default_rng(0))
    assert measure_optimism(other, known, folds, np.random.default_rng(0)) == pytest.approx(before, rel=1e-12)


def test_nothing_held_out_is_not_optimistic(rng):
    parts, labels, folds = draw(rng, 20)
    assert measure_optimism(parts, labels, 0 * folds, rng) == 1
    assert measure_optimism(parts, labels.hide(np.ones(labels.shape, bool)), folds, rng) == 1


def test_a_sample_is_shrunk_by_its_share_of_the_items(rng, monkeypatch):
    parts, labels, folds = draw(rng, 400, noise=3, n_labels=1)
    monkeypatch.setattr(optimism, "MAX_CELLS", 0)
    drawn = np.sort(np.random.default_rng(0).choice(400, 200, replace=False))
    of_sample = measure_by_loops([part[drawn] for part in parts], labels[drawn], folds[drawn])
    ratio = measure_optimism(parts, labels, folds, np.random.default_rng(0))
    assert ratio - 1 == pytest.approx((of_sample - 1) / 2, rel=1e-9)
