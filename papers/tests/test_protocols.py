"""The protocol of Zhao & Guo: removed positives stay removed, and every rule has its threshold."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.cases import TOY
from papers.tests.positives_models import Positives, Recording, make
from sklearn.metrics import f1_score, roc_auc_score

from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel_papers.load import load_paper
from halflabel_papers.plan import Run
from halflabel_papers.protocols import positives, remove_positives
from halflabel_papers.run import prepare
from halflabel_papers.sources import load_data
from halflabel_papers.spec import SpecError

RULES = ("count", "half", "micro_f1", "macro_f1", "balanced", "cardinality")
SEED = (7, 0)
N, LABELLED, UNLABELLED = 120, 36, 60


def run_of(use: str, *, gaps: float = 0.0, **options) -> Run:
    parameters = {"decision": "fixed", "threshold": 0.5} if use == "Recording" else {}
    return Run(
        paper="toy",
        experiment="table",
        protocol="positives",
        set="toy",
        method=use,
        source={
            "name": "toy",
            "make": "papers.tests.positives_models:make",
            "settings": {"gaps": gaps},
            "fetch": "",
        },
        steps=({"use": f"papers.tests.positives_models:{use}", **parameters},),
        helpers={},
        metrics=("micro_f1", "macro_f1", "macro_auc", "ece"),
        options={"hidden": 0.3, "rules": RULES, **options},
        grid={},
        trial=0,
        seed=SEED,
        data={},
    )


def outcome(run: Run):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # a label may lose its last relevant entry
        return positives(run, None)


def draw_items(gaps: float = 0.0) -> tuple[Dataset, np.ndarray]:
    """The set and the order of its items, as the seed draws them."""
    rng = np.random.default_rng(SEED)
    return make(rng, gaps=gaps), rng.permutation(N)


# -- removing positives ---------------------------------------------------------


@st.composite
def cases(draw) -> tuple[PartialLabels, np.ndarray]:
    n, m = draw(st.integers(2, 8)), draw(st.integers(1, 4))
    state = np.array(draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n * m, max_size=n * m)), dtype=np.int8)
    annotated = np.array(draw(st.lists(st.booleans(), min_size=n, max_size=n)))
    state = state.reshape(n, m)
    return PartialLabels(state, tuple(f"l{j}" for j in range(m)), (state != 0).any(axis=1)), annotated


@given(cases(), st.floats(0, 1), st.sampled_from(["unknown", "irrelevant"]), st.integers(0, 5))
def test_a_removed_positive_looks_like_one_that_never_was(case, share, absent, seed):
    labels, annotated = case
    left = remove_positives(labels, annotated, share, np.random.default_rng(seed), absent=absent)
    before = labels.relevant & annotated[:, None]
    assert not (left.relevant & ~before).any()
    assert left.relevant.sum() == before.sum() - round(share * before.sum())
    assert not left.observed[~annotated].any()
    assert not left.annotated[~annotated].any()
    assert left.positive_only == (absent == "unknown")
    gone = before & ~left.relevant
    irrelevant = (labels.state < 0) & annotated[:, None]
    coded = 0 if absent == "unknown" else -1
    assert (left.state[gone | irrelevant] == coded).all()
    assert (left.state[labels.state == 0] == 0).all()


@given(cases(), st.floats(0, 1), st.floats(0, 1))
def test_a_larger_share_removes_the_same_and_more(case, one, other):
    one_set, larger_set = (
        remove_positives(*case, share, np.random.default_rng(0), absent="irrelevant") for share in sorted([one, other])
    )
    assert not (larger_set.relevant & ~one_set.relevant).any()


@pytest.mark.parametrize("use", ["Recording", "Positives"])
def test_neither_removed_labels_nor_test_items_reach_fit(use):
    absent = "unknown" if use == "Positives" else "irrelevant"
    outcome(run_of(use, absent=absent))
    X, y = (Positives if use == "Positives" else Recording).last.seen_
    data, order = draw_items()
    seen = order[: LABELLED + UNLABELLED]
    np.testing.assert_array_equal(X, data.X[seen])
    labels = y if isinstance(y, PartialLabels) else PartialLabels.from_table(y)
    assert isinstance(y, PartialLabels) == (use == "Positives")
    truth = data.Y.relevant[seen[:LABELLED]]
    relevant = labels.relevant[:LABELLED]
    assert not (relevant & ~truth).any()
    assert relevant.sum() == truth.sum() - round(0.3 * truth.sum())
    assert not labels.observed[LABELLED:].any()
    assert set(np.unique(labels.state[:LABELLED])) == ({0, 1} if use == "Positives" else {-1, 1})


def test_an_oracle_sees_the_same_items_with_all_their_labels():
    outcome(run_of("Recording", hidden=0.0))
    X, y = Recording.last.seen_
    data, order = draw_items()
    np.testing.assert_array_equal(X, data.X[order[: LABELLED + UNLABELLED]])
    np.testing.assert_array_equal(y[:LABELLED], data.Y.values()[order[:LABELLED]])


def test_gaps_of_a_users_table_stay_gaps():
    outcome(run_of("Recording", gaps=0.2))
    _, y = Recording.last.seen_
    data, order = draw_items(gaps=0.2)
    np.testing.assert_array_equal(np.isnan(y[:LABELLED]), ~data.Y.observed[order[:LABELLED]])


# -- rules -------------------------------------------------------------------------


def f1(truth: np.ndarray, predicted: np.ndarray) -> dict[str, float]:
    return {f"{a}_f1": f1_score(truth, predicted, average=a, zero_division=0) for a in ("micro", "macro")}


def best_expected(p: np.ndarray) -> float:
    """Half of the best plug-in F1, by trying every threshold."""
    return max(2 * p[p >= t].sum() / ((p >= t).sum() + p.sum()) for t in np.unique(p)) / 2


def predictions(
    model: Recording, data: Dataset, order: np.ndarray, c: float, divisor: float
) -> Iterator[tuple[str, np.ndarray]]:
    """Every rule by the obvious computation."""
    _, unlabelled, test = np.split(order, [LABELLED, LABELLED + UNLABELLED])
    known = model.seen_[1][:LABELLED] == 1
    scores = model.decision_function(data.X[test])
    p_unlabelled, p = (np.minimum(model.predict_proba(data.X[rows]) / divisor, 0.999) for rows in (unlabelled, test))
    wanted = round(known.sum() / LABELLED / c * len(test))
    yield "count", scores >= np.sort(scores, axis=None)[-wanted]
    yield "half", p >= 0.5
    micro, macro = best_expected(p_unlabelled), np.array([best_expected(column) for column in p_unlabelled.T])
    yield "micro_f1", p >= micro
    yield "macro_f1", p >= macro
    yield "balanced", p >= (micro + macro) / 2
    n_relevant = round(known.sum() / LABELLED / c * len(unlabelled))
    yield "cardinality", p >= np.sort(p_unlabelled, axis=None)[-n_relevant]


@pytest.mark.parametrize("returns", ["assigned", "relevant"])
@pytest.mark.parametrize("hidden", [0.0, 0.3, 0.5])
def test_every_rule_equals_an_independent_computation(hidden, returns):
    found = outcome(run_of("Recording", hidden=hidden, returns=returns)).metrics
    model, (data, order) = Recording.last, draw_items()
    test = order[LABELLED + UNLABELLED :]
    truth = data.Y.relevant[test]
    divisor = 1.0 if returns == "relevant" else 1 - hidden
    for rule, predicted in predictions(model, data, order, 1 - hidden, divisor):
        for name, value in f1(truth, predicted).items():
            assert found[f"{name}@{rule}"] == pytest.approx(value, abs=1e-12), rule
    own = f1(truth, model.predict(data.X[test]))
    assert {name: found[name] for name in own} == pytest.approx(own)
    auc = roc_auc_score(truth, model.decision_function(data.X[test]), average="macro")
    assert found["macro_auc"] == pytest.approx(auc)


def test_a_method_without_probabilities_has_no_rules_on_them():
    found = outcome(run_of("Positives", absent="unknown")).metrics
    assert {name.partition("@")[2] for name in found} == {"", "count"}
    assert found["micro_f1"] > 0
    assert np.isnan(found["ece"])


@pytest.mark.parametrize(
    ("options", "sizes"),
    [
        ({}, (36, 60, 24)),
        ({"labelled": 20, "unlabelled": 30, "test": 10}, (20, 30, 10)),
        ({"labelled_share": 0.5, "unlabelled_share": 0.1}, (60, 12, 48)),
    ],
)
def test_numbers_and_shares_of_items_both_bind(options, sizes, monkeypatch):
    asked = []
    monkeypatch.setattr(Positives, "predict", lambda self, X: asked.append(len(X)) or np.zeros((len(X), 5)))
    outcome(run_of("Positives", absent="unknown", rules=(), **options))
    X, y = Positives.last.seen_
    assert (int(y.annotated.sum()), len(X) - int(y.annotated.sum()), asked[0]) == sizes


def test_something_must_be_left():
    with pytest.raises(ValueError, match=r"hidden must be at least 0 and below 1, not 1\.0"):
        outcome(run_of("Recording", hidden=1.0))


# -- sets and specs ------------------------------------------------------------------


def test_top_labels_keep_the_most_frequent_and_the_items_that_have_one(monkeypatch):
    Y = [[1, 0, 1, 0], [1, 0, 0, 0], [0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 1, 1], [0, 0, 0, 1]]
    data = Dataset("toy", np.arange(6.0)[:, None], PartialLabels.from_table(Y), ("x",), "", "", "")
    monkeypatch.setattr("halflabel_papers.sources._load_public", lambda *_: data)
    source = {"name": "toy", "make": "", "settings": {"top_labels": 2}, "fetch": ""}
    found = load_data(source, None, "whole", np.random.default_rng(0))
    assert found.Y.names == ("label0", "label2")
    assert found.X.ravel().tolist() == [0, 1, 3, 4]
    assert found.Y.relevant.astype(int).tolist() == [[1, 1], [1, 0], [0, 1], [0, 1]]


def test_any_file_of_a_set_without_digest_will_do_and_decides_the_key(tmp_path):
    text = Path(TOY).read_text().replace('"away.arff" = "00"', '"away.arff" = ""')
    spec = tmp_path / "any.toml"
    spec.write_text(text)
    missing = prepare(str(spec), "full", folder=tmp_path).sets["away"]
    assert not missing.usable
    assert "put away.arff into" in missing.advice
    keys = set()
    for content in ("one", "other"):
        (tmp_path / "away").mkdir(exist_ok=True)
        (tmp_path / "away" / "away.arff").write_text(content)
        work = prepare(str(spec), "full", folder=tmp_path)
        assert work.sets["away"].usable
        keys.add(next(run.key for run in work.runs if run.set == "away"))
    assert len(keys) == 2


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('rules = ["cardinality"]', 'rules = ["nearest"]', "there is no threshold rule 'nearest'"),
        ('x = "keep"', 'x = "keep"\ncurves = ["hamming_loss@count"]', "there is no curve 'hamming_loss@count'"),
    ],
)
def test_a_rule_that_the_protocol_lacks_raises(tmp_path, old, new, sentence):
    (tmp_path / "wrong.toml").write_text(Path(TOY).read_text().replace(old, new, 1))
    with pytest.raises(SpecError, match=sentence):
        load_paper(str(tmp_path / "wrong.toml"))
