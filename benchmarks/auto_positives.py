"""Accuracy on labels of which some were forgotten: AutoLabeler beside LowRankVVMR and logistic regression.

Protocol: 500 random items are annotated (of emotions 200) and 30 % of their relevant entries, drawn uniformly, turned
into "not assigned"; 1 000 further items (193) are unlabelled; of the rest at most 3 000 are new items, never shown in a
fit, on whose complete labels every number is computed. Sets and labels as in auto_accuracy.py. Thresholds are those of
the rules "micro_f1" and "macro_f1" on the probabilities of the fitted items, never of the new ones.

Every method learns what was assigned; the rows of a table say how that is read: "c = .7", the share of the relevant
entries that was assigned, and two that are wrong; "p / c", the quotient of P(assigned) and .7; "no c", P(assigned)
as it is; "at .5", the same cut there, as if what was not assigned were irrelevant. "pool" is what ``complete`` takes.
LowRankVVMR is told c, which has a say in the weights that it chooses; "weighted" gives it AutoLabeler's weighting of
features, which differs for words.

    python benchmarks/auto_positives.py [--sets yeast scene] [--repeats 5] [--methods pool lowrank]
"""

from __future__ import annotations

import argparse
import time
import warnings

import numpy as np
import pandas as pd
from auto_accuracy import SETS, load
from auto_methods import logistic, weighted
from scipy.special import logit
from threadpoolctl import threadpool_limits

from halflabel import AutoLabeler, LowRankVVMR
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import brier, ece, macro_f1, micro_f1
from halflabel.labels.positive_only import LearnsFromPositives, assume, mark_unassigned, of_relevant
from halflabel.methods.auto.features import Weighting
from halflabel.reproduction.protocols import remove_positives

#: Share of the relevant entries that was assigned.
C = 0.7

#: At most so many new items.
NEW = 3000


def draw(name, labels, seed):
    """Return the rows that are fitted, positive-only labels of these, and the rows of new items."""
    rng = np.random.default_rng(seed)
    n_annotated, n_unlabelled = (200, 193) if name == "emotions" else (500, 1000)
    order = rng.permutation(len(labels))
    seen, new = order[: n_annotated + n_unlabelled], order[n_annotated + n_unlabelled :][:NEW]
    known = remove_positives(labels[seen], np.arange(len(seen)) < n_annotated, 1 - C, rng, absent="unknown")
    return seen, known, new


def lowrank(X, known):
    """Return LowRankVVMR as evaluate shows it."""
    return LowRankVVMR(observed_rate=C, max_exact=1000, n_landmarks=500).fit(X, known)


#: By name: from (X, positive-only labels) to a fitted model, and whether X is weighted for it.
METHODS = {
    "pool": (lambda X, known: AutoLabeler().fit(X, known), False),
    "kernel, trees": (lambda X, known: AutoLabeler(members=("kernel", "trees")).fit(X, known), False),
    "lowrank": (lowrank, False),
    "lowrank, weighted": (lambda X, known: lowrank(weighted(X), known), True),
    "logistic": (lambda X, known: logistic(X, mark_unassigned(known)), True),
}


class Answers:
    """What a fitted model says about new items, by how it is read."""

    def __init__(self, model, known, new):
        self.model, self.seen = model, mark_unassigned(known)
        if isinstance(model, LearnsFromPositives):
            self.scores, self.p = model.decision_function(new), model.assume(None).probabilities
        else:
            self.scores, self.p = logit(model.predict_proba(new)), model.label_probabilities_

    def under(self, c, rule):
        """Return probabilities of new items under an assumption, and the thresholds of a rule."""
        if isinstance(self.model, LearnsFromPositives):
            found = self.model.set_params(decision=rule).assume(c)
        else:
            found = assume(np.where(self.seen.learnable, logit(self.p), np.nan), self.seen, c, self._cut(rule))
        return found.calibration(self.scores), found.thresholds

    def quotient(self, c, rule):
        """Return the same of P(assigned) over c."""
        p, _ = self.under(None, rule)
        return of_relevant(p, c), self._cut(rule)(of_relevant(self.p, c))

    def _cut(self, rule):
        return lambda p: thresholds(np.where(self.seen.learnable, p, np.nan), rule)


def readings(answers, truth):
    """Return the metrics of each way to read a model."""
    ways = {f"c = {c}": lambda rule, c=c: answers.under(c, rule) for c in (C, 0.5, 0.85)}
    ways |= {"p / c": lambda rule: answers.quotient(C, rule), "no c": lambda rule: answers.under(None, rule)}
    found = {how: score(*way("micro_f1"), *way("macro_f1"), truth) for how, way in ways.items()}
    cut = (answers.under(None, "micro_f1")[0] >= 0.5).astype(int)
    return found | {"at .5": {"micro_f1": micro_f1(truth, cut), "macro_f1": macro_f1(truth, cut)}}


def score(p, micro, same, macro, truth):
    """Return the metrics of probabilities cut at two kinds of threshold."""
    return {
        "micro_f1": micro_f1(truth, (p >= micro).astype(int)),
        "macro_f1": macro_f1(truth, (same >= macro).astype(int)),
        "brier": brier(truth, p),
        "ece": ece(truth, p),
    }


def measure(name, method, seed, X, labels):
    """Yield one record per way to read a method in one repeat, with the processor time of the fit."""
    seen, known, new = draw(name, labels, seed)
    fit, is_weighted = METHODS[method]
    start = time.process_time()
    with threadpool_limits(1), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fit(X[seen], known)
        seconds = time.process_time() - start
        X_new = Weighting.learn(X[seen], "auto")(X[new]) if is_weighted else X[new]
        found = readings(Answers(model, known, X_new), labels[new])
    for how, row in found.items():
        yield {"method": method, "read": how, **row, "cpu_s": seconds}


def main():
    """Print one table per set: means over the repeats, and standard deviations."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options = parser.parse_args()
    for name in options.sets:
        X, labels = load(name)
        seeds = range(options.first_seed, options.first_seed + options.repeats)
        cells = ((method, seed) for method in options.methods for seed in seeds)
        records = [record for method, seed in cells for record in measure(name, method, seed, X, labels)]
        table = pd.DataFrame(records).groupby(["method", "read"], sort=False)
        print(f"\n{name}, means of {options.repeats} repeats")
        print(table.mean().round(4).to_string())
        print("standard deviations")
        print(table.std().drop(columns="cpu_s").round(4).to_string(), flush=True)


if __name__ == "__main__":
    main()
