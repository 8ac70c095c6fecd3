"""Evidence from random samples of the items, drawn in canonical order: the order of the rows changes nothing."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from halflabel._arrays import Floats, Ints
from halflabel.completion.caution import ResampledCalibration
from halflabel.evidence.components import take_components
from halflabel.evidence.drift import measure_drift
from halflabel.evidence.expected_errors import estimate_errors
from halflabel.evidence.questions import rank_questions
from halflabel.methods.canonical_order import order_items

if TYPE_CHECKING:
    from halflabel.completion.result import Completion


@dataclass(frozen=True, eq=False)
class Samples:
    """The items of a completion in canonical order, and what is measured on random samples of them.

    Parameters
    ----------
    completion : Completion
    """

    completion: Completion

    @cached_property
    def order(self) -> Ints:
        """The positions of the items in canonical order."""
        return order_items(self.completion.opened.X, self.completion.learned_from)

    @cached_property
    def components(self) -> Floats:
        """Principal components of the items in canonical order."""
        return take_components(self.completion.opened.X[self.order], np.random.default_rng(0))

    def measure_drift(self) -> float | None:
        """Return how well labelled and unlabelled items can be separated."""
        return measure_drift(self.components, self.completion.learned_from[self.order], np.random.default_rng(0))

    def rank_questions(self, n: int) -> pd.DataFrame:
        """Return the ``n`` items whose labels help most: position, bits, unknown."""
        order, p = self.order, self.completion.model.label_probabilities_
        rng = np.random.default_rng(0)
        ranked = rank_questions(self.completion.labels[order], p[order], self.components, n, rng)
        return ranked.assign(position=order[ranked["position"]])

    def estimate_errors(self) -> pd.DataFrame:
        """Return the number of filled entries that are expected to be wrong, per label and in all."""
        completion, model, order = self.completion, self.completion.model, self.order
        filled = np.where(completion.labels.observed, 0, completion.state).astype(np.int8)
        return estimate_errors(
            completion.calibrated_on[order],
            filled[order],
            model.label_probabilities_[order],
            model.label_scores_[order],
            model.out_of_fold_scores_[order],
            np.random.default_rng(0),
        )

    def resample_calibration(self) -> ResampledCalibration | None:
        """Return calibrations of bootstrap samples of the labelled items; None if nothing was held out."""
        model, order = self.completion.model, self.order
        folds = getattr(model, "folds_", None)
        return ResampledCalibration.fit(
            self.completion.calibrated_on[order],
            model.label_scores_[order],
            model.out_of_fold_scores_[order],
            folds if folds is None else folds[order],
            np.random.default_rng(0),
        )
