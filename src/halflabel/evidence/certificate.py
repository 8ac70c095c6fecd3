"""A certificate: a proved bound of the errors of a table, with all that is needed to prove it again."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._digests import KEY, digest_values
from halflabel._version import __version__
from halflabel._wording import count, percent, plural
from halflabel.evidence.proof import UNSURE, Proof
from halflabel.evidence.random_order import digest_table, pack, unpack

__all__ = ["Certificate", "check_certificate", "make_certificate", "read_certificate", "rebuild_proof", "verify"]

#: The content of "kind" and "version", so that no other file is taken for a certificate.
KIND, VERSION = "halflabel certificate", 4

#: The method of the bound.
METHOD = "bets on entries drawn without replacement, the chance in proportion to sqrt(p (1 - p)) with a floor"

#: The largest table of a certificate.
MAX_ENTRIES = 10**9

_VALUES = {1: 1, 0: -1, None: UNSURE}

#: The kinds of the parts of a step: row, column, whether it was drawn, and the answer.
_STEPS = ([int] * 4, [int, int, int, type(None)])

_AS_ANSWER = {value: answer for answer, value in _VALUES.items()}

#: The keys of a certificate, and the kinds of their values.
_KEYS: dict[str, tuple[type, ...]] = {
    "population": (str,), "labels": (list, type(None)), "entries": (int,), "answered": (int,), "audited": (int,),
    "errors": (int,), "not_sure": (int,), "level": (float,), "max_errors": (int,), "precision": (float, int),
    "alpha": (float,), "seed": (int,), "seed_from": (str,), "table": (str,),
    "audited_table": (str,), "aim": (float,), "names": (list,), "items": (int,), "values": (str,), "before": (list,),
    "steps": (list,), KEY: (str,),
}  # fmt: skip


class Certificate(dict[str, Any]):
    """The facts of a proof as plain values: numbers, digests, the seed, the drawn entries and the answers.

    Keys: population, labels; entries (N), answered (all), audited (n, random ones), errors (k, among these), not_sure;
    level, max_errors and precision (the bound); alpha (1 - level); seed, seed_from; table and audited_table (digests
    of the labels as delivered, and as they were when the values were frozen); aim (the share of wrong entries
    to be excluded), values (the frozen values with the probabilities that they are wrong), and the entries themselves.
    A task adds max_error (the stated share), taken_back (the number of answers that were given again) and columns.
    sha256 is the digest of all other values.
    """

    def __str__(self) -> str:
        kind = "filled and answered entries" if self["population"] == "all" else f"entries as {self['population']}"
        of = "" if self["labels"] is None else f" of {', '.join(map(str, self['labels']))}"
        wrong = self["errors"]
        return (
            f"At least {floor_percent(self['precision'])} of the {count(self['entries'])} {kind}{of} "
            f"are right (confidence {percent(self['level'])}): of "
            f"{plural(self['audited'], 'random entry', 'random entries')}, {count(wrong)} "
            f"{'was' if wrong == 1 else 'were'} wrong."
        )

    @property
    def digests(self) -> tuple[str, str]:
        """The digests of the table as it is delivered, and as it was audited."""
        return self["table"], self["audited_table"]


def floor_percent(share: float) -> str:
    """Return a lower bound in percent: rounded down."""
    return f"{math.floor(1000 * share + 1e-9) / 10:.1f}\N{NO-BREAK SPACE}%"


def ceil_percent(share: float) -> str:
    """Return an upper bound in percent: rounded up."""
    return f"{math.ceil(1000 * share - 1e-9) / 10:.1f} %"


def make_certificate(proof: Proof, *, seed_from: str, **facts: Any) -> Certificate:
    """Return the certificate of a proof at this moment. ``facts`` are added, such as who answered."""
    delivered, answered, whole = proof.delivered, proof.answered, proof.whole
    draws = [proof.answers[entry] != proof.fill[entry] for entry, drawn in whole if drawn]
    later = [(entry, False) for entry, _ in proof.steps[len(whole) :] if proof.answers[entry] != 0]
    before = [(entry, False) for entry in np.flatnonzero(answered & ~proof.part).tolist()]
    made = Certificate(
        kind=KIND, version=VERSION, halflabel=__version__, method=METHOD, population=proof.population,
        labels=None if proof.labels is None else list(proof.labels), entries=proof.entries,
        answered=int(answered.sum()), audited=len(draws), errors=sum(map(int, draws)), not_sure=proof.unsure,
        level=1 - proof.alpha, max_errors=proof.max_errors, precision=1 - proof.bound, alpha=proof.alpha,
        seed=proof.seed, seed_from=seed_from, table=digest_table(proof.ids, proof.names, delivered),
        audited_table=digest_table(proof.ids, proof.names, _turn_back(proof, delivered)), aim=proof.aim,
        names=list(proof.names), items=len(proof.ids), values=pack(np.where(proof.part, proof.codes, 0)),
        before=[_write_step(proof, *each) for each in before],
        steps=[_write_step(proof, *each) for each in [*whole, *later]],
    )  # fmt: skip
    made.update(facts)
    made[KEY] = digest_values(made)
    return made


def _turn_back(proof: Proof, delivered: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the table as it was when the values were frozen."""
    fill, part = proof.fill.reshape(delivered.shape), proof.part.reshape(delivered.shape)
    return np.where(part, fill, delivered).astype(np.int8)


def _write_step(proof: Proof, entry: int, drawn: bool) -> list[Any]:
    return [*divmod(entry, len(proof.names)), int(drawn), _AS_ANSWER[int(proof.answers[entry])]]


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read a certificate. Raise a ValueError, in one sentence, for any other file."""
    try:
        values = json.loads(Path(path).read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:  # JSON and UTF-8 raise subclasses of ValueError
        raise ValueError(f"{path} is not a certificate of halflabel ({error}).") from error
    try:
        return check_certificate(values)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"{path} is not a certificate that can be used: {error}") from error


def check_certificate(values: Any) -> Certificate:
    """Return the values as a certificate. Raise for a value that is missing, or of another kind."""
    if not isinstance(values, Mapping) or values.get("kind") != KIND:
        raise ValueError(f"its kind is not {KIND!r}.")
    if values.get("version") != VERSION:
        raise ValueError(f"its version is {values.get('version')!r}, not {VERSION}.")
    for name, kinds in _KEYS.items():
        if name not in values or type(values[name]) not in kinds:
            raise ValueError(f"its value {name!r} is missing or of another kind.")
    if digest_values(values) != values[KEY]:
        raise ValueError("one of its values was changed after it was made.")
    if not (0.5 < values["level"] < 1 and 0 < values["alpha"] <= 1 - values["level"] + 1e-12):
        raise ValueError("its level and its alpha do not belong together.")
    if not 0 < values["items"] * len(values["names"]) <= MAX_ENTRIES:
        raise ValueError("its numbers of items and labels do not make a table.")
    if not (0 <= values["precision"] <= 1 and 0 <= values["aim"] < 1):
        raise ValueError("its shares do not lie between 0 and 1.")
    return Certificate(values)


def verify(certificate: Certificate, ids: Sequence[str], names: Sequence[str], state: NDArray[np.int8]) -> str:
    """Prove a certificate again from the delivered table, and return its sentence.

    Parameters
    ----------
    certificate : Certificate
    ids, names
        The items and the labels of the table, in its order.
    state : ndarray of int8, shape (n_items, n_labels)
        Its labels: +1, -1, 0 for an empty cell.

    Raises
    ------
    ValueError
        In one sentence, for the first difference: the table, the drawn entries, the answers, or the bound.
    """
    if list(names) != certificate["names"] or len(ids) != certificate["items"]:
        raise ValueError("the table has other items or labels than the certificate.")
    if digest_table(ids, names, state) != certificate["table"]:
        raise ValueError("the table is not the one that was certified: the digest of its labels differs.")
    found = make_certificate(rebuild_proof(certificate, ids, names, state), seed_from=certificate["seed_from"])
    proved = ("table", "audited_table", "entries", "answered", "audited", "errors", "not_sure", "max_errors")
    wrong = [name for name in proved if found[name] != certificate[name]]
    if not wrong and not math.isclose(found["precision"], certificate["precision"], abs_tol=1e-9):
        wrong = ["precision"]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is {certificate[wrong[0]]}, and {found[wrong[0]]} follows from the answers.")
    return str(certificate)


def rebuild_proof(certificate: Certificate, ids: Sequence[str], names: Sequence[str], state: NDArray[np.int8]) -> Proof:
    """Return the proof of a certificate, from the delivered table. Raise if its answers or its draws are others."""
    codes = unpack(certificate["values"], state.size)
    before, steps = (_read_steps(certificate[name], state) for name in ("before", "steps"))
    given = np.where(codes == 0, state.ravel(), 0)
    given[[entry for entry, *_ in before]] = 0
    alpha, aim, population = (certificate[name] for name in ("alpha", "aim", "population"))
    proof = Proof(ids, names, given.reshape(state.shape), alpha, aim, population)
    for entry, _, answer in before:
        proof.answer(entry, answer)
    proof.begin(codes, certificate["seed"])
    for entry, drawn, answer in steps:
        if not proof.part[entry] or proof.answers[entry] != 0:
            raise ValueError("an answer of the certificate is about no entry that could be asked.")
        if drawn and proof.choose_random(1) != [entry]:
            raise ValueError("a random entry is not the one that follows from the seed.")
        if drawn:
            proof.take([entry])
        proof.answer(entry, answer)
    return proof


def _read_steps(steps: list[Any], state: NDArray[np.int8]) -> list[tuple[int, bool, int]]:
    read = []
    for step in steps:
        if type(step) is not list or [type(part) for part in step] not in _STEPS:
            raise ValueError("a step of the certificate is damaged.")
        row, column, drawn, answer = step
        in_table = 0 <= row < state.shape[0] and 0 <= column < state.shape[1]
        if not in_table or drawn not in (0, 1) or answer not in _VALUES:
            raise ValueError("a step of the certificate is not about an entry of the table.")
        read.append((row * state.shape[1] + column, drawn == 1, _VALUES[answer]))
    return read
