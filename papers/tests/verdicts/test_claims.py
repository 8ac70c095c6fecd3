"""Findings on claims: what is measured, what is missing, and what too few trials leave open."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from papers.tests.cases import check, experiment_of, make_record
from scipy import stats

from halflabel_papers.load import list_papers, load_paper
from halflabel_papers.page.counts import count_printed, describe_verdicts
from halflabel_papers.page.tables import tabulate_rules, tabulate_tests
from halflabel_papers.spec import Claim
from halflabel_papers.verdicts.claims import check_claim
from halflabel_papers.verdicts.comparisons import split_opposites
from halflabel_papers.verdicts.results import Finding, Measured, Results, Verdict, conclude, judge
from halflabel_papers.verdicts.significance import detect_difference


@pytest.fixture(scope="module")
def goldberg():
    return load_paper("goldberg2010")


@pytest.mark.parametrize(
    ("total", "failed", "weak", "missing", "finding"),
    [
        (3, 0, 0, 0, Finding.SUPPORTED),
        (3, 0, 0, 1, Finding.IN_PART),
        (3, 1, 0, 0, Finding.IN_PART),
        (3, 0, 1, 0, Finding.IN_PART),
        (3, 0, 3, 0, Finding.UNDERPOWERED),
        (3, 1, 2, 0, Finding.UNDERPOWERED),  # two results have the direction of the claim
        (3, 3, 0, 0, Finding.REFUTED),
        (3, 3, 0, 2, Finding.REFUTED),
        (0, 0, 0, 4, Finding.NOT_MEASURED),
    ],
)
def test_a_finding_follows_from_its_comparisons(total, failed, weak, missing, finding):
    result = conclude(total, ["a"] * failed, "it is so", weak=["b"] * weak, missing=missing)
    assert result.finding is finding
    assert ("more not measured" in result.evidence) == (missing > 0 and total > 0)


def record_table5(errors, trials=10, noise=0.0):
    rng = np.random.default_rng(0)
    return [
        make_record("table5", "yeast", name, trial, {"omega": 0.4}, hamming_loss=value + noise * rng.normal())
        for name, value in errors.items()
        for trial in range(trials)
    ]


@pytest.mark.parametrize("significant", [False, True])
def test_the_other_direction_without_significance_refutes_nothing(goldberg, significant):
    """The level is the same in both directions: a claim and its opposite are never both decided by chance."""
    asked = {"kind": "beats", "experiment": "table5", "method": "MC-b", "than": ["Oracle SVM"]}
    asked |= {"metrics": ["hamming_loss"], "significant": significant}
    noisy = record_table5({"MC-b": 0.22, "Oracle SVM": 0.2}, trials=4, noise=0.03)
    clear = record_table5({"MC-b": 0.41, "Oracle SVM": 0.2}, trials=4, noise=0.03)
    result = check(goldberg, noisy, **asked)
    assert result.finding is Finding.UNDERPOWERED
    assert "Against the claim, not significant: Oracle SVM" in result.evidence
    assert check(goldberg, clear, **asked).finding is Finding.REFUTED


GAINS = (0.05, -0.05)


def record_parts(axis, gains, methods=("SSDR-MC", "One iteration"), noise=0.005):
    """Records of two methods: the gain of the first depends on the set, or on the point of the grid."""
    rng = np.random.default_rng(0)
    by_part = dict(zip(("yeast", "scene") if axis == "set" else (0.025, 0.35), gains, strict=True))
    return [
        make_record("parts", data, name, trial, {"share": share}, micro_f1=0.5 + own * gain + noise * rng.normal())
        for data in ("yeast", "scene")
        for share in (0.025, 0.35)
        for gain in [by_part[data if axis == "set" else share]]
        for name, own in zip(methods, (1, 0), strict=True)
        for trial in range(4)
    ]


@pytest.mark.parametrize("significant", [False, True])
@pytest.mark.parametrize(("axis", "places"), [("set", ("on yeast", "on scene")),
                                              ("share", ("at share = 0.025", "at share = 0.35"))])  # fmt: skip
def test_parts_that_are_significant_in_opposite_directions_are_compared_one_by_one(axis, places, significant):
    qian = load_paper("qian2010", "default")
    asked = {"kind": "beats", "experiment": "parts", "method": "SSDR-MC", "than": ["One iteration"]}
    asked |= {"metrics": ["micro_f1"], "significant": significant}
    result = check(qian, record_parts(axis, GAINS), **asked)
    assert result.finding is Finding.IN_PART
    assert f"but not: One iteration in micro-F1 {places[1]} (p < .001)." in result.evidence
    assert f"{places[0]} +0.0" in result.evidence
    assert "16 runs" not in result.evidence  # no mean over both
    for gains, finding in (((0.05, 0.02), Finding.SUPPORTED), ((-0.05, -0.02), Finding.REFUTED)):
        pooled = check(qian, record_parts(axis, gains), **asked)
        assert pooled.finding is finding
        assert "of 16 runs" in pooled.evidence


@st.composite
def draw_differences(draw):
    """Three pairs at each of two to three sets and two to three points of a grid, some of which are significant."""
    n_sets, n_points = draw(st.integers(2, 3)), draw(st.integers(2, 3))
    means = [draw(st.sampled_from([-1.0, 0.0, 1.0])) for _ in range(n_sets * n_points)]
    index = pd.MultiIndex.from_product([["a", "b", "c"][:n_sets], range(n_points), range(3)])
    noise = np.tile([-0.1, 0.0, 0.1], len(means))
    return pd.Series(np.repeat(means, 3) + noise, index.set_names(["set", "grid x", "trial"]))


def has_opposites(difference):
    """Return whether sets, points, or sets at points, are significant in both directions (Bonferroni)."""
    for by in (["set"], ["grid x"], ["set", "grid x"]):
        parts = [part for _, part in difference.groupby(level=by)]
        low = {np.sign(part.mean()) for part in parts if stats.ttest_1samp(part, 0).pvalue * len(parts) < 0.05}
        if low >= {-1.0, 1.0}:
            return True
    return False


@given(draw_differences())
def test_no_part_joins_what_is_significant_in_opposite_directions(difference):
    parts = split_opposites(difference)
    assert parts or not has_opposites(difference)
    for _, part, _ in parts:
        assert not has_opposites(part)
    if parts:
        assert sum(len(part) for _, part, _ in parts) == len(difference)
        assert len({name for name, _, _ in parts}) == len(parts)


def test_opposite_directions_that_cancel_along_each_axis_are_named_by_set_and_point():
    signs = {("yeast", 0.025): 1, ("yeast", 0.35): -1, ("scene", 0.025): -1, ("scene", 0.35): 1}
    records = record_parts("share", (0.0, 0.0))
    gains = [0.1 * signs[r.set, r.grid["share"]] * (r.method == "SSDR-MC") for r in records]
    records = [replace(r, metrics={"micro_f1": r.metrics["micro_f1"] + g}) for r, g in zip(records, gains, strict=True)]
    asked = {"kind": "beats", "experiment": "parts", "method": "SSDR-MC", "than": ["One iteration"]}
    result = check(load_paper("qian2010", "default"), records, **asked, metrics=["micro_f1"], significant=True)
    assert result.finding is Finding.IN_PART
    for place in ("on scene at share = 0.025 (p < .001)", "on yeast at share = 0.35 (p < .001)"):
        assert place in result.evidence


def test_methods_are_alike_in_each_part_and_not_by_the_mean_of_opposite_ones():
    qian = load_paper("qian2010", "default")
    asked = {"kind": "alike", "experiment": "parts", "methods": ["SSDR-MC", "One iteration"], "metrics": ["micro_f1"]}
    assert check(qian, record_parts("share", GAINS), **asked, within=0.05).finding is Finding.REFUTED
    assert check(qian, record_parts("share", (0.01, 0.005)), **asked, within=0.05).finding is Finding.SUPPORTED


def test_two_sets_are_compared_at_each_point_of_the_grid():
    qian = load_paper("qian2010", "default")
    asked = {"kind": "lower_on", "experiment": "parts", "methods": ["SSDR-MC"], "metric": "micro_f1"}
    records = record_parts("share", (0.0, 0.0), noise=0.001)
    moved = {("yeast", 0.025): 0.3, ("yeast", 0.35): -0.3}
    records = [
        replace(r, metrics={"micro_f1": r.metrics["micro_f1"] - moved.get((r.set, r.grid["share"]), 0)})
        for r in records
    ]
    result = check(qian, records, **asked, pairs=[["yeast", "scene"]])
    assert result.finding is Finding.IN_PART
    assert "yeast at share = 0.35" in result.evidence


def test_points_are_listed_in_the_order_of_the_grid():
    """Not in the order of a set of texts, which another process has otherwise: equal records give an equal page."""
    qian, shares = load_paper("qian2010", "default"), (0.05, 0.1, 0.2, 0.35, 0.5)
    records = [
        make_record("figure4", data, "SSDR-MC", trial, {"share": share}, micro_f1=value + 0.01 * trial)
        for share in shares
        for data, value in (("yeast", 0.6), ("scene", 0.4))
        for trial in range(3)
    ]
    asked = {"kind": "lower_on", "experiment": "figure4", "methods": ["SSDR-MC"], "metric": "micro_f1"}
    evidence = check(qian, records, **asked, pairs=[["yeast", "scene"]]).evidence
    assert [float(share) for share in re.findall(r"at share = ([\d.]+),", evidence)] == list(shares)


def test_a_page_has_one_unit_of_pairs():
    """The table of tests and the claims pair the same runs, at the points of the grid."""
    qian = load_paper("qian2010", "default")
    records = record_parts("share", (0.004, 0.001))
    asked = {"kind": "beats", "experiment": "parts", "method": "SSDR-MC", "than": ["One iteration"]}
    result = check(qian, records, **asked, metrics=["micro_f1"])
    (grid,) = tabulate_tests(Results(qian, records), experiment_of(qian, "parts"))
    cell = dict(zip(grid.columns, dict(grid.rows)["micro-F1 ↑"], strict=True))["One iteration"]
    p = cell.detail.rpartition(", ")[2]
    assert f"of 16 runs, {p})" in result.evidence
    assert "over runs" in grid.caption
    split = record_parts("share", GAINS)
    (grid,) = tabulate_tests(Results(qian, split), experiment_of(qian, "parts"))
    cell = dict(zip(grid.columns, dict(grid.rows)["micro-F1 ↑"], strict=True))["One iteration"]
    assert "at share = 0.025" in cell.measured
    assert "at share = 0.35" in cell.measured


def test_many_parts_are_counted_in_a_table_of_tests():
    qian, shares = load_paper("qian2010", "default"), (0.05, 0.1, 0.2, 0.35, 0.5)
    rng = np.random.default_rng(0)
    records = [
        make_record("figure4", data, name, trial, {"share": x}, micro_f1=own * sign * (-1) ** i + rng.normal() / 100)
        for i, x in enumerate(shares)
        for data, sign in (("yeast", 1), ("scene", -1))
        for name, own in (("SSDR-MC", 0.3), ("ML-GFHF", 0.0))
        for trial in range(4)
    ]
    (grid,) = tabulate_tests(Results(qian, records), experiment_of(qian, "figure4"))
    cell = dict(zip(grid.columns, dict(grid.rows)["micro-F1 ↑"], strict=True))["ML-GFHF"]
    assert cell.measured == "of 10 parts 5 significantly above 0, 5 below"


@pytest.mark.parametrize(
    "asked",
    [
        {"kind": "ahead_on_sets", "methods": ["LEML"], "than": ["BR"], "metrics": ["micro_f1"]},
        {"kind": "each_ahead", "methods": ["LEML", "BR"], "metric": "micro_f1"},
        {"kind": "close_to_best", "method": "LEML", "than": ["BR"], "metric": "micro_f1", "at": {}, "within": 1.0},
    ],
)
def test_means_of_other_trials_are_not_compared(asked):
    """BR has two of the three trials: its mean over those is no mean of the same runs."""
    runs = [("LEML", 0), ("LEML", 1), ("LEML", 2), ("BR", 0), ("BR", 1)]
    records = [make_record("tables", "yeast", *run, micro_f1=0.5 + 0.01 * run[1]) for run in runs]
    assert check(load_paper("zhao2015"), records, **asked, experiment="tables").finding is Finding.NOT_MEASURED


def test_a_table_of_rules_has_no_mean_of_other_trials():
    zhao = load_paper("zhao2015")
    records = [make_record("tables", "yeast", *run, micro_f1=0.5) for run in (("LEML", 0), ("LEML", 1), ("BR", 0))]
    (rules,) = tabulate_rules(Results(zhao, records), experiment_of(zhao, "tables"), ["yeast"])
    assert [dict(rules.rows)[f"{name} (sign)"][0].measured for name in ("LEML", "BR")] == ["0.500 ± 0.000", "–"]


def test_half_a_sentence_supports_it_in_part():
    qian = load_paper("qian2010", "default")
    asked = {"kind": "beats", "experiment": "parts", "method": "SSDR-MC", "than": ["One iteration"]}
    claim = Claim("", "", {**asked, "metrics": ["micro_f1"]}, untested="The first half is not measured.")
    for gains, finding in (((0.05, 0.02), Finding.IN_PART), ((-0.05, -0.02), Finding.REFUTED)):
        result = check_claim(claim, Results(qian, record_parts("share", gains)))
        assert result.finding is finding
        assert "The first half is not measured." in result.evidence


def test_seconds_are_compared_with_every_rival():
    qian = load_paper("qian2010", "default")
    records = [
        make_record(table, "yeast", name, 0, {"share": 0.05}, {"fit": seconds}, micro_f1=0.5)
        for table, name, seconds in (("figure4", "SSDR-MC", 8.0), ("figure4", "ML-GFHF", 0.3),
                                     ("figure4-ranksvm", "SSDR-MC", 8.0), ("figure4-ranksvm", "RankSVM", 5.0))
    ]  # fmt: skip
    than = {"figure4-ranksvm": ["RankSVM"], "figure4": ["ML-GFHF"]}
    asked = {"kind": "as_fast", "experiment": "figure4", "method": "SSDR-MC"}
    result = check(qian, records, **asked, than=than, factor=2.0)
    assert result.finding is Finding.IN_PART
    assert "but not: ML-GFHF" in result.evidence
    assert "SSDR-MC 8 s, RankSVM 5 s (factor 1.6)" in result.evidence
    fast = check(qian, records, **asked, than={"figure4-ranksvm": ["RankSVM"]}, factor=2.0)
    assert fast.evidence.startswith("In 1 of 1 comparisons SSDR-MC needs at most 2 times the seconds.")


def test_the_ratio_of_entries_to_degrees_of_freedom_follows_from_the_settings(goldberg):
    result = check(goldberg, [], kind="entries_per_freedom", experiment="table1", name="omega")
    ratios = [o * n * 20 / (r * (n + 20 - r)) for o in (0.1, 0.2, 0.4) for n in (100, 400) for r in (2, 4)]
    below = 2 * sum(each < 1 for each in ratios)  # two levels of noise
    assert result.evidence.startswith(f"In {below} of 24 comparisons")


def test_a_bound_of_ours_states_where_the_finding_changes(goldberg):
    records = record_table5({"MC-b": 0.200, "MC-1": 0.206})
    asked = {"kind": "alike", "experiment": "table5", "methods": ["MC-b", "MC-1"], "metrics": ["hamming_loss"]}
    at = {"ats": [{"omega": 0.4}]}
    for within, finding in ((0.029, Finding.REFUTED), (0.03, Finding.SUPPORTED)):
        result = check(goldberg, records, **asked, **at, within=within)
        assert result.finding is finding
        assert "Any bound from 0.0296 supports the claim." in result.evidence
        assert "hamming" not in result.evidence
    assert "Any bound" not in check(goldberg, records, **asked, **at, within=1.0).evidence


def test_a_region_is_compared_with_the_rest_of_the_map():
    qian = load_paper("qian2010", "default")
    figure = experiment_of(qian, "figure3")
    box = {"along": "alpha", "box": [[0.05, 0.25], [0.2, 0.6]], "metrics": ["micro_f1", "n_alternations"]}

    def record_map(gain):
        inside = {(name, H) for name in ("alpha 0.05", "alpha 0.1", "alpha 0.25") for H in (0.2, 0.3, 0.4, 0.5, 0.6)}
        return [
            make_record("figure3", data, name, 0, {"H": H}, micro_f1=0.5 + gain * ((name, H) in inside) + i * 1e-4,
                        n_alternations=5.0 - 40 * gain * ((name, H) in inside) + i * 1e-4)
            for data in ("yeast", "scene")
            for i, (name, H) in enumerate((name, H) for name in figure.methods for H in figure.grid["H"])
        ]  # fmt: skip

    asked = {"kind": "box_against_rest", "experiment": "figure3", **box}
    assert check(qian, record_map(0.1), **asked).finding is Finding.SUPPORTED
    assert check(qian, record_map(-0.1), **asked).finding is Finding.REFUTED


def test_a_claim_about_both_methods_tests_both(goldberg):
    asked = {"kind": "beats", "experiment": "table5", "than": ["Oracle SVM"], "metrics": ["hamming_loss"]}
    records = record_table5({"MC-b": 0.1, "MC-1": 0.3, "Oracle SVM": 0.2})
    assert check(goldberg, records, **asked, method="MC-b").finding is Finding.SUPPORTED
    both = check(goldberg, records, **asked, method=["MC-b", "MC-1"])
    assert both.finding is Finding.IN_PART
    assert "MC-1 against Oracle SVM" in both.evidence
    without = [each for each in records if each.method != "MC-1"]
    assert "1 more not measured." in check(goldberg, without, **asked, method=["MC-b", "MC-1"]).evidence
    texts = {claim.text: claim.check for claim in goldberg.claims}
    assert texts["On yeast both MC methods significantly outperform the oracle"]["method"] == ["MC-b", "MC-1"]
    assert texts["MC-b and MC-1 are the best for feature imputation"]["method"] == ["MC-b", "MC-1"]


def test_the_same_direction_without_significance_is_underpowered(goldberg):
    asked = {"kind": "beats", "experiment": "table5", "than": ["Oracle SVM"], "metrics": ["hamming_loss"]}
    records = record_table5({"MC-b": 0.19, "Oracle SVM": 0.2}, trials=4, noise=0.03)
    values = np.array([[r.metrics["hamming_loss"] for r in records if r.method == m] for m in ("MC-b", "Oracle SVM")])
    assert values[0].mean() < values[1].mean()
    result = check(goldberg, records, **asked, method="MC-b", significant=True)
    assert result.finding is Finding.UNDERPOWERED
    spread = (values[0] - values[1]).std(ddof=1) / 2
    detected = spread * (stats.t.ppf(0.975, 3) + stats.t.ppf(0.8, 3))
    assert f"4 runs detect {detected:.2g}" in result.evidence
    assert check(goldberg, records, **asked, method="MC-b").finding is Finding.SUPPORTED  # the mean alone


def test_two_samples_state_what_they_detect(goldberg):
    rng = np.random.default_rng(1)
    asked = {"kind": "lower_on", "experiment": "table3", "methods": ["MC-b"], "metric": "hamming_loss"}
    records = [
        make_record("table3", name, "MC-b", trial, {"omega": 0.1}, hamming_loss=value + 0.05 * rng.normal())
        for name, value in (("10 tasks", 0.2), ("2 tasks", 0.22))
        for trial in range(5)
    ]
    pairs = [["10 tasks", "2 tasks"]]
    result = check(goldberg, records, **asked, pairs=pairs, significant=True)
    assert result.finding is Finding.UNDERPOWERED
    assert "5 and 5 trials detect" in result.evidence


def test_the_detected_difference_is_found_four_times_in_five():
    """Simulated: 10 pairs with that true difference."""
    rng = np.random.default_rng(0)
    shift = detect_difference(1 / np.sqrt(10), 9)
    p = stats.ttest_1samp(rng.normal(shift, 1, size=(4000, 10)), 0, axis=1).pvalue
    assert (p < 0.05).mean() == pytest.approx(0.8, abs=0.02)


def test_no_separation_needs_the_printed_number_of_trials(goldberg):
    asked = {"kind": "among_best", "experiment": "table5", "method": "MC-1", "than": ["MC-b"], "metric": "hamming_loss"}
    errors = {"MC-1": 0.200, "MC-b": 0.199}
    short = check(goldberg, record_table5(errors, 5, 0.01), **asked, ats=[{"omega": 0.4}])
    enough = check(goldberg, record_table5(errors, 10, 0.01), **asked, ats=[{"omega": 0.4}])
    if "Not separated" in short.evidence:
        assert short.finding is Finding.UNDERPOWERED
    assert enough.finding is Finding.SUPPORTED
    assert check(goldberg, record_table5(errors), **asked, ats=[{"omega": 0.4}]).finding is Finding.REFUTED


def test_close_to_the_best_and_averages_of_whole_tables(goldberg):
    asked = {"kind": "close_to_best", "experiment": "table5", "method": "MC-1", "than": ["MC-b"], "at": {"omega": 0.4}}
    records = record_table5({"MC-1": 0.21, "MC-b": 0.2})
    assert check(goldberg, records, **asked, metric="hamming_loss", within=0.015).finding is Finding.SUPPORTED
    assert check(goldberg, records, **asked, metric="hamming_loss", within=0.005).finding is Finding.REFUTED
    table = experiment_of(goldberg, "table5")
    printed = [cell for cell in table.published if (cell.method, cell.metric) == ("MC-1", "hamming_loss")]
    meta = {"kind": "meta_average", "experiment": "table5", "metric": "hamming_loss", "within": 0.5}
    cells = [
        make_record("table5", cell.set, "MC-1", 0, cell.at, hamming_loss=cell.value / 100 + 0.002) for cell in printed
    ]
    mean = sum(cell.value for cell in printed) / len(printed)
    assert check(goldberg, cells, **meta, printed={"MC-1": mean}).finding is Finding.SUPPORTED
    assert check(goldberg, cells, **meta, printed={"MC-1": mean + 1}).finding is Finding.REFUTED
    part = check(goldberg, cells[:2], **meta, printed={"MC-1": mean})
    assert part.finding is Finding.IN_PART
    assert "(2 of 3 cells)" in part.evidence


def test_printed_meta_averages_are_the_means_of_the_printed_cells(goldberg):
    table = experiment_of(goldberg, "table1")
    for claim in (each for each in goldberg.claims if each.check.get("kind") == "meta_average"):
        for method, value in claim.check["printed"].items():
            cells = [c.value for c in table.published if (c.method, c.metric) == (method, claim.check["metric"])]
            assert len(cells) == 24
            assert np.mean(cells) == pytest.approx(value, abs=0.051 if value > 2 else 0.0051)


def test_values_of_fewer_than_three_trials_have_no_verdict(goldberg):
    table = experiment_of(goldberg, "table5")
    cell = table.published[0]
    printed = cell.value * table.unit[cell.metric]
    assert judge(cell, Measured(printed, 0.001, 2), table) is Verdict.NOT_COMPARABLE
    assert judge(cell, Measured(printed, 0.001, 3), table) is Verdict.AGREES
    assert judge(cell, Measured(printed + 0.1, 0.001, 3), table).value == "differs, worse"
    assert judge(cell, Measured(printed - 0.1, 0.001, 3), table).value == "differs, better"


def test_a_printed_value_that_two_methods_measure_counts_once():
    zhang = load_paper("zhang2008")
    rank = experiment_of(zhang, "rank")
    assert len(rank.published) == 25  # two methods are compared with the row of PCA
    assert describe_verdicts(Results(zhang, []), rank) == "of 20 printed values, 20 not measured"


def test_a_printed_value_counts_once_over_all_tables():
    """Table 1 of Zhang & Zhou has 25 values, which the table at d = rank compares again."""
    zhang = load_paper("zhang2008")
    record = make_record("rank", "yahoo-arts", "MDDM at rank", 0, {"k": 10}, coverage=3.0)
    assert count_printed(Results(zhang, [record])).startswith("In all, 25 printed values, each counted once; 0 are")


def test_values_that_agree_under_another_rule_are_counted():
    zhao = load_paper("zhao2015")
    tables = experiment_of(zhao, "tables")
    cell = next(each for each in tables.published if each.method == "FastTag")
    values = {cell.metric: 0.0, f"{cell.metric}__balanced": cell.value}
    records = [make_record("tables", cell.set, "FastTag", trial, **values) for trial in range(3)]
    assert "under the nearest of all threshold rules 1 of 72 agree, under the own rule 0" in describe_verdicts(
        Results(zhao, records), tables
    )


@pytest.mark.parametrize(
    ("key", "text"), [("goldberg2010", "The same with the kernel"), ("zhao2015", "Label recovery is better than")]
)
def test_our_questions_are_counted_apart(key, text):
    ours = [claim.text for claim in load_paper(key).claims if claim.is_ours]
    assert sum(each.startswith(text) for each in ours) == 1
    assert any(not claim.is_ours for claim in load_paper(key).claims)


def test_ten_questions_of_ours_are_asked_at_most_and_each_page_opens_with_some_claims():
    papers = [load_paper(key) for key in list_papers()]
    assert 0 < sum(claim.is_ours for paper in papers for claim in paper.claims) <= 10
    assert all(4 <= sum(claim.main for claim in paper.claims) <= 8 for paper in papers)


@pytest.mark.parametrize("key", list_papers())
def test_every_claim_has_a_place_and_is_measured(key):
    claims = load_paper(key).claims
    assert all(claim.place and claim.check for claim in claims)
    assert len({(claim.text, claim.place) for claim in claims}) == len(claims)


def test_bounds_from_below_and_between_two_curves():
    zhao = load_paper("zhao2015")
    gaps = {"Algorithm 1": (-1.0, -2.0, -3.0, -5.0), "Algorithm 1, one penalty": (-1.05, -1.5, -2.0, -2.0)}
    records = [
        make_record("convergence", "yeast", name, 0, {"iterations": x}, log10_gap=y)
        for name, row in gaps.items()
        for x, y in zip((20, 60, 200, 600), row, strict=True)
    ]
    within = {"kind": "within", "experiment": "convergence", "metric": "log10_gap"}
    pair = {"first": "Algorithm 1", "second": "Algorithm 1, one penalty"}
    assert check(zhao, records, **within, **pair, bound=0.1).evidence.startswith("In 1 of 4 comparisons")
    assert check(zhao, records, **within, **pair, bound=3.1).finding is Finding.SUPPORTED
    at = {"kind": "below", "experiment": "convergence", "metric": "log10_gap", "methods": ["Algorithm 1"]}
    assert check(zhao, records, **at, at={"iterations": 600}, bound=-4.0).finding is Finding.SUPPORTED
    assert check(zhao, records, **at, at={"iterations": 200}, bound=-4.0).finding is Finding.REFUTED
    least = {
        "kind": "below",
        "reaches": True,
        "experiment": "convergence",
        "metric": "log10_gap",
        "methods": ["Algorithm 1"],
    }
    assert check(zhao, records, **least, bound=-2.75).finding is Finding.SUPPORTED
    assert check(zhao, records, **least, bound=-2.7).finding is Finding.REFUTED


def test_statistics_agree_with_print_or_differ():
    zhao = load_paper("zhao2015")
    asked = {"kind": "agrees_with_print", "experiment": "statistics"}
    right = make_record("statistics", "yeast", "Set", n_items=2417, n_features=103, n_labels=14, cardinality=4.237)
    wrong = make_record("statistics", "msrc", "Set", n_items=591, n_features=960, n_labels=23, cardinality=2.61)
    part = check(zhao, [right], **asked)
    assert part.finding is Finding.IN_PART
    assert part.evidence == "In 4 of 4 comparisons the printed value agrees. 20 more not measured."
    assert "cardinality of msrc (2.61, 2.51 printed)" in check(zhao, [right, wrong], **asked).evidence
    table = experiment_of(zhao, "statistics")
    cell = next(c for c in table.published if (c.set, c.metric) == ("msrc", "cardinality"))
    assert judge(cell, Measured(2.61, np.nan, 1), table).value == "differs"  # a statistic is not better or worse


def test_spreads_are_compared_with_printed_ones(goldberg):
    asked = {"kind": "spread_agrees", "experiment": "table5", "metrics": ["imputation_error"], "factor": 2.0}
    point = {"at": {"omega": 0.4}, "printed": {"MC-1": 0.0009, "FPC+SVM": 0.0011}}
    records = [
        make_record("table5", "yeast", name, trial, {"omega": 0.4}, imputation_error=0.8 + sd * (-1, 0, 1)[trial])
        for name, sd in (("MC-1", 0.001), ("FPC+SVM", 0.003))
        for trial in range(3)
    ]
    result = check(goldberg, records, **asked, **point)
    assert result.finding is Finding.IN_PART
    assert "FPC+SVM on yeast (0.003, 0.0011 printed)" in result.evidence
    assert check(goldberg, [], **asked, **point).finding is Finding.NOT_MEASURED
    zhang = load_paper("zhang2008")
    table = {"kind": "spread_agrees", "experiment": "table1", "metrics": ["one_error"], "factor": 1.2}
    values = np.array([-1.0, 0.0, 1.0]) * 0.135
    means = [make_record("table1", f"yahoo-{s}", "MDDM", one_error=0.4 + v) for s, v in zip("abc", values, strict=True)]
    assert check(zhang, means, **table).evidence.startswith("In 1 of 1 comparisons")


def test_a_margin_is_part_of_the_comparison():
    zhao = load_paper("zhao2015")
    asked = {"kind": "ahead_on_sets", "experiment": "tables", "methods": ["Proposed"], "than": ["BR"]}
    asked |= {"metrics": ["micro_f1"], "sets": ["msrc"]}
    records = [
        make_record("tables", "msrc", name, trial, micro_f1=value + 0.001 * trial * (name == "BR"))
        for name, value in (("Proposed", 0.55), ("BR", 0.5))
        for trial in range(4)
    ]
    assert check(zhao, records, **asked, margin=0.04).finding is Finding.SUPPORTED
    wide = check(zhao, records, **asked, margin=0.06)
    assert wide.finding is Finding.REFUTED  # the distance is .0485, and its spread small
    assert "by 0.06 or more, but not: Proposed on msrc, 0.550, BR 0.501" in wide.evidence


def test_strengths_over_each_other_need_a_set_for_each_direction():
    zhao = load_paper("zhao2015")
    asked = {"kind": "each_ahead", "experiment": "tables", "methods": ["LEML", "FastTag"], "metric": "micro_f1"}
    values = {"msrc": (0.5, 0.4), "yeast": (0.3, 0.6)}
    records = [
        make_record("tables", name, method, micro_f1=value)
        for name, pair in values.items()
        for method, value in zip(asked["methods"], pair, strict=True)
    ]
    part = check(zhao, records[:2], **asked)
    assert part.finding is Finding.IN_PART
    assert "FastTag against LEML" in part.evidence
    assert check(zhao, records, **asked).evidence.startswith("In 2 of 2 comparisons")
    assert check(zhao, [], **asked).finding is Finding.NOT_MEASURED
