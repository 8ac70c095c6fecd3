"""What a start imports: a library that is not needed yet is not imported."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from click import Context
from click.testing import CliRunner

import halflabel as hl
from halflabel.cli import _COMMANDS, main
from halflabel.files.registry import FORMATS, TOOLS, list_names

HEAVY = (
    "numpy",
    "pandas",
    "pyarrow",
    "scipy.sparse",
    "scipy.stats",
    "scipy.stats._stats_py",
    "sklearn",
    "matplotlib",
    "narwhals",
    "jinja2",
)


def list_imported(code):
    """Return which of the heavy libraries a new process has imported after some code."""
    code = f"import sys\n{code}\nprint(*(name for name in {HEAVY} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def test_import_halflabel_and_the_list_of_commands_import_no_other_library():
    run = "from click.testing import CliRunner; assert not CliRunner().invoke(main, ['--help']).exit_code"
    assert list_imported(f"import halflabel; from halflabel.cli import main; {run}") == set()


@pytest.mark.parametrize("command", _COMMANDS)
def test_the_help_of_a_command_imports_no_library_for_its_work(command):
    run = f"CliRunner().invoke(main, {[*command.split(), '--help']}, catch_exceptions=False).exit_code == 0"
    code = f"from click.testing import CliRunner; from halflabel.cli import main; assert {run}"
    assert list_imported(code) == set()


def test_the_help_names_every_format():
    assert set(FORMATS) <= set(TOOLS)
    printed = CliRunner().invoke(main, ["describe", "--help"]).output
    assert all(name in printed for name in list_names())


def test_a_table_is_read_without_scikit_learn(tmp_path):
    (tmp_path / "items.csv").write_text("x,y\n1.5,1\n2.5,0\n3.25,\n")
    code = (
        "from click.testing import CliRunner; from halflabel.cli import main\n"
        f"done = CliRunner().invoke(main, ['describe', {str(tmp_path / 'items.csv')!r}, '--labels', 'y'])\n"
        "assert '3 items' in done.output, done.output"
    )
    assert list_imported(code).isdisjoint({"sklearn", "scipy.stats", "matplotlib"})


def test_public_names_are_found_and_listed():
    assert set(hl.__all__) <= set(dir(hl))
    assert all(getattr(hl, name) is not None for name in hl.__all__)
    with pytest.raises(AttributeError, match=r"module 'halflabel' has no attribute 'nothing'"):
        hl.nothing  # noqa: B018


@pytest.mark.parametrize("name", _COMMANDS)
def test_the_list_of_commands_has_the_beginning_of_their_help(name):
    command = main.get_command(Context(main), name)
    assert command.name == name
    assert " ".join(command.help.split()).startswith(_COMMANDS[name].help.removesuffix("."))


def test_an_unknown_command_is_a_usage_error():
    assert "No such command 'compete'" in CliRunner().invoke(main, ["compete"]).output


def test_python_runs_the_package_as_the_command():
    done = subprocess.run([sys.executable, "-m", "halflabel", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"halflabel, version {hl.__version__}\n"


def test_a_table_is_completed_without_scipy_stats(tmp_path):
    rng = np.random.default_rng(0)
    items = pd.DataFrame(rng.normal(size=(60, 3)), columns=list("abc"))
    items.assign(y=np.where(rng.random(60) < 0.5, items.a > 0, np.nan)).to_csv(tmp_path / "items.csv", index=False)
    code = (
        "from click.testing import CliRunner; from halflabel.cli import main\n"
        f"done = CliRunner().invoke(main, ['complete', {str(tmp_path / 'items.csv')!r}, '--labels', 'y'])\n"
        "assert 'Written' in done.output, done.output\n"
        "import sys; assert 'scipy.stats' in sys.modules"
    )
    assert "scipy.stats._stats_py" not in list_imported(code)


@pytest.mark.parametrize(
    "use",
    [
        "assert list(rankdata([3, 1, 1])) == [3, 1.5, 1.5]",
        "from scipy.stats.qmc import Sobol; assert Sobol.__module__ == 'scipy.stats._qmc'",
        pytest.param("assert round(chi2.sf(3, 2), 3) == 0.223", marks=pytest.mark.slow),
        pytest.param("from scipy.stats import *; assert pearsonr", marks=pytest.mark.slow),
    ],
)
def test_deferred_statistics_are_imported_at_their_first_use(use):
    code = (
        "import sys; from halflabel.cli.deferred import defer_statistics; defer_statistics()\n"
        "import scipy.stats; from scipy import stats; from scipy.stats import chi2, rankdata\n"
        f"assert 'scipy.stats._stats_py' not in sys.modules\n{use}\n"
        "import scipy.stats as again; assert again.norm is scipy.stats.norm; assert again.__spec__.origin\n"
        "from scipy.stats import qmc; assert qmc is again.qmc and qmc.__spec__.origin"
    )
    assert "scipy.stats._stats_py" in list_imported(code)
