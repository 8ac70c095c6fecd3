"""A certificate: a proved bound of the errors of a table, with all that is needed to prove it again."""

from __future__ import annotations

import base64
import json
import math
import os
import zlib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from halflabel._arrays import Mask
from halflabel._digests import KEY, digest_values
from halflabel._version import __version__
from halflabel._wording import count, percent, plural
from halflabel.evidence.drawing import digest_table, order_entries
from halflabel.evidence.proof import UNSURE, Proof, Round

__all__ = ["Certificate", "check_certificate", "make_certificate", "read_certificate", "rebuild_proof", "verify"]

#: The content of "kind" and "version", so that no other file is taken for a certificate.
KIND, VERSION = "halflabel certificate", 2

#: The method of the bound.
METHOD = "confidence sequence without replacement, hypergeometric with a beta mixture (Waudby-Smith and Ramdas 2020)"

#: The largest table of a certificate.
MAX_ENTRIES = 10**9

_VALUES = {1: 1, 0: -1, None: UNSURE}

#: The kinds of the parts of a step: row, column, whether it was drawn, the answer, and the filled value.
_STEPS = ([int] * 5, [int, int, int, type(None), int])

_AS_ANSWER = {value: answer for answer, value in _VALUES.items()}

#: The keys of a certificate, and the kinds of their values.
_KEYS: dict[str, tuple[type, ...]] = {
    "population": (str,), "labels": (list, type(None)), "entries": (int,), "answered": (int,), "audited": (int,),
    "errors": (int,), "not_sure": (int,), "level": (float,), "max_errors": (int,), "precision": (float, int),
    "alpha": (float,), "attempts": (list,), "seed": (int,), "seed_from": (str,), "table": (str,),
    "audited_table": (str,), "expected": (float,), "limit": (int,), "names": (list,), "items": (int,), "part": (str,),
    "before": (list,), "steps": (list,), KEY: (str,),
}  # fmt: skip


class Certificate(dict[str, Any]):
    """The facts of a proof as plain values: numbers, digests, the seed, the drawn entries and the answers.

    Keys: population, labels; entries (N), answered (all), audited (n, random ones), errors (k, among these),
    not_sure; level, max_errors and precision (the bound); alpha (of this round), attempts (the rounds before it,
    each with a random answer: seed, alpha, audited, errors); seed, seed_from; table and audited_table (digests of the
    labels as delivered, and as they were when the round began); expected, limit, and the entries themselves. A task
    adds max_error (the stated share), taken_back (the number of answers that were given again) and columns. sha256 is
    the digest of all other values.
    """

    def __str__(self) -> str:
        kind = "filled and answered entries" if self["population"] == "all" else f"entries as {self['population']}"
        of = "" if self["labels"] is None else f" of {', '.join(map(str, self['labels']))}"
        again = len(self["attempts"])
        before = f" {plural(again, 'earlier sequence')} about this table shared the confidence." if again else ""
        return (
            f"At least {floor_percent(self['precision'])} of the {count(self['entries'])} {kind}{of} are right "
            f"(confidence {percent(self['level'])}): of {plural(self['audited'], 'random entry', 'random entries')}, "
            f"{count(self['errors'])} {'was' if self['errors'] == 1 else 'were'} wrong.{before}"
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
    now, draws = proof.now, proof.draws
    n_labels = len(proof.names)
    delivered = proof.delivered
    answered = proof.gaps & (proof.answers != 0)
    before = np.flatnonzero(answered & ~now.part)
    whole = proof.count_whole(now)
    later = [(entry, False) for entry, _ in now.steps[whole:] if proof.answers[entry] != 0]
    made = Certificate(
        kind=KIND, version=VERSION, halflabel=__version__, method=METHOD,
        population=proof.population, labels=None if proof.labels is None else list(proof.labels),
        entries=proof.entries, answered=int(answered.sum()), audited=len(draws.wrong), errors=int(draws.wrong.sum()),
        not_sure=proof.unsure, level=1 - proof.alpha, max_errors=proof.max_errors, precision=1 - proof.bound,
        alpha=now.alpha, attempts=[each for each in map(proof.describe_round, proof.rounds[:-1]) if each["audited"]],
        seed=now.seed, seed_from=seed_from, table=digest_table(proof.ids, proof.names, delivered),
        audited_table=digest_table(proof.ids, proof.names, _turn_back(proof, delivered)),
        expected=float(now.expected), limit=now.limit, names=list(proof.names), items=len(proof.ids),
        part=pack_mask(now.part), before=[_write_step(proof, int(entry), False, n_labels) for entry in before],
        steps=[_write_step(proof, entry, drawn, n_labels) for entry, drawn in [*now.steps[:whole], *later]],
    )  # fmt: skip
    made.update(facts)
    made[KEY] = digest_values(made)
    return made


def _turn_back(proof: Proof, delivered: NDArray[np.int8]) -> NDArray[np.int8]:
    """Return the table as it was when the round began."""
    fill = proof.now.fill.reshape(delivered.shape)
    return np.where(proof.now.part.reshape(delivered.shape), fill, delivered).astype(np.int8)


def _write_step(proof: Proof, entry: int, drawn: bool, n_labels: int) -> list[Any]:
    row, column = divmod(entry, n_labels)
    return [row, column, int(drawn), _AS_ANSWER[int(proof.answers[entry])], int(proof.now.fill[entry] > 0)]


def pack_mask(mask: Mask) -> str:
    """Return a mask as text: bits, compressed, in base 64."""
    return base64.b64encode(zlib.compress(np.packbits(mask).tobytes(), 9)).decode()


def unpack_mask(text: str, size: int) -> Mask:
    """Return the mask that :func:`pack_mask` wrote. Raise a ValueError if the text is none of this size."""
    try:
        reader = zlib.decompressobj()
        raw = reader.decompress(base64.b64decode(text, validate=True), size // 8 + 1)
        bits = np.unpackbits(np.frombuffer(raw, dtype=np.uint8), count=size)
    except (zlib.error, ValueError) as error:
        raise ValueError("its bits are damaged.") from error
    if len(raw) != -(-size // 8) or len(bits) != size or reader.unconsumed_tail:
        raise ValueError("its bits are not of the size of the table.")
    return bits.astype(bool)


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
    if not (0 < values["items"] * len(values["names"]) <= MAX_ENTRIES and values["limit"] >= 0):
        raise ValueError("its numbers of items and labels do not make a table.")
    if not 0 < values["expected"] < 1 or not 0 <= values["precision"] <= 1:
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
    proof = rebuild_proof(certificate, ids, names, state)
    first = certificate["limit"] == proof.now.part.sum() and math.isclose(
        certificate["alpha"], 1 - certificate["level"]
    )
    if not certificate["attempts"] and not first:
        raise ValueError("its limit or its alpha follows from an earlier sequence, and it names none.")
    if digest_table(ids, names, _turn_back(proof, state)) != certificate["audited_table"]:
        raise ValueError("the audited table does not follow from the table and the answers.")
    order = order_entries(ids, names, proof.now.part.reshape(state.shape), certificate["seed"]).tolist()
    _check_draws(proof.now.steps, order)
    found = make_certificate(proof, seed_from=certificate["seed_from"])
    numbers = ("entries", "answered", "audited", "errors", "not_sure", "max_errors")
    wrong = [name for name in numbers if found[name] != certificate[name]]
    if not wrong and not math.isclose(found["precision"], certificate["precision"], abs_tol=1e-9):
        wrong = ["precision"]
    if wrong:
        raise ValueError(f"{wrong[0]!r} is {certificate[wrong[0]]}, and {found[wrong[0]]} follows from the answers.")
    return str(certificate)


def rebuild_proof(certificate: Certificate, ids: Sequence[str], names: Sequence[str], state: NDArray[np.int8]) -> Proof:
    """Return the proof of a certificate, from the delivered table. Raise if the table has other entries."""
    part = unpack_mask(certificate["part"], state.size)
    before, steps = (_read_steps(certificate[name], state) for name in ("before", "steps"))
    fill = state.ravel().copy()
    gaps = part.copy()
    for entry, _, answer, filled in steps:
        if not part[entry] or state.ravel()[entry] != (filled if answer == UNSURE else answer):
            raise ValueError("an answer of the certificate is not in the table.")
        fill[entry] = filled
    for entry, *_ in before:
        gaps[entry] = True
    given = np.where(gaps.reshape(state.shape), 0, state).astype(np.int8)
    alpha = 1 - certificate["level"]
    proof = Proof(ids, names, given, alpha, certificate["population"], certificate["labels"])
    own = [(entry, drawn) for entry, drawn, *_ in steps]
    limit, expected = certificate["limit"], certificate["expected"]
    proof.rounds = [Round(fill, part, certificate["seed"], certificate["alpha"], limit, expected, own)]
    for entry, _, answer, _ in [*before, *steps]:
        proof.answers[entry] = answer
    return proof


def _read_steps(steps: list[Any], state: NDArray[np.int8]) -> list[tuple[int, bool, int, int]]:
    read = []
    for step in steps:
        if type(step) is not list or [type(part) for part in step] not in _STEPS:
            raise ValueError("a step of the certificate is damaged.")
        row, column, drawn, answer, filled = step
        in_table = 0 <= row < state.shape[0] and 0 <= column < state.shape[1]
        if not in_table or drawn not in (0, 1) or filled not in (0, 1) or answer not in _VALUES:
            raise ValueError("a step of the certificate is not about an entry of the table.")
        read.append((row * state.shape[1] + column, drawn == 1, _VALUES[answer], 1 if filled else -1))
    if len({entry for entry, *_ in read}) < len(read):
        raise ValueError("an entry of the certificate was answered twice.")
    return read


def _check_draws(steps: Sequence[tuple[int, bool]], order: Sequence[int]) -> None:
    """Raise if a drawn entry is not the next one of the random order."""
    taken: set[int] = set()
    place = 0
    for entry, drawn in steps:
        while place < len(order) and order[place] in taken:
            place += 1
        if drawn and (place == len(order) or order[place] != entry):
            raise ValueError("a random entry is not the one that follows from the seed.")
        taken.add(entry)
