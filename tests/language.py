"""The lint for plain English: banned words in prose and names, and weak sentences, each with what to use instead.

Print what it finds, from the root of the repository::

    python -m tests.language src/halflabel/report README.md

The words and their replacements are in ``language.toml``. In Python files, comments, docstrings and all other strings
are read as prose, and the names of modules, classes, functions, parameters, attributes and variables are split into
their parts. Templates, pages and TOML files are read as prose as a whole. Sentences are checked in the rooms that the
list names.
"""

from __future__ import annotations

import ast
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
SUFFIXES = (".py", ".md", ".toml", ".j2", ".css", ".js", ".cff")
ROOMS = ("src", "papers", "tests", "benchmarks", "docs", "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "CITATION.cff")

#: Written by the command, from sources that are checked.
GENERATED = ("docs/reproduction/", "docs/benchmark/", "docs/_build", "docs/_generated", "docs/api")

PARTS = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
SYNTAX = re.compile(r"""^[A-Za-z]*["']+|\\n|["']|#:?""")

#: Tokens with prose; from Python 3.12 on, the texts of an f-string are tokens of their own.
PROSE = {tokenize.STRING, tokenize.COMMENT, getattr(tokenize, "FSTRING_MIDDLE", tokenize.STRING)}

FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True)
class Finding:
    """A banned word: its place, the word, what to use, and the words around it."""

    file: str
    line: int
    word: str
    use: str
    context: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: '{self.word}' in '{self.context}'; use: {self.use}"


@cache
def load_list() -> dict[str, Any]:
    """Read ``language.toml``."""
    return tomllib.loads((Path(__file__).parent / "language.toml").read_text(encoding="utf-8"))


@cache
def prose_rules() -> dict[str, dict[str, Any]]:
    """Return the entry of the list for each banned word or phrase."""
    return {word: entry for entry in load_list()["banned"] for word in entry["words"]}


@cache
def name_rules() -> dict[str, dict[str, Any]]:
    """Return the entry of the list for each banned part of a name."""
    return {word: entry for entry in load_list()["banned"] for word in entry["names"]}


@cache
def prose_pattern() -> re.Pattern[str]:
    """Return one pattern for all banned words; longer phrases come first, and a space matches any white space."""
    phrases = sorted(prose_rules(), key=len, reverse=True)
    either = "|".join(re.escape(phrase).replace(r"\ ", r"\s+") for phrase in phrases)
    return re.compile(rf"\b(?:{either})\b", re.IGNORECASE)


# -- what is prose, what is a name -----------------------------------------------------


def hide(text: str) -> str:
    """Return a zero for every character; white space stays, and with it every place in the file."""
    return re.sub(r"\S", "\0", text)


def prose_of_python(source: str) -> str:
    """Return the source with code hidden; in strings and comments, quotes, line breaks and ``#`` become spaces."""
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    prose, done = [], 0
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type in PROSE:
            begin, end = (starts[row - 1] + column for row, column in (token.start, token.end))
            words = SYNTAX.sub(lambda match: " " * len(match[0]), source[begin:end])
            prose += [hide(source[done:begin]), words]
            done = end
    return "".join([*prose, hide(source[done:])])


def names_of_python(source: str) -> Iterator[tuple[str, int, str]]:
    """Yield (name, line, kind) for every name that the source binds."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, FUNCTIONS):
            yield node.name, node.lineno, "value" if _is_noun(node) else "function"
        elif isinstance(node, ast.ClassDef):
            yield node.name, node.lineno, "class"
        elif isinstance(node, ast.arg):
            yield node.arg, node.lineno, "parameter"
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id, node.lineno, "constant" if node.id.isupper() else "variable"
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr, node.lineno, "attribute"


def _is_noun(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Return whether a function is read like a value: a property or a fixture, which need no verb."""
    return any(re.search("property|fixture", ast.unparse(decorator)) for decorator in function.decorator_list)


# -- the search ------------------------------------------------------------------------


def search_prose(file: str, text: str) -> Iterator[Finding]:
    """Yield the banned words of a text that no exception covers."""
    for match in prose_pattern().finditer(text):
        word = " ".join(match[0].split()).lower()
        entry = prose_rules()[word]
        around = slice(max(match.start() - 40, 0), match.end() + 40)
        if not _is_excepted(entry.get("unless", []), text[around], match.start() - around.start):
            line = text.count("\n", 0, match.start()) + 1
            yield Finding(file, line, word, entry["use"], " ".join(text[around].replace("\0", " ").split()))


def _is_excepted(patterns: list[str], text: str, place: int) -> bool:
    """Return whether one of the patterns covers this place of a text."""
    matches = (match for pattern in patterns for match in re.finditer(pattern, text, re.IGNORECASE))
    return any(match.start() <= place < match.end() for match in matches)


def search_name(file: str, name: str, line: int, kind: str) -> Iterator[Finding]:
    """Yield what is wrong with one name."""
    parts = {part.lower() for part in PARTS.findall(name)}
    for part in sorted(name_rules().keys() & parts):
        yield Finding(file, line, part, name_rules()[part]["use"], name)
    functions, limits = load_list()["functions"], load_list()["limits"]
    if kind in ("module", "function") and name.strip("_") in functions["words"]:
        yield Finding(file, line, name, functions["use"], f"the name of a {kind}")
    is_limit = name in limits["words"] if kind == "parameter" else kind == "constant" and parts & set(limits["words"])
    if is_limit:
        yield Finding(file, line, name, limits["use"], f"the name of a {kind}")


def search_sentences(file: str, source: str) -> Iterator[Finding]:
    """Yield the weak sentences of a file, if the list names its room."""
    rules = load_list()["sentences"]
    if not file.startswith(tuple(rules["rooms"])):
        return
    prose = prose_of_python(source)
    for pattern, use in rules["patterns"].items():
        for match in re.finditer(pattern, prose):
            around = prose[max(match.start() - 40, 0) : match.end() + 40].replace("\0", " ")
            line = prose.count("\n", 0, match.start()) + 1
            yield Finding(file, line, " ".join(match[0].split()), use, " ".join(around.split()))
    for line, text in first_lines(source):
        if ";" in text:
            yield Finding(file, line, ";", rules["first_line"], text)


def search_for_people(file: str, text: str) -> Iterator[Finding]:
    """Yield the words of the reference in a file that people read first. Docstrings and code of templates are not read.

    A heading "For researchers" ends the part for people.
    """
    rules = load_list()["people"]
    if file not in rules["files"]:
        return
    read = _read_strings(text) if file.endswith(".py") else [(1, _hide_code(text.partition("## For researchers")[0]))]
    for begin, part in read:
        for match in re.finditer(rf"(?<![-\w])(?:{'|'.join(rules['words'])})(?![-\w])", part, re.IGNORECASE):
            line = begin + part.count("\n", 0, match.start())
            yield Finding(
                file, line, match[0], rules["use"], part[max(match.start() - 40, 0) : match.end() + 40].strip()
            )


def _read_strings(source: str) -> list[tuple[int, str]]:
    """Return the strings of several words of a Python file, without docstrings, each with its line."""
    nodes = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Constant)]
    texts = [(node.lineno, node.value) for node in nodes if isinstance(node.value, str) and " " in node.value]
    return [(line, text) for line, text in texts if f'"""{text}' not in source]


def _hide_code(text: str) -> str:
    """Return a template or page without its code and links."""
    return re.sub(
        r"\{#.*?#\}|\{[{%].*?[%}]\}|<[^>]*>|```.*?```|`[^`]*`|\]\([^)]*\)", _keep_lines, text, flags=re.DOTALL
    )


def _keep_lines(match: re.Match[str]) -> str:
    return "\n" * match[0].count("\n")


def first_lines(source: str) -> Iterator[tuple[int, str]]:
    """Yield (line, text) of the first line of every docstring."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, (ast.Module, ast.ClassDef, *FUNCTIONS)) and (text := ast.get_docstring(node)):
            yield node.body[0].lineno, text.splitlines()[0]


def search_python(file: str, source: str) -> Iterator[Finding]:
    """Yield the banned words of strings, comments and names, and weak sentences."""
    yield from search_prose(file, prose_of_python(source))
    yield from search_sentences(file, source)
    stem = Path(file).stem
    if not stem.startswith("__"):
        yield from search_name(file, stem, 1, "module")
    for name, line, kind in names_of_python(source):
        yield from search_name(file, name, line, kind)


def search_file(path: Path) -> list[Finding]:
    """Return what a file has of banned words, in order, without what the list allows there."""
    file = path.resolve().relative_to(ROOT).as_posix()
    text = path.read_text(encoding="utf-8")
    findings = [*(search_python if path.suffix == ".py" else search_prose)(file, text), *search_for_people(file, text)]
    allowed = {word for entry in load_list()["allow"] if entry["file"] == file for word in entry["words"]}
    kept = [found for found in findings if "*" not in allowed and found.word.lower() not in allowed]
    return sorted(kept, key=lambda found: (found.line, found.word))


def list_files(rooms: tuple[str, ...] = ROOMS) -> list[Path]:
    """Return the files below these paths that are checked."""
    paths = [Path(room) if Path(room).is_absolute() else ROOT / room for room in rooms]
    files = [file for path in paths for file in (sorted(path.rglob("*")) if path.is_dir() else [path])]
    return [file for file in files if file.suffix in SUFFIXES and not _is_generated(file)]


def _is_generated(file: Path) -> bool:
    place = file.resolve().relative_to(ROOT).as_posix()
    return place.startswith(GENERATED) or any(part.startswith((".", "__pycache__")) for part in place.split("/"))


def main() -> int:
    """Print every finding in the rooms that the command line names (all without arguments); 1 if there is one."""
    findings = [found for file in list_files(tuple(sys.argv[1:]) or ROOMS) for found in search_file(file)]
    print(*findings, f"{len(findings)} banned words", sep="\n")
    return int(bool(findings))


if __name__ == "__main__":
    raise SystemExit(main())
