"""An update after answers to single entries, against a new fit to the same entries.

A share of the items is labelled completely; the answers are random unknown entries. "update" and "fit" are CPU seconds;
the first update of a fit builds what is kept, and is in parentheses. For the probabilities of the gaps, "mean", "max"
and "decisions" are the mean and the largest difference, and the share of different values: between the update and the
new fit, and after the slash between two new fits with different ``random_state``. Brier scores are of the gaps, of the
update / the new fit / the fit without the answers.

    python benchmarks/update.py [--sets emotions scene yeast random] [--effort fast] [--answers 5 50 1000]
"""

from __future__ import annotations

import numpy as np
from _common import choose_unlabelled, load_set, make_parser, split_labels, time_cpu, use_one_thread

import halflabel as hl
from halflabel.methods.auto.kept import KeptFit

HEADER = "| set | answers | update (first) | fit | mean | max | decisions | Brier of the gaps |"


def make_random(n=2_000, n_features=32, n_labels=50):
    """Return features of 8 hidden directions with noise, and labels that depend on the directions."""
    rng = np.random.default_rng(0)
    hidden = rng.normal(size=(n, 8))
    X = np.tanh(hidden @ rng.normal(size=(8, n_features))) + 0.3 * rng.normal(size=(n, n_features))
    Y = 0.7 * hidden @ rng.normal(size=(8, n_labels)) + rng.normal(size=(n, n_labels)) > 0.8
    return X, hl.PartialLabels.from_table(Y.astype(float))


def learn(X, labels, effort, state=0):
    """Return the CPU seconds of a fit, and the fitted method."""
    return time_cpu(lambda: hl.AutoLabeler(effort, random_state=state).fit(X, labels))


def compare(one, other, gaps):
    """Return the mean and the largest difference of probabilities, and the percentage of different values."""
    p = np.abs(one.label_probabilities_ - other.label_probabilities_)[gaps]
    return p.mean(), p.max(), 100 * (one.transduction_ != other.transduction_)[gaps].mean()


def measure(name, effort, share, numbers):
    """Yield a row of the table per number of answers."""
    X, truth = make_random() if name == "random" else (load_set(name).X, load_set(name).Y)
    rng = np.random.default_rng(1)
    given, _ = split_labels(truth, choose_unlabelled(len(truth), share, rng))
    model = learn(X, given, effort)[1]
    for number in numbers:
        unknown = np.argwhere(~given.observed)
        asked = np.zeros(given.shape, dtype=bool)
        asked[tuple(unknown[rng.choice(len(unknown), min(number, len(unknown) // 2), replace=False)].T)] = True
        known = truth.hide(~(given.observed | asked))
        kept = KeptFit(model, X, given)
        first, again = (time_cpu(lambda kept=kept, known=known: kept.update(known)) for _ in range(2))
        (seconds, fit), (_, other) = learn(X, known, effort), learn(X, known, effort, 1)
        gaps = ~known.observed
        pairs = zip(compare(again[1], fit, gaps), compare(other, fit, gaps), strict=True)
        mean, largest, changed = (f"{a:.3g} / {b:.3g}" for a, b in pairs)
        brier = [np.mean((m.label_probabilities_ - truth.relevant)[gaps] ** 2) for m in (again[1], fit, model)]
        times = f"{again[0]:.2f} ({first[0]:.2f}) | {seconds:.2f}"
        scores = " / ".join(f"{each:.4f}" for each in brier)
        yield f"| {name} | {asked.sum()} | {times} | {mean} | {largest} | {changed} % | {scores} |"


def main():
    """Print a row per set and number of answers."""
    parser = make_parser(__doc__, ["emotions", "scene", "yeast", "random"])
    parser.add_argument("--effort", default="default")
    parser.add_argument("--share", type=float, default=0.2, help="share of the items that are labelled")
    parser.add_argument("--answers", type=int, nargs="+", default=[5, 50, 1000])
    args = parser.parse_args()
    print(HEADER + "\n" + "|--" * HEADER[1:].count("|") + "|")
    with use_one_thread():
        for name in args.sets:
            for row in measure(name, args.effort, args.share, args.answers):
                print(row, flush=True)


if __name__ == "__main__":
    main()
