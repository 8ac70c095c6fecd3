"""The evidence of a completion: each number that the report, the page and the command print about it."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from halflabel._arrays import Ints
from halflabel.completion.checked_values import CheckedValues
from halflabel.evidence.doubts import rank_doubts
from halflabel.evidence.expected_errors import Predictions, estimate_errors
from halflabel.evidence.filled_samples import sample_filled
from halflabel.evidence.kinds import KINDS, classify_entries, count_gaps
from halflabel.evidence.questions import rank_questions
from halflabel.evidence.suspects import rank_missing, rank_suspects
from halflabel.methods.auto import AutoLabeler


class Evidence(CheckedValues):
    """The values of a completion, the results of checks on them, and the tables that a person reads.

    These are three classes, each in its own file. :class:`halflabel.completion.values.Values` explains the parameters.
    """

    # The evidence for the values.

    @cached_property
    def codes(self) -> NDArray[np.int8]:
        """The kind of evidence for each entry, as its position in :data:`halflabel.evidence.kinds.KINDS`."""
        return classify_entries(self.model, self.learned_from)

    @property
    def kinds(self) -> NDArray[np.str_]:
        """The kind of evidence for each entry: a name in :data:`halflabel.evidence.kinds.KINDS`."""
        return np.array(KINDS)[self.codes]

    @property
    def gaps_by_kind(self) -> dict[str, int]:
        """The number of gaps for each kind of evidence."""
        return count_gaps(self.labels, self.codes)

    # The entries to check and the questions to ask, by position.

    @cached_property
    def suspects(self) -> pd.DataFrame:
        """The given entries, or the probable missing positives, the most probably wrong first, with ids of items."""
        if self.labels.positive_only:
            ranked = rank_missing(self.labels, self.probabilities, self.observed_rate)
        else:
            part = self.of_filled
            ranked = rank_suspects(part.labels, part.probabilities, part.broken)
        return self.opened.name_items(ranked)

    @cached_property
    def doubts(self) -> pd.DataFrame:
        """The entries that a person should check, without a limit: position, column, suggested, reason, gain."""
        part, kept = self.of_filled, np.flatnonzero(~self.ranked_only)
        found = rank_doubts(part.labels, part.state, part.probabilities, part.learned_probabilities, part.broken)
        return found.assign(column=kept[found["column"].to_numpy(dtype=int)])

    def rank_candidates(self, n: int = 100) -> pd.DataFrame:
        """Return the ``n`` unknown entries that are likeliest to be relevant: item, label, rank, probability."""
        n_gaps = int((~self.labels.observed).sum())
        p = np.where(self.labels.observed, -1.0, self.probabilities)
        # Probabilities near 1 are equal after clipping; the probabilities before it still differ.
        order = np.lexsort((-self.learned_probabilities.ravel(), -p.ravel()))[: min(n, n_gaps)]
        rows, columns = np.unravel_index(order, p.shape)
        names, rank = np.array(self.labels.names, dtype=object), np.arange(1, len(rows) + 1)
        ranked = {"position": rows, "label": names[columns], "rank": rank, "probability": p[rows, columns]}
        return self.opened.name_items(pd.DataFrame(ranked))

    def sample_filled(self, n: int, random_state: int = 0) -> pd.DataFrame:
        """Return ``n`` random filled entries: position, column. The order of items and labels decides nothing.

        See :func:`halflabel.evidence.filled_samples.sample_filled`.
        """
        rows, columns = self._order, np.argsort(np.array(self.labels.names), kind="stable")
        filled = np.where(self.labels.observed, 0, self.state)[np.ix_(rows, columns)]
        chosen = sample_filled(filled.astype(np.int8), n, random_state)
        return chosen.assign(position=rows[chosen["position"]], column=columns[chosen["column"]])

    def find_nearest(self, row: int, among: Ints, n: int) -> Ints:
        """Return the ``n`` items that are nearest to an item by their principal components, of some items."""
        places = np.empty_like(self._components)
        places[self._order] = self._components
        apart = ((places[among] - places[row]) ** 2).sum(axis=1)
        return among[np.argsort(apart, kind="stable")[:n]]

    def next_to_label(self, n: int) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: item, bits, unknown."""
        order, rng = self._order, np.random.default_rng(0)
        labels, p = self.of_filled.labels, self.of_filled.probabilities
        ranked = rank_questions(labels[order], p[order], self._components, n, rng)
        return self.opened.name_items(ranked.assign(position=order[ranked["position"]]))

    @cached_property
    def expected_errors(self) -> pd.DataFrame:
        """:attr:`estimated_errors`, without the numbers that a check contradicts."""
        table = self.estimated_errors
        return table if self.of_filled.has_precision else table.assign(expected=np.nan, low=np.nan, high=np.nan)

    @cached_property
    def estimated_errors(self) -> pd.DataFrame:
        """The number of filled entries that are expected to be wrong by the probabilities, per label and in all."""
        if self.of_filled is not self:
            return self.of_filled.estimated_errors
        return self._estimate_errors(np.where(self.labels.observed, 0, self.state))

    def expect_errors_in(self, value: int) -> pd.Series:
        """Return the row of all labels of :attr:`estimated_errors` for the gaps filled as +1 or as -1 alone."""
        filled = ~self.labels.observed & (self.state == value)
        return self._estimate_errors(np.where(filled, value, 0)).iloc[-1]

    def _estimate_errors(self, filled: NDArray[np.int64]) -> pd.DataFrame:
        order = self._order
        return estimate_errors(
            self.calibrated_on[order],
            filled[order].astype(np.int8),
            self.probabilities[order],
            self._predictions,
            self.learned_from.unlabelled[order],
            self.fit.deviation[order],
            self._groups,
        )

    @property
    def _predictions(self) -> Predictions:
        """The predictions of known entries, in canonical order."""
        order, model = self._order, self.model
        c = (self.observed_rate or 1.0) if self.labels.positive_only else 1.0
        held_out = ~np.isnan(model.out_of_fold_scores_[order])
        p = np.where(held_out, np.minimum(self.learned_probabilities[order] / c, 1.0), np.nan)
        alone = model.predict_alone() if isinstance(model, AutoLabeler) and not self.fit.has_targets else None
        return Predictions(p, None if alone is None else np.where(held_out, alone[order], np.nan), c)
