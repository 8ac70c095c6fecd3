"""The key of a run: it changes with every module that can change a record, and with no other."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

import halflabel
from halflabel.reproduction.load import load_paper
from halflabel.reproduction.plan import plan_runs, source_digest

PACKAGE = Path(halflabel.__file__).parent


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A copy of the package's source, for changes."""
    target = tmp_path_factory.mktemp("source") / "halflabel"
    return Path(shutil.copytree(PACKAGE, target, ignore=shutil.ignore_patterns("*.pyc", "papers")))


def makes_stale(copy: Path, module: str) -> bool:
    """Return whether a further line in a module changes the digest, and with it the key of every record."""
    text = (copy / module).read_text() if (copy / module).exists() else ""
    before = source_digest.__wrapped__(copy)
    (copy / module).write_text(f"{text}# another line\n")
    after = source_digest.__wrapped__(copy)
    (copy / module).write_text(text)
    return after != before


def list_modules(folder: str) -> list[str]:
    return [path.relative_to(PACKAGE).as_posix() for path in sorted((PACKAGE / folder).glob("*.py"))]


#: A method of a paper with its published algorithm, and the modules that run, score and record it.
DECISIVE = [*list_modules("methods/vvmr"), "labels/metrics.py", "numerics/kernels.py", *list_modules("reproduction")]


@pytest.mark.parametrize("module", DECISIVE)
def test_a_change_that_can_change_a_record_makes_it_stale(copy, module):
    assert makes_stale(copy, module)


#: The modules that only summarise and draw.
FOLLOWING = [*list_modules("reproduction/page"), *list_modules("reproduction/verdicts"), *list_modules("cli")]


@pytest.mark.parametrize("module", FOLLOWING)
def test_a_change_of_verdicts_pages_and_commands_keeps_the_records(copy, module):
    assert not makes_stale(copy, module)


@pytest.mark.parametrize("name", ["published.py", "tables.py", "claims.py", "page.py", "verdicts.py"])
def test_a_module_of_a_method_counts_whatever_its_name(copy, name):
    """An earlier rule ignored all modules of some names, Algorithm 1 of VVMR among them."""
    assert makes_stale(copy, f"methods/vvmr/{name}")


def test_the_digest_of_the_installed_package_is_part_of_the_key(monkeypatch):
    run = plan_runs(load_paper("zhao2015", "quick"))[0]
    before = run.key
    monkeypatch.setattr("halflabel.reproduction.plan.source_digest", lambda: "another")
    assert run.key != before
