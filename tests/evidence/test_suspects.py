"""The posterior probability that a given value was flipped."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halflabel.evidence import suspects
from halflabel.evidence.suspects import FlipRates, rank_missing, rank_suspects
from halflabel.labels import PartialLabels

shares = st.floats(0.001, 0.3)


@given(e0=shares, e1=shares, q=st.floats(0, 1))
def test_bayes_rule(e0, e1, q):
    """The joint probabilities of the true and the given value, written out."""
    joint = {(1, 1): q * (1 - e1), (1, 0): q * e1, (0, 1): (1 - q) * e0, (0, 0): (1 - q) * (1 - e0)}
    p = joint[1, 1] + joint[0, 1]
    wrong = FlipRates(e0, e1).flipped(np.array([True, False]), np.array([p, p]))
    assert wrong[0] == pytest.approx(joint[0, 1] / p, abs=1e-9)
    assert wrong[1] == pytest.approx(joint[1, 0] / (1 - p), abs=1e-9)


def flip(rng, e0, e1, n=40_000):
    """Return given values, their probabilities and the mask of flips, where q is the true probability."""
    q = rng.beta(0.2, 0.6, n)
    truth = rng.random(n) < q
    flips = rng.random(n) < np.where(truth, e1, e0)
    return truth ^ flips, q * (1 - e1) + (1 - q) * e0, flips


@pytest.mark.parametrize(("e0", "e1"), [(0.03, 0.03), (0.001, 0.2), (0.05, 0.001)])
def test_the_posterior_is_calibrated(rng, e0, e1):
    given_relevant, p, flips = flip(rng, e0, e1)
    rates = FlipRates.estimate(given_relevant, p)
    assert rates.false_relevant == pytest.approx(e0, abs=0.015)
    assert rates.false_irrelevant == pytest.approx(e1, abs=0.05)
    wrong = rates.flipped(given_relevant, p)
    likely = wrong > np.quantile(wrong, 0.97)
    assert wrong[likely].mean() == pytest.approx(flips[likely].mean(), abs=0.12)
    assert flips[likely].mean() > 4 * flips.mean()


@pytest.mark.parametrize("seed", range(3))
def test_clean_entries_are_hardly_doubted(seed):
    """Difficult entries are no flips, also where most entries are difficult."""
    rng = np.random.default_rng(seed)
    q = rng.beta(0.5, 2, 6000)
    given_relevant = rng.random(len(q)) < q
    rates = FlipRates.estimate(given_relevant, q)
    assert rates.false_relevant < 0.006
    assert rates.flipped(given_relevant, q).sum() < 0.05 * len(q)


def table(state, p):
    labels = PartialLabels(np.array(state, np.int8), ("rock", "sad"), np.ones(len(state), bool))
    return rank_suspects(labels, np.array(p, dtype=float))


def test_the_entry_that_the_others_contradict_is_first():
    state = [[1, 1], [1, -1], [-1, -1], [-1, -1], [-1, 1], [0, 0]]
    p = [[0.9, 0.95], [0.02, 0.1], [0.05, 0.97], [0.1, 0.1], [0.1, 0.9], [0.99, 0.01]]
    suspects = table(state, p)
    assert list(suspects.columns) == ["position", "label", "given", "probability"]
    assert len(suspects) == 10  # an entry that is not given is none
    assert set(zip(suspects["position"][:2], suspects["label"][:2], strict=True)) == {(1, "rock"), (2, "sad")}


def test_missing_positives_are_suspects_of_positive_only_labels():
    labels = PartialLabels.from_positives(np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0], [np.nan, np.nan]]))
    p = np.array([[0.9, 0.4], [0.6, 0.9], [0.1, 0.2], [0.9, 0.9]])
    suspects = rank_missing(labels, p)
    assert list(zip(suspects["position"], suspects["label"], strict=True))[:2] == [(1, "label0"), (0, "label1")]
    assert suspects["probability"].tolist() == [0.6, 0.4, 0.2, 0.1]
    assert (suspects["given"] == 0).all()


@pytest.mark.parametrize(
    ("wrong", "share"),
    [
        ([False] * 15 + [True] * 4 + [False] * 11, 0.5 / 25),  # the half without a wrong one
        ([True] + [False] * 28, 2 / 39),  # its half has fewer than 15
        ([True] * 4 + [False] * 26, (4 + 1 + 0.5) / 40),
        ([False] * 15 + [True] * 225, 0.5 / 25),  # a sixteenth
        ([True] * 3, (3 + np.sqrt(3) / 2 + 0.5) / 13),
        ([], 0.05),
    ],
)
def test_the_smallest_share_of_the_parts_by_hand(wrong, share):
    assert suspects._estimate_smallest_share(np.array(wrong, dtype=bool)) == pytest.approx(share)


def test_the_ends_are_shares_of_all_and_of_the_relevant_entries():
    """Of 100 entries, 49 relevant: the lowest 30 with one relevant entry, the highest 7 with one irrelevant entry."""
    relevant = np.arange(100) >= 50
    relevant[[3, 30]] = True
    relevant[[99, 93, 92, 91]] = [False, True, False, False]
    rates = FlipRates.estimate(relevant, np.linspace(0, 1, 100))
    assert relevant.sum() == 49
    assert rates.false_relevant == pytest.approx(2 / 40)
    assert rates.false_irrelevant == pytest.approx(2 / 17)


def test_rates_that_leave_hardly_any_entry_right_are_divided_by_a_tenth():
    wrong = FlipRates(0.6, 0.5).flipped(np.array([True, False, True]), np.array([0.65, 0.65, 0.9]))
    np.testing.assert_allclose(wrong, [0.3 / 0.55, 0.25 / 0.45, 0.0])


def test_of_equal_posteriors_the_more_probable_other_value_is_first():
    """Probabilities at or below e0 leave no doubt that an entry is irrelevant: they share one posterior."""
    state = [[1, 0], *[[-1, 0]] * 4]
    p = [[0.9, 0.5], [0.01, 0.5], [0.04, 0.5], [0.02, 0.5], [0.03, 0.5]]
    found = table(state, p)
    assert found["position"].tolist()[1:] == [2, 4, 3, 1]


def flip_labels(rng, e0, e1, n=400):
    """Return labels with flips of these rates per label, probabilities of the given values, and the flips."""
    parts = [flip(rng, *rates, n=n) for rates in zip(e0, e1, strict=True)]
    relevant, p, flips = (np.column_stack(part) for part in zip(*parts, strict=True))
    names = tuple(f"label{j}" for j in range(len(e0)))
    return PartialLabels(np.where(relevant, 1, -1).astype(np.int8), names, np.ones(n, bool)), p, flips


def test_a_noisy_label_is_found_among_labels_without_noise():
    found = {"common": [], "by label": []}
    for seed in range(5):
        labels, p, flips = flip_labels(np.random.default_rng(seed), [0.12, *[0.004] * 7], [0.12, *[0.004] * 7])
        common = FlipRates.estimate(labels.relevant.ravel(), p.ravel())
        for name, rates in (("common", common), ("by label", FlipRates.estimate_by_label(labels, p))):
            order = np.argsort(-rates.flipped(labels.relevant, p).ravel())
            found[name].append(flips.ravel()[order[: flips.sum()]].mean())
    assert np.mean(found["by label"]) > 1.15 * np.mean(found["common"])


def test_equal_flips_are_found_where_the_highest_probabilities_are_difficult():
    """Irrelevant entries among them are no flips: self-confidence, which takes both rates as equal, is right here."""
    found = {"self-confidence": [], "posterior": []}
    for seed in range(4):
        rng = np.random.default_rng(seed)
        q = 0.85 * rng.beta(0.2, 0.6, (600, 10))
        flips = rng.random(q.shape) < 0.03
        relevant, p = (rng.random(q.shape) < q) ^ flips, 0.97 * q + 0.03 * (1 - q)
        labels = PartialLabels.from_observed(relevant.astype(float), np.ones(q.shape, bool))
        for name, wrong in (
            ("self-confidence", np.where(relevant, 1 - p, p)),
            ("posterior", suspects.measure_flips(labels, p)),
        ):
            order = np.argsort(-wrong.ravel(), kind="stable")
            found[name].append(flips.ravel()[order[: flips.sum()]].mean())
    assert np.mean(found["posterior"]) > 0.8 * np.mean(found["self-confidence"])


@given(st.integers(0, 2**32 - 1))
def test_rates_lie_between_those_of_the_label_and_of_all_labels(seed):
    labels, p, _ = flip_labels(np.random.default_rng(seed), [0.1, 0.01, 0.01], [0.01, 0.1, 0.01], n=200)
    common = FlipRates.estimate(labels.relevant.ravel(), p.ravel()).with_smaller_ratio()
    rates = FlipRates.estimate_by_label(labels, p)
    for j in range(3):
        own = FlipRates.estimate(labels.relevant[:, j], p[:, j])
        for name in ("false_relevant", "false_irrelevant"):
            low, high = sorted([getattr(own, name), getattr(common, name)])
            assert low - 1e-12 <= getattr(rates, name)[j] <= high + 1e-12
