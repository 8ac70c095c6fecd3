"""Expected errors: their sum, and a band that holds the truth."""

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import gamma

from halflabel.evidence.expected_errors import ALL, Predictions, estimate_errors
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import fit_platt


def simulate(rng, n=600, n_labelled=150, n_labels=2, shared=0.0):
    """Return the arguments of a calibrated model, and the true number of errors.

    With ``shared``, a part of the errors of an item has the same cause in all labels.
    """
    scores = rng.normal(0, 2, (n, n_labels))
    chance = rng.random((n, n_labels))
    chance = np.where(rng.random((n, 1)) < shared, rng.random((n, 1)), chance)
    p = expit(scores)
    sure = np.maximum(p, 1 - p)
    truth = np.where(chance < sure, p >= 0.5, p < 0.5)
    known = np.arange(n)[:, None] < n_labelled
    labels = PartialLabels.from_table(np.where(known, truth, np.nan))
    p = fit_platt(np.where(labels.observed, scores, np.nan), labels)(scores)
    filled = np.where(labels.observed, 0, np.where(p >= 0.5, 1, -1)).astype(np.int8)
    errors = ((filled != 0) & ((filled > 0) != truth)).sum(axis=0)
    given = labels, filled, p, Predictions(np.where(labels.observed, p, np.nan)), labels.unlabelled
    return given, np.append(errors, errors.sum())


def test_the_expectation_is_a_sum(rng):
    (labels, filled, p, *rest), _ = simulate(rng)
    table = estimate_errors(labels, filled, p, *rest)
    assert table["label"].tolist() == [*labels.names, ALL]
    wrong = np.where(filled > 0, 1 - p, np.where(filled < 0, p, 0))
    np.testing.assert_allclose(table["expected"], [*wrong.sum(axis=0), wrong.sum()])
    assert table["filled"].tolist() == [450, 450, 900]
    assert (table["low"] < table["expected"]).all()
    assert (table["expected"] < table["high"]).all()


@pytest.mark.parametrize("shared", [0.0, 0.5], ids=["independent errors", "errors that come many at a time"])
@pytest.mark.parametrize("n_labelled", [40, 150])
def test_the_band_holds_the_true_number_about_nine_times_in_ten(shared, n_labelled):
    held = []
    for seed in range(150):
        given, errors = simulate(np.random.default_rng(seed), 400, n_labelled, 6, shared)
        table = estimate_errors(*given)
        held.append(((table["low"] <= errors) & (errors <= table["high"])).iloc[-1])
    assert 0.84 <= np.mean(held) <= 0.96


def test_items_of_one_group_count_as_one():
    """Ten copies of each of thirty labelled items have about the band of thirty items, and not that of 300."""
    (labels, filled, p, known, unlabelled), _ = simulate(np.random.default_rng(0), n_labelled=30)
    rows = np.concatenate([np.repeat(np.arange(30), 10), np.arange(30, len(labels))])
    copies = labels[rows], filled[rows], p[rows], Predictions(known.p[rows]), unlabelled[rows]
    tables = [
        estimate_errors(labels, filled, p, known, unlabelled),
        estimate_errors(*copies, groups=np.unique(rows, return_inverse=True)[1]),
        estimate_errors(*copies),
    ]
    single, grouped, many = ((table["high"] - table["low"]).iloc[-1] for table in tables)
    assert grouped > 1.5 * many
    assert grouped == pytest.approx(single, rel=0.35)


def estimate_by_loops(labels, filled, p, known):
    """Return the band of all labels, by loops over items and pairs of labels."""
    n, m = filled.shape

    def measure(value, p, rho):
        number = variance = 0.0
        for i in range(n):
            at = [j for j in range(m) if value[i, j]]
            s = {j: np.sqrt(p[i, j] * (1 - p[i, j])) for j in at}
            number += sum(1 - p[i, j] if value[i, j] > 0 else p[i, j] for j in at)
            variance += sum(s[j] * s[k] * (1.0 if j == k else rho) for j in at for k in at)
        return number, variance

    doubt = [max(min(p[i, j], 1 - p[i, j]) for i in range(n) if filled[i, j]) for j in range(m)]
    alike = labels.observed & (np.minimum(known, 1 - known) <= doubt)
    value, above, below = np.where(alike, np.where(known >= 0.5, 1, -1), 0), 0.0, 0.0
    for i in range(n):
        at = [j for j in range(m) if value[i, j]]
        r = {j: value[i, j] * (known[i, j] - labels.relevant[i, j]) for j in at}
        s = {j: np.sqrt(known[i, j] * (1 - known[i, j])) for j in at}
        above += sum(r[j] * r[k] for j in at for k in at if j != k)
        below += sum(s[j] * s[k] for j in at for k in at if j != k)
    rho = min(max(above / below, 0.0), 1.0)
    assert rho > 0.05
    (expected, variance), (E, V) = measure(filled, p, rho), measure(value, known, rho)
    variance += expected**2 / (E**2 / V + 1)
    return np.rint(gamma.ppf([0.05, 0.95], expected**2 / variance, scale=variance / expected))


def test_the_band_is_that_of_loops(rng):
    (labels, filled, p, known, unlabelled), _ = simulate(rng, n=200, n_labelled=60, n_labels=4, shared=0.7)
    table = estimate_errors(labels, filled, p, known, unlabelled)
    assert table[["low", "high"]].iloc[-1].tolist() == estimate_by_loops(labels, filled, p, known.p).tolist()


def test_gaps_of_items_without_a_known_entry_have_the_predictions_without_other_labels(rng):
    """The other labels of an item make its known entries sure. Those of an unlabelled item are unknown."""
    (labels, filled, p, known, unlabelled), _ = simulate(rng)
    sure = Predictions(np.where(labels.observed, np.where(labels.relevant, 0.999, 0.001), np.nan), known.p)
    tables = [estimate_errors(labels, filled, p, each, unlabelled) for each in (known, sure, Predictions(sure.p))]
    widths = [(table["high"] - table["low"]).iloc[-1] for table in tables]
    assert widths[0] == widths[1] < widths[2]


def test_where_a_precision_is_asked_for_only_sure_known_entries_count(rng):
    """The number of wrong ones among few sure entries is known less well than the number among all."""
    (labels, filled, p, *rest), _ = simulate(rng)
    sure = np.where(np.abs(p - 0.5) > 0.45, filled, 0)
    tables = [estimate_errors(labels, each, p, *rest) for each in (filled, sure)]
    relative = [((table["high"] - table["low"]) / table["expected"]).iloc[-1] for table in tables]
    assert relative[1] > 2 * relative[0]


def test_a_correction_that_moves_the_level_widens_the_band(rng):
    (labels, filled, p, *rest), _ = simulate(rng)
    no = np.minimum(filled, 0)
    plain, wider = (estimate_errors(labels, no, p, *rest, np.full(p.shape, step)) for step in (0.0, 0.1))
    assert (wider["high"] - wider["low"] > plain["high"] - plain["low"]).all()
    assert wider["expected"].tolist() == plain["expected"].tolist()


def test_without_a_filled_entry_there_is_no_error(rng):
    (labels, filled, *rest), _ = simulate(rng)
    table = estimate_errors(labels, np.zeros_like(filled), *rest)
    assert table[["expected", "low", "high"]].to_numpy().max() == 0


def test_without_a_held_out_entry_the_band_is_wide():
    """Two entries with even odds, and none that was held out: from none to both are wrong."""
    labels = PartialLabels.from_table([[1], [None], [None]])
    filled, p, nothing = np.array([[0], [1], [-1]], np.int8), np.full((3, 1), 0.5), np.full((3, 1), np.nan)
    table = estimate_errors(labels, filled, p, Predictions(nothing), labels.unlabelled)
    assert table["expected"].tolist() == [1, 1]
    assert (table["low"].tolist(), table["high"].tolist()) == ([0, 0], [2, 2])
