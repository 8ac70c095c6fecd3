"""ITEMS and the options that describe it: made from the keys of a table's description, each declared once."""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, MutableMapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from halflabel._wording import closest, name_command_options
from halflabel.cli import work
from halflabel.cli.console import print_note
from halflabel.cli.files import PATH
from halflabel.files.registry import list_names
from halflabel.labels.names import RULES
from halflabel.table.columns import BY_NAME, KEYS, OF_FILE, Description
from halflabel.table.keys import Key

if TYPE_CHECKING:
    from halflabel.table import OpenTable
    from halflabel.table.described import Described
    from halflabel.table.sources import Source


@dataclass(frozen=True, eq=False)
class ItemsFile:
    """A file of items, and its description."""

    paths: tuple[Path, ...]  #: Files, patterns or folders; several files are one table.
    given: Mapping[str, Any] = field(default_factory=dict)  #: The values of keys that the command line states.
    table: Path | None = None  #: The table file, where it was named.
    finds: bool = True  #: Whether a table file next to the items is used.

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
        further = (
            getattr(self.columns, name)
            for name in ("pairs", "tag_names", "annotated", "labels_file", "prior", "sources")
        )
        paths: tuple[Any, ...] = (*further, self.described.file.path)
        return (*self.paths, *(None if path is None else Path(path) for path in paths))

    @property
    def stated(self) -> dict[str, Any]:
        """The statements about the table, for the report."""
        file = self.described.file.path
        return {**({} if file is None else {"table": str(file)}), **self.given}

    def read(self) -> Source:
        """Read the file, or the files as one table."""
        return work.read_file(self.paths, self.columns, **self.columns.of_file)

    def open(self, source: Source | None = None) -> OpenTable:
        """Give every column its role. A ``source`` that was read already is not read again."""
        return work.open_described(source or self.read(), self.described)

    def open_alike(self, path: Path) -> OpenTable:
        """Give the columns of another table the same roles. Another kind of file has its own notation."""
        columns = replace(self.columns, prior=None)
        if path.suffix != self.paths[0].suffix:
            of_file: dict[str, Any] = dict.fromkeys(OF_FILE)
            columns = replace(columns, format=None, **of_file)
        source = work.read_file(path, columns, **columns.of_file)
        return work.open_described(source, replace(self.described, columns=columns))


def add_items_options(*more: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command the argument ITEMS and the options about it, as one :class:`ItemsFile`.

    Common keys are options, and those named in ``more``; all others are given as ``--set KEY=VALUE``. With "table" in
    ``more`` the table file is an option, too; otherwise it is ``--set @FILE``.
    """
    shown = [key for key in KEYS if key.common or key.name in more]

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(*, paths: tuple[Path, ...], **given: Any) -> Any:
            table = _take_table_file(given)
            with name_keys(shown):
                return command(items=ItemsFile(paths, _take_keys(given), table), **given)

        decorated: Callable[..., Any] = _SET(run)
        decorated = _TABLE(decorated) if "table" in more else decorated
        for key in reversed(shown):
            decorated = _make_option(key)(decorated)
        return _PATHS(decorated)

    return decorate


def add_set_option(*names: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command ``--set`` for some keys only, as one argument ``keys``."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(**given: Any) -> Any:
            keys = _take_keys(given)
            if wrong := [name for name in keys if name not in names]:
                raise click.UsageError(f"--set {wrong[0]}=... has no effect here: {closest(wrong[0], names)}")
            with name_keys(()):
                return command(keys=keys, **given)

        return _SET(run)

    return decorate


@contextmanager
def name_keys(shown: Collection[Key]) -> Iterator[None]:
    """Let errors name a key as the option that a command has for it, which may be ``--set``."""
    flags = {key.name: key.flag if key in shown else f"--set {key.name}=" for key in KEYS}
    with name_command_options({**flags, "table": "--set @FILE"}):
        yield


def _take_table_file(given: MutableMapping[str, Any]) -> Path | None:
    """Take the table file out of the arguments of a command."""
    named = [Path(value) for name, value in given["settings"] if name == "@"]
    named += [given.pop("table")] if given.get("table") is not None else []
    given.pop("table", None)
    given["settings"] = [(name, value) for name, value in given["settings"] if name != "@"]
    if len(named) > 1:
        raise click.UsageError("a table file was given twice: give it once.")
    return named[0] if named else None


def _take_keys(given: MutableMapping[str, Any]) -> dict[str, Any]:
    """Take the keys out of the arguments of a command. A value that is given twice is a wrong option."""
    keys = {key.name: given.pop(f"key_{key.name}", None) for key in KEYS}
    stated = {name: value for name, value in keys.items() if value is not None}
    for name, value in given.pop("settings"):
        if name in stated:
            raise click.UsageError(f"{name} was given twice: give it once.")
        stated[name] = value
    return stated


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
        return key.parse(texts) or None
    except ValueError as error:
        raise click.BadParameter(f"{str(error).rstrip('.')}.") from None


def _parse_settings(_: click.Context, __: click.Parameter, values: tuple[str, ...]) -> list[tuple[str, Any]]:
    """Read ``KEY=VALUE`` and ``@FILE``. If a key has several names, their values are joined."""
    texts: dict[str, list[str]] = {}
    files = [("@", value[1:]) for value in values if value[:1] == "@" and value[1:]]
    for value in (value for value in values if ("@", value[1:]) not in files):
        name, equals, text = value.partition("=")
        name = name.strip().replace("-", "_")
        if not equals or name not in BY_NAME:
            keys = ", ".join(BY_NAME)
            reason = "is not of the form KEY=VALUE" if not equals else "names no key"
            raise click.BadParameter(f"{value!r:.80} {reason}; the keys are {keys}.")
        texts.setdefault(name, []).append(text)
    return [*files, *((name, _parse(BY_NAME[name], given)) for name, given in texts.items())]


_PATHS = click.argument("paths", type=PATH, metavar="ITEMS...", nargs=-1, required=True)
_TABLE = click.option("--table", type=PATH, help="A table file that describes ITEMS; by default ITEMS.table.toml if "
                      "there is one. Options override it.")  # fmt: skip
_SET = click.option("--set", "settings", metavar="KEY=VALUE|@FILE", multiple=True, callback=_parse_settings,
                    help="Any other key of a table file, such as group=thread, or @FILE for a whole file; `halflabel "
                    "data describe --help` lists the keys.")  # fmt: skip


def list_keys() -> str:
    """Return one line for each key without an option, for the help of ``data describe``."""
    rare = [key for key in KEYS if not key.common]
    width = max(len(key.name) for key in rare)
    more = {"format": f" {', '.join(list_names())}."}
    return "\n".join(f"  {key.name:<{width}}  {key.help}{more.get(key.name, '')}" for key in rare)


#: Maximum number of entries to check that are written, by default.
MAX_ROWS = 500


def _read_rate(context: click.Context, parameter: click.Parameter, text: str | None) -> Any:
    """Return a label frequency, or "ask"."""
    return text if text in (None, "ask") else click.FLOAT(text, parameter, context)


#: A value out of range ends in a sentence of the library, like everything else that does not fit the data.
observed_rate_option = click.option(
    "--observed-rate", callback=_read_rate, metavar="C|ask",
    help="Of positive-only labels: the share of the relevant entries that were assigned, such as 0.7. 'ask' estimates "
    "it from answers.",
)  # fmt: skip


def _check_rule(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """Raise for a threshold rule that does not exist."""
    try:
        return text if text is None or work.read_rule(text) else None
    except ValueError as error:
        raise click.BadParameter(str(error)) from None


rule_option = click.option(
    "--rule", metavar="RULE", callback=_check_rule,
    help="Threshold rule: 'probable' (the default) fills in entries that are more probable than not, 'micro_f1' finds "
    "more of the relevant entries with more errors, 'cost:1,5' has the least expected cost if a wrong yes costs 1 and "
    f"a wrong no 5. Others: {', '.join(list(RULES)[2:])}.",
)  # fmt: skip


effort_option = click.option(
    "--effort", type=click.Choice(["fast", "default", "best"]), default="default", show_default=True,
    help="How much work the default method may be.",
)  # fmt: skip


seed_option = click.option(
    "--seed", type=click.IntRange(0), default=0, show_default=True,
    help="Decides every random choice. In Python it is random_state.",
)  # fmt: skip
