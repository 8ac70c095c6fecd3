"""One run of the board: make the gaps, choose a setting of the method by a proper loss, fit, and score the gaps.

Every score is computed from the probabilities. A method without probabilities gets them from its scores, by Platt
scaling on the entries that are held out for the choice of a setting.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.utils import get_tags

from halflabel.labels import PartialLabels
from halflabel.labels.calibration import Calibration, fit_platt, thresholds
from halflabel.labels.masking import hide_like_gaps
from halflabel.labels.metrics import micro_f1
from halflabel.labels.positive_only import divide_by_frequency
from halflabel.plugins import Floats, Matrix, is_sparse
from halflabel_papers.benchmark.gaps import WAYS, Gaps, drop_features, open_unassigned
from halflabel_papers.chain import Chain, Prediction, build_step
from halflabel_papers.metrics import METRICS
from halflabel_papers.plan import Run, substitute
from halflabel_papers.scoring import Outcome
from halflabel_papers.sources import load_data

#: Probabilities of the log loss are at least this far from 0 and 1.
CLIP = 1e-6

Steps = Sequence[Mapping[str, Any]]
Form = Callable[[PartialLabels], PartialLabels]


def measure(run: Run, folder: Path | None) -> Outcome:
    """Do one run. Options: ``way``, ``rate``, ``settings``, ``rule``, ``absent``, ``returns``, ``dense`` and others."""
    rng = np.random.default_rng(run.seed)
    data = load_data(run.source, folder, "whole", rng)
    rows = np.sort(rng.permutation(len(data.Y))[: run.options["items"]])
    X, labels = data.X[rows], data.Y[rows]
    X = X.toarray() if run.options.get("dense", False) and is_sparse(X) else X
    gaps = WAYS[run.options["way"]](labels, X, run.options["rate"], run.options, rng)
    X = drop_features(X, run.options.get("features_observed", 1.0), rng)
    started = time.process_time()
    p, facts = fill(run, X, gaps.known, gaps.frequency)
    seconds = {"fit": time.process_time() - started}
    facts["input"] = digest_input(X, gaps)
    return Outcome(score(gaps.scored, p, run.metrics, run.options["rule"]), facts, seconds)


def digest_input(X: Matrix, gaps: Gaps) -> str:
    """Return a digest of the features, of the labels that the method gets, and of the scored labels."""
    features = (X.data, X.indices, X.indptr) if is_sparse(X) else (X,)
    digest = hashlib.sha256()
    for part in (*features, gaps.known.state, gaps.scored.state):
        digest.update(np.ascontiguousarray(part).tobytes())
    return digest.hexdigest()[:16]


def fill(run: Run, X: Matrix, known: PartialLabels, frequency: float) -> tuple[Floats, dict[str, Any]]:
    """Return the probability of every entry with the best setting of a method, and the facts about the choice."""
    steps = substitute(run.steps, {"frequency": frequency})
    attempts = [_change(steps, setting) for setting in run.options.get("settings") or [{}]]
    first = build_step(steps[0], X.shape[1], _no_lookup)
    X = X if get_tags(first).input_tags.allow_nan else _fill_features(X)
    is_open = run.options.get("absent") == "unknown" and frequency < 1
    form = open_unassigned if is_open else lambda labels: labels
    tuning = Tuning(
        X, known, run.options["held_out"], form, frequency if run.options.get("returns") == "relevant" else 1
    )
    best = int(np.argmin([tuning.lose(each) for each in attempts])) if len(attempts) > 1 else 0
    prediction = tuning.predict(attempts[best], known)
    p = prediction.probabilities
    if p is None:
        p = tuning.calibrate(tuning.predict(attempts[best], tuning.rest))(_as_scores(prediction))
    facts = {"settings": len(attempts), "chosen": best, "frequency": frequency}
    return divide_by_frequency(p, frequency) if frequency < 1 else p, facts


class Tuning:
    """A part of the known entries, held out in the way of the gaps.

    Parameters
    ----------
    X : matrix
    known : PartialLabels
        An entry that was not assigned is irrelevant.
    share : float
        The share that is held out.
    form : callable
        From such labels to the labels that the method gets.
    rate : float, default=1
        The factor from the method's probabilities to P(assigned): c if they are P(relevant).
    """

    def __init__(self, X: Matrix, known: PartialLabels, share: float, form: Form, rate: float = 1) -> None:
        self.X = X
        self.known = known
        self.share = share
        self.form = form
        self.rate = rate

    @cached_property
    def rest(self) -> PartialLabels:
        """The known entries that are not held out."""
        return hide_like_gaps(self.known, self.share, np.random.default_rng(0))

    @cached_property
    def held_out(self) -> PartialLabels:
        """The held-out entries. Every other entry is unknown."""
        return self.known.hide(self.rest.observed)

    def lose(self, steps: Steps) -> float:
        """Return the log loss on the held-out entries. A setting that fails has an infinite one."""
        try:
            prediction = self.predict(steps, self.rest)
            p = prediction.probabilities
            p = self.calibrate(prediction)(_as_scores(prediction)) if p is None else p
            loss = compute_log_loss(self.held_out, p)
        except (ValueError, ArithmeticError, np.linalg.LinAlgError):
            return np.inf
        return loss if np.isfinite(loss) else np.inf

    def predict(self, steps: Steps, labels: PartialLabels) -> Prediction:
        """Return the prediction of a method for all items from such labels, with the probability of being assigned."""
        found = Chain.fit(steps, {}, self.X, self.form(labels)).predict_fitted(labels.shape)
        return found if found.probabilities is None else replace(found, probabilities=found.probabilities * self.rate)

    def calibrate(self, prediction: Prediction) -> Calibration:
        """Return the map from scores to probabilities that fits the held-out entries."""
        scores = np.where(self.held_out.observed, _as_scores(prediction), np.nan)
        return fit_platt(scores, self.held_out)


def score(truth: PartialLabels, p: Floats, metrics: Sequence[str], rule: str) -> dict[str, float]:
    """Return the metrics of probabilities. 0/1 labels come from one rule for all methods, on the scored entries."""
    if missing := int(np.isnan(p[truth.observed]).sum()):
        raise ValueError(f"it predicted NaN for {missing} of {int(truth.observed.sum())} entries.")
    scored = np.where(truth.observed, p, np.nan)
    values = {name: METRICS[name].function(truth, p) for name in metrics if name in METRICS and name != "micro_f1"}
    values["log_loss"] = compute_log_loss(truth, p)
    predicted = np.nan_to_num(scored) >= (0.5 if rule == "half" else thresholds(scored, rule))
    return {**values, "micro_f1": micro_f1(truth, predicted)}


def compute_log_loss(truth: PartialLabels, p: Floats) -> float:
    """Return the mean of -log P(true value) over the observed entries."""
    q = np.clip(p[truth.observed], CLIP, 1 - CLIP)
    return float(-np.where(truth.relevant[truth.observed], np.log(q), np.log1p(-q)).mean())


def _change(steps: Steps, setting: Mapping[str, Any]) -> Steps:
    """Return the steps with a setting of the last one. A table within it changes a part of a table."""
    return [*steps[:-1], _merge(steps[-1], setting)]


def _merge(step: Mapping[str, Any], setting: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(step)
    for name, value in setting.items():
        inner = merged.get(name)
        merged[name] = _merge(inner, value) if isinstance(inner, Mapping) and isinstance(value, Mapping) else value
    return merged


def _as_scores(prediction: Prediction) -> Floats:
    return np.where(np.isfinite(prediction.scores), prediction.scores, np.nan)


def _fill_features(X: Matrix) -> Matrix:
    """Return the features with the mean of a column in its gaps, for a method that accepts none."""
    if is_sparse(X) or not np.isnan(X).any():
        return X
    means = np.nan_to_num(np.nanmean(X, axis=0))
    return np.where(np.isnan(X), means, X)


def _no_lookup(name: str, attribute: str) -> Any:
    raise ValueError(f"a method of the board cannot use {attribute} of {name}.")
