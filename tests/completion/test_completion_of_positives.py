"""complete() of positive-only labels: two items in three were tagged, with seven of ten of their tags."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.labels.calibration import fill_confident

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(0)
    X, _, truth = half_labelled(rng, n=240)
    frame = pd.DataFrame(X, columns=list("abcde"))
    tags = [[n for n, has in zip("rst", row, strict=True) if has and rng.random() < 0.7] for row in truth]
    frame["tags"] = [t if i % 3 else None for i, t in enumerate(tags)]
    return frame, truth


@pytest.fixture(scope="module")
def frame(table):
    return table[0]


@pytest.fixture(scope="module")
def truth(table):
    return table[1]


@pytest.fixture(scope="module")
def filled(frame):
    return hl.complete(frame, tags="tags", absent="unknown")


@pytest.fixture(scope="module")
def corrected(frame):
    return hl.complete(frame, tags="tags", absent="unknown", observed_rate=0.7)


@pytest.mark.parametrize("which", ["filled", "corrected"])
def test_given_tags_stay_and_the_rest_is_filled(frame, truth, which, request):
    filled = request.getfixturevalue(which)
    given = filled.labels.relevant
    assert (filled.state[given] == 1).all()
    assert (filled.state != 0).all()
    for before, after in zip(frame["tags"], filled.table["tags"], strict=True):
        assert list(after)[: len(before or [])] == list(before or [])
    new, missing = ~filled.labels.annotated, filled.labels.annotated[:, None] & ~given & (truth > 0)
    assert ((filled.state[new] > 0) == (truth[new] > 0)).mean() > 0.8
    assert (filled.state[missing] > 0).mean() > 0.5
    missing = filled.suspects
    assert len(missing) == (filled.labels.annotated[:, None] & ~filled.labels.relevant).sum()
    assert missing["probability"].is_monotonic_decreasing


def test_without_a_rate_probabilities_are_of_being_assigned(truth, filled, corrected):
    assert filled.probability_of == "being assigned"
    assert corrected.probability_of == "being relevant"
    new = ~filled.labels.annotated
    assigned = filled.probabilities[new].mean(axis=None)
    assert assigned == pytest.approx(0.7 * truth[new].mean(), abs=0.07)
    assert corrected.probabilities[new].mean(axis=None) == pytest.approx(truth[new].mean(), abs=0.07)
    np.testing.assert_array_equal(corrected.evidence.learned_probabilities, filled.probabilities)


def test_a_precision_needs_the_rate(frame):
    with pytest.raises(ValueError, match=r"how many relevant entries were never assigned: give the assigned share"):
        hl.complete(frame, tags="tags", absent="unknown", min_precision=0.95)
    careful = hl.complete(frame, tags="tags", absent="unknown", min_precision=0.9, observed_rate=0.7)
    gaps = ~careful.labels.observed
    assert 0 < (careful.state[gaps] != 0).sum() < gaps.sum()
    plain = fill_confident(np.where(gaps, careful.probabilities.to_numpy(), np.nan), 0.9)
    np.testing.assert_array_equal(careful.state[gaps] < 0, plain[gaps] < 0)
    assert not ((careful.state > 0) & (plain <= 0))[gaps].any()  # relevant values need more


def test_evidence_is_what_was_assigned_around(corrected):
    item, label = corrected.probabilities.where(corrected.labels.state == 0).stack().idxmax()
    found = corrected.explain(item, label)
    assert found.given is None
    assert found.probability == corrected.probabilities.loc[item, label]
    assert corrected.evidence.facts.drift is not None


def test_a_saved_model_keeps_what_its_probabilities_are_of(frame, filled, corrected, tmp_path):
    for completion in (filled, corrected):
        completion.save(tmp_path / "m")
        again = hl.load(tmp_path / "m")
        assert again.probability_of == completion.probability_of
        pd.testing.assert_frame_equal(again.predict_proba(frame), completion.predictor.predict_proba(frame))
