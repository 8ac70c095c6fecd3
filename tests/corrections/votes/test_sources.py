"""Completions from the votes of several sources."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.completion.ways_of_missing import know_entries

import halflabel as hl

LABELS = ["dance", "sad"]


@functools.cache
def draw(seed=0, n=240):
    """Return items, their true labels, and votes: three people, and a model with the errors of one of them."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 3))
    truth = x[:, :2] + 0.5 * rng.normal(size=(n, 2)) > [0, 0.5]
    items = pd.DataFrame(x, columns=["f", "g", "h"], index=pd.Index([f"s{i}" for i in range(n)], name="song"))
    rows = []
    for source, error in {"ann": 0.1, "ben": 0.2, "cem": 0.3}.items():
        votes = truth ^ (rng.random(truth.shape) < error)
        for i, j in np.argwhere(rng.random(truth.shape) < 0.9):
            rows.append((f"s{i}", LABELS[j], source, int(votes[i, j])))
    return items, truth, pd.DataFrame(rows, columns=["item", "label", "source", "value"])


@functools.cache
def fit(n_known=0, **options):
    """Return the completion of which the first items are known."""
    items, truth, votes = draw()
    known = np.where(np.arange(len(items))[:, None] < n_known, truth, np.nan)
    items = items.assign(**{name: known[:, j] for j, name in enumerate(LABELS)})
    return hl.complete(items, labels=LABELS, sources=votes, effort="fast", **options)


def score(filled, truth, at=slice(None)):
    return float(np.mean((filled.probabilities.to_numpy() - truth)[at] ** 2))


def test_it_is_better_than_the_majority_and_known_entries_make_it_better():
    items, truth, votes = draw()
    majority = votes.groupby(["item", "label"])["value"].mean().unstack().reindex(items.index)[LABELS]
    known = majority.round().where(majority != 0.5)
    assert score(fit(), truth) < 0.9 * score(hl.complete(items, known, effort="fast"), truth)
    rest = slice(60, None)
    assert score(fit(60), truth, rest) < 0.8 * score(fit(), truth, rest)
    errors = fit(60).expected_errors.iloc[-1]
    wrong = (fit(60).table[LABELS].to_numpy() != truth).sum()
    assert errors["filled"] == 180 * 2
    assert errors["low"] <= wrong <= errors["high"]


def test_without_known_entries_only_the_agreement_is_stated():
    filled = fit()
    sources = filled.corrections["votes"]
    assert filled.expected_errors[["expected", "low", "high"]].isna().all(axis=None)
    assert sources.rates[["error", "low", "high", "false_relevant", "false_irrelevant"]].isna().all(axis=None)
    assert sources.rates["votes"].sum() == 2 * len(draw()[2])
    assert (sources.rates["checked"] == 0).all()
    assert sources.suspects["wrong"].isna().all()
    assert set(sources.agreement["label"]) == set(LABELS)
    assert sources.plan_checks("ann") == {"votes": 434, "doubtful": 0, "random": 385}
    with pytest.raises(ValueError, match="The error rates of sources are not known"):
        filled.prevalence()


def test_the_tables_of_the_sources():
    _, truth, votes = draw()
    sources = fit(60).corrections["votes"]
    at = {name: i for i, name in enumerate(fit(60).index)}
    rows = np.array([at[item] for item in votes["item"]])
    right = truth[rows, [LABELS.index(label) for label in votes["label"]]]
    checked = votes[rows < 60].assign(wrong=(votes["value"] != right)[rows < 60])
    whole = sources.rates[sources.rates["label"] == "(all labels)"].set_index("source")
    assert list(whole.index) == ["ann", "ben", "cem"]
    pd.testing.assert_series_equal(whole["error"], checked.groupby("source")["wrong"].mean(), check_names=False)
    wrong = (votes["value"] != right).groupby(votes["source"]).mean()
    assert (whole["low"] <= wrong).all()
    assert (wrong <= whole["high"]).all()
    doubtful = sources.suspects.head(30)
    given = truth[[at[item] for item in doubtful["item"]], [LABELS.index(label) for label in doubtful["label"]]]
    assert (doubtful["given"] != given).mean() > 0.9
    plan = sources.plan_checks("cem", max_error=0.1)
    assert plan["votes"] == ((votes["source"] == "cem") & (rows >= 60)).sum()
    assert sources.plan_checks("ann", max_error=0.1)["doubtful"] < plan["doubtful"]
    with pytest.raises(ValueError, match="'ana' is not a source"):
        sources.plan_checks("ana")


@pytest.mark.parametrize("n_known", [0, 60])
def test_a_copy_changes_nothing(n_known):
    items, truth, votes = draw()
    copy = votes[votes["source"] == "ben"].assign(source="ben2")
    known = np.where(np.arange(len(items))[:, None] < n_known, truth, np.nan)
    items = items.assign(**{name: known[:, j] for j, name in enumerate(LABELS)})
    after = hl.complete(items, labels=LABELS, sources=pd.concat([votes, copy]), effort="fast")
    np.testing.assert_array_equal(after.probabilities, fit(n_known).probabilities)
    rates = after.corrections["votes"].rates.set_index("source").drop(columns="label")
    pd.testing.assert_frame_equal(rates.loc["ben"].reset_index(drop=True), rates.loc["ben2"].reset_index(drop=True))


def test_known_entries_are_delivered_verbatim_and_new_items_are_predicted(tmp_path):
    items, truth, votes = draw()
    known = items.assign(dance=np.where(np.arange(len(items)) < 30, truth[:, 0].astype(float), np.nan))
    filled = hl.complete(known, labels=LABELS, sources=votes, effort="fast")
    np.testing.assert_array_equal(filled.table["dance"][:30], truth[:30, 0])
    filled.save(tmp_path / "songs.halflabel")
    model = hl.load(tmp_path / "songs.halflabel")
    assert np.mean((model.predict_proba(items) - truth) ** 2) < 0.2


def test_everything_that_a_completion_offers_works_with_votes(tmp_path):
    filled = fit(60)
    for item in ("s3", "s200"):
        contributions = filled.explain(item, "dance").contributions
        p = filled.probabilities.loc[item, "dance"]
        assert contributions["log_odds"].sum() == pytest.approx(np.log(p / (1 - p)), abs=1e-6)
    shares = filled.prevalence()
    assert ((shares["low"] <= shares["share"]) & (shares["share"] <= shares["high"])).all()
    page = filled.report(tmp_path / "report.html").read_text()
    assert "with votes" in page
    assert "3 sources" in repr(filled.evidence.gaps)
    assert len(filled.next_to_label(3)) == 3
    assert len(filled.review(5)) == 5
    assert len(filled.finish(seed=0).next(3)) == 3


@pytest.mark.parametrize("calibration", ["auto", "shifted"])
def test_known_entries_that_were_chosen_by_their_value_measure_no_source(calibration):
    """Votes have shown the model the gaps: a shift between known entries and gaps would be learned from corrected p."""
    items, truth, votes = draw()
    known = know_entries(0.6, 0.15)(truth.astype(float), np.random.default_rng(0))
    items = items.assign(**{name: known[:, j] for j, name in enumerate(LABELS)})
    given = {"labels": LABELS, "sources": votes, "effort": "fast", "calibration": calibration}
    filled = hl.complete(items, **given)
    assert list(filled.corrections) == ["votes"]
    assert filled.evidence.facts.why.reason == "value"
    assert filled.expected_errors[["expected", "low", "high"]].isna().all(axis=None)
    assert not any("%" in sentence for sentence in filled.evidence.gaps)


def test_answers_are_known_entries_and_measure_the_sources():
    _, truth, _ = draw()
    filled = fit()
    rows, columns = np.repeat(np.arange(40), 2), np.tile([0, 1], 40)
    asked = pd.DataFrame({"item": filled.index[rows], "label": np.array(LABELS)[columns]})
    updated = filled.update(asked.assign(answer=truth[rows, columns].astype(int)))
    np.testing.assert_array_equal(updated.table[LABELS].to_numpy()[rows, columns], truth[rows, columns])
    rest = slice(40, None)
    assert score(updated, truth, rest) < 0.9 * score(filled, truth, rest)
    assert updated.corrections["votes"].rates["error"].notna().all()
    assert not updated.corrections["votes"].doubt


def test_a_prior_has_no_place_with_votes():
    items, _, votes = draw()
    prior = pd.DataFrame(0.5, index=items.index, columns=LABELS)
    with pytest.raises(ValueError, match="add its rows to"):
        hl.complete(items, labels=LABELS, sources=votes, prior=prior)


def test_the_command_reads_votes(tmp_path):
    items, _, votes = draw()
    items.to_csv(tmp_path / "songs.csv")
    votes.to_csv(tmp_path / "votes.csv", index=False)
    given = ("--id", "song", "--labels", "dance,sad", "--sources", tmp_path / "votes.csv", "--effort", "fast")
    result = run("complete", tmp_path / "songs.csv", *given, "--report=none", "-v", "-o", tmp_path / "done.csv")
    assert "Agreement (Krippendorff's alpha): dance" in result.output
    done = pd.read_csv(tmp_path / "done.csv", index_col="song")
    np.testing.assert_array_equal(done[LABELS], fit().table[LABELS])


@functools.cache
def fit_two_models(n_known=0):
    """Return the completion from two models that both misread some items, with some known items."""
    items, truth, votes = draw_two_models()
    items = items.assign(
        **dict(zip("abcd", np.where(np.arange(len(items))[:, None] < n_known, truth, np.nan).T, strict=True))
    )
    return hl.complete(items, labels=list("abcd"), sources=votes, effort="fast")


def draw_two_models():
    """Return items, their true labels, and the votes of two models that both misread some items."""
    rng, n, names = np.random.default_rng(0), 500, list("abcd")
    x = rng.normal(size=(n, 8))
    truth = (x[:, :4] + 0.7 * rng.normal(size=(n, 4)) > 0.4).astype(int)
    both = np.where((x[:, 4:5] > 0.3) & (rng.random(truth.shape) < 0.7), 1 - truth, truth)
    rows = []
    for source, own in (("gpt", 0.02), ("other", 0.05)):
        values = np.where(rng.random(truth.shape) < own, 1 - both, both)
        rows += [(i, names[j], source, values[i, j]) for i in range(n) for j in range(4) if source == "gpt" or j < 2]
    items = pd.DataFrame(x, columns=[f"x{k}" for k in range(8)])
    return items, truth, pd.DataFrame(rows, columns=["item", "label", "source", "value"])


@pytest.mark.parametrize("n_known", [15, pytest.param(0, marks=pytest.mark.slow)])
def test_two_models_that_err_together_get_no_rate_and_no_number_of_errors(n_known, tmp_path):
    filled = fit_two_models(n_known)
    assert filled.expected_errors[["expected", "low", "high"]].isna().all(axis=None)
    assert not any("%" in sentence for sentence in filled.evidence.gaps)
    assert "expected precision 9" not in repr(filled)
    assert "source-rates" in repr(filled)
    page = filled.report(tmp_path / "report.html").read_text()
    section = page[page.index("<h3>Sources</h3>") :]
    assert "%" not in section[: section.index("<h3>", 5)]


def test_known_entries_show_that_two_models_err_together():
    """Without known entries 186 of 2,000 wrong values were stated once, and 555 are."""
    filled, truth = fit_two_models(60), draw_two_models()[1]
    errors, wrong = filled.expected_errors.iloc[-1], (filled.table[list("abcd")].to_numpy() != truth).sum()
    assert errors["low"] <= wrong <= errors["high"]
    assert wrong < 0.95 * (fit_two_models(0).table[list("abcd")].to_numpy() != truth)[60:].sum()
    rates = filled.corrections["votes"].rates.set_index(["source", "label"]).loc[("gpt", "(all labels)")]
    assert rates["low"] <= 0.27 <= rates["high"]
