"""A user's own models and sets: how they are named, checked, described and shown."""

from __future__ import annotations

import shutil

import numpy as np
import pytest
from click.testing import CliRunner
from papers.tests.cases import TOY

from halflabel.cli import main
from halflabel_papers.additions import describe_user_method
from halflabel_papers.archive import pack, unpack
from halflabel_papers.chain import Prediction
from halflabel_papers.execute import execute
from halflabel_papers.imports import import_object
from halflabel_papers.load import load_paper
from halflabel_papers.page.build import build_page
from halflabel_papers.page.model import Grid
from halflabel_papers.plan import plan_runs
from halflabel_papers.run import prepare
from halflabel_papers.sources import describe_user_set, load_data
from halflabel_papers.spec import SpecError
from halflabel_papers.store import Record, Store

MODEL = """
from sklearn.base import BaseEstimator
from sklearn.pipeline import make_pipeline
from sklearn.neighbors import KNeighborsClassifier
import numpy as np
import time

class Zero(BaseEstimator):
    threshold_rule = "always 0"
    learns_from_positives = True
    def fit(self, X, y):
        return self
    def predict(self, X):
        return np.zeros((len(X), 3))

class Gaps(Zero):
    learns_from_positives = False
    def predict(self, X):
        return np.full((len(X), 3), np.nan)

class Needs(Zero):
    def __init__(self, size):
        self.size = size

class Breaks(Zero):
    def fit(self, X, y):
        raise RuntimeError("no memory")

class Hangs(Zero):
    def fit(self, X, y):
        while True:
            try:
                sum(range(1000))
            except Exception:
                pass

class Waits(Zero):
    def fit(self, X, y):
        time.sleep(1.2)
        return super().fit(X, y)

line = make_pipeline(KNeighborsClassifier())
number = 3
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    target = tmp_path_factory.mktemp("own")
    (target / "own_models.py").write_text(MODEL)
    (target / "broken_model.py").write_text("import not_installed\n")
    (target / "wrong_model.py").write_text("1 / 0\n")
    (target / "json.py").write_text("class A: pass\n")
    return target


# -- import paths --------------------------------------------------------------------------


def test_a_file_and_a_module_of_the_current_folder_are_imported(folder, monkeypatch):
    monkeypatch.chdir(folder)
    kind = import_object("own_models.py:Zero")
    assert kind is import_object("own_models:Zero") is import_object(str(folder / "own_models.py:Zero"))


@pytest.mark.parametrize(
    ("path", "sentence"),
    [
        ("own_models.py", "is not an import path: write FILE.py:NAME"),
        ("own_models", "is not an import path"),
        ("none.py:A", "there is no file none.py"),
        ("own_models.py:None_", "has no 'None_'"),
        ("own_models.py:number", "it has no fit method"),
        ("own_models.py:Needs", "cannot be built: .*size"),
        ("broken_model.py:A", "there is no module 'not_installed'"),
        ("wrong_model.py:A", "it cannot be imported .ZeroDivisionError"),
        ("json.py:A", "another module of the name 'json': rename your file"),
        ("nowhere:Model", "no module 'nowhere'.*write FILE.py:NAME"),
    ],
)
def test_the_plan_rejects_a_model_with_a_sentence(folder, monkeypatch, path, sentence):
    monkeypatch.chdir(folder)
    with pytest.raises(SpecError, match=sentence):
        describe_user_method(path, ())


def test_attributes_name_the_rule_and_the_labels(folder):
    method = describe_user_method(str(folder / "own_models.py:Zero"), ())
    assert (method.name, method.natural, method.added) == ("Zero", "always 0", True)
    assert method.options == {"absent": "unknown"}
    assert describe_user_method("halflabel:LowRankVVMR", ()).options == {"absent": "unknown"}
    plain = describe_user_method("sklearn.linear_model:LinearRegression", ())
    assert (plain.natural, plain.options) == ("its predict method", {})


def test_an_estimator_that_is_no_class_is_copied(folder):
    work = prepare(TOY, "quick", add=[str(folder / "own_models.py:line")])
    (first, *_) = (execute(run, None) for run in work.runs if run.method == "line")
    assert first.failed == ""
    assert first.metrics


# -- what goes wrong in a run ----------------------------------------------------------------


def run_one(folder, name, limit=None):
    work = prepare(TOY, "quick", add=[str(folder / f"own_models.py:{name}")])
    return execute(next(run for run in work.runs if run.method == name), None, limit)


def test_an_error_names_the_line_of_the_users_file(folder):
    line = MODEL.splitlines().index('        raise RuntimeError("no memory")') + 1
    assert run_one(folder, "Breaks").failed == f"RuntimeError: no memory (own_models.py, line {line})"


def test_a_run_ends_at_its_limit_even_if_the_model_catches_errors(folder):
    assert "it took longer than the limit of 0.2 CPU seconds" in run_one(folder, "Hangs", 0.2).failed
    assert run_one(folder, "Zero", 60).failed == ""


def test_waiting_for_a_processor_is_no_time_of_a_run(folder):
    assert run_one(folder, "Waits", 1).failed == ""


def test_predictions_of_nan_are_counted(folder):
    assert run_one(folder, "Gaps").facts["missing_predictions"] == 63  # 21 items, 3 labels
    assert "missing_predictions" not in run_one(folder, "Zero").facts
    gaps = np.array([[np.nan, 1.0], [0.0, np.nan]])
    assert Prediction.of(np.zeros((2, 2)), gaps, None, (2, 2)).n_missing == 2


def test_the_command_names_method_set_and_run(folder, tmp_path):
    added = [part for name in ("Breaks", "Gaps") for part in ("--add", str(folder / f"own_models.py:{name}"))]
    line = ["reproduce", TOY, "--tier", "quick", *added, "-o", str(tmp_path / "out"), "--jobs", "1"]
    result = CliRunner().invoke(main, line, env={"HALFLABEL_DATA": None})
    assert result.exit_code == 0, result.output
    shown = " ".join(result.output.split())
    assert "2 runs of Breaks failed, the first on easy, trial 1 of table: RuntimeError: no memory" in shown
    assert "Gaps predicted NaN in 2 runs, the first on easy, trial 1 of table for 63 entries" in shown
    page = (tmp_path / "out" / "README.md").read_text()
    assert "2 runs of Breaks failed" in page
    assert "Gaps predicted NaN" in page


# -- sets --------------------------------------------------------------------------------------


def test_a_folder_keeps_its_own_split(public_data, tmp_path):
    if not (public_data / "birds").is_dir():
        pytest.skip(f"birds is not in {public_data}")
    shutil.copytree(public_data / "birds", tmp_path / "birds")
    spec = describe_user_set(tmp_path / "birds", ())
    assert spec.name == "your birds"
    assert "its own split: 322 and 323 items" in spec.source
    source = {"name": spec.name, "make": "", "settings": dict(spec.settings), "fetch": ""}
    parts = [load_data(source, None, part, np.random.default_rng(0)) for part in ("train", "test", "whole")]
    assert [len(part.Y) for part in parts] == [322, 323, 645]
    digests = spec.files
    assert any(name.endswith(".xml") for name in digests)
    half = shutil.copytree(tmp_path / "birds", tmp_path / "half", ignore=shutil.ignore_patterns("*-test*"))
    with pytest.raises(ValueError, match="there are 0 for the test part"):
        describe_user_set(half, ())


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    """A table of one's own, with a list of its labels."""
    path = tmp_path_factory.mktemp("data") / "mine.csv"
    rng = np.random.default_rng(0)
    rows = [[*rng.normal(size=4).round(2), *rng.integers(2, size=3)] for _ in range(40)]
    path.write_text("a,b,c,d,x,y,z\n" + "".join(",".join(map(str, row)) + "\n" for row in rows))
    return path, ("x", "y", "z")


def record_all(work, metric="micro_f1"):
    """Records of every run, with values that differ between methods and trials."""
    methods = list(work.paper.methods)
    made = dict.fromkeys(("halflabel", "numpy", "scipy", "scikit-learn"), "1")
    return [
        Record(
            str(i), run.experiment, run.set, run.method, run.grid, run.trial,
            {name: 0.5 + 0.01 * methods.index(run.method) + 0.001 * run.trial for name in run.metrics}, made=made,
        )
        for i, run in enumerate(work.runs)
    ]  # fmt: skip


def test_a_set_of_ones_own_has_the_table_the_grid_and_the_tests_of_the_papers_sets(mine):
    work = prepare("goldberg2010", "quick", data=[mine], add=["sklearn.linear_model:LinearRegression"])
    page = build_page(work, record_all(work))
    own = [section for section in page.sections if section.title == "The same on your mine"]
    assert len(own) == sum(experiment.open for experiment in work.paper.experiments)
    first = next(experiment for experiment in work.paper.experiments if experiment.key == "table4")
    section = own[[e.key for e in work.paper.experiments if e.open].index("table4")]
    captions = [block.caption for block in section.blocks if isinstance(block, Grid)]
    assert sum("mean and standard deviation" in caption for caption in captions) == len(first.metrics)
    assert any("under common threshold rules" in caption for caption in captions)
    assert any("paired t-test" in caption for caption in captions)
    rows = [name for name, _ in section.blocks[0].rows]
    assert rows == [f"your mine, omega = {omega}" for omega in first.grid["omega"]]
    closed = next(section for section in page.sections if section.title == "Without a bias")
    assert "Your models and sets are not part of it" in closed.blocks[0].text


def test_curves_are_drawn_on_a_set_of_ones_own(mine):
    work = prepare("qian2010", "quick", data=[mine])
    page = build_page(work, record_all(work))
    names = [block.name for section in page.sections for block in section.blocks if hasattr(block, "svg")]
    assert any(name.startswith("figure4-own-") for name in names)


@pytest.mark.parametrize(("labels", "right"), [(["x,y,z"], True), (["x,y,z", "x,y,z"], True), (["x"] * 3, False)])
def test_labels_are_for_each_set_or_for_all(mine, tmp_path, labels, right):
    other = tmp_path / "other.csv"
    shutil.copy(mine[0], other)
    line = ["reproduce", TOY, "--plan", "--data", mine[0], "--data", other]
    line += [part for each in labels for part in ("--labels", each)]
    result = CliRunner().invoke(main, list(map(str, line)), env={"HALFLABEL_DATA": None})
    assert (result.exit_code == 0) is right, result.output
    if not right:
        assert "there are 2 sets (--data) and 3 lists of names" in " ".join(result.output.split())


# -- pages from records ------------------------------------------------------------------------


def test_an_archive_holds_a_users_models_and_sets(folder, mine, tmp_path):
    work = prepare(TOY, "quick", add=[str(folder / "own_models.py:Zero")], data=[mine])
    records = work.run(Store(tmp_path / "records.jsonl"), n_jobs=1)
    content = pack(work, records)
    again, read = unpack(content)
    assert [record.to_line() for record in read] == [record.to_line() for record in records]
    assert build_page(again, read) == build_page(work, records)
    assert pack(again, read) == content


def test_plans_of_papers_with_added_models_run_each_of_them_once_per_split(folder):
    work = prepare(TOY, "quick", add=[str(folder / "own_models.py:Zero")])
    assert len(work.runs) == len(plan_runs(load_paper(TOY, "quick"))) + 2
