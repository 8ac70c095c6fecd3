"""A new tag in an old archive: its ranking and its label frequency.

Protocol: 700 random items of a set with its 15 most frequent labels (``load_frequent``). One label at a time is the new
tag: 15 of its items have it, absent entries are unknown, and all other labels are known. For the label frequency, each
of its items has the tag with probability c instead. The answers are the truth. Effort fast. The weight of the other
labels and the rounds of questions were chosen on the six sets CHOSE. The prior of the slope was chosen on CHOSE and
RANKS, so that the study of the frequency reports other sets, FREQUENCY.

* ``rank``: AUC and the share of right ones among the first 20, by the features alone (AutoLabeler on the tag) and with
  the other labels (MixedLabeler).
* ``frequency``: three rounds of 20 answers give c; "uniform" is the estimate by as many uniform questions.

    python benchmarks/new_tag.py rank|frequency [--sets enron frogs] [--seed 41]
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from scipy.special import logit
from sklearn.metrics import roc_auc_score

from halflabel import AutoLabeler, MixedLabeler, PartialLabels
from halflabel.evidence.label_frequency import MissingPositives, choose_sizes, draw_by_size
from halflabel.labels.positive_only import trust_positives

CHOSE = ("scene", "yeast", "medical", "emotions", "msrc", "yahoo-health")
RANKS = ("enron", "tmc2007-500", "ohsumed", "yahoo-arts", "langlog", "corel5k", "yahoo-social", "gnegativego")

FREQUENCY = ("frogs", "steel-faults", "yahoo-education", "yahoo-entertainment", "yahoo-science", "yahoo-society")

#: Number of items with the tag, of labels for each set, and label frequencies.
GIVEN, LABELS, FREQUENCIES = 15, 4, (0.5, 0.75)


def draw_tags(name, seed, c=None):
    """Yield features, mixed labels, the column of the tag, its true values, and the items that have it."""
    X, labels = load_frequent(name, 700, seed)
    rng = np.random.default_rng(seed)
    number = labels.relevant.sum(axis=0)
    usable = np.flatnonzero((number >= GIVEN + 20) & (number <= 0.6 * len(labels)))
    for j in rng.choice(usable, min(LABELS if c is None else 2, len(usable)), replace=False):
        true = labels.relevant[:, j]
        given = np.zeros(len(true), dtype=bool)
        given[rng.choice(np.flatnonzero(true), GIVEN, replace=False)] = True
        given = given if c is None else true & (rng.random(len(true)) < c)
        state = labels.state.copy()
        state[:, j] = given
        yield X, trust_positives(replace(labels, state=state), [labels.names[j]]), int(j), true, given


def rank(name, seed):
    """Yield the quality of both rankings of each tag."""
    for X, labels, j, true, given in draw_tags(name, seed):
        alone = AutoLabeler("fast").fit(X, PartialLabels.from_positives(given[:, None].astype(float)))
        scores = {
            "features": alone.label_scores_[:, 0],
            "and labels": MixedLabeler("fast").fit(X, labels).label_scores_[:, j],
        }
        for way, score in scores.items():
            s, t = score[~given], true[~given]
            yield {"way": way, "auc": roc_auc_score(t, s), "first 20": t[np.argsort(-s)[:20]].mean()}


def frequency(name, seed):
    """Yield the error of c after 20, 40 and 60 answers, and whether the interval has the true value."""
    for c in FREQUENCIES:
        for X, labels, _, true, given in draw_tags(name, seed, c):
            log_odds = logit(MixedLabeler("fast").fit(X, labels).second_.assume(None).probabilities[~given, 0])
            missing, n, real = true[~given], int(given.sum()), given.sum() / true.sum()
            for repeat in range(5):
                rng = np.random.default_rng(repeat)
                asked, found = np.empty(0, dtype=int), None
                for _ in range(3):
                    free = np.setdiff1d(np.arange(len(log_odds)), asked)
                    asked = np.append(asked, free[draw_by_size(choose_sizes(log_odds, found)[free], 20, rng)[0]])
                    found = MissingPositives(log_odds, asked, missing[asked])
                    share = found.estimate(n, rng)
                    covers, width = share.low <= real <= share.high, share.high - share.low
                    yield {"way": f"{len(asked)} answers, c = {c}", "within .05": abs(share.share - real) <= 0.05,
                           "covers": covers, "width": width}  # fmt: skip
                uniform = missing[rng.choice(len(missing), 60, replace=False)].mean() * len(missing)
                yield {"way": f"60 uniform, c = {c}", "within .05": abs(n / (n + uniform) - real) <= 0.05}


def main():
    """Print the means over the tags of all sets, and of each set."""
    parser = make_parser(__doc__)
    parser.add_argument("--sets", nargs="+", metavar="SET", help="by default the sets that report")
    parser.add_argument("study", choices=["rank", "frequency"])
    parser.add_argument("--seed", type=int, default=41)
    options = parser.parse_args()
    options.sets = options.sets or (FREQUENCY if options.study == "frequency" else RANKS)
    study = {"rank": rank, "frequency": frequency}[options.study]
    with use_one_thread():
        records = [{"set": name, **each} for name in options.sets for each in study(name, options.seed)]
    table = pd.DataFrame(records)
    numbers = [name for name in table if name not in ("set", "way")]
    table[numbers] = table[numbers].astype(float)
    print(f"{len(table)} records of {', '.join(options.sets)}, seed {options.seed}")
    print(table.groupby("way", sort=False)[numbers].mean().round(3).to_string())
    print(table.groupby(["way", "set"], sort=False)[numbers[:2]].mean().unstack("way").round(2).to_string())


if __name__ == "__main__":
    main()
