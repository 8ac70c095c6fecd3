"""Zhao & Guo (2015) as data: numbers are in the cells of the print, methods run, claims can fail."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.cases import check, experiment_of, make_record, make_small, plan_cells

from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.page.plots import draw_curve
from halflabel_papers.page.tables import tabulate_rules
from halflabel_papers.plan import plan_runs
from halflabel_papers.run import prepare
from halflabel_papers.sources import load_data
from halflabel_papers.verdicts.results import Finding, Results, format_metric

METHODS = ["Proposed", "MLR-GL", "FastTag", "LEML", "BR", "BR-C"]


@pytest.fixture(scope="module")
def paper():
    return load_paper("zhao2015")


# -- what is printed -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "by_method", "spreads", "by_set"),
    [
        ("micro_f1", (3043, 2561, 2643, 2455, 2198, 2699), 244, (1259, 2906, 2080, 3017, 2879, 3458)),
        ("macro_f1", (1922, 1806, 1662, 1481, 1447, 1870), 220, (918, 2420, 1159, 1422, 1981, 2288)),
    ],
)
def test_sums_of_the_printed_tables(paper, metric, by_method, spreads, by_set):
    """Sums of columns and rows, in thousandths: a digit in the wrong place or cell moves two of them."""
    tables = experiment_of(paper, "tables")
    cells = [cell for cell in tables.published if cell.metric == metric]
    assert len(cells) == 36
    thousandths = {(cell.set, cell.method): round(1000 * cell.value) for cell in cells}
    assert tuple(sum(v for (_, m), v in thousandths.items() if m == name) for name in METHODS) == by_method
    assert tuple(sum(v for (s, _), v in thousandths.items() if s == name) for name in tables.sets) == by_set
    assert round(1000 * sum(cell.sd for cell in cells)) == spreads


def test_sets_are_those_of_table_1(public_data, paper):
    sizes = {}
    for name in ("corel5k", "msrc", "tmc2007-500", "yeast"):
        if not (public_data / name).is_dir():
            pytest.skip(f"{name} is not in {public_data}")
        spec = paper.sets[name]
        source = {"name": name, "make": "", "settings": dict(spec.settings), "fetch": ""}
        data = load_data(source, public_data, "whole", np.random.default_rng(0))
        sizes[name] = (*data.X.shape, data.Y.shape[1], round(float(data.Y.relevant.sum(axis=1).mean()), 2))
    assert sizes == {
        "corel5k": (4609, 499, 30, 2.07),
        "msrc": (591, 960, 23, 2.61),  # printed: 2.51, from other segmentations
        "tmc2007-500": (28596, 500, 22, 2.16),
        "yeast": (2417, 103, 14, 4.24),
    }


# -- what runs -----------------------------------------------------------------------


def cells(key, tier):
    """One run of every method of an experiment."""
    return plan_cells(load_paper("zhao2015", tier), key)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "method",
    [
        *METHODS,
        "Kernel ridge",
        "Knee",
    ],
)
def test_every_method_of_the_quick_tier_gives_every_figure(method):
    run = make_small(cells("tables", "quick")[method])
    record = execute(run, None)
    assert record.failed == ""
    rules = ("", "@micro_f1", "@balanced")
    assert set(record.metrics) == {f"{m}_f1{r}" for m in ("micro", "macro") for r in rules} | {"macro_auc", "ece"}
    assert all(np.isfinite(value) for value in record.metrics.values())


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ["parts", "figure2b"])
def test_the_other_experiments_run_too(key):
    for method, run in cells(key, "full").items():
        record = execute(make_small(run), None)
        assert record.failed == "", method
        assert np.isfinite(list(record.metrics.values())).all()


def test_br_c_alone_sees_what_others_do_not(paper):
    options = {run.method: run.options for run in plan_runs(paper) if run.experiment == "tables"}
    assert {name for name, each in options.items() if each["hidden"] == 0} == {"BR-C"}
    assert {name for name, each in options.items() if each.get("absent") == "unknown"} == {
        *("Proposed", "MLR-GL", "FastTag", "LEML", "Knee", "EPR", "ROLE"),
    }
    fractions = {run.options["hidden"] for run in plan_runs(paper) if run.experiment.startswith("figure1")}
    assert fractions == {0.1, 0.2, 0.3, 0.4, 0.5}


def test_sets_without_a_public_source_must_be_supplied(tmp_path):
    work = prepare("zhao2015", "full", folder=tmp_path)
    assert "put mirflickr.arff, mirflickr.xml into" in work.sets["mirflickr"].advice
    assert not work.sets["mediamill"].usable


# -- claims --------------------------------------------------------------------------


def test_ahead_on_sets_counts_sets_that_were_measured(paper):
    heights = {"corel5k": (0.2, 0.1), "msrc": (0.5, 0.6), "yeast": (0.6, 0.4)}
    records = [
        make_record("tables", name, method, trial, micro_f1=value + 0.01 * trial)
        for name, pair in heights.items()
        for method, value in zip(("LEML", "BR"), pair, strict=True)
        for trial in (0, 1)
    ]
    asked = {
        "kind": "ahead_on_sets",
        "experiment": "tables",
        "methods": ["LEML"],
        "than": ["BR"],
        "metrics": ["micro_f1"],
    }
    result = check(paper, records, **asked)
    assert result.finding is Finding.IN_PART
    assert "2 of 3" in result.evidence
    assert "LEML on msrc, 0.505, BR 0.605 (p < .001)" in result.evidence
    assert check(paper, records, **asked, sets=["yeast", "corel5k"]).finding is Finding.SUPPORTED
    missing = check(paper, records, **asked, sets=["yeast", "mirflickr"])
    assert missing.finding is Finding.IN_PART  # a set that is not here is not passed over
    assert missing.evidence.endswith("1 more not measured.")
    assert check(paper, records, **asked, sets=["msrc"]).finding is Finding.REFUTED
    assert check(paper, records, **asked, sets=["msrc"], rank=2).finding is Finding.SUPPORTED
    assert check(paper, records, **asked, sets=["yeast"], rank=2).finding is Finding.REFUTED
    assert check(paper, records, **asked, sets=["mirflickr"], rank=2).finding is Finding.NOT_MEASURED
    assert check(paper, [], **asked).finding is Finding.NOT_MEASURED
    ruled = [replace(each, metrics={**each.metrics, "micro_f1@balanced": 1.0}) for each in records]
    both = check(paper, ruled, **{**asked, "metrics": ["micro_f1", "micro_f1@balanced"]}, sets=["yeast"])
    assert "LEML on yeast in micro-F1 (balanced rule), 1.000, BR 1.000" in both.evidence


def test_moves_looks_at_the_axis_up_to_a_point(paper):
    values = {1e-7: 0.50, 1e-6: 0.52, 1e-5: 0.51, 1e-4: 0.30, 1e-3: 0.1}
    records = [make_record("figure2a", "msrc", "Width 1", grid={"gamma_A": x}, micro_f1=y) for x, y in values.items()]
    asked = {"kind": "moves", "experiment": "figure2a", "methods": ["Width 1"], "metric": "micro_f1"}
    assert check(paper, records, **asked, up_to=1e-5, at_most=0.03).finding is Finding.SUPPORTED
    assert check(paper, records, **asked, up_to=1e-5, at_most=0.01).finding is Finding.REFUTED
    assert check(paper, records, **asked, at_most=0.03).finding is Finding.REFUTED
    assert check(paper, records, **asked, at_least=0.3).finding is Finding.SUPPORTED
    assert "Width 1 0.420" in check(paper, records, **asked, at_least=0.3).evidence
    assert check(paper, [], **asked, at_least=0.3).finding is Finding.NOT_MEASURED


def test_always_best_compares_with_those_named_up_to_a_point(paper):
    heights = {"Proposed": (0.6, 0.5, 0.3), "BR": (0.5, 0.4, 0.4), "Kernel ridge": (0.7, 0.7, 0.7)}
    records = [
        make_record("figure1-msrc", "msrc", method, grid={"missing": x}, micro_f1=y)
        for method, row in heights.items()
        for x, y in zip((0.3, 0.4, 0.5), row, strict=True)
    ]
    lower = [replace(each, grid={"missing": x}) for each in records[::3] for x in (0.1, 0.2)]
    asked = {"kind": "always_best", "experiment": "figure1-msrc", "method": "Proposed", "metric": "micro_f1"}
    partly = check(paper, records, **asked, than=["BR"], up_to=0.4)
    assert partly.finding is Finding.IN_PART
    assert partly.evidence == "In 2 of 2 comparisons Proposed is the best. 2 more not measured."  # at .1 and .2
    assert check(paper, [*records, *lower], **asked, than=["BR"], up_to=0.4).finding is Finding.SUPPORTED
    assert check(paper, records, **asked, than=["BR"]).finding is Finding.IN_PART
    assert check(paper, records, **asked).finding is Finding.REFUTED
    ruled = [replace(r, metrics={**r.metrics, "micro_f1@balanced": float(r.method == "BR")}) for r in records]
    both = check(paper, ruled, **{**asked, "metric": ["micro_f1", "micro_f1@balanced"]}, than=["BR"])
    assert both.evidence.startswith("In 2 of 6 comparisons Proposed is the best, but not: missing = 0.5 in micro-F1, ")
    assert "missing = 0.3 in micro-F1 (balanced rule)" in both.evidence


def test_rules_stand_set_by_set_and_curves_on_a_logarithmic_axis(paper):
    values = {"micro_f1": 0.5, "micro_f1__balanced": 0.6}
    records = [make_record("tables", name, "BR", **values) for name in ("msrc", "yeast")]
    results = Results(paper, records)
    captions = [grid.caption for grid in tabulate_rules(results, experiment_of(paper, "tables"), ["msrc", "yeast"])]
    assert captions == [f"micro-F1 ↑ under common threshold rules on {name}" for name in ("msrc", "yeast")]
    points = [
        make_record("figure2c", "msrc", "Width 1", grid={"mu": x}, micro_f1__count=y)
        for x, y in ((1e-4, 0.4), (1e-2, 0.5))
    ]
    (figure,) = draw_curve(Results(paper, points), experiment_of(paper, "figure2c"), "micro_f1@count")
    assert figure.name == "figure2c-micro_f1-count"
    assert "log10 mu" in figure.svg
    assert "against log10 mu" in figure.alt


@pytest.mark.parametrize(
    ("metric", "words"),
    [("micro_f1@count", "micro-F1 (count rule)"), ("macro_auc", "macro-AUC"), ("ece", "ECE")],
)
def test_names_of_metrics_under_rules(metric, words):
    assert format_metric(metric) == words
