"""How often a bound is ever false, over simulated tables, whatever the moment at which a person stops.

Protocol: a table of 200 items and 10 labels, no entry given. The probabilities of its entries have one of four shapes,
and the truth is drawn from them. "calibrated" fills by these probabilities; "overconfident" draws the truth from
probabilities whose log odds are .6 times as large; "hidden" replaces, in addition, the truth of 3 % of the entries by
the opposite of what is filled in; "clustered" does so for all entries of 4 % of the items. Random entries are answered
with the truth, at most 600. The answers count with five stopping rules:

* plan: after 240 answers;
* first pass: at the first bound of at most max_error, which is .9 of the true share of errors;
* hindsight: at the moment that is best in hindsight;
* refit: as hindsight, and after each 100 answers another fit follows, which has learned from the answers;
* cancel: as hindsight, and each of the first nine attempts is cancelled at its first error.

A bound is false if it is below the number of errors that remain. This must not be more frequent than .05, plus two
standard errors. The last two rules use ``keep_alpha``; the column "whole alpha" is the rule "cancel" without it.

With ``--sets``, the tables are completions of public sets: at most 900 random items, of which 100 keep their labels,
one table for each seed, and 12 random orders for each table. No rule was chosen on them.

    python benchmarks/certificate.py [--tables 2000]
    python benchmarks/certificate.py --sets scene yeast --repeats 20
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from precision import hide_all_but
from scipy.special import expit, logit

import halflabel as hl
from halflabel import AutoLabeler
from halflabel.evidence.confidence_sequence import Draws, keep_alpha

N_ITEMS, N_LABELS, ALPHA, LAST = 200, 10, 0.05, 600
LABELLED, FIRST_SEED, ORDERS = 100, 11, 12
SHAPES = {"sparse": (0.1, 0.9), "even": (0.5, 0.5), "certain": (0.03, 0.15), "uncertain": (2.0, 2.0)}
CASES = ("calibrated", "overconfident", "hidden", "clustered")


def simulate(shape, case, rng):
    """Return whether each filled value is wrong, and the share of wrong entries that the probabilities expect."""
    p = np.clip(rng.beta(*SHAPES[shape], (N_ITEMS, N_LABELS)), 1e-6, 1 - 1e-6)
    true_p = p if case == "calibrated" else expit(0.6 * logit(p))
    wrong = (rng.random(p.shape) < true_p) != (p >= 0.5)
    if case == "hidden":
        wrong |= rng.random(p.shape) < 0.03
    if case == "clustered":
        wrong |= rng.random((N_ITEMS, 1)) < 0.04
    return wrong.ravel(), float(np.minimum(p, 1 - p).mean())


def draw(wrong, expected, rng, n=LAST):
    """Return random entries and their draws."""
    order = rng.permutation(len(wrong))[:n]
    found = wrong[order]
    return order, Draws(len(wrong) - np.arange(len(order)), np.cumsum(found) - found, found, expected)


def compare(draws, number, alpha):
    """Return, after each draw, whether a number of wrong entries is above the bound."""
    k, n = np.cumsum(draws.wrong), np.arange(1, len(draws.wrong) + 1)
    left = number - draws.found
    with np.errstate(divide="ignore"):
        likelihood = np.log(np.where(draws.wrong, left, draws.unanswered - left).clip(0) / draws.unanswered).cumsum()
    b = 1 / np.clip(draws.expected, 0.005, 0.3) - 1
    mixture = np.log(np.where(draws.wrong, k, b + n - 1 - (k - draws.wrong)) / (b + n)).cumsum()
    return (likelihood <= np.log(alpha) + mixture) & (number * n > k * draws.unanswered[0])


def pass_first(draws, wrong_entries):
    """Return whether the first bound of at most ``max_error`` comes while more errors remain."""
    allowed = int(0.9 * wrong_entries)
    for n in range(20, len(draws.wrong) + 1, 20):  # the limit moves with the errors that are found
        part = Draws(draws.unanswered[:n], draws.found[:n], draws.wrong[:n], draws.expected)
        if compare(part, allowed + 1 + part.known, ALPHA)[-1]:
            return wrong_entries - part.known > allowed
    return False


def refit(wrong, expected, rng):
    """Return whether a bound is ever false while a fit that learns from the answers follows three times."""
    alpha, wrong = ALPHA, wrong.copy()
    for _ in range(4):
        order, draws = draw(wrong, expected, rng, 100)
        if compare(draws, int(wrong.sum()), alpha).any():
            return True
        alpha = keep_alpha(draws, alpha)
        rest = np.delete(wrong, order)
        changed = rng.random(len(rest)) < 0.05
        wrong = np.where(changed, rng.random(len(rest)) < 0.3, rest)
    return False


def cancel(wrong, expected, rng, shares):
    """Return whether a bound is ever false while attempts are cancelled at their first error."""
    alpha = ALPHA
    for attempt in range(10):
        _, draws = draw(wrong, expected, rng)
        end = LAST if attempt == 9 or not draws.wrong.any() else int(draws.wrong.argmax()) + 1
        draws = Draws(draws.unanswered[:end], draws.found[:end], draws.wrong[:end], expected)
        if compare(draws, int(wrong.sum()), alpha).any():
            return True
        alpha = keep_alpha(draws, alpha) if shares else alpha
    return False


def simulate_all(number):
    """Yield the case, the wrong entries, the expected share and a random state of each simulated table."""
    for seed in range(number):
        rng, case = np.random.default_rng(seed), CASES[seed // 4 % 4]
        yield case, *simulate(list(SHAPES)[seed % 4], case, rng), rng


def complete_all(sets, repeats):
    """Yield the same of each completion of a public set, once for each random order."""
    for seed in range(FIRST_SEED, FIRST_SEED + repeats):
        for name in sets:
            X, truth = load_frequent(name, 900, seed)
            rng = np.random.default_rng(seed)
            filled = hl.complete(X, hide_all_but(truth, LABELLED, rng), method=AutoLabeler("fast"))
            gaps = filled.labels.state == 0
            right = truth.state[:, [truth.names.index(label) for label in filled.labels.names]]
            p = np.where(filled.state > 0, 1 - filled.evidence.probabilities, filled.evidence.probabilities)
            for _ in range(ORDERS):
                yield name, (filled.state != right)[gaps], float(p[gaps].mean()), rng


def measure(tables):
    """Yield one record per table."""
    for case, wrong, expected, rng in tables:
        number = int(wrong.sum())
        _, draws = draw(wrong, expected, rng)
        false = compare(draws, number, ALPHA)
        yield {
            "case": case,
            "plan": false[239],
            "first pass": pass_first(draws, number),
            "hindsight": false.any(),
            "refit": refit(wrong, expected, rng),
            "cancel": cancel(wrong, expected, rng, True),
            "whole alpha": cancel(wrong, expected, rng, False),
        }


def main():
    """Print the share of tables with a false bound, by case and stopping rule."""
    parser = make_parser(__doc__, repeats=20)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--sets", nargs="+", metavar="SET", help="public benchmark sets in place of simulated tables")
    asked = parser.parse_args()
    with use_one_thread():
        tables = complete_all(asked.sets, asked.repeats) if asked.sets else simulate_all(asked.tables)
        table = pd.DataFrame(measure(tables))
    print(table.groupby("case").mean().round(4).to_string())
    limit = ALPHA + 2 * np.sqrt(ALPHA * (1 - ALPHA) / len(table))
    print(f"all {len(table)}: {table.drop(columns='case').mean().round(4).to_dict()}; at most {limit:.4f} is required")


if __name__ == "__main__":
    main()
