"""Tables where only some labels are positive-only."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import roc_auc_score

import halflabel as hl
from halflabel.labels.positive_only import mark_unassigned, trust_positives
from halflabel.report import summarize


def make_archive(n=160, n_given=12, seed=0):
    """Return items with two old labels, of which a third label is the conjunction; only some of its items have it."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    old = X[:, :2] + 0.3 * rng.normal(size=(n, 2)) > -0.3
    true = old.all(axis=1)
    given = np.zeros(n, dtype=bool)
    given[rng.choice(np.flatnonzero(true), n_given, replace=False)] = True
    table = pd.DataFrame(X, columns=["a", "b", "c", "d"])
    table[["bill", "paid"]] = old.astype(float)
    table["tax"] = np.where(given, 1.0, np.nan)
    table.index = [f"doc{i}" for i in range(n)]
    return table, true, given


def complete(table, **options):
    return hl.complete(table, labels=["bill", "paid", "tax"], positive_only="tax", effort="fast", **options)


def test_a_new_tag_is_ranked_and_never_filled():
    table, true, given = make_archive()
    table.loc[table.index[:40], ["bill", "paid"]] = np.nan
    filled = complete(table)
    assert filled.table["tax"].equals(table["tax"].astype("Int64"))
    assert not filled.table[["bill", "paid"]].isna().any(axis=None)
    p = filled.probabilities["tax"].to_numpy()
    assert roc_auc_score(true[~given], p[~given]) > 0.9
    tables = (filled.review(), filled.suspects, filled.prevalence(), filled.expected_errors)
    assert all("tax" not in set(table["label"]) for table in tables)
    assert "Positive-only: 'tax'. Other items may have it, too." in filled.notes


@pytest.mark.parametrize("n_unlabelled", [0, 1, 40])
def test_the_sentences_about_gaps_are_about_the_labels_that_are_filled(n_unlabelled):
    table, _, _ = make_archive()
    table.loc[table.index[:n_unlabelled], ["bill", "paid"]] = np.nan
    filled = complete(table)
    ranked, *others = filled.evidence.gaps
    assert ranked.startswith("Ranked and not filled in: 'tax'")
    alone = hl.complete(table.drop(columns="tax"), labels=["bill", "paid"], effort="fast").evidence.gaps
    assert others == list(alone)
    assert not any("Ranked" in each for each in complete(table, observed_rate=0.3).evidence.gaps)


def test_with_a_label_frequency_the_assumption_is_named():
    table, _, _ = make_archive()
    table.loc[table.index[:40], ["bill", "paid"]] = np.nan
    found = [each for each in complete(table, observed_rate=0.3).evidence.warnings if each["code"] == "label-frequency"]
    assert [each["level"] for each in found] == ["caution"]
    assert "30\N{NO-BREAK SPACE}%" in found[0]["text"]
    assert "tax" in found[0]["text"]
    assert all(each["code"] != "label-frequency" for each in complete(table).evidence.warnings)


@pytest.mark.parametrize("rate", [None, 0.3])
def test_the_report_has_no_quality_of_a_positive_only_label(rate):
    table, _, _ = make_archive()
    table.loc[table.index[:40], ["bill", "paid"]] = np.nan
    summary = summarize(complete(table, observed_rate=rate))
    alone = summarize(hl.complete(table.drop(columns="tax"), labels=["bill", "paid"], effort="fast"))
    assert [row for row in summary["labels"]["rows"] if row["label"] != "tax"] == alone["labels"]["rows"]
    assert summary["quality"] == alone["quality"]


def test_other_labels_do_not_depend_on_it():
    table, _, _ = make_archive()
    table.loc[table.index[:40], ["bill", "paid"]] = np.nan
    both, alone = complete(table), hl.complete(table.drop(columns="tax"), labels=["bill", "paid"], effort="fast")
    assert np.array_equal(both.probabilities[["bill", "paid"]], alone.probabilities)
    assert np.array_equal(both.state[:, :2], alone.state)
    of_both, of_alone = (each.expected_errors.set_index("label").loc[["bill", "paid"]] for each in (both, alone))
    assert of_both["expected"].tolist() == pytest.approx(of_alone["expected"].tolist())


def test_with_a_label_frequency_it_is_filled():
    table, true, given = make_archive(n_given=25)
    filled = complete(table, observed_rate=25 / true.sum())
    found = filled.state[:, 2] > 0
    assert not (filled.state[:, 2] == 0).any()
    assert 0.6 * true.sum() < found.sum() < 1.4 * true.sum()
    assert (found & true)[~given].sum() > 0.7 * (found & ~given).sum()
    assert not (complete(table, observed_rate=0.3, min_precision=0.95).state[~given, 2] != 0).any()


def test_a_saved_model_ranks_new_items(tmp_path):
    table, _, _ = make_archive()
    filled = complete(table.iloc[:120])
    filled.save(tmp_path / "m.halflabel")
    loaded, new = hl.load(tmp_path / "m.halflabel"), table.iloc[120:]
    p = loaded.complete_both(new)[1]
    assert np.allclose(p, filled.predictor.complete_both(new)[1])
    without = loaded.predict_proba(new.drop(columns=["bill", "paid", "tax"]))
    assert not np.allclose(p["tax"], without["tax"])  # the known labels of new items are features
    assert filled.explain("doc3", "tax").contributions["log_odds"].sum() == pytest.approx(
        float(np.log(filled.probabilities.loc["doc3", "tax"] / (1 - filled.probabilities.loc["doc3", "tax"])))
    )


def test_order_of_labels_and_items_changes_nothing():
    table, _, _ = make_archive()
    moved = table.sample(frac=1, random_state=1)[["tax", "a", "paid", "b", "c", "d", "bill"]]
    options = {"positive_only": ["tax"], "effort": "fast", "features": ["a", "b", "c", "d"]}
    one = hl.complete(table, labels=["bill", "paid", "tax"], **options).probabilities
    other = hl.complete(moved, labels=["tax", "paid", "bill"], **options).probabilities
    assert np.allclose(one, other.loc[one.index, one.columns])


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"method": hl.SSDRMC()}, "SSDRMC does not support a table where only some labels are positive-only"),
        ({"method": hl.AutoLabeler()}, "leave out the method"),
        ({"prior": pd.DataFrame(0.5, range(160), ["bill", "paid", "tax"])}, "MixedLabeler does not accept a prior"),
        ({"calibrate_on": np.ones(160, dtype=bool)}, "MixedLabeler does not accept calibrate_on"),
    ],
)
def test_what_is_not_supported_raises(options, sentence):
    table, _, _ = make_archive()
    with pytest.raises(ValueError, match=sentence):
        complete(table, **options)


def test_methods_without_mixed_labels_raise():
    labels = trust_positives(hl.PartialLabels.from_table(pd.DataFrame({"a": [1, 0, 1], "b": [1, 0, 0]})), ["b"])
    for method in (hl.AutoLabeler(), hl.LowRankVVMR(), hl.SSDRMC()):
        with pytest.raises(ValueError, match="MixedLabeler"):
            method.fit(np.eye(3), labels)
    with pytest.raises(ValueError, match="use AutoLabeler"):
        hl.MixedLabeler().fit(np.eye(3), labels.select([0]))


def test_a_name_that_is_no_label_raises():
    table, _, _ = make_archive()
    with pytest.raises(ValueError, match="tx"):
        hl.complete(table, labels=["bill", "tax"], positive_only="tx")


def test_evaluate_leaves_it_out():
    table, _, _ = make_archive()
    opened = hl.open_table(table, labels=["bill", "paid", "tax"], positive_only="tax")
    found = hl.evaluate(opened, repeats=2, effort="fast", curve=False)
    alone = hl.evaluate(
        hl.open_table(table.drop(columns="tax"), labels=["bill", "paid"]), repeats=2, effort="fast", curve=False
    )
    assert found.summary.drop(columns="seconds").equals(alone.summary.drop(columns="seconds"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_marks_are_per_label(data):
    n, n_labels = data.draw(st.integers(1, 6)), data.draw(st.integers(1, 4))
    cells = data.draw(st.lists(st.sampled_from([-1, 0, 1]), min_size=n * n_labels, max_size=n * n_labels))
    chosen = np.array(data.draw(st.lists(st.booleans(), min_size=n_labels, max_size=n_labels)))
    state = np.array(cells, np.int8).reshape(n, n_labels)
    names = tuple(f"l{j}" for j in range(n_labels))
    labels = hl.PartialLabels(state, names, (state != 0).any(axis=1))
    declared = trust_positives(labels, np.array(names)[chosen].tolist())
    assert np.array_equal(declared.positives, chosen)
    marked = mark_unassigned(declared)
    assert (marked.state[:, chosen] != 0).all()
    assert np.array_equal(marked.state[:, ~chosen], state[:, ~chosen])
    assert np.array_equal(marked.relevant, labels.relevant)
    order = data.draw(st.permutations(range(n_labels)))
    assert np.array_equal(mark_unassigned(declared.select(order)).state, marked.state[:, order])
