"""The key of a run: it changes with every module that the run imports, and with no other."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

import halflabel
from halflabel_papers import fingerprint
from halflabel_papers.fingerprint import OF_TABLES, START, WITHOUT_EFFECT, digest_source, list_imported
from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs

ROOTS = Path(halflabel.__file__).parents[1], Path(fingerprint.__file__).parents[1]


def list_modules(folder: str) -> set[str]:
    paths = [path for root in ROOTS for path in (root / folder).glob("[!_]*.py")]
    assert paths
    return {f"{folder.replace('/', '.')}.{path.stem}" for path in paths}


def list_code(*modules: str) -> set[str]:
    """The modules of this package behind a run of these estimators."""
    return list_imported((*START, *modules), WITHOUT_EFFECT + OF_TABLES)


def test_a_run_depends_on_what_loads_fits_and_measures():
    code = list_code("halflabel.methods.vvmr.lowrank")
    runs = {"chain", "execute", "maps", "protocols", "scoring", "sources"}
    assert {f"halflabel_papers.{name}" for name in runs} <= code
    assert {
        "halflabel.numerics.solvers.low_rank_plus_sparse",
        "halflabel.labels.metrics",
        "halflabel.numerics.kernels",
    } <= code
    assert {"halflabel_papers.sets.mulan", "halflabel.methods.base", "halflabel.labels.calibration"} <= code


def test_a_run_does_not_depend_on_other_methods_pages_or_commands():
    code = list_code("halflabel.methods.mddm.estimator", "halflabel.methods.baselines.mlknn")
    for folder in ("methods/matrix_completion", "methods/vvmr", "methods/auto", "cli", "table"):
        assert not code & list_modules(f"halflabel/{folder}"), folder
    for folder in ("comparators", "page", "verdicts"):
        assert not code & list_modules(f"halflabel_papers/{folder}"), folder


def test_every_module_that_is_left_out_exists():
    missing = [name for name in WITHOUT_EFFECT + OF_TABLES if find_spec(name) is None]
    assert missing == []


def test_a_name_from_a_package_leads_to_its_module_also_if_it_is_no_class():
    code = list_code()
    assert "halflabel.labels.partial" in code  # from halflabel.labels import PartialLabels
    assert "halflabel.files.raw_table" in code
    assert "halflabel.labels.metrics" in code  # METRICS, a mapping


@pytest.mark.parametrize(
    ("change", "same"),
    [
        (("# a remark", "# another remark"), True),
        (('"""Add."""', '"""Add two numbers."""'), True),
        (("return a + b", "return (a\n        + b)"), True),
        (("a + b", "a - b"), False),
        (("b=1", "b=2"), False),
    ],
)
def test_a_change_of_code_counts_and_one_of_comments_does_not(tmp_path, change, same):
    text = 'def add(a, b=1):\n    """Add."""\n    # a remark\n    return a + b\n'
    for name, content in (("one", text), ("other", text.replace(*change))):
        (tmp_path / f"{name}.py").write_text(content)
    assert (digest_source(tmp_path / "one.py") == digest_source(tmp_path / "other.py")) is same


@pytest.fixture
def keys(monkeypatch):
    """A function that returns the key of one run per method of a paper's tables, after a change of a module."""
    runs = {run.method: run for run in plan_runs(load_paper("zhao2015", "quick")) if run.experiment == "tables"}

    def after(module: str = "") -> dict[str, str]:
        fingerprint.digest_code.cache_clear()
        find = fingerprint._find_file(module) if module else None
        monkeypatch.setattr(fingerprint, "digest_source", lambda path: str(path) + "changed" * (path == find))
        return {method: run.key for method, run in runs.items()}

    yield after
    fingerprint.digest_code.cache_clear()


def test_a_page_can_be_topped_up_after_a_change_of_one_method(keys):
    before, after = keys(), keys("halflabel.numerics.solvers.low_rank_plus_sparse")
    changed = {method for method in before if before[method] != after[method]}
    assert {"Proposed", "Default"} <= changed
    assert not {"BR", "LEML", "LR"} & changed
    everything = keys("halflabel.labels.metrics")
    assert all(before[method] != everything[method] for method in before)


def test_a_users_file_counts_with_the_files_next_to_it(tmp_path):
    (tmp_path / "near_key.py").write_text("A = 1\n")
    (tmp_path / "my_key.py").write_text("import numpy\nfrom near_key import A\n")
    describe = fingerprint._describe_foreign.__wrapped__
    before = describe(str(tmp_path / "my_key.py"))
    (tmp_path / "near_key.py").write_text("A = 2\n")
    fingerprint.digest_source.cache_clear()
    assert describe(str(tmp_path / "my_key.py")) != before
