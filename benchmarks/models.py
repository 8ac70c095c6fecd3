"""Two tables that models labelled, finished to 5 % errors: the answers, and the ranges of the auditor's page.

* medsafe: the votes of a language model ("gpt") and of a second column on 500 random items of medsafe-llm, and no known
  value. The answers are the gold labels. "gpt" errs where the features show it.
* digits: a decision tree and naive Bayes, trained on 150 other scanned digits, label 500 digits. 60 random ones are
  known.

``complete`` is the verdict before any question. ``answered`` and ``random`` are shares of the gaps, ``errors`` is the
share of wrong values in the delivered table, ``bound`` the proved one. ``wrong votes`` and ``yes`` are ranges of the
page, over the true number. ``true`` is the share of all ranges that have it, over all seeds.

    python benchmarks/models.py [--repeats 3] [--max-error 0.05]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import make_parser, use_one_thread
from finish import answer
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier
from sources import read_medsafe

import halflabel as hl
from halflabel import PartialLabels
from halflabel.datasets import load_digits_tags
from halflabel.evidence.audit import tabulate_labels, tabulate_sources


def make_medsafe(seed):
    """Return features, votes, truth and known entries, the names of labels and of sources."""
    X, values, truth = read_medsafe(seed)
    labels = [f"label {j}" for j in range(truth.shape[1])]
    return X, values, truth, np.zeros(truth.shape, dtype=bool), labels, ["gpt", "second"]


def make_digits(seed):
    """Return the same for scanned digits and two small models."""
    digits, rng = load_digits_tags(), np.random.default_rng(seed)
    rows = rng.permutation(len(digits.Y))
    learned, shown = rows[:150], rows[150:650]
    truth, labels = digits.Y.relevant[:, :4], list(digits.Y.names[:4])
    models = (DecisionTreeClassifier(max_depth=6, random_state=0), GaussianNB())
    votes = [
        np.column_stack([model.fit(digits.X[learned], y[learned]).predict(digits.X[shown]) for y in truth.T])
        for model in models
    ]
    known = np.isin(np.arange(500), rng.permutation(500)[:60])[:, None] & np.ones((500, 4), dtype=bool)
    return digits.X[shown], np.stack(votes).astype(float), truth[shown], known, labels, ["tree", "bayes"]


def play(X, values, truth, known, labels, sources, max_error, seed):
    """Return the completion, and the task after its last answer."""
    items = pd.DataFrame(np.where(known, truth, np.nan), columns=labels)
    for name, votes in zip(sources, values, strict=True):
        items[[f"{label}@{name}" for label in labels]] = votes
    given, whole = {"labels": labels, "vectors": X, "effort": "fast"}, PartialLabels.from_table(truth.astype(float))
    whole = PartialLabels(whole.state, tuple(labels), whole.annotated)
    filled = hl.complete(items, **given)
    task = filled.finish(max_error, seed=seed)
    while not task.done:
        questions = task.next(60)
        task.answer(answer(questions, whole))
        if (questions["why"] == "most uncertain").all():
            task.improve(hl.complete(items, **given, answers=task.answers))
    return filled, task


def describe(example, seed, max_error):
    """Return the facts of one table, and its ranges: what, low, high, true."""
    X, values, truth, known, labels, sources = example(seed)
    filled, task = play(X, values, truth, known, labels, sources, max_error, seed)
    kept = [labels.index(name) for name in filled.labels.names]
    truth, values, gaps = truth[:, kept], values[:, :, kept], int((filled.labels.state == 0).sum())
    table, rates = tabulate_labels(task.proof), tabulate_sources(task.proof, filled.opened.votes)
    ranges = [(f"yes, {row.label}", row.low, row.high, truth[:, j].sum()) for j, row in enumerate(table.itertuples())]
    for row in rates.itertuples():
        at = slice(None) if row.label not in filled.labels.names else filled.labels.names.index(row.label)
        votes = values[sources.index(row.source)][:, at]
        given = ~np.isnan(votes)
        if not given.any():
            continue
        share = ((votes >= 0.5) != truth[:, at])[given].mean()
        ranges.append((f"wrong votes, {row.source}, {row.label}", row.low, row.high, share))
    before = ((filled.state > 0) != truth)[filled.labels.state == 0].mean()
    after = ((task.completion.state > 0) != truth)[filled.labels.state == 0].mean()
    facts = {
        "complete": filled.verdict.wrong,
        "wrong before": before,
        "answered": task.answered / gaps,
        "random": task.certificate["audited"] / gaps,
        "errors": after,
        "bound": task.bound,
    }
    return facts, pd.DataFrame(ranges, columns=["range", "low", "high", "true"])


def main():
    """Print the facts and the ranges of the first seed, and the share of ranges that hold over all seeds."""
    parser = make_parser(__doc__, repeats=3)
    parser.add_argument("--max-error", type=float, default=0.05)
    args = parser.parse_args()
    with use_one_thread():
        for name, example in (("medsafe", make_medsafe), ("digits", make_digits)):
            found = [describe(example, seed, args.max_error) for seed in range(args.repeats)]
            print(f"{name}: {found[0][0].pop('complete')}")
            print(pd.DataFrame([facts for facts, _ in found]).drop(columns="complete", errors="ignore").round(3))
            print(found[0][1].round(3).to_string(index=False))
            every = pd.concat([ranges for _, ranges in found])
            holds = every["true"].between(every["low"] - 1e-9, every["high"] + 1e-9)
            print(f"true: {holds.mean():.3f} of {len(every)}\n")


if __name__ == "__main__":
    main()
