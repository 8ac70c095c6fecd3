"""The harness on a toy paper: plans, records, resumption, claims, verdicts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from papers.tests.cases import TOY

from halflabel_papers.chain import Prediction
from halflabel_papers.execute import execute
from halflabel_papers.load import load_paper
from halflabel_papers.page.tables import tabulate_metrics
from halflabel_papers.plan import list_paths, plan_runs
from halflabel_papers.run import prepare
from halflabel_papers.spec import Claim, PrintedCell, SpecError
from halflabel_papers.store import Record, Store
from halflabel_papers.verdicts.claims import check_claim
from halflabel_papers.verdicts.results import Finding, Measured, Results, Verdict, judge


@pytest.fixture(scope="module")
def toy(tmp_path_factory):
    work = prepare(TOY, "full")
    return work, work.run(Store(tmp_path_factory.mktemp("toy") / "records.jsonl"), n_jobs=1)


# -- runs and records ----------------------------------------------------------------


def test_all_methods_of_a_trial_see_the_same_draw_and_trials_differ():
    runs = [run for run in plan_runs(load_paper(TOY)) if run.experiment == "table" and run.set == "easy"]
    seeds = {run.trial: {other.seed for other in runs if other.trial == run.trial} for run in runs}
    assert all(len(each) == 1 for each in seeds.values())
    assert len(set.union(*seeds.values())) == 3


def test_the_same_run_gives_the_same_record():
    run = plan_runs(load_paper(TOY))[0]
    assert execute(run, None).deterministic == execute(run, None).deterministic


def test_keys_differ_wherever_a_run_does_and_follow_the_data(tmp_path):
    runs = plan_runs(load_paper(TOY))
    assert len({run.key for run in runs}) == len(runs)
    text = Path(TOY).read_text()
    (tmp_path / "other.toml").write_text(text.replace('"away.arff" = "00"', '"away.arff" = "01"'))
    others = plan_runs(load_paper(str(tmp_path / "other.toml")))
    changed = [a.set for a, b in zip(runs, others, strict=True) if a.key != b.key]
    assert set(changed) == {"away"}


def test_same_as_takes_what_another_method_found(toy):
    _, records = toy
    poor = [r for r in records if r.method == "poor" and r.set == "easy"]
    reduced = [r for r in records if r.method == "reduced" and r.grid == {"keep": 2}]
    assert all(r.metrics for r in [*poor, *reduced])
    assert {r.facts["n_components"] for r in reduced} == {2}


def test_a_failing_method_fails_alone():
    work = prepare(TOY, "quick", add=["papers.tests.toy_models:Breaks"])
    by_method = {run.method: execute(run, None) for run in work.runs}
    assert by_method["Breaks"].failed == "RuntimeError: nothing works"
    assert by_method["good"].metrics


def test_records_survive_json(toy):
    for record in toy[1]:
        assert Record.from_line(record.to_line()).deterministic == record.deterministic
    odd = Record("k", "e", "s", "m", {}, 0, metrics={"a": float("nan"), "b": float("inf")})
    assert np.isnan([*Record.from_line(odd.to_line()).metrics.values()]).all()


def test_sets_that_are_away_are_skipped_with_the_way_to_get_them(toy):
    away = [record for record in toy[1] if record.set == "away"]
    assert len(away) == 9
    assert all("away.arff" in record.skipped and "a shelf" in record.skipped for record in away)


def test_an_incomplete_line_is_ignored_and_an_invalid_one_named(tmp_path):
    store = Store(tmp_path / "records.jsonl")
    first, second = (execute(run, None) for run in plan_runs(load_paper(TOY))[:2])
    store.append(first)
    with store.path.open("a") as file:
        file.write(second.to_line()[:100])
    assert list(store.read()) == [first.key]
    store.append(second)
    assert list(store.read()) == [first.key, second.key]
    store.path.write_text("{}\n" + first.to_line() + "\n")
    with pytest.raises(ValueError, match="not the journal of a reproduction: name another file"):
        store.read()


def test_a_deleted_record_is_named(tmp_path):
    store = Store(tmp_path / "records.jsonl")
    for run in plan_runs(load_paper(TOY))[:3]:
        store.append(execute(run, None))
    lines = store.path.read_text().splitlines(keepends=True)
    store.path.write_text("".join([lines[0], lines[2]]))  # an unwelcome outcome, deleted
    with pytest.raises(ValueError, match="line 2: its digest does not follow"):
        store.read()


def test_killed_runs_resume_to_the_same_records(tmp_path, toy):
    """SIGKILL after the first records; the second start does the rest, and nothing differs from an undisturbed run."""
    command = [sys.executable, "-m", "papers.tests.run_toy", TOY, str(tmp_path)]
    path = tmp_path / "records.jsonl"
    process = subprocess.Popen(command, start_new_session=True, cwd=Path(__file__).parents[2])
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and (not path.exists() or path.read_text().count("\n") < 3):
        time.sleep(0.005)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    survived = path.read_text().count("\n")
    assert 3 <= survived < 26, "the process was not killed in the middle"
    done = {json.loads(line)["key"]: json.loads(line)["made"] for line in path.read_text().splitlines()[1:survived]}
    prepare(TOY, "full").run(Store(path), n_jobs=1)
    resumed = Store(path).read()
    undisturbed = [record for record in toy[1] if not record.skipped]
    assert [record.deterministic for record in resumed.values()] == [record.deterministic for record in undisturbed]
    assert {key: resumed[key].made for key in done} == done, "a finished run was repeated"


# -- verdicts ----------------------------------------------------------------------------


def test_claims_are_found_true_and_false(toy):
    work, records = toy
    results = Results(work.paper, records)
    assert [check_claim(claim, results).finding for claim in work.paper.claims] == [Finding.IN_PART, Finding.REFUTED]


@pytest.mark.parametrize(
    ("metric", "printed", "measured", "verdict"),
    [
        ("hamming_loss", 3.0, 0.8, Verdict.AGREES),  # printed in units of .1, tolerance .5
        ("hamming_loss", 3.0, 0.81, Verdict.WORSE),
        ("average_precision", 0.5, 0.6, Verdict.BETTER),
        ("average_precision", 0.5, 0.4, Verdict.WORSE),
        ("average_precision", 0.5, float("nan"), Verdict.NOT_MEASURED),
    ],
)
def test_verdicts_follow_tolerance_and_direction(metric, printed, measured, verdict):
    experiment = load_paper(TOY).experiments[0]
    assert judge(PrintedCell("good", metric, printed), Measured(measured, 0.0, 3), experiment) is verdict


def test_a_mean_over_fewer_sets_than_printed_is_not_compared():
    experiment = replace(load_paper(TOY).experiments[0], average="set")
    cell = PrintedCell("good", "average_precision", 0.5)
    assert judge(cell, Measured(0.5, 0.0, 2), experiment) is Verdict.NOT_COMPARABLE
    assert judge(cell, Measured(0.5, 0.0, 3), experiment) is Verdict.AGREES


def test_a_users_transformer_gets_the_papers_classifier_and_joins_open_tables_only():
    work = prepare(TOY, "full", add=["papers.tests.toy_models:FirstTwo"])
    own = [run for run in work.runs if run.method == "FirstTwo"]
    assert {run.experiment for run in own} == {"table"}
    assert [step["use"].rpartition(":")[2] for step in own[0].steps] == ["FirstTwo", "Linear"]


def test_a_users_file_joins_the_tables_but_not_the_means(tmp_path):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 4))
    rows = np.column_stack([X, X[:, :3] > 0])
    path = tmp_path / "mine.csv"
    np.savetxt(path, rows, delimiter=",", header="a,b,c,d,x,y,z", comments="", fmt="%.6g")
    work = prepare(TOY, "quick", data=[(path, ("x", "y", "z"))])
    records = work.run(Store(tmp_path / "r.jsonl"), n_jobs=1)
    results = Results(work.paper, records)
    experiment = work.paper.experiments[0]
    assert results.average(experiment, "hamming_loss", "good", set="your mine").n == 2
    assert results.average(experiment, "hamming_loss", "good").n == 2  # the trials on "easy"


# -- cases from a review ----------------------------------------------------------------


def test_a_set_that_is_brought_later_is_run(tmp_path):
    """A skipped run is no record: it starts as soon as its set is there."""
    store = Store(tmp_path / "records.jsonl")
    work = prepare(TOY, "full")
    assert len(work.run(store, n_jobs=1)) == 35
    assert {record.set for record in store.read().values()} == {"easy", "hard"}
    there = replace(work, sets={**work.sets, "away": work.sets["easy"]})
    assert [run.set for run in there.list_open_runs(store)] == ["away"] * 9


def test_another_line_on_the_same_folder_keeps_the_records(tmp_path):
    store = Store(tmp_path / "records.jsonl")
    prepare(TOY, "quick", add=["papers.tests.toy_models:FirstTwo"]).run(store, n_jobs=1)
    before = store.read()
    prepare(TOY, "quick").run(store, n_jobs=1)
    assert store.read().keys() == before.keys()


def test_two_processes_do_not_share_a_folder(tmp_path):
    store = Store(tmp_path / "records.jsonl")
    with store.lock(), pytest.raises(ValueError, match="another process writes records here"):
        prepare(TOY, "quick").run(Store(tmp_path / "records.jsonl"), n_jobs=1)


def test_claims_without_figures_are_not_measured(toy):
    work, _ = toy
    results = Results(work.paper, [])
    curve = {"experiment": "curve", "method": "good", "metric": "hamming_loss"}
    asked = [
        {"kind": "any_beats_best", **curve},
        {"kind": "always_best", **curve},
        {"kind": "alike", "experiment": "table", "methods": ["good", "poor"], "metrics": ["hamming_loss"], "within": 1},
        {"kind": "as_fast", "experiment": "table", "method": "good", "than": {"table": ["poor"]}, "factor": 2},
        {"kind": "below", "experiment": "table", "methods": ["good"], "metric": "hamming_loss", "bound": 1},
    ]
    assert {check_claim(Claim("", "", each), results).finding for each in asked} == {Finding.NOT_MEASURED}


def test_means_of_different_trials_stand_in_no_row(toy):
    work, records = toy
    experiment = work.paper.experiments[0]
    broken = [replace(r, metrics={}, failed="too hard") if r.method == "good" and r.trial == 0 else r for r in records]
    row = dict(tabulate_metrics(Results(work.paper, broken), experiment).rows)["average precision ↑"]
    assert row[0].why == "measured on 4 of 6"
    assert row[0].measured == "–"
    assert not row[0].best
    assert all(cell.measured != "–" for cell in row[1:])
    curve = work.paper.experiments[1]
    broken = [replace(r, metrics={}) if r.method == "good" and r.set == "easy" else r for r in records]
    means = Results(work.paper, broken).compare_means(curve, "hamming_loss", at={"keep": 1})
    assert np.isnan(means["good"].mean)
    assert means["reduced"].n == 2 * curve.trials


@pytest.mark.parametrize(
    ("add", "sentence"),
    [
        (["papers.tests.toy_models:Chance"] * 2, "two methods of the name 'Chance'"),
        (["papers.tests.toy_models:Linear", "sklearn.linear_model:Ridge"], None),
    ],
)
def test_two_models_of_one_name_raise(add, sentence):
    if sentence is None:
        assert len(prepare(TOY, "quick", add=add).runs) == 5 * 2
        return
    with pytest.raises(SpecError, match=sentence):
        prepare(TOY, "quick", add=add)


def test_answers_come_in_scikit_learns_forms():
    both = [np.array([[0.9, 0.1], [0.2, 0.8]]), np.ones((2, 1))]
    table = Prediction.of(np.zeros((2, 2)), None, both, (2, 2), [np.array([0, 1]), np.array([1])]).probabilities
    assert np.array_equal(table, [[0.1, 1.0], [0.8, 1.0]])
    assert np.array_equal(
        Prediction.of(np.zeros(2), None, np.array([[0.9, 0.1], [0.2, 0.8]]), (2, 1)).scores, [[0.1], [0.8]]
    )
    with pytest.raises(ValueError, match="a row per item and a column per label"):
        Prediction.of(np.zeros((2, 3)), None, None, (3, 2))


def test_the_key_follows_nested_estimators_and_the_label_file(tmp_path):
    run = plan_runs(load_paper(TOY))[0]
    nested = replace(run, steps=({"use": "sklearn.pipeline:Pipeline", "inner": {"use": "numpy:array"}},))
    assert set(list_paths((nested.steps, nested.source))) == {
        "sklearn.pipeline:Pipeline", "numpy:array", "papers.tests.toy_models:make"
    }  # fmt: skip
    assert nested.key != run.key
