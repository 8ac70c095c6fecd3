"""Accuracy on positive-only labels: AutoLabeler compared with LowRankVVMR and logistic regression.

Protocol: 500 random items are annotated (emotions: 200), and 30 % of their relevant entries, chosen uniformly, become
missing positives. 1 000 more items (emotions: 193) are unlabelled. Of the rest, at most 3 000 are new items, which are
in no fit; every number is computed on their complete labels. Sets and labels are those of auto_accuracy.py. The
thresholds of the rules "micro_f1" and "macro_f1" are computed on the probabilities of the fitted items.

Every method learns which labels are assigned. The rows of a table are ways to compute probabilities from this: "c = .7"
uses the true label frequency, and two other rows a wrong one; "p / c" is the quotient of P(assigned) and .7; "no c" is
P(assigned) itself; "at .5" is the same with a threshold of .5, as if absent labels were irrelevant. "ensemble" is the
default of ``complete``. LowRankVVMR gets c, because its choice of weights depends on it; "weighted" uses the feature
weights of AutoLabeler, which differ for words.

    python benchmarks/auto_positives.py [--sets yeast scene] [--repeats 5] [--methods ensemble lowrank]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import make_parser, time_cpu, use_one_thread
from auto_accuracy import SETS, load
from auto_methods import fit_logistic, weight_features
from scipy.special import logit

from halflabel import AutoLabeler, LowRankVVMR
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import brier, ece, macro_f1, micro_f1
from halflabel.labels.positive_only import LearnsFromPositives, assume, divide_by_frequency, mark_unassigned
from halflabel.methods.auto.features import Weighting
from halflabel_papers.protocols import remove_positives

#: Label frequency: the share of the relevant entries that is assigned.
C = 0.7

MAX_NEW = 3000


def sample(name, labels, seed):
    """Return the rows of the fit, their positive-only labels, and the rows of new items."""
    rng = np.random.default_rng(seed)
    n_annotated, n_unlabelled = (200, 193) if name == "emotions" else (500, 1000)
    order = rng.permutation(len(labels))
    rows, new = order[: n_annotated + n_unlabelled], order[n_annotated + n_unlabelled :][:MAX_NEW]
    known = remove_positives(labels[rows], np.arange(len(rows)) < n_annotated, 1 - C, rng, absent="unknown")
    return rows, known, new


def fit_low_rank(X, known):
    """Fit LowRankVVMR with the settings of ``evaluate``."""
    return LowRankVVMR(observed_rate=C, max_exact=1000, n_landmarks=500).fit(X, known)


#: By name: a function from (X, positive-only labels) to a fitted model, and whether it weights X.
METHODS = {
    "ensemble": (lambda X, known: AutoLabeler().fit(X, known), False),
    "kernel, trees": (lambda X, known: AutoLabeler(members=("kernel", "trees")).fit(X, known), False),
    "lowrank": (fit_low_rank, False),
    "lowrank, weighted": (lambda X, known: fit_low_rank(weight_features(X), known), True),
    "logistic": (lambda X, known: fit_logistic(X, mark_unassigned(known)), True),
}


class NewItems:
    """Predictions of a fitted model for new items, under several assumptions."""

    def __init__(self, model, known, X_new):
        self.model, self.assigned = model, mark_unassigned(known)
        if isinstance(model, LearnsFromPositives):
            self.scores, self.p = model.decision_function(X_new), model.assume(None).probabilities
        else:
            self.scores, self.p = logit(model.predict_proba(X_new)), model.label_probabilities_

    def assume(self, c, rule):
        """Return probabilities of new items for a label frequency, and the thresholds of a rule."""
        if isinstance(self.model, LearnsFromPositives):
            assumed = self.model.set_params(rule=rule).assume(c)
        else:
            log_odds = np.where(self.assigned.learnable, logit(self.p), np.nan)
            assumed = assume(log_odds, self.assigned, c, self._choose_thresholds(rule))
        return assumed.calibration(self.scores), assumed.thresholds

    def divide(self, c, rule):
        """Return the same for P(assigned) divided by c."""
        p, _ = self.assume(None, rule)
        return divide_by_frequency(p, c), self._choose_thresholds(rule)(divide_by_frequency(self.p, c))

    def _choose_thresholds(self, rule):
        return lambda p: thresholds(np.where(self.assigned.learnable, p, np.nan), rule)


def score_assumptions(items, truth):
    """Return the metrics of each way to compute probabilities."""
    ways = {f"c = {c}": lambda rule, c=c: items.assume(c, rule) for c in (C, 0.5, 0.85)}
    ways |= {"p / c": lambda rule: items.divide(C, rule), "no c": lambda rule: items.assume(None, rule)}
    metrics = {name: score(*way("micro_f1"), *way("macro_f1"), truth) for name, way in ways.items()}
    cut = (items.assume(None, "micro_f1")[0] >= 0.5).astype(int)
    return metrics | {"at .5": {"micro_f1": micro_f1(truth, cut), "macro_f1": macro_f1(truth, cut)}}


def score(p, micro, p_again, macro, truth):
    """Return the metrics of probabilities cut at two kinds of threshold."""
    return {
        "micro_f1": micro_f1(truth, (p >= micro).astype(int)),
        "macro_f1": macro_f1(truth, (p_again >= macro).astype(int)),
        "brier": brier(truth, p),
        "ece": ece(truth, p),
    }


def measure(name, method, seed, X, labels):
    """Yield one record per way to compute probabilities in one repeat, with the CPU seconds of the fit."""
    rows, known, new = sample(name, labels, seed)
    fit, is_weighted = METHODS[method]
    with use_one_thread():
        seconds, model = time_cpu(lambda: fit(X[rows], known))
        X_new = Weighting.learn(X[rows], "auto")(X[new]) if is_weighted else X[new]
        metrics = score_assumptions(NewItems(model, known, X_new), labels[new])
    for way, row in metrics.items():
        yield {"method": method, "probabilities": way, **row, "cpu_s": seconds}


def main():
    """Print one table per set: means over the repeats, and standard deviations."""
    parser = make_parser(__doc__, sets=SETS, repeats=5)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=list(METHODS))
    options = parser.parse_args()
    for name in options.sets:
        X, labels = load(name)
        seeds = range(options.first_seed, options.first_seed + options.repeats)
        cells = ((method, seed) for method in options.methods for seed in seeds)
        records = [record for method, seed in cells for record in measure(name, method, seed, X, labels)]
        table = pd.DataFrame(records).groupby(["method", "probabilities"], sort=False)
        print(f"\n{name}, means of {options.repeats} repeats")
        print(table.mean().round(4).to_string())
        print("standard deviations")
        print(table.std().drop(columns="cpu_s").round(4).to_string(), flush=True)


if __name__ == "__main__":
    main()
