"""Options of version 0.1.0 that have another name now: they still work, with a warning, for one version."""

from __future__ import annotations

import functools
from collections.abc import Callable, MutableMapping
from dataclasses import dataclass
from typing import Any

import click

from halflabel.cli.console import print_note

#: Arguments of a command, by parameter.
Given = MutableMapping[str, Any]


@dataclass(frozen=True)
class OldName:
    """An option with another name than before."""

    flag: str  #: The old option.
    instead: str  #: The new form of the option, with ``{}`` in the place of the value.
    #: Takes the arguments of the command and the old value, and states the same with the new option.
    apply: Callable[[Given, Any], None]
    attributes: dict[str, Any]  #: The arguments of click for the old option.

    @property
    def parameter(self) -> str:
        """The name of its value."""
        return "old_" + self.flag.strip("-").replace("-", "_")

    def use(self, given: Given) -> None:
        """Take the old option out of the arguments, and state the same with the new one."""
        value = given.pop(self.parameter)
        if value in (None, False, ()):
            return
        shown = ",".join(map(str, value)) if isinstance(value, tuple) else value
        new = self.instead.format(shown)
        print_note(f"{self.flag} has another name now: write {new}. The next version does not accept the old one.")
        self.apply(given, value)


def old_name(flag: str, instead: str, apply: Callable[[Given, Any], None], **attributes: Any) -> OldName:
    """Return an old option. Its ``attributes`` are arguments of :func:`click.option`."""
    return OldName(flag, instead, apply, attributes)


def renamed(flag: str, parameter: str, instead: str, **attributes: Any) -> OldName:
    """Return an old option whose value is that of the new one."""
    return OldName(flag, instead, lambda given, value: given.update({parameter: value}), attributes)


def accept_old_names(*names: OldName) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Give a command its old options, which its help does not show."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(command)
        def run(**given: Any) -> Any:
            for name in names:
                name.use(given)
            return command(**given)

        decorated: Callable[..., Any] = run
        for name in names:
            decorated = click.option(name.flag, name.parameter, hidden=True, **name.attributes)(decorated)
        return decorated

    return decorate
