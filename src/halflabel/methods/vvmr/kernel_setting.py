"""Settings of the kernels, and the choice of the best setting by cross-validation."""

from __future__ import annotations

from dataclasses import astuple, dataclass, fields
from typing import Any

import numpy as np

from halflabel._arrays import Floats
from halflabel.labels import PartialLabels
from halflabel.labels.metrics import macro_auc
from halflabel.labels.positive_only import pu_f1


@dataclass(frozen=True)
class KernelSetting:
    """The weights of one fit."""

    #: Bandwidth of the RBF kernel, in units of the mean distance.
    width: float
    alpha: float
    alpha_manifold: float
    alpha_trace: float = 0.0
    #: In label units.
    knee: float = 0.0


class Selection:
    """The best setting so far, its out-of-fold scores, and a table of all settings.

    Parameters
    ----------
    labels : PartialLabels
        Labels of the held-out items.
    observed_rate : float
        Label frequency c, for :func:`halflabel.labels.positive_only.pu_f1`.
    threshold : float or None
        For the same: the threshold of the decisions, if it is fixed.
    """

    def __init__(self, labels: PartialLabels, observed_rate: float, threshold: float | None = None) -> None:
        self.labels, self.observed_rate, self.threshold = labels, observed_rate, threshold
        self.table: dict[str, list[Any]] = {f.name: [] for f in fields(KernelSetting)} | {
            "pu_f1": [],
            "macro_auc": [],
        }
        self.best: tuple[float, KernelSetting, Floats] | None = None

    def add(self, setting: KernelSetting, out_of_fold: Floats) -> bool:
        """Add a setting, and return whether it is the best so far. Of equally good settings the first is best."""
        f1 = pu_f1(self.labels, out_of_fold, self.observed_rate, self.threshold)
        auc = self._auc(out_of_fold)
        for name, value in zip(self.table, (*astuple(setting), f1, auc), strict=True):
            self.table[name].append(value)
        score = f1 + float(np.nan_to_num(auc, nan=0.5))
        better = self.best is None or score > self.best[0]
        if better:
            self.best = (score, setting, out_of_fold)
        return better

    def _auc(self, scores: Floats) -> float:
        scored = ~np.isnan(scores)
        return macro_auc(self.labels.hide(~scored), scores) if scored.any() else np.nan
