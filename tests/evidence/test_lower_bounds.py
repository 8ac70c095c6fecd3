"""Probabilities that are lowered by their uncertainty, before entries are filled in as relevant at a precision."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.special import expit, logit
from tests.completion.plain import make_evidence

from halflabel.evidence import lower_bounds
from halflabel.evidence.lower_bounds import (
    ResampledCalibration,
    _confirm,
    lower_irrelevant,
    lower_positives,
    lower_probabilities,
    measure_ceilings,
)
from halflabel.labels import PartialLabels
from halflabel.labels.calibration import CLIP, fill_confident, fit_platt
from halflabel.labels.positive_only import mark_unassigned
from halflabel.methods.auto.beta_calibration import calibrate, fit_beta, moderate, predict_unseen

FOLDS = 5


def simulate(rng, n_labelled, n=2000, n_labels=4):
    """Return labels, out-of-fold scores, the truth and the folds; scores are the true log odds."""
    scores = rng.normal(-2, 3, (n, n_labels))
    truth = rng.random(scores.shape) < expit(scores)
    labelled = np.arange(n) < n_labelled
    labels = PartialLabels.from_table(np.where(labelled[:, None], truth, np.nan))
    held_out = np.where(labelled[:, None], scores, np.nan)
    return labels, scores, held_out, truth, np.where(labelled, np.arange(n) % FOLDS, -1)


def fill(rng, n_labelled, precision=0.95):
    """Return entries filled in as relevant with and without caution, and the truth."""
    labels, scores, held_out, truth, folds = simulate(rng, n_labelled)
    p = calibrate(held_out, labels, folds)(scores)
    resampled = ResampledCalibration.fit(labels, scores, held_out, folds, rng)
    open_p = np.where(labels.observed, np.nan, p)
    cautious = fill_confident(open_p, precision, lower_probabilities(p, labels, scores, resampled)) > 0
    return cautious, fill_confident(open_p, precision) > 0, truth


def test_the_precision_is_kept_with_few_labelled_items():
    """In the worst tables plain probabilities are far too high, which a mean over tables would hide."""
    right = {"cautious": [], "plain": []}
    for seed in range(6):
        *filled, truth = fill(np.random.default_rng(seed), 40, 0.9)
        for kind, chosen in zip(right, filled, strict=True):
            right[kind].append(truth[chosen].mean() if chosen.sum() >= 20 else 1.0)
    assert min(right["cautious"]) > 0.88
    assert min(right["plain"]) < 0.85


def test_items_of_one_group_are_drawn_together(rng):
    labels, scores, held_out, _, folds = simulate(rng, 100, n=150)
    rows, groups = np.repeat(np.arange(150), 4), np.repeat(np.arange(150), 4)
    copies = labels[rows], scores[rows], held_out[rows], folds[rows]
    single = ResampledCalibration.fit(labels, scores, held_out, folds, np.random.default_rng(0))
    apart = ResampledCalibration.fit(*copies, np.random.default_rng(0))
    together = ResampledCalibration.fit(*copies, np.random.default_rng(0), groups)
    assert together.lower(scores).mean() > 1.5 * apart.lower(scores).mean()
    assert together.lower(scores).mean() == pytest.approx(single.lower(scores).mean(), rel=0.4)


def test_a_sample_of_many_items_has_the_deviation_of_all(rng, monkeypatch):
    labels, scores, held_out, _, folds = simulate(rng, 1600)
    whole = ResampledCalibration.fit(labels, scores, held_out, folds, np.random.default_rng(0))
    monkeypatch.setattr("halflabel.evidence.lower_bounds.MAX_ITEMS", 400)
    part = ResampledCalibration.fit(labels, scores, held_out, folds, np.random.default_rng(0))
    assert part.shrink == pytest.approx(0.5)
    assert part.lower(scores).mean() == pytest.approx(whole.lower(scores).mean(), rel=0.5)


def test_nothing_is_relevant_where_nothing_was_held_out():
    labels = PartialLabels.from_table([[1, 0], [None, None]])
    nothing = np.full((2, 2), np.nan)
    assert ResampledCalibration.fit(labels, np.zeros((2, 2)), nothing, None, np.random.default_rng(0)) is None
    assert not lower_probabilities(np.full((2, 2), 0.99), labels, np.zeros((2, 2)), None).any()


def test_an_irrelevant_value_is_lowered_by_the_same_deviation(two_curves):
    scores, p = np.array([[0.55], [0.6]]), np.array([[0.1], [0.02]])
    lowered = lower_irrelevant(p, scores, two_curves)
    np.testing.assert_allclose(lowered, 1 - p - two_curves.lower(scores))
    assert (lower_irrelevant(np.ones_like(p), scores, two_curves) == 0).all()
    np.testing.assert_array_equal(lower_irrelevant(p, scores, None), 1 - p)


@pytest.fixture(scope="module")
def positives():
    """Return positive-only labels of which 70 % are assigned, scores, the truth, and P(relevant)."""
    rng = np.random.default_rng(3)
    scores = rng.normal(-1, 3, (3000, 3))
    truth = rng.random(scores.shape) < expit(scores)
    annotated = np.arange(3000) < 900
    y = np.where(annotated[:, None], truth & (rng.random(truth.shape) < 0.7), np.nan)
    return PartialLabels.from_positives(y), scores, truth


def lower(positives, p, precision):
    labels, scores, _ = positives
    known = mark_unassigned(labels)
    held_out, folds = np.where(known.observed, scores, np.nan), np.arange(len(labels)) % FOLDS
    resampled = ResampledCalibration.fit(known, scores, held_out, folds, np.random.default_rng(0))
    return lower_positives(p, known, scores, resampled, 0.7, precision)


def test_missing_positives_and_new_items_at_a_precision(positives):
    labels, scores, truth = positives
    low = lower(positives, np.full(truth.shape, 1.0), 0.9)
    new = fill_confident(np.where(labels.annotated[:, None], np.nan, low), 0.9) > 0
    assert new.sum() > 300
    assert truth[new].mean() > 0.9
    lacking = labels.annotated[:, None] & ~labels.relevant
    assert not low[lacking].any()  # missing positives need more evidence than new items
    missing = lacking & (lower(positives, np.full(truth.shape, 1.0), 0.65) > 0.65)
    assert missing.sum() > 20
    assert truth[missing].mean() > 0.8
    assert (low <= expit(scores + 3)).mean() > 0.9


def test_probabilities_that_annotated_entries_do_not_confirm_are_zero(positives):
    """With tags that are assigned at random no precision can be confirmed, whatever the probabilities are."""
    labels, scores, truth = positives
    rng = np.random.default_rng(0)
    y = np.where(labels.annotated[:, None], rng.random(truth.shape) < 0.3, np.nan)
    random = PartialLabels.from_positives(y), scores, truth
    assert not (lower(random, np.full(truth.shape, 0.99), 0.9) > 0).any()
    given = logit(np.full(truth.shape, 0.6))
    assert (lower(positives, expit(given), 0.9) <= 0.6).all()


# -- exact values ------------------------------------------------------------------


@pytest.fixture
def two_curves():
    """Two calibrations of one label between the scores 0 and 1: their mean is the score, their deviation a quarter."""
    points = np.array([[0.0], [1.0]])
    return ResampledCalibration(points, np.array([points - 0.25, points + 0.25]))


def test_mean_and_deviation_are_interpolated_between_the_points(two_curves):
    scores = np.array([[0.0], [0.5], [0.75], [1.0], [3.0]])
    np.testing.assert_allclose(two_curves.mean(scores), [[0.0], [0.5], [0.75], [1.0], [1.0]])
    np.testing.assert_allclose(two_curves.lower(scores), 0.25)
    np.testing.assert_allclose(replace(two_curves, shrink=0.5).lower(scores), 0.25 / 2)
    curves = np.stack([two_curves.curves, 2 * two_curves.curves], axis=-1)[..., 0, :]
    both = ResampledCalibration(np.hstack([two_curves.scores, 2 * two_curves.scores]), curves)
    np.testing.assert_allclose(both.mean(np.array([[0.5, 0.5]])), [[0.5, 0.5]])
    np.testing.assert_allclose(both.lower(np.array([[0.5, 0.5]])), [[0.25, 0.5]])


def test_probabilities_are_lowered_by_one_deviation_and_the_ceiling(two_curves):
    p = np.array([[0.9], [0.5], [0.4999], [0.8], [0.9]])
    labels = PartialLabels.from_table([[None], [None], [None], [1], [0]])  # 1 of 1.7 expected: (1 + 5) / (1.7 + 5)
    lowered = lower_probabilities(p, labels, p, two_curves)
    np.testing.assert_allclose(
        lowered, np.array([[0.65], [0.25], [0.0], [0.55], [0.65]]) * np.array([6 / 6.7]) * [[1], [1], [0], [1], [1]]
    )
    wide = replace(two_curves, shrink=3.0)
    assert not lower_probabilities(p[:2], labels[3:], p[:2], wide)[1].any()  # never below 0


def test_a_ceiling_is_at_most_one_and_counts_high_probabilities_of_observed_entries():
    p = np.array([[0.8, 0.8], [0.79, 0.9], [0.99, 0.99]])
    np.testing.assert_allclose(
        measure_ceilings(p, PartialLabels.from_table([[1, 0], [0, 1], [None, None]])), [1, 6 / 6.7]
    )


def confirm_by_loops(q, labels, c, missing):
    """Return, for each entry, the best precision over all sets of the annotated entries from some limit of q on."""
    annotated = list(zip(q[labels.observed], labels.relevant[labels.observed], strict=True))

    def confirm_from(limit):
        chosen = [assigned for value, assigned in annotated if value >= limit]
        n, k = len(chosen), sum(chosen)
        if n < 10:
            return 0.0
        low = max(k - (2 if missing else 1) * np.sqrt(k * (1 - k / n) + 1 / 4), 0)
        return min(low * (1 - c) / c / (n - low) if missing else low / n / c, 1)

    limits = {value for value, _ in annotated}
    return np.array([[max((confirm_from(v) for v in limits if v <= each), default=0) for each in row] for row in q])


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("c", [0.3, 0.9])
def test_a_precision_is_confirmed_by_the_annotated_entries_above(c, missing, rng):
    q = rng.permutation(60).reshape(20, 3) / 60
    state = np.where(rng.random(q.shape) < q, 1, -1) * (rng.random(q.shape) < 0.6)
    labels = PartialLabels(state.astype(np.int8), tuple("abc"), np.ones(20, dtype=bool))
    confirmed = _confirm(q, labels, c, missing=missing)
    np.testing.assert_allclose(confirmed, confirm_by_loops(q, labels, c, missing))
    assert np.ptp(confirmed) > 0


@pytest.mark.parametrize("missing", [False, True])
def test_the_order_of_entries_of_one_q_confirms_nothing(missing):
    q = np.repeat([[0.9], [0.5]], (25, 10), axis=0)
    state = np.repeat([[1], [-1], [1]], (15, 10, 10), axis=0).astype(np.int8)
    for order in (np.arange(35), np.argsort(state[:, 0], kind="stable")):
        labels = PartialLabels(state[order], ("a",), np.ones(35, dtype=bool))
        confirmed = _confirm(q[order], labels, 0.9, missing=missing)
        np.testing.assert_allclose(confirmed, confirm_by_loops(q[order], labels, 0.9, missing))
        low = 15 - (2 if missing else 1) * np.sqrt(15 * 10 / 25 + 0.25), 25 - (2 if missing else 1) * np.sqrt(7.3928571)
        of_both = [k * 0.1 / 0.9 / (n - k) if missing else k / (n * 0.9) for k, n in zip(low, (25, 35), strict=True)]
        np.testing.assert_allclose(confirmed[q[order] == 0.9], max(of_both))
        np.testing.assert_allclose(confirmed[q[order] == 0.5], of_both[1])


def test_positives_are_lowered_by_the_odds_of_a_missing_one(two_curves):
    """At a label frequency of one half: of q = (mean - deviation) / c, a missing one has the odds times one half."""
    scores = np.array([[0.55], [0.55], [0.6], [0.9], [0.2], [0.55]])
    labels = PartialLabels(np.array([[0], [-1], [1], [0], [0], [0]], np.int8), ("a",), np.ones(6, dtype=bool))
    p = np.array([[0.9], [0.5], [0.6], [1.0], [0.9], [0.4999]])
    lowered = lower_positives(p, labels, scores, two_curves, 0.5, 0.0)
    np.testing.assert_allclose(lowered, [[0.6], [0.3 / 0.7], [0.6], [0.9999], [0.0], [0.0]])
    assert not lower_positives(p, labels, scores, two_curves, 0.5, 0.1).any()  # two annotated entries confirm nothing
    assert not lower_positives(p, labels, scores, None, 0.5, 0.0).any()


def test_a_precision_that_is_just_confirmed_is_reached(two_curves):
    scores = np.full((21, 1), 0.9)
    labels = PartialLabels(np.repeat([[1], [0]], (20, 1), axis=0).astype(np.int8), ("a",), np.ones(21, dtype=bool))
    limit = 19.5 / (20 * 0.8)  # 20 of 20, less half an entry
    assert limit > 1
    lowered = [lower_positives(np.ones((21, 1)), labels, scores, two_curves, c, 0.975 / c) for c in (1.0, 0.99)]
    np.testing.assert_allclose([each[-1] for each in lowered], [[0.65], [0.65 / 0.99]])
    assert not lower_positives(np.ones((21, 1)), labels, scores, two_curves, 1.0, 0.976).any()


def resample_by_loops(labels, scores, held_out, folds, rng):
    """Return points and curves of twenty bootstrap samples; two stages where there are folds."""
    rows = [i for i in range(len(labels)) if any(labels.observed[i] & ~np.isnan(held_out[i]))]
    rows = np.sort(rng.choice(rows, len(rows), replace=False))
    known = np.where(np.isnan(scores), np.nanmin(scores, axis=0), scores)
    points = np.linspace(known.min(axis=0), known.max(axis=0), 65)
    curves = []
    for _ in range(20):
        drawn = rows[rng.choice(len(rows), len(rows))]
        if folds is None:
            curves.append(fit_platt(held_out[drawn], labels[drawn])(points))
            continue
        unseen = predict_unseen(held_out[rows], labels[rows], folds[rows])[np.searchsorted(rows, drawn)]
        used = labels.observed[drawn] & ~np.isnan(unseen)
        curve = fit_beta(unseen[used], labels.relevant[drawn][used].astype(float))
        curves.append(np.clip(curve(moderate(held_out[drawn], labels[drawn])(points)), CLIP, 1 - CLIP))
    return points, np.array(curves)


@pytest.mark.parametrize("case", ["folds", "no folds", "one fold"])
def test_each_curve_is_the_calibration_of_a_bootstrap_sample(case, rng):
    scores = rng.normal(size=(30, 2))
    labels = PartialLabels.from_table(np.where(rng.random((30, 2)) < 0.7, rng.random((30, 2)) < expit(scores), np.nan))
    held_out = np.where(rng.random((30, 2)) < 0.8, scores, np.nan)
    scores[0, 0] = np.nan
    folds = {"folds": np.arange(30) % 2, "no folds": None, "one fold": np.zeros(30, dtype=int)}[case]
    resampled = ResampledCalibration.fit(labels, scores, held_out, folds, np.random.default_rng(1))
    expected = resample_by_loops(labels, scores, held_out, folds if case == "folds" else None, np.random.default_rng(1))
    np.testing.assert_allclose(resampled.scores, expected[0], rtol=1e-12)
    np.testing.assert_allclose(resampled.curves, expected[1], rtol=1e-9)
    assert resampled.shrink == 1.0


def test_two_items_are_enough_and_a_label_without_a_score_has_points_at_zero():
    scores = np.array([[1.0, np.nan], [3.0, np.nan], [2.0, np.nan]])
    labels = PartialLabels.from_table([[1, 0], [0, 1], [None, 1]])
    resampled = ResampledCalibration.fit(labels, scores, scores, None, np.random.default_rng(0))
    assert resampled.curves.shape == (20, 65, 2)
    np.testing.assert_array_equal(resampled.scores[[0, 32, -1]], [[1, 0], [2, 0], [3, 0]])
    assert ResampledCalibration.fit(labels[1:], scores[1:], scores[1:], None, np.random.default_rng(0)) is None


def test_a_sample_of_items_holds_none_twice(monkeypatch):
    monkeypatch.setattr(lower_bounds, "MAX_ITEMS", 6)
    seen = set()

    def fit(held_out, labels):
        seen.update(held_out.ravel())
        return lambda points: points

    monkeypatch.setattr(lower_bounds, "fit_platt", fit)
    scores = np.arange(8.0)[:, None]
    labels = PartialLabels.from_table(scores % 2)
    assert ResampledCalibration.fit(labels, scores, scores, None, np.random.default_rng(0)).shrink == np.sqrt(6 / 8)
    assert len(seen) == 6


@pytest.mark.parametrize(
    ("positive_only", "precision", "expected"),
    [(False, 0.66, 0), (False, 0.64, 1), (True, 0.64, 1), (True, 0.66, 0)],
)
def test_gaps_of_a_completion_are_filled_at_a_precision(positive_only, precision, expected, two_curves):
    """Gaps with p = .9 and a deviation of a quarter; observed entries stay."""
    state = np.repeat([[0, 0], [1, 1], [0, 0]], (1, 20, 1), axis=0).astype(np.int8)
    labels = PartialLabels(state, ("a", "b"), np.ones(22, bool), positive_only)
    p = np.full(state.shape, 0.9)
    learned_from = SimpleNamespace(observed=labels.observed)
    curves = ResampledCalibration(np.repeat(two_curves.scores, 2, axis=1), np.repeat(two_curves.curves, 2, axis=2))
    model = SimpleNamespace(out_of_fold_scores_=np.where(labels.observed, p, np.nan), label_scores_=p)
    model.label_probabilities_ = p
    own = {"calibrated_on": labels, "learned_from": learned_from, "resampled_calibration": curves}
    evidence = make_evidence(SimpleNamespace(labels=labels), model)
    vars(evidence).update(own)
    filled = evidence.fill_at(precision)
    assert filled[[0, -1]].tolist() == [[expected] * 2] * 2
    assert not filled[1:-1].any()


def test_a_missing_positive_needs_more_evidence_than_a_new_one(two_curves):
    """Fifteen of twenty were assigned, at c = .9: 13 / 18 is confirmed for new items, 11 / 9 of 9 for the five."""
    state = np.repeat([[-1], [1], [0]], (5, 15, 1), axis=0).astype(np.int8)
    labels = PartialLabels(state, ("a",), np.ones(21, dtype=bool))
    ones, scores = np.ones((21, 1)), np.full((21, 1), 0.9)
    lowered = lower_positives(ones, labels, scores, two_curves, 0.9, 0.6)
    np.testing.assert_allclose(lowered[[5, 20]], 0.65 / 0.9)
    assert not lowered[:5].any()
    assert (lower_positives(ones, labels, scores, two_curves, 0.9, 11 / 81 - 1e-9)[:5] > 0).all()
    assert not lower_positives(ones, labels, scores, two_curves, 0.9, 11 / 81 + 1e-9)[:5].any()


def test_nine_entries_confirm_nothing_and_neither_do_entries_above():
    q = np.arange(21.0)[::-1, None] / 21
    state = np.repeat([[1], [-1], [0]], (9, 11, 1), axis=0).astype(np.int8)  # the last has the smallest q
    labels = PartialLabels(state, ("a",), np.ones(21, dtype=bool))
    confirmed = _confirm(q, labels, 0.5, missing=False)
    np.testing.assert_allclose(confirmed, confirm_by_loops(q, labels, 0.5, missing=False))
    assert confirmed[-1] == 0
    ten = np.full((10, 1), 0.5)
    assert _confirm(ten, PartialLabels.from_table(np.ones((10, 1))), 1.0, missing=False)[0] == 0.95
    assert _confirm(ten[1:], PartialLabels.from_table(np.ones((9, 1))), 1.0, missing=False)[0] == 0
