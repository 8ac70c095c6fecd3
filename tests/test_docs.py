"""Every snippet and every command of every page and of the README is run; names on the pages exist."""

from __future__ import annotations

import contextlib
import importlib
import inspect
import operator
import re
import shlex
import sys
import tomllib
from importlib.metadata import entry_points
from pathlib import Path

import click
import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.cli import main
from halflabel.datasets import make_low_rank
from halflabel.evidence.checks import CODES
from halflabel.labels.masking import hide_items
from halflabel.methods.auto.effort import DEFAULT_MEMBERS, TEXT_MEMBERS

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
GENERATED = ("_build", "_generated", "api", "reproduction", "benchmark")
PAGES = [page for page in sorted(DOCS.rglob("*.md")) if page.relative_to(DOCS).parts[0] not in GENERATED]

sys.path.append(str(DOCS / "_ext"))
snippets = importlib.import_module("snippets")


def page_name(page):
    return page.relative_to(DOCS).with_suffix("").as_posix()


def skip_without_papers(text):
    """Skip a page that names a command of halflabel-papers, where this is not installed, or is an older one."""
    for name in ("reproduce", "benchmark"):
        if f"halflabel {name}" in text and not entry_points(group="halflabel.commands", name=name):
            pytest.skip(f"no halflabel-papers with the command {name} is installed")


def commands(group=main, path=()):
    """Yield (words, command) for every command that is not a group."""
    context = click.Context(group)
    for name in group.list_commands(context):
        if name in ("complete-folder", "rank"):
            continue  # scale/README.md shows them
        command = group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from commands(command, (*path, name))
        else:
            yield (*path, name), command


@pytest.mark.slow
@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_the_snippets_of_a_page_run(page, tmp_path, request):
    text = page.read_text(encoding="utf-8")
    skip_without_papers(text)
    if (name := snippets.needs(text)) is not None:
        snippets.prepare(name, request.getfixturevalue("public_data"), tmp_path)
    shown = snippets.run_page(text, tmp_path)
    assert ("print(" in text) <= (":class: output" in shown)
    for report in re.findall(r'"(?:\.\./)?reports/([^"]+)"', text):
        assert (tmp_path / report).is_file(), f"{page_name(page)} links to a report that it does not write"


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_a_page_names_only_existing_options_and_scripts(page):
    text = page.read_text(encoding="utf-8")
    for script in re.findall(r"(?:python )?(benchmarks/\w+\.py)", text):
        assert (ROOT / script).is_file(), f"{page_name(page)} names {script}"
    # These have options of their own.
    own = r"`(?:python (?:benchmarks/)?\w+\.py|python -m tests\.|\.ci/run|uvx |pipx )[^`]+`"
    text = re.sub(own, "", text)
    skip_without_papers(text)
    parameters = [parameter for _, command in commands() for parameter in command.params]
    options = {option for parameter in parameters for option in (*parameter.opts, *parameter.secondary_opts)}
    mentioned = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text))
    assert mentioned <= options | {"--help", "--version"}
    for block in snippets.blocks(text):
        for command in shlex_lines(block):
            if command.startswith("halflabel") and "--help" not in command:
                snippets.parse_command(command)


def shlex_lines(block):
    """Return the commands of a console or sh block, each on one line."""
    lines = block.code.replace("\\\n", " ").splitlines() if block.language in ("console", "sh") else []
    return [line.removeprefix("$ ") for line in lines]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_snippets_fit_the_page(page):
    for block in snippets.blocks(page.read_text(encoding="utf-8")):
        for line in block.code.splitlines():
            assert len(line) <= 92, f"{page_name(page)}, block in line {block.line}: {line}"


PAPERS = {
    "ssdrmc": (hl.SSDRMC,),
    "mc": (hl.MC1, hl.MCb),
    "vvmr": (hl.VVMR, hl.LowRankVVMR),
    "mddm": (hl.MDDM,),
}


@pytest.mark.parametrize("paper", PAPERS)
def test_symbols_stand_for_parameters(paper):
    text = (DOCS / "papers" / f"{paper}.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| [^|]+ \| `(\w+)`(?:, [^|]*)?(?: \(`(\w+)`\))? \|", text, re.M)
    assert len(rows) >= 5
    for name, only in rows:
        kinds = [kind for kind in PAPERS[paper] if not only or kind.__name__ == only]
        assert kinds
        for kind in kinds:
            assert name in inspect.signature(kind).parameters, f"{kind.__name__} has no parameter {name}"


def test_every_public_name_has_its_place():
    text = (DOCS / "python.md").read_text(encoding="utf-8")
    listed = set(re.findall(r"^   ([\w.]+)$", text, re.M))
    assert set(hl.__all__) - {"__version__"} <= listed
    for name in listed - set(hl.__all__):
        importlib.import_module(f"halflabel.{name}")


def test_the_architecture_shows_every_folder_and_the_order_of_imports():
    text = (DOCS / "architecture.md").read_text(encoding="utf-8")
    package = ROOT / "src" / "halflabel"
    folders = {path.parent.name for path in package.rglob("__init__.py") if path.parent != package}
    shown = set(re.findall(r"\b(\w+)/(?=\s)", text.split("```")[1]))
    assert folders <= shown
    contract = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ][0]
    order = " > ".join([*contract["layers"][:-1], "_*"])
    assert f"`{order}`" in text, "docs/architecture.md and pyproject.toml disagree about the order of imports"


def test_the_drawing_of_the_ensemble_names_its_members():
    drawing = (DOCS / "_static" / "ensemble.svg").read_text(encoding="utf-8")
    words = set(re.findall(r"class=\"m\"[^>]*>([^<]+)<", drawing))
    assert {*DEFAULT_MEMBERS, *TEXT_MEMBERS} <= words


REFERENCE = re.compile(r"(?::(?:func|class|meth|mod|data|attr):|\{(?:func|class|meth|mod)\})`[~!]?(halflabel[\w.]+)`")


def resolve(name):
    """Return the object of a dotted name; raise if it does not exist."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        with contextlib.suppress(ModuleNotFoundError):
            return operator.attrgetter(".".join(parts[end:]) or "__name__")(
                importlib.import_module(".".join(parts[:end]))
            )
    raise ModuleNotFoundError(name)


@pytest.mark.parametrize("folder", ["src", "docs"])
def test_references_in_docstrings_and_pages_exist(folder):
    files = [*(ROOT / folder).rglob("*.py"), *(page for page in PAGES if folder == "docs")]
    references = {(name, path.name) for path in files for name in REFERENCE.findall(path.read_text(encoding="utf-8"))}
    assert len(references) >= 10
    for name, file in sorted(references):
        try:
            resolve(name)
        except (ModuleNotFoundError, AttributeError):
            pytest.fail(f"{file} refers to {name}, which does not exist")


def test_every_command_has_its_place():
    text = (DOCS / "command.md").read_text(encoding="utf-8")
    for words, _ in commands():
        assert f"$ halflabel {' '.join(words)} --help" in text


#: Commands and options whose examples cannot run in a test: a page that waits, the network, benchmark sets, a minute.
SHOWN_ONLY = {
    ("review",), ("reproduce",), ("benchmark",), ("demo",),
}  # fmt: skip
OF_A_PAGE = {"--browser", "--no-browser"}


def examples():
    """Return the command lines of the examples in the help texts."""
    texts = [command.help or "" for _, command in commands()]
    return [line.strip() for text in texts for line in text.splitlines() if line.strip().startswith("halflabel ")]


def test_the_examples_of_the_help_texts_are_commands():
    assert len(examples()) >= 10
    for line in examples():
        snippets.parse_command(line)


def test_every_option_occurs_in_an_example_that_runs():
    shown = set()
    for block in (block for page in PAGES for block in snippets.blocks(page.read_text(encoding="utf-8"))):
        for line in (line for line in shlex_lines(block) if line.startswith("halflabel ") and "--help" not in line):
            if line.split()[1].startswith("-"):
                continue  # halflabel --version
            words, _, arguments = snippets.find_command(line)
            runs = words in SHOWN_ONLY or not (block.mark or "").startswith("not run")
            if block.language == "console":
                shown |= {(words, argument) for argument in arguments if runs or argument in OF_A_PAGE}
    for words, command in commands():
        for option in command.params:
            if isinstance(option, click.Option) and not option.hidden:
                for names in filter(None, (option.opts, option.secondary_opts)):
                    assert any((words, name) in shown for name in names), f"{' '.join(words)}: {names} has no example"


def test_every_code_of_a_warning_has_its_section():
    text = (DOCS / "warnings.md").read_text(encoding="utf-8")
    assert tuple(re.findall(r"^## (.+)$", text, re.M)) == CODES


def test_the_changelog_and_the_citation_are_of_this_version():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    [(version, date)] = re.findall(r"^## \[(.+?)\] - (\d{4}-\d\d-\d\d)$", text, re.M)
    assert hl.__version__ == version
    assert f"version: {version}\ndate-released: {date}\n" in (ROOT / "CITATION.cff").read_text("utf-8")


# -- the README --------------------------------------------------------------------


@pytest.fixture(scope="module")
def readme():
    return (ROOT / "README.md").read_text(encoding="utf-8")


def blocks_of(text, language):
    return [block for block in snippets.blocks(text) if block.language == language]


def test_the_commands_of_the_readme_print_what_it_shows(readme, tmp_path, monkeypatch):
    (songs,) = blocks_of(readme, "csv")
    (tmp_path / "songs.csv").write_text(songs.code, encoding="utf-8")
    (console,) = blocks_of(readme, "console")
    commands = "".join(f"{line}\n" for line in console.code.splitlines() if line.startswith("$ "))
    shown = snippets.run_page(f"```console\n{commands}```", tmp_path)
    pattern = re.escape(console.code).replace(re.escape("[...]\n"), r"(?:.+\n)+")  # "[...]" stands for further lines
    assert re.fullmatch(f"```console\n{pattern}```", shown), shown


def test_the_readme_is_short(readme):
    assert len(readme.partition("## For researchers")[0].split()) <= 450


def test_the_other_commands_of_the_readme_are_commands(readme):
    lines = [line for block in blocks_of(readme, "sh") for line in shlex_lines(block)]
    lines = [line for line in lines if line.startswith("halflabel ")]
    assert len(lines) >= 5
    for line in lines:
        snippets.parse_command(line)


@pytest.mark.slow
def test_the_python_of_the_readme_runs(readme, tmp_path):
    rng = np.random.default_rng(0)
    data = make_low_rank(90, 20, 15, 12, 0.01, rng).dataset
    Y = hide_items(data.Y, 0.3, rng).to_frame().astype(float)
    X = pd.DataFrame(data.X)
    (songs,) = blocks_of(readme, "csv")
    (tmp_path / "songs.csv").write_text(songs.code, encoding="utf-8")
    more_items = X.add_prefix("f").assign(dance=Y["label0"], sad=Y["label1"], song=[f"song{i}" for i in range(90)])
    given = {
        "more_items": more_items,
        "X": X.to_numpy(),
        "Y": Y.to_numpy(),
        "X_new": X.to_numpy()[:5],
        "X_with_gaps": X.mask(rng.random(X.shape) < 0.2).to_numpy(),
    }
    (block,) = blocks_of(readme, "python")
    snippets.run_page(f"```python\n{block.code}```", tmp_path, given)
    assert {path.name for path in tmp_path.iterdir()} >= {"report.html", "model.halflabel"}


# -- the runner itself -------------------------------------------------------------


BROKEN = {
    "an error": ("```python\nhl.nothing\n```", "NameError"),
    "a warning": ("```python\nimport warnings\nwarnings.warn('loud', stacklevel=1)\n```", "loud"),
    "a wrong option": ("```console\n$ halflabel demo --nothing\n```", "ended with 2"),
    "a missing file": ("```console\n$ halflabel complete nothing.csv --labels a\n```", "ended with 1"),
    "a failing shell command": ("```console\n$ head -1 nothing.csv\n```", "CalledProcessError"),
    "output in the page": ("```console\n$ halflabel --version\nhalflabel 0.0\n```", "commands only"),
    "a false claim": ("% check\n```python\nassert 1 > 2\n```", "AssertionError"),
    "names of a later block": ("```python\nx\n```\n\n```python\nx = 1\n```", "NameError"),
}


@pytest.mark.parametrize(("page", "reason"), BROKEN.values(), ids=BROKEN)
def test_a_broken_snippet_raises(page, reason, tmp_path):
    with pytest.raises(snippets.SnippetError, match=reason):
        snippets.run_page(page, tmp_path)


def test_a_page_is_shown_with_its_outputs(tmp_path):
    page = """Text.

```text pair.csv
a,b
```

```python
x = [1, 2]
print("sum")
sum(x)
```

% check
```python
assert sum(x) == 3
```

% not run: it needs the network
```console
$ halflabel describe songs.csv
```

```console
$ cat pair.csv
```
"""
    shown = snippets.run_page(page, tmp_path)
    assert "`pair.csv`:\n\n```text\na,b\n```" in shown
    assert "```{code-block} text\n:class: output\n\nsum\n3\n```" in shown
    assert "assert" not in shown
    assert "```console\n$ halflabel describe songs.csv\n```" in shown
    assert "$ cat pair.csv\na,b\n```" in shown


def test_a_command_line_is_parsed_without_being_run(tmp_path):
    snippets.parse_command("halflabel complete nothing.csv --id a --labels 'tag_*'  # a comment")
    snippets.parse_command("halflabel describe songs.csv")
    with pytest.raises(click.NoSuchOption):
        snippets.parse_command("halflabel complete nothing.csv --label a")
    assert not list(tmp_path.iterdir())


def test_quoted_words_of_a_command_stay_whole():
    (block,) = snippets.blocks("```console\n$ halflabel complete a.csv \\\n    --labels 'a b'\n```")
    assert shlex.split(shlex_lines(block)[0]) == ["halflabel", "complete", "a.csv", "--labels", "a b"]
