"""A percentage is printed if it is true: corrected or absent where entries are known because of their value."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.completion.ways_of_missing import (
    assign,
    draw_digits,
    draw_logistic,
    know_entries,
    know_items,
    measure_excess,
)

import halflabel as hl
from halflabel.datasets.known_entries import know_by_feature
from halflabel.review_page.explaining import explain_place

pytestmark = pytest.mark.usefixtures("one_member")

#: A printed precision that is too high by more than this is wrong: three times the standard error of 100 entries.
MARGIN = 0.15

DATA = {"digits": draw_digits, "logistic": draw_logistic}

AT_RANDOM = {
    "items": know_items(0.4),
    "few items": know_items(0.15),
    "entries": know_entries(0.4, 0.4),
    "few entries": know_entries(0.12, 0.12),
    "most entries": know_entries(0.9, 0.9),
}

#: A relevant entry is known 32 or 160 times as often as an irrelevant one, as odds: nothing confirms what is left.
TOO_STRONG = {"annotations and a few exclusions": know_entries(0.85, 0.15), "tags": know_entries(0.9, 0.05)}

#: The true label frequency, the assumed one, and, where annotated items without a label look unlabelled, the share of
#: annotated items.
FREQUENCIES = {"0.9": (0.9, 0.9), "0.7": (0.7, 0.7), "0.5": (0.5, 0.5)}
UNMARKED = {"0.7, a half": (0.7, 0.7, 0.5), "0.5, a half": (0.5, 0.5, 0.5), "0.8, all": (0.8, 0.8, 1.0)}
TOO_LOW = {"0.8 as 0.4": (0.8, 0.4), "0.9 as 0.6": (0.9, 0.6), "1 as 0.5": (1.0, 0.5)}


def each(ways):
    """Run a test for each way of missing with one kind of data, and with the other one among the slow tests."""
    kinds = list(DATA)
    pairs = [(way, kinds[(number + other) % 2], other) for number, way in enumerate(ways) for other in (0, 1)]
    slow = [pytest.param(way, data, marks=pytest.mark.slow if other else ()) for way, data, other in pairs]
    return pytest.mark.parametrize(("way", "data"), slow)


def by_feature(X, truth, rng):
    """Hide single entries, the likelier the smaller a sum of features is that has to do with the labels."""
    weights = np.linalg.lstsq(X - X.mean(axis=0), truth.mean(axis=1), rcond=None)[0]
    known = know_by_feature(truth == 1, rng, 0.4, X @ weights, single=True)
    return np.where(known, truth, np.nan)


@pytest.fixture(scope="module")
def fit_case():
    """Return a completion and its truth; each is fitted once."""
    fitted = {}

    def fit(data, hide, seed=0):
        key = data, hide, seed
        if key not in fitted:
            rng = np.random.default_rng(seed)
            X, truth = DATA[data](rng)
            labels = hide(X, truth, rng) if hide is by_feature else None
            if labels is None:
                c, share = (1.0, ()) if callable(hide) else (hide[0], hide[2:])
                labels = hide(truth, rng) if callable(hide) else assign(truth, c, rng, *share, marked=not share)
            rate = None if callable(hide) else hide[1]
            fitted[key] = hl.complete(X, labels, effort="fast", observed_rate=rate), truth
        return fitted[key]

    return fit


@each(AT_RANDOM)
def test_of_entries_missing_at_random_the_precision_is_printed(fit_case, way, data):
    filled, truth = fit_case(data, AT_RANDOM[way])
    assert filled.evidence.facts.why.reason == "random"
    if filled.evidence.has_precision:
        assert "is not known" not in filled.verdict.wrong
        assert measure_excess(filled, truth) < MARGIN
    else:  # with a small number of entries the calibration itself was found wrong
        assert [each["title"] for each in filled.evidence.contradictions] == ["Probabilities are poorly calibrated"]


@each(TOO_STRONG)
def test_no_precision_where_the_value_decides_nearly_alone(fit_case, way, data):
    filled, _ = fit_case(data, TOO_STRONG[way])
    assert filled.evidence.facts.why.reason == "value"
    assert not filled.evidence.has_precision
    assert "halflabel finish" in filled.evidence.contradictions[0]["text"]


def test_no_precision_where_features_decide_what_is_known(fit_case):
    filled, _ = fit_case("logistic", by_feature)
    assert filled.evidence.facts.why.reason == "random"
    assert filled.evidence.facts.why.weight < 0.05
    assert not filled.evidence.fit.estimates_gaps
    assert not filled.evidence.has_precision


@each(FREQUENCIES)
def test_with_the_true_label_frequency_the_precision_is_printed(fit_case, way, data):
    filled, truth = fit_case(data, FREQUENCIES[way])
    assert filled.evidence.has_precision
    assert measure_excess(filled, truth) < MARGIN


@each(TOO_LOW)
def test_no_precision_where_more_was_assigned_than_assumed(fit_case, way, data):
    filled, truth = fit_case(data, TOO_LOW[way])
    assert measure_excess(filled, truth) > MARGIN
    assert not filled.evidence.has_precision
    assert filled.evidence.contradictions[0]["title"].startswith("More was assigned than")


@each(UNMARKED)
def test_no_precision_where_annotated_items_without_a_label_look_unlabelled(fit_case, way, data):
    filled, truth = fit_case(data, UNMARKED[way])
    new = ~filled.labels.annotated
    assert filled.probabilities.to_numpy()[new].sum() > 1.05 * truth[new].sum()
    texts = [each["text"] for each in filled.evidence.contradictions if each["code"] == "look-unlabelled"]
    assert '(--set annotated=COLUMN, annotated="COLUMN")' in texts[0]
    assert not filled.evidence.has_precision


CASES = [("digits", TOO_STRONG["tags"]), ("logistic", TOO_LOW["0.9 as 0.6"]), ("digits", UNMARKED["0.7, a half"])]


@pytest.mark.parametrize(("data", "case"), CASES)
class TestOutputs:
    """What a person reads has no percentage that depends on a contradicted probability."""

    def test_the_list_of_entries_to_check(self, fit_case, data, case):
        filled, _ = fit_case(data, case)
        listed = filled.review(10_000)
        given = listed["given"].notna()
        assert listed.loc[~given, "probability"].isna().all()
        assert listed.loc[given, "probability"].notna().all()
        item, label = listed.loc[~given, ["item", "label"]].iloc[0]
        assert "probability –" in repr(filled.explain(item, label))
        why = filled.explain(item, label)
        title = filled.evidence.contradictions[0]["title"]
        assert f"A check contradicts its probability: {title}.".replace("\xa0", " ") in repr(why)
        assert json.loads(json.dumps(why.to_dict(), allow_nan=False))["probability"] is None
        row, column = filled.index.get_loc(item), filled.labels.names.index(label)
        on_page = explain_place(filled, row, column, label).facts
        assert (on_page["probability"], on_page["contributions"]) == (None, [])
        assert title in on_page["note"]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("calibration", ["auto", "shifted"])
def test_one_group_is_a_reason_of_its_own(seed, calibration):
    """Nothing is held out, so that known values look surer than gaps: no check takes this for a choice by value."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(120, 4))
    Y = (X[:, :2] + 0.5 * rng.normal(size=(120, 2)) > 0).astype(float)
    Y[rng.random(Y.shape) < 0.4] = np.nan
    table = pd.DataFrame(X, columns=list("abcd")).assign(rock=Y[:, 0], sad=Y[:, 1], book=1)
    filled = hl.complete(table, labels=["rock", "sad"], group="book", effort="fast", calibration=calibration)
    codes = {warning["code"] for warning in filled.evidence.warnings}
    assert not filled.corrections
    assert "few-groups" in codes
    assert "unlike-gaps" not in codes
    assert "known-by-value" not in codes
