"""An audit: answers about random filled entries, and an exact bound of the share that is wrong."""

from __future__ import annotations

import hashlib
import heapq
import json
import math
import os
import re
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel._wording import count, percent, plural
from halflabel.labels.answers import Answer, read_answer

#: The populations that can be audited, and the values of their entries.
POPULATIONS = {"all": (1, -1), "relevant": (1,), "irrelevant": (-1,)}

#: The largest number of entries of a certificate: no table has more, and its bound is found in a second.
MAX_ENTRIES = 10**12

#: The answers in the coding of a table. "not sure" differs from both values, so that it counts as an error.
_VALUES = {Answer.YES: 1, Answer.NO: -1, Answer.UNSURE: 0}


@dataclass(frozen=True)
class Certificate:
    """The result of an audit: a proven bound on the errors among the filled entries of a table.

    Attributes
    ----------
    population : {"all", "relevant", "irrelevant"}
        The filled entries that were audited: all entries, or the entries filled with one value.
    entries : int
        N, their number.
    audited : int
        n, the number of random entries that were answered.
    errors : int
        The number of these whose filled value is not the answer.
    level : float
        The confidence level.
    max_errors : int
        The largest number of errors among the N entries that is not rejected at this level.
    precision : float
        At least this share of the entries is right, ``1 - max_errors / entries``.
    seed : int
        Of the random choice.
    table : str
        SHA-256 of the completed labels.
    """

    population: str
    entries: int
    audited: int
    errors: int
    level: float
    max_errors: int
    precision: float
    seed: int
    table: str

    def __str__(self) -> str:
        kind = "filled entries" if self.population == "all" else f"entries filled as {self.population}"
        share = f"{math.floor(1000 * self.precision) / 10:.1f}\N{NO-BREAK SPACE}%"  # a bound is rounded down
        return (
            f"At least {share} of the {count(self.entries)} {kind} are right (confidence {percent(self.level)}): of "
            f"{plural(self.audited, 'random entry', 'random entries')}, {count(self.errors)} "
            f"{'was' if self.errors == 1 else 'were'} wrong."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the certificate as plain values."""
        return asdict(self)

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Certificate:
        """Return the certificate that :meth:`to_dict` returned.

        Raises
        ------
        ValueError
            If a value is missing, of another kind or outside its bounds, or the bound does not follow from the numbers.
        """
        names = {field.name for field in fields(cls)}
        if not isinstance(values, dict) or not names <= set(values):
            raise ValueError(f"a certificate has the values {', '.join(sorted(names))}.")
        stated = {name: values[name] for name in names}  # a review in the browser adds further facts
        _check_values(stated)
        bound = bound_errors(*(stated[name] for name in ("entries", "audited", "errors", "level")))
        precision = 1 - bound / stated["entries"]
        if bound != stated["max_errors"] or not math.isclose(stated["precision"], precision, abs_tol=1e-9):
            raise ValueError("the bound of a certificate does not follow from its numbers.")
        return cls(**{**stated, "precision": precision})


def _check_values(stated: dict[str, Any]) -> None:
    """Raise for a value of a certificate that is of another kind, or outside its bounds."""
    whole = {"entries": (1, MAX_ENTRIES), "audited": (1, stated["entries"]), "errors": (0, stated["audited"]),
             "max_errors": (0, stated["entries"])}  # fmt: skip
    for name, (lowest, highest) in whole.items():  # in this order each bound is checked before it is used
        if type(stated[name]) is not int or not lowest <= stated[name] <= highest:
            raise ValueError(f"{name!r} of a certificate must be a whole number from {lowest} to {highest}.")
    if type(stated["seed"]) is not int:
        raise ValueError("'seed' of a certificate must be a whole number.")
    for name in ("level", "precision"):
        if type(stated[name]) not in (int, float) or not 0 <= stated[name] <= 1:
            raise ValueError(f"{name!r} of a certificate must be a number from 0 to 1.")
    if not 0.5 < stated["level"] < 1:
        raise ValueError("'level' of a certificate must lie between 0.5 and 1.")
    if not isinstance(stated["population"], str) or stated["population"] not in POPULATIONS:
        raise ValueError(f"'population' of a certificate must be one of {', '.join(map(repr, POPULATIONS))}.")
    if not isinstance(stated["table"], str) or not re.fullmatch("[0-9a-f]{64}", stated["table"]):
        raise ValueError("'table' of a certificate must be a SHA-256: 64 digits and letters from a to f.")


@dataclass(frozen=True, eq=False)
class Audit:
    """Random filled entries that a person answers without a look at the filled value.

    Attributes
    ----------
    items : Index
        Ids of the items.
    names : tuple of str
        Names of the labels.
    rows, columns : ndarray of int
        The entries, label by label.
    values : ndarray of int8
        +1 or -1, the filled values.
    population, entries, seed, table
        As in :class:`Certificate`.
    """

    items: pd.Index[Any]
    names: tuple[str, ...]
    rows: Ints
    columns: Ints
    values: NDArray[np.int8]
    population: str
    entries: int
    seed: int
    table: str

    @property
    def questions(self) -> pd.DataFrame:
        """The entries to answer: item, label, and an empty column answer for 1, 0 or "?" (undecided)."""
        labels = np.array(self.names, dtype=object)[self.columns]
        empty = pd.array([None] * len(self.rows), dtype="string")
        return pd.DataFrame({"item": self.items[self.rows], "label": labels, "answer": empty})

    def certify(self, answers: pd.DataFrame, level: float = 0.95) -> Certificate:
        """Return the certificate that the answers prove.

        Parameters
        ----------
        answers : DataFrame
            :attr:`questions` with all answers: 1 or yes, 0 or no, "?". An answer "?" counts as an error.
        level : float in (0.5, 1), default=0.95
            Confidence level of the one-sided bound.

        Raises
        ------
        ValueError
            If an answer is missing, is about another entry, or is of another kind.
        """
        if not 0.5 < level < 1:
            raise ValueError(f"the confidence level must lie between 0.5 and 1, not {level!r}.")
        errors = int((self._match(answers) != self.values).sum())
        bound = bound_errors(self.entries, len(self.rows), errors, level)
        return Certificate(
            population=self.population,
            entries=self.entries,
            audited=len(self.rows),
            errors=errors,
            level=level,
            max_errors=bound,
            precision=1 - bound / self.entries,
            seed=self.seed,
            table=self.table,
        )

    def _match(self, answers: pd.DataFrame) -> NDArray[np.int8]:
        """Return the answers in the order of the entries: +1, -1, or 0 for "?"."""
        missing = [name for name in ("item", "label", "answer") if name not in answers]
        if missing:
            raise ValueError(
                f"the answers have no column {missing[0]!r}: an audit has the columns item, label, answer."
            )
        given: dict[tuple[str, str], Any] = {}
        for item, label, answer in answers[["item", "label", "answer"]].itertuples(index=False):
            if (str(item), str(label)) in given:
                raise ValueError(f"item {item!r} and label {label!r} have two answers: keep one of the rows.")
            given[str(item), str(label)] = answer
        asked = [(str(self.items[i]), self.names[j]) for i, j in zip(self.rows, self.columns, strict=True)]
        if unknown := given.keys() - set(asked):
            item, label = min(unknown)
            raise ValueError(
                f"item {item!r} and label {label!r} are not in this audit: use the completed table and the seed with "
                "which the audit was made."
            )
        read = [read_answer(given.get(entry)) for entry in asked]
        for (item, label), answer in zip(asked, read, strict=True):
            if answer not in _VALUES:
                problem = "is missing" if answer is Answer.NONE else f"is {given[item, label]!r}"
                raise ValueError(
                    f"the answer about item {item!r} and label {label!r} {problem}: write 1 or yes, 0 or no, or ?. A "
                    "certificate needs all answers, because a look at the result before the last one would bias it."
                )
        return np.array([_VALUES[answer] for answer in read if answer is not None], dtype=np.int8)


def read_certificate(path: str | os.PathLike[str]) -> Certificate:
    """Read the file of a certificate that `halflabel audit` wrote. Raise if the file is not a certificate."""
    try:
        return Certificate.from_dict(json.loads(Path(path).read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:  # JSON and UTF-8 raise subclasses of ValueError, too
        raise ValueError(f"{path}: not a certificate of `halflabel audit` ({error})") from error


def draw_audit(
    items: pd.Index[Any],
    names: tuple[str, ...],
    given: NDArray[np.int8],
    completed: NDArray[np.int8],
    *,
    n: int = 59,
    seed: int = 0,
    population: str = "all",
) -> Audit:
    """Draw ``n`` random filled entries.

    Parameters
    ----------
    items, names
        Ids of the items (distinct), names of the labels.
    given, completed : ndarray of int8, shape (n_items, n_labels)
        +1 relevant, -1 irrelevant, 0 unknown, before and after completion.
    n : int, default=59
        59 answers without an error prove a precision of .95 at a confidence of .95.
    seed : int, default=0
    population : {"all", "relevant", "irrelevant"}

    Notes
    -----
    The entries have the smallest SHA-256 of seed, id and label, so that the choice does not depend on the order of the
    table, and can be repeated. Cost: one digest per filled entry.
    """
    if population not in POPULATIONS:
        raise ValueError(f"an audit is about {', '.join(map(repr, POPULATIONS))} filled entries, not {population!r}.")
    if not items.is_unique:
        raise ValueError("an audit needs distinct item ids: name a column of distinct ids (id=).")
    rows, columns = np.nonzero((given == 0) & np.isin(completed, POPULATIONS[population]))
    if not 1 <= n <= len(rows):
        raise ValueError(f"an audit of {plural(len(rows), 'filled entry', 'filled entries')} has between 1 and "
                         f"{max(len(rows), 1)} of them, not {n}.")  # fmt: skip
    ids = [str(item) for item in items]
    digests = ((_digest(seed, ids[i], names[j]), k) for k, (i, j) in enumerate(zip(rows, columns, strict=True)))
    chosen = np.array([k for _, k in heapq.nsmallest(n, digests)], dtype=np.intp)
    chosen = chosen[np.argsort(columns[chosen], kind="stable")]  # one label at a time is answered faster
    rows_of, columns_of = rows[chosen], columns[chosen]
    table = digest_table(ids, names, completed)
    values = completed[rows_of, columns_of].astype(np.int8)
    return Audit(items, names, rows_of, columns_of, values, population, len(rows), seed, table)


def bound_errors(entries: int, audited: int, errors: int, level: float) -> int:
    r"""Return the largest number of errors that the audit does not reject: an exact one-sided upper bound.

    The number of errors in a random sample without replacement is hypergeometric: the bound is the largest M with
    :math:`P(X \le \text{errors} \mid N, M, n) > 1 - \text{level}` (Clopper-Pearson for a finite population).
    """
    low, high = errors, entries - audited + errors
    while low < high:
        middle = (low + high + 1) // 2
        if is_rejected(middle, entries, audited, errors, level):
            high = middle - 1
        else:
            low = middle
    return low


def is_rejected(wrong: int, entries: int, audited: int, errors: int, level: float) -> bool:
    """Return whether the audit rejects ``wrong`` as the number of wrong entries, and with it all larger numbers."""
    from scipy.stats import hypergeom  # imported here: it takes a second

    return bool(hypergeom.cdf(errors, entries, wrong, audited) <= 1 - level)


def bound_recall(relevant: Certificate, irrelevant: Certificate) -> float:
    """Return a lower bound of the share of the relevant filled entries that were filled as relevant.

    Both audits share the error probability, so that each is evaluated at half of it. The bound holds at the lower of
    the two confidence levels. With sparse labels, few errors among the many irrelevant entries lower it much.
    """
    level = min(relevant.level, irrelevant.level)
    each = 1 - (1 - level) / 2
    wrong, missed = (bound_errors(c.entries, c.audited, c.errors, each) for c in (relevant, irrelevant))
    right = relevant.entries - wrong
    return right / (right + missed) if right else 0.0


def _digest(*parts: object) -> bytes:
    """Return the SHA-256 of strings, each preceded by its length."""
    digest = hashlib.sha256()
    for part in parts:
        text = str(part).encode("utf-8", "surrogatepass")
        digest.update(b"%d:" % len(text) + text)
    return digest.digest()


def digest_table(ids: list[str], names: tuple[str, ...], completed: NDArray[np.int8]) -> str:
    """Return the SHA-256 of the labels of a completed table."""
    digest = hashlib.sha256(_digest(*names))
    for item, row in zip(ids, completed, strict=True):
        digest.update(_digest(item) + row.astype(np.int8).tobytes())
    return digest.hexdigest()
