"""The board as data: protocols, sets, methods and budget of a file, and the runs that follow from them."""

from __future__ import annotations

import tomllib
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from halflabel.labels.calibration import RULES
from halflabel_papers.benchmark.gaps import WAYS
from halflabel_papers.metrics import METRICS
from halflabel_papers.plan import Run
from halflabel_papers.spec import Method, Part, SetSpec, SpecError

#: The board that comes with this package.
BOARD = Path(__file__).with_name("board.toml")

#: The function that a run calls.
MEASURE = "halflabel_papers.benchmark.measuring:measure"

#: The end of the name of a method with its defaults.
DEFAULTS = ", defaults"


@dataclass(frozen=True)
class Protocol(Part):
    """A way of missing."""

    key: str
    title: str
    text: str
    #: Name of a function of :mod:`halflabel_papers.benchmark.gaps`.
    way: str
    rates: tuple[float, ...]
    #: The option that a rate is the value of.
    varies: str = "rate"
    #: Further options of the way.
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Board(Part):
    """A board, complete."""

    #: ``key``, ``title``: The key is part of every seed.
    key: str
    title: str
    metrics: tuple[str, ...]
    #: The metric of the ranks.
    decisive: str
    #: The method whose losses the page lists.
    ours: str
    #: ``held_out``, ``settings``, ``rule``, ``limit``, ``items`` and ``trials``.
    budget: Mapping[str, Any]
    #: Mapping by key.
    protocols: Mapping[str, Protocol]
    #: Mapping by name.
    sets: Mapping[str, SetSpec]
    #: Mapping by name. With the rows of defaults.
    methods: Mapping[str, Method]
    #: ``sets``, and ``rates`` by protocol.
    quick: Mapping[str, Any]

    def list_runs(self, methods: Sequence[str] = (), *, quick: bool = False) -> Iterator[Run]:
        """Yield the runs of methods (by default, of all), method by method."""
        for name in methods or self.methods:
            for protocol, rate, data, trial in self.list_cells(quick=quick):
                if protocol.key in self.methods[name].options.get("protocols", self.protocols):
                    yield self._make_run(protocol, rate, data, self.methods[name], trial)

    def list_cells(self, *, quick: bool = False) -> Iterator[tuple[Protocol, float, str, int]]:
        """Yield (protocol, rate, set, trial) of every cell."""
        sets = self.quick["sets"] if quick else list(self.sets)
        for protocol in self.protocols.values():
            rates = [self.quick["rates"].get(protocol.key)] if quick else protocol.rates
            for rate in (rate for rate in rates if rate is not None):
                yield from ((protocol, rate, data, t) for data in sets for t in range(self.budget["trials"]))

    def _make_run(self, protocol: Protocol, rate: float, name: str, method: Method, trial: int) -> Run:
        data = self.sets[name]
        options = {name: self.budget[name] for name in ("held_out", "rule", "items")} | {"way": protocol.way}
        return Run(
            paper=self.key,
            experiment=protocol.key,
            protocol=MEASURE,
            set=name,
            method=method.name,
            source={"name": name, "make": data.make, "settings": dict(data.settings), "fetch": data.fetch},
            steps=method.steps,
            helpers={},
            metrics=self.metrics,
            options={**options, **protocol.options, protocol.varies: rate, **method.options},
            grid={"rate": rate},
            trial=trial,
            seed=(zlib.crc32(f"{self.key}/{protocol.key}/{name}".encode()), trial),
            data=dict(data.files),
        )


def take_own(board: Board, data: SetSpec) -> Board:
    """Return the quick board on one set of the user."""
    return replace(board, sets={data.name: data}, quick={**board.quick, "sets": [data.name]})


def read_board(path: Path = BOARD) -> Board:
    """Read a board.

    Raises
    ------
    SpecError
        If the file uses an undefined name, or a method has more settings than the budget.
    """
    where = path.name
    raw = tomllib.loads(path.read_text(encoding="utf-8"))
    protocols = [
        Protocol.read(f"{where}: protocols", {**each, "rates": tuple(each["rates"])}) for each in raw["protocols"]
    ]
    sets = {name: SetSpec.read(f"{where}: sets.{name}", {"name": name, **each}) for name, each in raw["sets"].items()}
    methods = [
        each for name, value in raw["methods"].items() for each in _read_method(where, name, value, raw["budget"])
    ]
    by_key = {"protocols": {each.key: each for each in protocols}, "methods": {each.name: each for each in methods}}
    board = Board.read(where, {**raw, **by_key, "sets": sets, "metrics": tuple(raw["metrics"])})
    _check_names(where, board)
    return board


def _read_method(where: str, name: str, raw: Mapping[str, Any], budget: Mapping[str, Any]) -> Iterator[Method]:
    """Yield a method with the choice of a setting, if it has settings, and with its defaults."""
    values = dict(raw)
    settings, steps = values.pop("settings", []), tuple(values.pop("steps"))
    if len(settings) > budget["settings"]:
        raise SpecError(
            f"{where}: methods.{name} has {len(settings)} settings, and the budget is {budget['settings']}."
        )
    options = dict(values.pop("options", {}))
    plain = Method.read(f"{where}: methods.{name}", {"name": name, "steps": steps, "options": options, **values})
    if settings:
        yield replace(plain, options={**options, "settings": settings})
        yield replace(plain, name=name + DEFAULTS)
    else:
        yield plain


def _check_names(where: str, board: Board) -> None:
    """Raise if the board uses an undefined name, before anything runs."""
    known: Mapping[str, tuple[Sequence[str], Any]] = {
        "way": ([each.way for each in board.protocols.values()], WAYS),
        "metric": ([*board.metrics, board.decisive], [*METRICS, "log_loss"]),
        "threshold rule": ([board.budget["rule"]], [*RULES, "half"]),
        "method": ([board.ours], board.methods),
        "probability": (
            [m.options.get("returns", "assigned") for m in board.methods.values()],
            ("assigned", "relevant"),
        ),
        "set": (board.quick["sets"], board.sets),
        "protocol": (list(board.quick["rates"]), board.protocols),
    }
    for what, (names, defined) in known.items():
        if wrong := [name for name in names if name not in defined]:
            raise SpecError(f"{where}: there is no {what} {wrong[0]!r}; known are {', '.join(defined)}.")
    for protocol in board.protocols.values():
        rate = board.quick["rates"].get(protocol.key)
        if rate is not None and rate not in protocol.rates:
            raise SpecError(f"{where}: {protocol.key} has no rate {rate}; known are {protocol.rates}.")
