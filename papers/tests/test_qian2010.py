"""Qian & Davidson (2010) as data: its methods run, its sets are its own, and every claim can fall."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from papers.tests.cases import check, experiment_of, make_record, make_small, plan_cells
from papers.tests.positives_models import Recording, make
from scipy import stats
from sklearn.metrics import f1_score

from halflabel import SSDRMC
from halflabel.datasets.benchmark import Dataset
from halflabel.labels import PartialLabels
from halflabel.labels.masking import hide_items
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.page.build import build_page
from halflabel_papers.page.model import Grid
from halflabel_papers.protocols import split, transduction
from halflabel_papers.run import prepare
from halflabel_papers.sources import _apply_settings, load_data
from halflabel_papers.verdicts.results import Finding
from halflabel_papers.verdicts.significance import format_p

SHARES = [0.05, 0.1, 0.2, 0.35, 0.5]


@pytest.fixture(scope="module")
def paper():
    return load_paper("qian2010")


# -- the description ---------------------------------------------------------------------


def test_full_is_the_printed_protocol_and_default_keeps_its_shares(paper):
    default = load_paper("qian2010", "default")
    for key, trials in (("figure4", 10), ("figure4-ranksvm", 3)):
        assert experiment_of(paper, key).trials == 50
        assert experiment_of(paper, key).grid["share"] == [round(0.025 * i, 3) for i in range(1, 21)]
        assert experiment_of(default, key).trials == trials
        assert experiment_of(default, key).grid["share"] == SHARES
    prepared = prepare("qian2010", "default")
    assert sum(prepared.estimate_seconds(prepared.runs)) < 2 * 40 * 60  # forty minutes on two cores
    quick = prepare("qian2010", "quick")
    assert sum(quick.estimate_seconds(quick.runs)) < 65


def test_methods_have_the_settings_of_the_text(paper):
    ours, rank, field = (paper.methods[name].steps[-1] for name in ("SSDR-MC", "RankSVM", "ML-GFHF"))
    assert all(step["as_published"] for step in (ours, rank, field))
    model = SSDRMC.as_published()
    assert (model.inference, model.n_neighbors, model.alpha, model.rule.threshold) == ("published", 15, 0.1, 0.3)
    alphas = {name: each.steps[0]["alpha"] for name, each in paper.methods.items() if name.startswith("alpha")}
    assert all(name == f"alpha {value:g}" for name, value in alphas.items())
    assert {run.options["observed"] for run in cells("figure3").values()} == {0.35}


def test_sets_are_those_of_the_text(public_data, paper):
    sizes = {}
    for name in ("yeast", "scene", "tmc2007-500"):
        if not (public_data / name).is_dir():
            pytest.skip(f"{name} is not in {public_data}")
        source = {"name": name, "make": "", "settings": dict(paper.sets[name].settings), "fetch": ""}
        data = load_data(source, public_data, "whole", np.random.default_rng(0))
        sizes[name] = (*data.X.shape, data.Y.shape[1], round(float(data.Y.relevant.sum(axis=1).mean()), 1))
    assert sizes == {"yeast": (2417, 103, 14, 4.2), "scene": (2407, 294, 6, 1.1), "tmc2007-500": (3000, 500, 22, 2.2)}


def test_a_sample_is_drawn_from_the_whole_set_with_its_labels():
    X = np.arange(20.0)[:, None] @ [[3.0, 4.0]] + 1e-3
    whole = Dataset("d", X, PartialLabels.from_table(np.arange(20)[:, None] % 2), ("a", "b"), "", "", "")
    asked = {"items": 8, "unit_length": True}
    samples = [_apply_settings(whole, asked, np.random.default_rng(seed)) for seed in (0, 0, 1)]
    assert [len(each.Y) for each in samples] == [8, 8, 8]
    assert np.array_equal(samples[0].X, samples[1].X)
    assert not np.array_equal(samples[0].X, samples[2].X)
    units = X / np.linalg.norm(X, axis=1, keepdims=True)
    for sample in samples:
        rows = [int(np.flatnonzero((np.abs(units - x) < 1e-12).all(axis=1))[0]) for x in sample.X]
        assert (sample.Y.relevant[:, 0] == (np.array(rows) % 2 == 1)).all()
    assert _apply_settings(whole, {}, np.random.default_rng(0)).X is whole.X


# -- what runs -----------------------------------------------------------------------------


def cells(key):
    """One run of every method of an experiment."""
    return plan_cells(load_paper("qian2010"), key)


def small(run):
    """The same run on a toy set, half of it labelled."""
    return make_small(run, observed=0.5)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("key", ["figure4", "figure4-ranksvm", "figure3", "parts", "figure2-drawn", "figure2"])
def test_every_method_gives_every_figure(key):
    for method, run in cells(key).items():
        record = execute(small(run), None)
        assert record.failed == "", method
        rules = run.options.get("rules", ())
        assert set(record.metrics) == {*run.metrics, *(f"micro_f1@{rule}" for rule in rules)}, method
        assert np.isfinite(list(record.metrics.values())).all(), method
        if key == "figure4" and method in ("SSDR-MC", "ML-GFHF"):
            assert (record.metrics["micro_f1"] == record.metrics["micro_f1@H"]) == (method == "SSDR-MC")


def recorded(**options):
    """A run of a method that keeps its input, with its own threshold of .3."""
    run = small(cells("figure4")["LR"])
    step = {"use": "papers.tests.positives_models:Recording", "decision": "fixed", "threshold": 0.3}
    return replace(run, steps=(step,), metrics=("micro_f1",), options={**run.options, **options})


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("H", "observed"), [(0.3, 0.5), (0.6, 0.8)])
def test_rules_on_scores_have_their_threshold(H, observed):
    run = recorded(rules=["H", "count"], H=H, observed=observed)
    found = transduction(run, None).metrics
    model, truth = Recording.last, make(np.random.default_rng(run.seed)).Y
    known = PartialLabels.from_table(model.seen_[1])
    scores, wanted = model.label_scores_[~known.observed], truth.relevant[~known.observed]
    assert found["micro_f1@H"] == pytest.approx(f1_score(wanted, scores >= H))
    assert (found["micro_f1@H"] == found["micro_f1"]) == (H == 0.3)
    count = round(known.relevant.sum() / known.observed.sum() * scores.size)
    top = np.zeros(scores.size, bool)
    top[np.argsort(-scores, kind="stable")[:count]] = True
    assert found["micro_f1@count"] == pytest.approx(f1_score(wanted, top))


@pytest.mark.filterwarnings("ignore")
def test_the_split_protocol_has_these_rules_too():
    run = recorded(rules=["H", "count"])
    found = split(replace(run, options={"rules": ["H", "count"]}, source={**run.source, "settings": {}}), None).metrics
    assert found["micro_f1@H"] == found["micro_f1"] != found["micro_f1@count"]


@pytest.mark.filterwarnings("ignore")
def test_measurements_of_a_graph_are_those_of_the_estimator():
    run = small(cells("parts")["SSDR-MC"])
    found = transduction(run, None).metrics
    rng = np.random.default_rng(run.seed)
    data = make(rng)
    model = SSDRMC.as_published().set_params(n_folds=2).fit(data.X, hide_items(data.Y, 0.5, rng))
    W = model.weights_.toarray()
    edges = np.count_nonzero(W)
    assert found["n_alternations"] == model.n_alternations_ > 1
    assert found["negative_weights"] == pytest.approx((W < 0).sum() / edges)
    assert found["strongly_negative_weights"] == pytest.approx((W < -0.1).sum() / edges)
    without = transduction(replace(run, steps=cells("figure4")["LR"].steps), None).metrics
    assert np.isnan([without["n_alternations"], without["negative_weights"]]).all()
    dropped = transduction(small(cells("parts")["No negative weights"]), None).metrics
    assert dropped["negative_weights"] == 0


# -- claims ----------------------------------------------------------------------------


def a_map(height, metric="micro_f1", sets=("yeast", "scene"), trials=1):
    """Records of figure 3 with a metric that is a function of alpha and H."""
    default = load_paper("qian2010", "default")
    figure = experiment_of(default, "figure3")
    alphas = {name: default.methods[name].steps[0]["alpha"] for name in figure.methods}
    return default, [
        make_record("figure3", data, name, trial, {"H": H}, **{metric: height(alpha, H) + 0.001 * trial})
        for data in sets
        for name, alpha in alphas.items()
        for H in figure.grid["H"]
        for trial in range(trials)
    ]


def test_in_box_looks_at_every_run_inside_and_none_outside():
    def steps(alpha, H):
        return 5 if 0.05 <= alpha <= 0.25 and 0.2 <= H <= 0.6 else 10

    default, records = a_map(steps, "n_alternations")
    asked = {"kind": "in_box", "experiment": "figure3", "metric": "n_alternations", "along": "alpha"}
    box = [[0.05, 0.25], [0.2, 0.6]]
    inside = check(default, records, **asked, box=box, low=4, high=8)
    assert inside.finding is Finding.SUPPORTED
    assert "In 30 of 30 comparisons" in inside.evidence  # two sets, three alphas, five thresholds
    assert "scene: 5 to 5, median 5" in inside.evidence
    assert check(default, records, **asked, box=[[0.05, 0.6], [0.2, 0.6]], high=8).finding is Finding.IN_PART
    assert check(default, records, **asked, box=box, low=6).finding is Finding.REFUTED
    assert check(default, [], **asked, box=box, low=6).finding is Finding.NOT_MEASURED
    odd = replace(records[-1], trial=1, method="alpha 0.1", grid={"H": 0.3}, metrics={"n_alternations": 9})
    one = check(default, [*records, odd], **asked, box=box, low=4, high=8)
    assert one.finding is Finding.IN_PART
    assert "alpha 0.1, H = 0.3 on scene" in one.evidence


def test_in_box_against_a_share_of_the_best():
    default, records = a_map(lambda alpha, H: 1 - abs(H - 0.4), sets=("scene",))
    asked = {"kind": "in_box", "experiment": "figure3", "metric": "micro_f1", "along": "alpha"}
    whole = check(default, records, **asked, box=[[0.0, 1], [0.2, 0.6]], of_best=0.79)
    assert whole.evidence.startswith("In 30 of 30 comparisons")
    assert whole.finding is Finding.IN_PART  # yeast is missing
    assert check(default, records, **asked, box=[[0.0, 1], [0.2, 0.6]], of_best=0.81).finding is Finding.IN_PART


def test_pooled_is_a_paired_test_over_all_runs():
    default = load_paper("qian2010", "default")
    rng = np.random.default_rng(0)
    gap = rng.normal(0.01, 0.02, size=(3, 5, 10))
    records = [
        make_record("figure4", data, method, trial, {"share": share}, micro_f1=0.5 + share + own * gap[i, j, trial])
        for i, data in enumerate(("yeast", "scene", "tmc2007-500"))
        for j, share in enumerate(SHARES)
        for trial in range(10)
        for method, own in (("SSDR-MC", 1), ("ML-GFHF", 0))
    ]
    t = gap.mean() / (gap.std(ddof=1) / np.sqrt(gap.size))
    p = 2 * stats.t.sf(abs(t), gap.size - 1)
    asked = {"kind": "beats", "experiment": "figure4", "metrics": ["micro_f1"], "significant": True}
    result = check(default, records, **asked, method="SSDR-MC", than=["ML-GFHF"], level=0.9877)
    assert result.finding is Finding.SUPPORTED
    assert f"{gap.mean():+.3g} ({(gap > 0).sum()} of 150 runs, {format_p(p)})" in result.evidence
    strict = check(default, records, **asked, method="SSDR-MC", than=["ML-GFHF"], level=1 - p / 2)
    assert strict.finding is Finding.UNDERPOWERED
    assert check(default, records, **asked, method="ML-GFHF", than=["SSDR-MC"], level=0.5).finding is Finding.REFUTED
    nothing = check(default, records, **asked, method="SSDR-MC", than=["LR"], level=0.5)
    assert nothing.finding is Finding.NOT_MEASURED


def test_claims_on_one_set_look_at_that_set_only():
    default = load_paper("qian2010", "default")
    heights = {"yeast": (0.6, 0.5), "scene": (0.4, 0.5)}
    records = [
        make_record(
            "figure4", data, method, 0, {"share": share}, {"fit": value}, micro_f1=value - share * (data == "scene")
        )
        for data, pair in heights.items()
        for method, value in zip(("SSDR-MC", "ML-GFHF"), pair, strict=True)
        for share in SHARES
    ]
    best = {"kind": "always_best", "method": "SSDR-MC", "than": ["ML-GFHF"], "metric": "micro_f1"}
    rises = {"kind": "falls_with", "rises": True, "methods": ["SSDR-MC"], "metric": "micro_f1", "name": "share"}
    falls = {**rises, "rises": False}
    for kind, set, finding in (
        (best, "yeast", Finding.SUPPORTED),
        (best, "scene", Finding.REFUTED),
        (best, "tmc2007-500", Finding.NOT_MEASURED),
    ):
        assert check(default, records, experiment="figure4", set=set, **kind).finding is finding
    assert check(default, records, experiment="figure4", **rises).finding is Finding.REFUTED  # yeast stands still
    assert check(default, records, experiment="figure4", **falls).finding is Finding.IN_PART


def test_a_comparison_of_sets_that_was_left_out_is_not_passed_over():
    default = load_paper("qian2010", "default")
    records = [
        make_record("figure4", data, "SSDR-MC", trial, {"share": SHARES[0]}, micro_f1=value + 0.01 * trial)
        for data, value in (("yeast", 0.4), ("scene", 0.6))
        for trial in range(3)
    ]
    asked = {"kind": "lower_on", "experiment": "figure4", "methods": ["SSDR-MC"], "metric": "micro_f1"}
    measured, left_out = ["yeast", "scene"], ["yeast", "tmc2007-500"]
    assert check(default, records, pairs=[measured], **asked).finding is Finding.SUPPORTED
    partly = check(default, records, pairs=[measured, left_out], **asked)
    assert partly.finding is Finding.IN_PART
    assert partly.evidence.endswith("1 more not measured.")
    assert check(default, records, pairs=[left_out], **asked).finding is Finding.NOT_MEASURED


def test_a_figure_is_drawn_for_each_set():
    prepared = prepare("qian2010", "default")
    values = {"micro_f1": 0.5, "micro_f1__H": 0.4}
    records = [
        make_record("figure4", data, "SSDR-MC", 0, {"share": share}, **values)
        for data in ("yeast", "scene")
        for share in SHARES
    ]
    figure = replace(prepared.paper.experiments[0], curves=("micro_f1", "micro_f1@H"))
    only = replace(prepared, paper=replace(prepared.paper, experiments=(figure,), claims=()))
    made = dict.fromkeys(("halflabel", "numpy", "scipy", "scikit-learn"), "1")
    page = build_page(only, [replace(each, made=made) for each in records])
    section = next(each for each in page.sections if each.title.startswith("Figure 4: "))
    names = [block.name for block in section.blocks if hasattr(block, "svg")]
    assert names == [f"figure4-{data}-micro_f1{rule}" for rule in ("", "-H") for data in ("yeast", "scene")]
    captions = [block.caption for block in section.blocks if isinstance(block, Grid)]
    assert captions[0] == "micro-F1 ↑ by share on yeast"
    assert len(captions) == 6  # tmc2007-500 has no line, but a table without values
