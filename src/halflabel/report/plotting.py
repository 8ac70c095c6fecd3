"""``Completion.plot``: the figures of the report as matplotlib's axes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from halflabel.completion.explanation import find_label
from halflabel.evaluation.hiding import IN_WORDS
from halflabel.evaluation.learning_curve import CURVE_REPEATS, measure_learning_curve
from halflabel.evidence.calibration_error import bin_calibration
from halflabel.report.axes import make_axes, plot_calibration, plot_coverage, plot_learning_curve, plot_prevalence
from halflabel.report.pictures import draw_on_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from halflabel.completion.mapping.item_map import ItemMap
    from halflabel.completion.result import Completion

#: The expected precisions of the coverage curve.
PRECISIONS = tuple(np.round(np.arange(0.60, 0.996, 0.01), 2).tolist())


@dataclass(frozen=True, eq=False)
class Plots:
    """Figures of a completion. Each method returns matplotlib's axes.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from halflabel import complete
    >>> songs = pd.DataFrame({"tempo": [60.1, 62.3, 64.7, 61.2, 120.4, 122.8, 125.1, 121.7]})
    >>> songs["dance"] = [0, 0, None, None, 1, 1, None, None]
    >>> filled = complete(songs, labels=["dance"], effort="fast")
    >>> filled.plot.calibration(ax=Figure().subplots()).get_xlabel()
    'predicted probability'
    """

    completion: Completion

    def map(self, label: str | None = None, *, item_map: ItemMap | None = None, ax: Axes | None = None) -> Axes:
        """Draw the items in two dimensions: squares are given entries of a label, dots are filled in.

        Pale dots are uncertain. Dense regions have the names of the labels that are more frequent there. The line under
        the map states how many neighbours it keeps.

        Parameters
        ----------
        label : str, optional
            The label that decides the colours; by default the one with the most relevant entries.
        item_map : ItemMap, optional
            From :meth:`halflabel.Completion.map`, with other settings than the defaults.
        ax : Axes, optional
            By default the axes of a new figure.

        Raises
        ------
        ValueError
            If there is no such label, or the items have fewer than two dimensions.
        """
        completion, j = self.completion, find_label(self.completion.labels, label)
        return draw_on_axes(completion, item_map or completion.map(), j, make_axes(ax))

    def calibration(self, *, ax: Axes | None = None) -> Axes:
        """Draw the observed share of relevant entries against the predicted probability, for given entries.

        Each entry is predicted by a model that was fitted without it. For positive-only labels, these are the
        shares of assigned entries.
        """
        completion = self.completion
        bins = bin_calibration(completion.evidence.calibrated_on, completion.evidence.learned_probabilities)
        if not bins:
            raise ValueError("there is no calibration curve: no label was learned.")
        return plot_calibration(make_axes(ax), bins)

    def coverage(self, *, ax: Axes | None = None) -> Axes:
        """Draw the share of the gaps that can be filled against the expected precision of the filled values.

        Raises
        ------
        ValueError
            If there is no gap, if a check contradicts the expected precision (:attr:`Evidence.contradictions`), or if
            it is unknown because labels are positive-only and the label frequency (``observed_rate``) was not given.
        """
        completion = self.completion
        if completion.probability_of != "being relevant":
            raise ValueError("the expected precision depends on the label frequency: give observed_rate to complete().")
        if not completion.evidence.has_precision:
            raise ValueError(
                f"a check contradicts the expected precision. {completion.evidence.contradictions[0]['text']}"
            )
        gaps = ~completion.labels.observed
        if not gaps.any():
            raise ValueError("there is no gap, so that nothing could be filled.")
        fill_at = completion.evidence.of_checked.fill_at
        shares = [np.count_nonzero(fill_at(precision)) / gaps.sum() for precision in PRECISIONS]
        return plot_coverage(make_axes(ax), PRECISIONS, shares, completion.evidence.min_precision)

    def prevalence(self, by: str | None = None, *, ax: Axes | None = None, **asked: Any) -> Axes:
        """Draw how frequent each label is, with an interval.

        ``by`` and ``asked`` are arguments of :meth:`halflabel.Completion.prevalence`.

        Raises
        ------
        ValueError
            If no label has a share.
        """
        table = self.completion.prevalence(by, **asked)
        if table.empty:
            raise ValueError("no label has enough known entries for a share.")
        return plot_prevalence(make_axes(ax), table)

    def learning_curve(
        self,
        curve: pd.DataFrame | None = None,
        *,
        repeats: int = CURVE_REPEATS,
        random_state: int = 0,
        ax: Axes | None = None,
    ) -> Axes:
        """Draw the quality on hidden entries against the number of labelled items.

        Parameters
        ----------
        curve : DataFrame, optional
            From :attr:`halflabel.Evaluation.curve`. By default it is measured, which takes three fits per repeat.
        repeats : int, default=2
            Number of random splits.
        random_state : int, default=0
            Decides which entries are hidden.
        ax : Axes, optional
            By default the axes of a new figure.

        Raises
        ------
        ValueError
            For positive-only labels, whose quality on hidden entries cannot be measured in this way.
        """
        if curve is None:
            curve = measure_learning_curve(
                self.completion.opened, self.completion.model, repeats, random_state=random_state
            )
        metric = next(name for name in curve if name in IN_WORDS)
        return plot_learning_curve(make_axes(ax), curve, metric, IN_WORDS[metric])
