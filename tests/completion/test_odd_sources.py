"""Sources of a kind that misleads: each gets one sentence, or numbers that hold."""

import numpy as np
import pandas as pd
import pytest

import halflabel as hl

pytestmark = pytest.mark.usefixtures("one_member")

N, LABELS = 300, ["rock", "sad"]
RNG = np.random.default_rng(0)
X = RNG.normal(size=(N, 4))
TRUTH = (X[:, :2] + 0.6 * RNG.normal(size=(N, 2)) > 0.3).astype(float)
CLEAR = np.abs(X[:, :2] - 0.3) > 0.8


def err(share, seed):
    """Return votes of which a share is wrong."""
    return np.where(np.random.default_rng(seed).random(TRUTH.shape) < share, 1 - TRUTH, TRUTH)


def at_random(n):
    """Return random items that are known."""
    return np.isin(np.arange(N), np.random.default_rng(1).permutation(N)[:n])[:, None] & np.ones_like(TRUTH, dtype=bool)


def by_value():
    return np.random.default_rng(2).random(TRUTH.shape) < np.where(TRUTH == 1, 0.5, 0.05)


GPT, ANN, YES = err(0.1, 3), err(0.2, 4), np.ones_like(TRUTH)


def fill(votes, known):
    items = pd.DataFrame(X, columns=list("abcd")).assign(id=[f"p{i}" for i in range(N)])
    items[LABELS] = np.where(known, TRUTH, np.nan)
    for name, values in votes.items():
        items[[f"{label}@{name}" for label in LABELS]] = values
    return hl.complete(items, id="id", labels=LABELS, sources="*@*")


#: Sources and known entries for which no number of errors is stated -> a part of the verdict.
WITHHELD = {
    "one source alone": ({"gpt": GPT}, at_random(0), "[source-rates]"),
    "two equal columns": ({"gpt": GPT, "copy": GPT}, at_random(0), "[source-rates]"),
    "three known items": ({"gpt": GPT, "ann": ANN}, at_random(3), "[source-rates]"),
    "known because of their value": ({"gpt": GPT, "ann": ANN}, by_value(), "Known values differ from the gaps"),
}


@pytest.mark.parametrize("kind", WITHHELD)
def test_no_rate_and_no_number_of_errors_where_nothing_shows_it(kind, tmp_path):
    votes, known, words = WITHHELD[kind]
    filled = fill(votes, known)
    assert words in repr(filled)
    assert "is not known" in repr(filled)
    assert not any("%" in sentence for sentence in filled.evidence.gaps)
    assert filled.expected_errors[["expected", "low", "high"]].isna().all(axis=None)
    page = filled.report(tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Wrong votes of each source" not in page
    assert len(filled.finish(seed=1).next(5)) == 5  # the way on


#: Sources next to 60 random known items, whose stated numbers hold.
STATED = {
    "one source": {"gpt": GPT},
    "two equal columns": {"gpt": GPT, "copy": GPT},
    "a source with one value": {"gpt": GPT, "yes": YES},
    "forty sources": {f"s{k}": err(0.3, 10 + k) for k in range(40)},
    "answers only where it is sure": {"gpt": np.where(CLEAR, err(0.02, 5), np.nan), "ann": ANN},
}


@pytest.mark.parametrize("kind", STATED)
def test_rates_and_errors_hold_next_to_random_known_items(kind):
    votes, known = STATED[kind], at_random(60)
    filled = fill(votes, known)
    wrong = int(((filled.state > 0) != TRUTH)[~known].sum())
    errors = filled.expected_errors.iloc[-1]
    assert errors["low"] <= wrong <= errors["high"]
    rates = filled.corrections["votes"].rates
    inside = 0
    for row in rates.itertuples():
        at = slice(None) if row.label not in LABELS else LABELS.index(row.label)
        values, truth = votes[row.source][:, at], TRUTH[:, at]
        given = ~np.isnan(values)
        inside += row.low <= (values != truth)[given].mean() <= row.high
    assert inside >= 0.8 * len(rates)  # intervals of 90 %
    for sentence in filled.evidence.gaps:
        assert len(sentence) < 400


@pytest.mark.parametrize("values", [100 * GPT, np.where(GPT > 0, 87.5, 1.0)], ids=["0 and 100", "percentages"])
def test_percentages_are_one_sentence(values):
    with pytest.raises(
        ValueError, match=r"^\*@\*: a vote is 1, 0 or a probability \(20 % is 0.2\), but row \d+ of the column"
    ):
        fill({"gpt": values, "ann": ANN}, at_random(60))


def test_a_source_with_one_value_alone_is_one_sentence():
    with pytest.raises(ValueError, match=r"^Not learned: "):
        fill({"yes": YES}, at_random(0))
