"""Completions from the votes of several sources."""

from __future__ import annotations

import functools

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

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
def fit(seed=0):
    items, _, votes = draw(seed)
    return hl.complete(items, labels=LABELS, sources=votes, effort="fast")


def score(filled, truth):
    return float(np.mean((filled.probabilities.to_numpy() - truth) ** 2))


def test_the_posterior_is_better_than_the_majority_and_what_it_predicts_of_itself():
    items, truth, votes = draw()
    filled = fit()
    majority = votes.groupby(["item", "label"])["value"].mean().unstack().reindex(items.index)[LABELS]
    known = majority.round().where(majority != 0.5)
    assert score(filled, truth) < 0.8 * score(hl.complete(items, known, effort="fast"), truth)
    assert filled.expected_errors.iloc[-1]["filled"] == truth.size
    wrong = [int((fit(seed).table[LABELS].to_numpy() != draw(seed)[1]).sum()) for seed in range(3)]
    expected = [fit(seed).expected_errors.iloc[-1]["expected"] for seed in range(3)]
    assert np.mean(expected) == pytest.approx(np.mean(wrong), abs=0.03 * truth.size)


def test_the_tables_of_the_sources():
    _, truth, votes = draw()
    sources = fit().corrections["votes"]
    at = {name: i for i, name in enumerate(fit().index)}
    right = truth[[at[item] for item in votes["item"]], [LABELS.index(label) for label in votes["label"]]]
    wrong = (votes["value"] != right).groupby(votes["source"]).mean()
    whole = sources.rates[sources.rates["label"] == "(all labels)"].set_index("source")
    assert list(whole.index) == ["ann", "ben", "cem"]
    assert (whole["low"] <= wrong).all()
    assert (wrong <= whole["high"]).all()
    assert set(sources.agreement["label"]) == set(LABELS)
    doubtful = sources.suspects.head(30)
    given = truth[[at[item] for item in doubtful["item"]], [LABELS.index(label) for label in doubtful["label"]]]
    assert (doubtful["given"] != given).mean() > 0.9
    asked = sources.next_to_ask(10)
    assert asked["gain"].is_monotonic_decreasing
    assert asked["source"].value_counts().idxmax() == "ann"  # the best source, where it has no vote yet
    plan = sources.plan_checks("cem", max_error=0.1)
    assert plan["votes"] == (votes["source"] == "cem").sum()
    assert sources.plan_checks("ann", max_error=0.1)["doubtful"] < plan["doubtful"]
    with pytest.raises(ValueError, match="'ana' is not a source"):
        sources.plan_checks("ana")


def test_one_source_alone_is_a_table_of_labels():
    items, _, votes = draw()
    own = votes[votes["source"] == "ann"]
    table = own.pivot(index="item", columns="label", values="value").reindex(items.index)
    by_votes = hl.complete(items, labels=LABELS, sources=own, effort="fast")
    by_labels = hl.complete(items, table, effort="fast")
    np.testing.assert_array_equal(by_votes.probabilities, by_labels.probabilities)


def test_a_copy_and_a_source_of_chance_change_nothing():
    """Also entries on which the source of chance alone has voted have no other value than without any vote."""
    items, _, votes = draw()
    copy = votes[votes["source"] == "ben"].assign(source="ben2")
    pairs = pd.MultiIndex.from_product([items.index, LABELS], names=["item", "label"]).to_frame(index=False)
    chance = pairs.assign(source="dice", value=np.random.default_rng(0).integers(0, 2, len(pairs)))
    after = hl.complete(items, labels=LABELS, sources=pd.concat([votes, copy, chance]), effort="fast")
    np.testing.assert_allclose(after.probabilities, fit().probabilities, atol=0.005)
    assert any("look like chance: dice." in note for note in after.evidence.gaps)


def test_known_entries_are_delivered_verbatim_and_new_items_are_predicted(tmp_path):
    items, truth, votes = draw()
    known = items.assign(dance=np.where(np.arange(len(items)) < 30, truth[:, 0].astype(float), np.nan))
    filled = hl.complete(known, labels=LABELS, sources=votes, effort="fast")
    np.testing.assert_array_equal(filled.table["dance"][:30], truth[:30, 0])
    filled.save(tmp_path / "songs.halflabel")
    model = hl.load(tmp_path / "songs.halflabel")
    assert np.mean((model.predict_proba(items) - truth) ** 2) < 0.2


def test_everything_that_a_completion_offers_works_with_votes(tmp_path):
    filled = fit()
    contributions = filled.explain("s3", "dance").contributions
    p = filled.probabilities.loc["s3", "dance"]
    assert contributions["log_odds"].sum() == pytest.approx(np.log(p / (1 - p)), abs=1e-6)
    shares = filled.prevalence()
    assert ((shares["low"] <= shares["share"]) & (shares["share"] <= shares["high"])).all()
    page = filled.report(tmp_path / "report.html").read_text()
    assert "with votes" in page
    assert "3 sources" in repr(filled.evidence.gaps)
    assert len(filled.next_to_label(3)) == 3
    assert len(filled.review(5)) == 5
    assert len(filled.finish(seed=0).next(3)) == 3


def test_answers_are_known_entries_and_change_the_error_rates():
    _, truth, _ = draw()
    filled = fit()
    asked = filled.review(40)
    rows = filled.index.get_indexer(asked["item"])
    columns = np.array([LABELS.index(label) for label in asked["label"]])
    updated = filled.update(asked.assign(answer=truth[rows, columns].astype(int)))
    np.testing.assert_array_equal(updated.table[LABELS].to_numpy()[rows, columns], truth[rows, columns])
    others = np.ones(truth.shape, dtype=bool)
    others[rows, columns] = False
    before, after = (((each.probabilities.to_numpy() - truth) ** 2)[others].mean() for each in (filled, updated))
    assert 0 < abs(after - before) < 0.1 * before


def test_a_prior_has_no_place_with_votes():
    items, _, votes = draw()
    prior = pd.DataFrame(0.5, index=items.index, columns=LABELS)
    with pytest.raises(ValueError, match="add its rows to"):
        hl.complete(items, labels=LABELS, sources=votes, prior=prior)


def test_the_command_reads_votes(tmp_path):
    items, _, votes = draw()
    items.to_csv(tmp_path / "songs.csv")
    votes.to_csv(tmp_path / "votes.csv", index=False)
    result = run("complete", tmp_path / "songs.csv", "--id", "song", "--labels", "dance,sad", "--sources",
                 tmp_path / "votes.csv", "--effort", "fast", "--report=none", "-o", tmp_path / "done.csv")  # fmt: skip
    assert "Wrong votes: ann" in result.output
    done = pd.read_csv(tmp_path / "done.csv", index_col="song")
    np.testing.assert_array_equal(done[LABELS], fit().table[LABELS])


@functools.cache
def fit_two_models(n_known=0):
    """Return the completion from two models that both misread some items, with some known items."""
    rng, n, names = np.random.default_rng(0), 500, list("abcd")
    x = rng.normal(size=(n, 8))
    truth = (x[:, :4] + 0.7 * rng.normal(size=(n, 4)) > 0.4).astype(int)
    both = np.where((x[:, 4:5] > 0.3) & (rng.random(truth.shape) < 0.7), 1 - truth, truth)
    rows = []
    for source, own in (("gpt", 0.02), ("other", 0.05)):
        values = np.where(rng.random(truth.shape) < own, 1 - both, both)
        rows += [(i, names[j], source, values[i, j]) for i in range(n) for j in range(4) if source == "gpt" or j < 2]
    items = pd.DataFrame(x, columns=[f"x{k}" for k in range(8)])
    items[names] = np.where(np.arange(n)[:, None] < n_known, truth, np.nan)
    votes = pd.DataFrame(rows, columns=["item", "label", "source", "value"])
    return hl.complete(items, labels=names, sources=votes, effort="fast")


@pytest.mark.parametrize("n_known", [60, pytest.param(0, marks=pytest.mark.slow)])
def test_two_models_that_err_together_get_no_rate_and_no_number_of_errors(n_known, tmp_path):
    """Known entries change that not: 186 of 2,000 wrong values were stated and 555 are; with known ones 225 and 436."""
    filled = fit_two_models(n_known)
    sources = filled.corrections["votes"]
    assert filled.expected_errors[["expected", "low", "high"]].isna().all(axis=None)
    assert sources.rates[["error", "low", "high", "false_relevant", "false_irrelevant"]].isna().all(axis=None)
    assert sources.suspects["wrong"].isna().all()
    assert sources.plan_checks("gpt")["random"] == 385
    assert not any("%" in sentence for sentence in filled.evidence.gaps)
    assert "expected precision 9" not in repr(filled)
    assert "source-rates" in repr(filled)
    page = filled.report(tmp_path / "report.html").read_text()
    section = page[page.index('id="sources"') :]
    assert "%" not in section[: section.index("</section>")].replace("100%", "")
    assert "alpha" in section
