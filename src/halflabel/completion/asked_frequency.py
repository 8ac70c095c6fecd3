"""The label frequency of positive-only labels by answers about absent entries: ``observed_rate="ask"``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd
from scipy.special import logit

from halflabel._arrays import Floats, Mask
from halflabel._wording import plural
from halflabel.evidence.label_frequency import MissingPositives, Share, choose_sizes, draw_by_size
from halflabel.labels import PartialLabels
from halflabel.labels.reasons import Reason
from halflabel.table.items import choose_shown, take_shown

if TYPE_CHECKING:
    from halflabel.completion.answers import Answers
    from halflabel.table import OpenTable

#: Minimum number of answers for an estimate, and number of answers to ask for.
MIN_ANSWERS, ENOUGH = 20, 60


@dataclass(frozen=True, eq=False)
class AskedFrequency:
    """Answers about absent entries of positive-only labels."""

    #: The labels of the table without the answers.
    given: PartialLabels
    #: Shape (n_items, n_labels). The absent entries that were answered.
    answered: Mask
    #: Shape (n_items, n_labels). Which of them are relevant.
    relevant: Mask
    #: Shape (n_items, n_labels). Log odds of P(assigned), by models that were fitted without the entry.
    log_odds: Floats

    @classmethod
    def read(
        cls, given: PartialLabels, answers: Answers | None, names: Sequence[str], assigned: Floats
    ) -> AskedFrequency:
        """Return the answers about absent entries of some labels, with P(assigned) by a fit that has learned them."""
        at = [given.names.index(name) for name in names]
        answered, relevant = np.zeros(given.shape, dtype=bool), np.zeros(given.shape, dtype=bool)
        if answers is not None:
            answered[answers.rows, answers.columns] = True
            relevant[answers.rows, answers.columns] = answers.relevant
        given = given.select(at)
        return cls(given, answered[:, at] & cls.find_absent(given), relevant[:, at], logit(assigned))

    @staticmethod
    def find_absent(given: PartialLabels) -> Mask:
        """Return the entries that may be missing positives."""
        of_items = given.annotated[:, None] | given.is_mixed
        return np.asarray((given.state == 0) & of_items & given.positives)

    @cached_property
    def _found(self) -> MissingPositives | None:
        """The posterior of the absent entries of all labels together, or None for too few answers."""
        absent = self.find_absent(self.given)
        asked = np.flatnonzero(self.answered[absent])
        if len(asked) < MIN_ANSWERS:
            return None
        return MissingPositives(self.log_odds[absent], asked, self.relevant[absent][asked])

    @cached_property
    def _estimate(self) -> Share | None:
        """The label frequency of the labels together, with an interval of 90 %."""
        n = int(self.given.relevant[:, np.flatnonzero(self.given.positives)].sum())
        return None if self._found is None else self._found.estimate(n, np.random.default_rng(0))

    @property
    def rate(self) -> float | None:
        """The label frequency of the labels together with the answers, for a fit to both."""
        return None if self.share is None else self.share.share

    @property
    def share(self) -> Share | None:
        """The label frequency of the labels together with the answers, with an interval of 90 %."""
        if self._estimate is None:
            return None
        n = int(self.given.relevant[:, np.flatnonzero(self.given.positives)].sum())
        new = int((self.relevant & self.answered).sum())
        return Share(*(min((n + new) * each / n, 1.0) for each in self._estimate))

    @property
    def sentence(self) -> str:
        """The estimate, or the number of answers that it needs, in a sentence."""
        n, share = int(self.answered.sum()), self._estimate
        if share is None:
            return (
                f"The label frequency is estimated from {MIN_ANSWERS} answers or more, and there are {n}: nothing was "
                "filled in by it."
            )
        low, high, middle = (100 * each for each in (share.low, share.high, share.share))
        more = "" if n >= ENOUGH or high - low <= 10 else f" {ENOUGH} answers make the interval narrower."
        return (
            f"By {plural(n, 'answer')}, {middle:.0f} % of the relevant entries were assigned ({low:.0f} to "
            f"{high:.0f} %, confidence 90 %).{more}"
        )

    def ask(self, opened: OpenTable, n: int, seed: int = 0) -> pd.DataFrame:
        """Return ``n`` questions about absent entries, each drawn with a known probability.

        Columns: item, label, why, chance (the probability of being drawn), answer (empty, for 1 or 0), shown columns.
        """
        absent = self.find_absent(self.given)
        size = np.zeros(absent.shape)
        size[absent] = choose_sizes(self.log_odds[absent], self._found)
        free = np.flatnonzero((absent & ~self.answered).ravel())
        drawn, chance = draw_by_size(size.ravel()[free], min(n, len(free)), np.random.default_rng([seed, len(free)]))
        drawn = drawn[np.argsort(-size.ravel()[free][drawn], kind="stable")]
        rows, columns = np.divmod(free[drawn], absent.shape[1])
        table = pd.DataFrame({"item": opened.index[rows], "label": np.array(self.given.names, object)[columns]})
        table = table.assign(why=Reason.FREQUENCY.value, chance=chance[drawn])
        table["answer"] = pd.array([None] * len(rows), dtype="Int8")
        shown = take_shown(opened, choose_shown(opened), rows)
        return table.join(shown.rename(columns={name: f"{name} (column)" for name in table.columns}))
