"""ITEMS and the options that describe it: made from the keys of a table's description, each declared once."""

from __future__ import annotations

import functools
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from halflabel._wording import closest, name_command_options, quote_cell
from halflabel.cli import work
from halflabel.cli.console import print_note
from halflabel.cli.output_paths import PATH
from halflabel.files.registry import list_names
from halflabel.labels.names import RULES
from halflabel.table.columns import BY_NAME, KEYS, OF_FILE, Description
from halflabel.table.keys import Key

if TYPE_CHECKING:
    from halflabel.table import OpenTable
    from halflabel.table.described import Described
    from halflabel.table.sources import Source


T = TypeVar("T")


@dataclass(eq=False)
class ItemsFile:
    """A file of items, and its description."""

    paths: tuple[Path, ...]  #: Files, patterns or folders; several files are one table.
    given: Mapping[str, Any] = field(default_factory=dict)  #: The values of keys that the command line states.
    table: Path | None = None  #: The table file, where it was named.
    finds: bool = True  #: Whether a table file next to the items is used.
    answers: dict[str, Any] = field(default_factory=dict)  #: The keys that a person was asked for.

    @cached_property
    def described(self) -> Described:
        """The description. If a table file was found, a sentence about it is printed."""
        near = self.paths[0] if len(self.paths) == 1 and self.finds else None
        described = work.find_description(near, self.given, self.table)
        print_note(*described.notes)
        return replace(described, notes=())

    @property
    def columns(self) -> Description:
        """The description as one record."""
        return self.described.columns

    @property
    def inputs(self) -> tuple[Path | None, ...]:
        """The files that are read. None of them may be overwritten."""
        further = (getattr(self.columns, name) for name in ("pairs", "tag_names", "labels_file", "prior", "sources"))
        paths: tuple[Any, ...] = (*further, self.described.file.path)
        return (*self.paths, *(None if path is None else Path(path) for path in paths))

    @property
    def stated(self) -> dict[str, Any]:
        """The statements about the table, for the report."""
        file = self.described.file.path
        return {**({} if file is None else {"table": str(file)}), **self.given}

    def write(self, observed_rate: float | None = None) -> str:
        """Return the items and the statements about them as a shell reads them, for another command."""
        stated = {**self.given, **({} if self.table is None else {"table": self.table})}
        stated |= {} if observed_rate is None else {"observed_rate": observed_rate}
        words = [*map(str, self.paths), *(word for name in stated for word in _write_key(name, stated[name]))]
        return shlex.join(words)

    def read(self) -> Source:
        """Read the file, or the files as one table."""
        try:
            return self._decide(lambda: work.read_file(self.paths, self.columns, **self.columns.of_file))
        except ValueError:
            keys = None
            from halflabel.cli.second_file import describe_second  # imported here, as below: few commands need it

            if len(self.paths) == 2 and all(path.is_file() for path in self.paths) and "format" not in self.given:
                keys = describe_second(*self.paths, self.given)
            if keys is None:
                raise
        given = {**self.given, **keys}
        self.paths, self.given = self.paths[:1], {name: value for name, value in given.items() if value is not None}
        self.__dict__.pop("described")
        return self.read()

    def open(self, source: Source | None = None) -> OpenTable:
        """Give every column its role. A ``source`` that was read already is not read again."""
        source = source or self.read()
        opened = self._decide(lambda: work.open_described(source, self.described))
        if self.answers and self.own_file is not None:
            from halflabel.cli.asking import keep_answers

            keep_answers(self.described, self.own_file, self.answers)
        return opened

    def _decide(self, work_on: Callable[[], T]) -> T:
        """Return the result of some work, after each question about the table is answered."""
        while True:
            try:
                return work_on()
            except work.Question as question:
                from halflabel.cli.asking import ask

                way, described = ask(question), self.described
            self.given = way.state({**described.columns.stated, **self.given})
            self.__dict__["described"] = described.take(way)
            self.answers |= way.keys

    @property
    def own_file(self) -> Path | None:
        """The table file that keeps answers."""
        if self.table is not None:
            return self.table
        is_one = len(self.paths) == 1 and self.paths[0].exists()
        return work.name_table_file(self.paths[0]) if is_one else None

    def open_alike(self, path: Path) -> OpenTable:
        """Give the columns of another table the same roles. Another kind of file has its own notation."""
        columns = replace(self.columns, prior=None)
        if path.suffix != self.paths[0].suffix:
            of_file: dict[str, Any] = dict.fromkeys(OF_FILE)
            columns = replace(columns, format=None, **of_file)
        source = work.read_file(path, columns, **columns.of_file)
        return work.open_described(source, replace(self.described, columns=columns))


def add_items_options(*, table: bool = False, fits: bool = True) -> Callable[..., Callable[..., Any]]:
    """Give a command the argument ITEMS and the options about it, as one :class:`ItemsFile`.

    Common keys are options. All others are given as ``--set KEY=VALUE``, and so is the table file unless it is an
    option (``table``). A command that ``fits`` also gets the label frequency.
    """
    shown = [BY_NAME[name] for name in COMMON]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*, paths: tuple[Path, ...], settings: dict[str, Any], **given: Any) -> Any:
            named = given.pop("table", None)
            if fits:
                given["observed_rate"] = settings.pop("observed_rate", None)
            elif "observed_rate" in settings:
                raise click.UsageError("--set observed_rate=... has no effect here: nothing is fitted.")
            with name_keys(shown, table="--table" if table else "--set table="):
                file = Path(settings.pop("table")) if "table" in settings else named
                return command(items=ItemsFile(paths, _take_keys(settings, given), file), **given)

        about = "Any other key, such as group=thread; `halflabel describe --help` lists them."
        decorated: Callable[..., Any] = _set_option(help=about)(run)
        decorated = _TABLE(decorated) if table else decorated
        for key in reversed(shown):
            decorated = _make_option(key)(decorated)
        return _PATHS(decorated)

    return decorate


def add_set_option(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command ``--set`` for some keys only, as one argument ``keys``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(settings: dict[str, Any], **given: Any) -> Any:
            if wrong := [name for name in settings if name not in names]:
                raise click.UsageError(f"--set {wrong[0]}=... has no effect here: {closest(wrong[0], names)}")
            with name_keys(()):
                return command(keys=settings, **given)

        return _set_option(help=f"A key of {', '.join(names)}, as for `halflabel complete`.")(run)

    return decorate


def _write_key(name: str, value: Any) -> Iterator[str]:
    """Yield the words that state the value of a key."""
    key = _SETTINGS[name]
    if key.kind == "rules":
        texts = list(map(str, value))
    elif key.is_list:
        texts = [",".join(map(quote_cell, value))]
    else:
        texts = ["x".join(map(str, value)) if key.kind == "size" else str(value)]
    for text in texts:
        yield from (key.flag, text) if name in COMMON else ("--set", f"{name}={text}")


@contextmanager
def name_keys(shown: Collection[Key], table: str = "--set table=") -> Iterator[None]:
    """Let errors name a key as the option that a command has for it, which may be ``--set``."""
    flags = {key.name: key.flag if key in shown else f"--set {key.name}=" for key in KEYS}
    with name_command_options({**flags, "table": table}):
        yield


def _take_keys(settings: Mapping[str, Any], given: MutableMapping[str, Any]) -> dict[str, Any]:
    """Take the keys out of the arguments of a command. A value that is given twice is a wrong option."""
    keys = {key.name: given.pop(f"key_{key.name}", None) for key in KEYS}
    stated = {name: value for name, value in keys.items() if value is not None}
    if twice := stated.keys() & settings.keys():
        raise click.UsageError(f"{min(twice)} was given twice: give it once.")
    return {**stated, **settings}


def _make_option(key: Key) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return the option of a key."""
    many = key.is_list and key.kind != "rules"
    kind: Any = click.Choice(key.choices) if key.choices else str
    metavar = None if key.choices else key.metavar
    return click.option(key.flag, f"key_{key.name}", type=kind, multiple=many, metavar=metavar, help=key.help,
                        callback=functools.partial(_parse_option, key))  # fmt: skip


def _parse_option(key: Key, _: click.Context, __: click.Parameter, value: Any) -> Any:
    if value is None or value == ():
        return None
    return _parse(key, value if isinstance(value, tuple) else [value])


def _parse(key: Key, texts: Iterable[str]) -> Any:
    try:
        value = key.parse(texts)
        return None if value == () else value
    except ValueError as error:
        raise click.BadParameter(f"{str(error).rstrip('.')}.") from None


def _parse_settings(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> dict[str, Any]:
    """Read ``KEY=VALUE``. If a key has several names, their values are joined."""
    texts: dict[str, list[str]] = {}
    for value in values:
        name, equals, text = value.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in _SETTINGS:
            reason = "is not of the form KEY=VALUE" if not equals else "names no key"
            raise click.BadParameter(f"{value!r:.80} {reason}; the keys are {', '.join(_SETTINGS)}.")
        texts.setdefault(name, []).append(text)
    return {name: _parse(_SETTINGS[name], given) for name, given in texts.items()}


#: The keys that every command about a table has as options: they decide the labels.
COMMON = ("id", "labels", "tags", "text", "absent", "sources")

#: What ``--set`` takes: the keys of a description, and two statements that no table file holds.
_SETTINGS = {
    **BY_NAME,
    "table": Key("table", "A table file that describes ITEMS; by default ITEMS.table.toml.", "path", "FILE"),
    "observed_rate": Key(
        "observed_rate",
        "Of positive-only labels: the share of the relevant entries that were assigned, such as 0.7; 'ask' estimates "
        "it from answers.",
        "share", "C|ask",
    ),
}  # fmt: skip

_PATHS = click.argument("paths", type=PATH, metavar="ITEMS...", nargs=-1, required=True)
_TABLE = click.option("--table", type=PATH, help="A table file that describes ITEMS.")
_set_option = functools.partial(click.option, "--set", "settings", metavar="KEY=VALUE", multiple=True,
                                callback=_parse_settings)  # fmt: skip


def list_keys() -> str:
    """Return one line for each key without an option, for the help of ``describe``."""
    rare = [key for name, key in _SETTINGS.items() if name not in COMMON]
    width = max(len(key.name) for key in rare)
    more = {"format": f" {', '.join(list_names())}."}
    return "\n".join(f"  {key.name:<{width}}  {key.help}{more.get(key.name, '')}" for key in rare)


def _check_rule(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """Raise for a threshold rule that does not exist."""
    try:
        return text if text is None or work.read_rule(text) else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


rule_option = click.option(
    "--rule", metavar="RULE", callback=_check_rule,
    help=f"'probable' (default), 'cost:1,5' (of a wrong yes and a wrong no), or {', '.join(list(RULES)[1:-1])}.",
)  # fmt: skip


effort_option = click.option(
    "--effort", type=click.Choice(["fast", "default", "best"]), default="default", show_default=True,
    help="Work of the default method.",
)  # fmt: skip


seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True,
    help="Decides every random choice.",
)  # fmt: skip
