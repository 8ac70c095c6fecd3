"""The verdict: one sentence about wrong values whose band holds the estimate, and a next step that works."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest
from tests.completion.test_withheld import CASES, CLAIMS, complete

import halflabel as hl
from halflabel.completion import verdict
from halflabel.completion.evidence import MIN_YES
from halflabel.completion.verdict import decide, rank_labels, write_wrong
from halflabel.report import render_html, summarize


def read_shares(sentence, filled):
    """Return the shares of wrong values that a sentence states: the estimate, then the ends of its band."""
    found = re.findall(r"1 in ([\d,]+)|(?:About|between|and|at most) (\d+)(?![\d,]* in)", sentence)
    scale = 100 if "of 100" in sentence else filled
    return [1 / float(n.replace(",", "")) if n else float(k) / scale for n, k in found]


@pytest.mark.parametrize("filled", [1, 7, 99, 100, 350, 17_075, 10**7])
def test_the_printed_band_holds_the_band(filled, rng):
    for _ in range(300):
        low, expected, high = np.sort(filled * rng.beta(0.5, 4, size=3))
        low, high = np.floor(low), np.ceil(high)
        sentence = write_wrong(filled, expected, low, high)
        shares = read_shares(sentence, filled)
        if sentence.startswith("Probably"):
            assert expected < 0.5
            assert shares == [high / filled]
            continue
        about, *least, most = shares
        assert most >= high / filled - 1e-12, sentence
        assert min([about, *least]) <= expected / filled * 1.051, sentence
        assert abs(about * filled - expected) <= max(0.06 * expected, filled / 200, 0.5), sentence
        assert least == [] if low == 0 and "1 in" in sentence else least[0] <= low / filled + 1e-12, sentence
        assert about <= most, sentence


@pytest.mark.parametrize("code", CASES)
def test_no_number_where_a_check_contradicts(code):
    filled = complete(code)
    verdict = decide(filled.evidence, "songs.csv")
    assert not any(re.search(claim, verdict.wrong) for claim in CLAIMS)
    assert f"[{filled.evidence.contradictions[0]['code']}]" in verdict.wrong
    assert verdict.command == "halflabel finish songs.csv"
    assert rank_labels(filled.evidence)["wrong"].isna().all()


@pytest.fixture(scope="module")
def songs():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    table = pd.DataFrame(X, columns=["tempo", "loud", "key"])
    noise = np.array([0.1, 0.1, 2.0])
    truth = X + noise * rng.normal(size=X.shape) > 0
    truth[:, 1] = False
    truth[: MIN_YES - 1, 1] = True
    known = rng.random((120, 1)) < 0.6
    known[: MIN_YES - 1] = True
    table[["rock", "rare", "live"]] = np.where(known, truth.astype(float), np.nan)
    return table


def test_the_numbers_are_those_of_the_table(songs, one_member):
    filled = hl.complete(songs, labels=["rock", "rare", "live"])
    verdict, total = decide(filled.evidence), filled.expected_errors.iloc[-1]
    gaps, state = ~filled.labels.observed, filled.state
    assert (
        verdict.filled
        == f"{gaps.sum()} gaps filled: {(gaps & (state > 0)).sum()} yes, {(gaps & (state < 0)).sum()} no."
    )
    assert verdict.wrong.startswith(write_wrong(int(total["filled"]), *total[["expected", "low", "high"]]))
    assert "Least sure: live." in verdict.wrong
    ranked = rank_labels(filled.evidence).set_index("label")
    assert np.isnan(ranked.loc["rare", "wrong"])
    assert list(ranked.index)[-1] == "rare"
    errors = filled.expected_errors.set_index("label")
    assert errors.loc["rare", ["expected", "low", "high"]].isna().all()
    own = errors.loc["live"]
    assert ranked.loc["live", "wrong"] == pytest.approx(own["expected"] / own["filled"])


def test_the_line_of_python_runs(songs, one_member):
    filled = hl.complete(songs, labels=["rock", "rare", "live"])
    verdict = decide(filled.evidence)
    assert verdict.command == "filled.review()"
    assert len(filled.review())
    assert verdict.sentences[-1] == f"Next: {verdict.step}: `{verdict.command}`"


def test_gaps_that_stay_empty_have_their_reason(songs, one_member):
    filled = hl.complete(songs, labels=["rock", "rare", "live"], min_precision=0.97)
    left = int((filled.state == 0).sum())
    assert left
    assert f"{left} stay empty: they do not reach 97 %." in decide(filled.evidence).filled


@pytest.mark.parametrize("labels", [["rock", "live"], ["rock", "live", "tick"]])
def test_without_a_gap_nothing_is_wrong(songs, one_member, labels):
    """Nor where a label that is not learned has gaps: they stay empty, so that not all values were given."""
    whole = songs.fillna(1.0).assign(tick=songs["rock"].where(songs["rock"] == 1))
    verdict = decide(hl.complete(whole, labels=labels).evidence)
    assert verdict.filled == "There is no gap to fill." + " Not learned: 'tick'." * ("tick" in labels)
    assert not verdict.wrong


def test_tags_without_a_label_frequency_have_no_number_and_a_way_to_one(songs, one_member):
    tags = hl.PartialLabels.from_positives(np.nan_to_num(songs[["rock", "live"]].to_numpy()))
    filled = hl.complete(songs[["tempo", "loud", "key"]], tags)
    verdict = decide(filled.evidence, "songs.csv")
    assert not re.search(r"\d", verdict.wrong)
    assert "[label-frequency]" in verdict.wrong
    assert verdict.command == "halflabel complete songs.csv --set observed_rate=ask"
    assert "Probability of being assigned" in filled._repr_html_()
    stated = hl.complete(songs[["tempo", "loud", "key"]], tags, observed_rate=0.7)
    assert "Probability of yes" in stated._repr_html_()
    assert "about 80 of 100 should be assigned" in render_html(summarize(stated))  # measured on known entries


def test_gaps_that_stay_empty_for_two_reasons_have_none(songs, one_member):
    """A label that is ranked only, and values below the precision."""
    table = songs.assign(tick=songs["rock"].where(songs["rock"] == 1))
    filled = hl.complete(table, labels=["rock", "live", "tick"], positive_only=["tick"], min_precision=0.97)
    left = int((filled.state == 0).sum())
    assert decide(filled.evidence).filled.endswith(f" {left} stay empty.")


@pytest.mark.usefixtures("one_member")
def test_each_output_names_the_labels_that_are_not_learned(songs, tmp_path):
    songs = songs.assign(odd=np.where(np.arange(len(songs)) < 9, 1.0, np.nan))
    filled = hl.complete(songs, labels=["rock", "odd"])
    page = filled.report(tmp_path / "report.html").read_text(encoding="utf-8")
    for text in (repr(filled), filled._repr_html_(), page):
        assert "Not learned: 'odd'." in text.replace("&#39;", "'")
    assert "Not learned" not in repr(hl.complete(songs.drop(columns="odd"), labels=["rock"]))


@pytest.mark.parametrize(("wrong", "named"), [([0.2, 0.1], " Least sure: a."), ([0.1, 0.1], ""), ([0.1], "")])
def test_the_least_sure_label_is_named_where_another_one_is_surer(monkeypatch, wrong, named):
    ranked = pd.DataFrame({"label": ["a", "b"][: len(wrong)], "wrong": wrong})
    monkeypatch.setattr(verdict, "rank_labels", lambda evidence: ranked)
    assert verdict._name_least_sure(None) == named
