"""Run the snippets of a page and show their output: the pages contain input only, so that no output is ever outdated.

The blocks run in the order of the page, in one folder and one namespace:

* a ``python`` block is executed; the page shows its output and, as in a notebook, the value of its last line, which is
  a picture if it is a figure or axes of matplotlib;
* a ``console`` block contains lines ``$ command``; ``halflabel`` runs in this process, other commands in the shell;
* a ``text FILENAME`` block is written to that file.

Other blocks are not changed. Three comments control this: ``% needs: yeast`` at the head of a page declares that its
snippets need this public benchmark set. In the line before a block, ``% not run: REASON`` skips the block, and
``% check`` runs it without showing it; such a block asserts a statement of the text about an output. ``% no output``
runs it and shows its commands alone.
"""

from __future__ import annotations

import ast
import contextlib
import io
import os
import re
import shlex
import shutil
import subprocess
import warnings
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd
from click import Command, Context, Group
from click.testing import CliRunner
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from threadpoolctl import threadpool_limits

from halflabel.cli import main

FENCE = re.compile(
    r"^(?:% (?P<mark>not run: [^\n]+|check|no output)\n)?"
    r"```(?P<language>[a-z]+)(?: (?P<name>\S+))?\n(?P<code>.*?)^```$",
    re.M | re.S,
)
NEEDS = re.compile(r"^% needs: (\S+)$", re.M)

#: The width of a page in characters; no colours.
ENVIRONMENT = {"COLUMNS": "84", "NO_COLOR": "1"}


class SnippetError(Exception):
    """A snippet fails. The message names the line."""


@dataclass(frozen=True)
class Block:
    """A fenced block: its place in the page, its language, the word after the language, its content, its comment."""

    start: int
    end: int
    language: str
    name: str | None
    code: str
    mark: str | None
    line: int


def blocks(text: str) -> list[Block]:
    """Return the fenced blocks of a page, in order."""
    fenced = []
    for match in FENCE.finditer(text):
        line = text.count("\n", 0, match.start()) + 1
        fenced.append(Block(match.start(), match.end(), *match.group("language", "name", "code", "mark"), line))
    return fenced


def needs(text: str) -> str | None:
    """Return the public benchmark set that the snippets of a page need."""
    match = NEEDS.search(text)
    return match[1] if match else None


def prepare(name: str, data: Path, folder: Path) -> None:
    """Write NAME.csv from a copy of the set on this machine, which halflabel-papers reads."""
    from halflabel_papers.sets import load_benchmark  # the other pages need the product alone

    benchmark = load_benchmark(name, data)
    frame = pd.DataFrame(benchmark.X, columns=list(benchmark.feature_names)).join(benchmark.Y.to_frame())
    frame.to_csv(folder / f"{name}.csv", index=False)


def run_page(text: str, folder: Path, given: Mapping[str, Any] | None = None) -> str:
    """Run the snippets of a page in ``folder``, and return the page with their output below them.

    Parameters
    ----------
    text : str
        The page.
    folder : path
        Where files are written and read.
    given : mapping, optional
        Names that exist before the first snippet.

    Raises
    ------
    SnippetError
        If a snippet raises, warns, or ends with an exit code other than 0.
    """
    namespace: dict[str, Any] = {"__name__": "__main__", **(given or {})}
    parts, done = [], 0
    with _in_folder(folder):
        for block in blocks(text):
            parts += [text[done : block.start], _run(block, namespace)]
            done = block.end
    return "".join([*parts, text[done:]])


@contextlib.contextmanager
def _in_folder(folder: Path) -> Iterator[None]:
    before = {name: os.environ.get(name) for name in ENVIRONMENT}
    os.environ.update(ENVIRONMENT)
    shown = pd.option_context("display.width", 88, "display.max_columns", 12)
    try:
        # Small problems on a busy machine: one BLAS thread is ten times faster than two.
        with contextlib.chdir(folder), shown, threadpool_limits(1), warnings.catch_warnings():
            warnings.simplefilter("error")
            yield
    finally:
        for name, value in before.items():
            os.environ.pop(name) if value is None else os.environ.update({name: value})


def _run(block: Block, namespace: dict[str, Any]) -> str:
    """Return the text of a block for the page: with its output and without its comment."""
    shown = f"```{block.language}\n{block.code}```"
    runners: dict[str, Callable[[], str]] = {
        "python": lambda: shown + _run_python(block.code, namespace),
        "console": lambda: f"```console\n{_run_console(block.code)}```",
        "text": lambda: _write(block) + shown,
    }
    if (block.mark or "").startswith("not run") or block.language not in runners:
        return shown
    try:
        with_output = runners[block.language]()
        return {"check": "", "no output": shown}.get(block.mark or "", with_output)
    except (Exception, SystemExit) as error:
        raise SnippetError(f"line {block.line}: {type(error).__name__}: {error}\n\n{block.code}") from error


def _fenced(output: str) -> str:
    return f"\n\n```{{code-block}} text\n:class: output\n\n{output.rstrip()}\n```" if output.strip() else ""


def _run_python(code: str, namespace: dict[str, Any]) -> str:
    """Execute a block and return its output and the value of its last line, as a notebook shows them."""
    tree = ast.parse(code)
    last = ast.Expression(tree.body.pop().value) if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        exec(compile(tree, "<page>", "exec"), namespace)
        value = eval(compile(last, "<page>", "eval"), namespace) if last else None  # noqa: S307 - our own pages
        figure = value.figure if isinstance(value, Axes) else value
        if value is not None and not isinstance(figure, Figure):
            print(value if isinstance(value, pd.DataFrame | pd.Series) else repr(value))  # noqa: T201
    return _fenced(printed.getvalue()) + (_save_picture(figure) if isinstance(figure, Figure) else "")


def _save_picture(figure: Figure) -> str:
    """Save the figure in the current folder, and return the lines that show it."""
    path = Path(f"picture-{len(list(Path().glob('picture-*.png'))) + 1}.png")
    figure.savefig(path, dpi=160, facecolor="white", bbox_inches="tight")
    titles = [axes.get_title() or axes.get_ylabel() for axes in figure.axes]
    return f"\n\n![{', '.join(title for title in titles if title) or 'the figure'}]({path})"


def _run_console(code: str) -> str:
    """Run the commands of a block, and return each command with its output."""
    lines = []
    for line in code.replace("\\\n", "").splitlines():
        if not line.startswith("$ "):
            raise SnippetError(f"a console block holds commands only, each after '$ ', but one line is {line!r}.")
    for command in re.split(r"^\$ ", code, flags=re.M)[1:]:
        lines += [f"$ {command.rstrip()}", *_run_command(command.replace("\\\n", " ")).rstrip().splitlines()]
    return "".join(f"{line.rstrip()}\n" for line in lines)


def _run_command(command: str) -> str:
    program, *arguments = shlex.split(command)
    if program != "halflabel":
        return subprocess.run(command, shell=True, check=True, capture_output=True, text=True).stdout
    result = CliRunner().invoke(main, arguments, prog_name="halflabel", catch_exceptions=False)
    if result.exit_code:
        raise SnippetError(f"`{command.strip()}` ended with {result.exit_code}: {result.output.strip()}")
    return result.output


def find_command(command: str) -> tuple[tuple[str, ...], Command, list[str]]:
    """Return the words, the command and the arguments of a command line. An unknown command raises."""
    program, *arguments = shlex.split(command, comments=True)
    if program != "halflabel":
        raise SnippetError(f"{command!r} is not a halflabel command.")
    words: tuple[str, ...] = ()
    command_or_group: Command = main
    while isinstance(command_or_group, Group):
        name, *arguments = arguments
        found = command_or_group.get_command(Context(command_or_group), name)
        if found is None:
            raise SnippetError(f"{command!r}: there is no command {name!r}.")
        words, command_or_group = (*words, name), found
    return words, command_or_group, arguments


def parse_command(command: str) -> None:
    """Parse a command line with click without running it. An unknown command or option raises."""
    words, found, arguments = find_command(command)
    found.make_context(words[-1], arguments, parent=Context(main), resilient_parsing=False)


def _write(block: Block) -> str:
    """Write a block with a file name to that file, and name it above the block."""
    if block.name is None:
        return ""
    Path(block.name).write_text(block.code, encoding="utf-8")
    return f"`{block.name}`:\n\n"


def empty_folder(folder: Path) -> Path:
    """Create the folder without content and return it."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def setup(app: Any) -> dict[str, bool]:
    """Run the snippets of every page while Sphinx reads it, and publish the reports that they write."""
    app.add_config_value("run_snippets", True, "env", types=[bool])
    app.connect("source-read", _on_read)
    app.connect("build-finished", _publish)
    return {"parallel_read_safe": False}


def _on_read(app: Any, page: str, content: list[str]) -> None:
    """Add the outputs to the text of a page, or a note if its benchmark set is not available."""
    if not app.config.run_snippets or not blocks(content[0]) or page.startswith("reproduction"):
        return
    folder, wanted = empty_folder(app.srcdir / "_generated" / page), needs(content[0])
    if wanted is not None:
        data = Path(os.environ.get("HALFLABEL_DATA", app.srcdir.parents[1] / "shared" / "data"))
        if not (data / wanted).is_dir():
            note = f":::{{note}}\nThis page was built without the data set {wanted}; outputs are missing.\n:::\n\n"
            content[0] = content[0].replace("\n## ", f"\n{note}## ", 1)
            return
        prepare(wanted, data, folder)
    try:
        content[0] = run_page(content[0], folder).replace("](picture-", f"](/_generated/{page}/picture-")
    except SnippetError as error:
        raise SnippetError(f"{page}.md, {error}") from error


def _publish(app: Any, error: Exception | None) -> None:
    """Copy every report that a page wrote to ``reports/``, the folder that pages link to."""
    if error is None and app.builder.format == "html":
        target = Path(app.outdir) / "reports"
        target.mkdir(exist_ok=True)
        for report in (app.srcdir / "_generated").rglob("*.html"):
            shutil.copy(report, target)
