"""The curve of all labels is fitted to probabilities whose weights of members never had the fold."""

import numpy as np
from scipy.special import expit, logit

from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt
from halflabel.methods.auto.beta_calibration import calibrate, moderate, predict_unseen
from halflabel.methods.auto.member_weights import learn_weights


def draw(rng, n, n_members=2, noise=1.0, n_labels=3):
    """Return log odds of members, labels and folds; the members differ from the truth by independent noise."""
    truth = rng.normal(0, 2, (n, n_labels))
    labels = PartialLabels.from_table((rng.random((n, n_labels)) < expit(truth)).astype(float))
    parts = [truth + noise * rng.normal(size=truth.shape) for _ in range(n_members)]
    return parts, labels, np.arange(n) % 5


def test_the_weights_are_fitted_to_the_other_folds(rng):
    parts, labels, folds = draw(rng, 60)
    labels = labels.hide(rng.random(labels.shape) < 0.2)
    p = predict_unseen(sum(parts), labels, folds, parts=parts)
    for fold in range(5):
        rest = np.flatnonzero(folds != fold)
        z = [logit(fit_platt(part[rest], labels[rest], 10.0)(part)) for part in parts]
        cells = [(i, j) for i in rest for j in range(3) if labels.observed[i, j]]
        table = np.array([[each[cell] for cell in cells] for each in z])
        w = learn_weights(table, np.array([float(labels.relevant[cell]) for cell in cells]), len(rest))
        total = w[0] * z[0] + w[1] * z[1]
        np.testing.assert_allclose(
            p[folds == fold], moderate(total[rest], labels[rest])(total)[folds == fold], rtol=1e-9
        )


def test_without_it_few_items_and_many_members_would_state_too_few_errors():
    """The stated errors of new items over the true ones, where weights are fitted to few items by chance."""
    ratios = []
    for seed in range(12):
        parts, labels, folds = draw(np.random.default_rng(seed), 425, n_members=8, noise=3, n_labels=3)
        known, z = np.arange(25), np.array(parts)
        observed = labels.observed[known]
        w = learn_weights(z[:, known][:, observed], labels.relevant[known][observed].astype(float), 25)
        total, new = np.tensordot(w, z, 1), np.arange(25, 425)
        of_known = total[known], labels[known], folds[known]
        both = [calibrate(*of_known), calibrate(*of_known, parts=z[:, known])]
        stated = [(each(total[new]) * (1 - each(total[new]))).sum() for each in both]
        true = [((each(total[new]) - labels.relevant[new]) ** 2).sum() for each in both]
        ratios.append(np.divide(stated, true))
    plain, honest = np.mean(ratios, axis=0)
    assert plain < honest < 1.05
