"""How often a bound is ever false, over simulated tables, whatever the moment at which a person stops.

Protocol: a table of 2,000 filled entries, each with a probability of being wrong. These probabilities have one of four
shapes, and are wrong in one of four ways: "too low" (the truth is drawn from log odds that are .6 times as large),
"too high" (1.6 times), "by label" (the log odds of each of ten labels are moved by a normal number), and "random" (in
addition to the probabilities, 4 % of the values are wrong whatever their probability is). The 400 most uncertain
entries are answered first in every second table; then entries are drawn by weight and answered, at most 600. The
answers count with four stopping rules:

* plan: after 240 draws;
* first pass: at the first bound of at most max_error, which is .9 of the true share of errors that remain;
* hindsight: at the moment that is best in hindsight;
* choosing: as hindsight, and after each wrong answer the most uncertain entry is answered without a draw.

A bound is false if it is below the number of errors that remain. This must not be more frequent than .05 in all, and
.06 in each cell.

    python benchmarks/certificate.py [--tables 2000]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import make_parser, use_one_thread
from scipy.special import expit, logit

from halflabel.evidence.betting import Bets, weigh
from halflabel.evidence.random_order import SMALLEST

N_ITEMS, N_LABELS, ALPHA, LAST, CHOSEN = 200, 10, 0.05, 600, 400
SHAPES = {"sparse": (0.1, 0.9), "even": (0.5, 0.5), "certain": (0.03, 0.15), "uncertain": (2.0, 2.0)}
CASES = ("too low", "too high", "by label", "random")
AIM = 0.05


def simulate(shape, case, rng):
    """Return the probability that each filled value is wrong, and whether it is."""
    p = np.clip(rng.beta(*SHAPES[shape], (N_ITEMS, N_LABELS)), 1e-6, 1 - 1e-6)
    scale = {"too low": 0.6, "too high": 1.6}.get(case, 1.0)
    shift = rng.normal(0, 1, N_LABELS) if case == "by label" else 0.0
    wrong = (rng.random(p.shape) < expit(scale * logit(p) + shift)) != (p >= 0.5)
    if case == "random":
        wrong |= rng.random(p.shape) < 0.04
    return np.clip(np.minimum(p, 1 - p), SMALLEST, 1).ravel(), wrong.ravel()


def answer(p, wrong, rng, n_chosen, draws=LAST, follow=False):
    """Return the entries in the order of their answers, and which of them were drawn."""
    order, ranked = np.argsort(rng.exponential(size=len(p)) / weigh(p)), np.argsort(-p, kind="stable")
    entries, drawn = ranked[:n_chosen].tolist(), [False] * n_chosen
    seen, further = set(entries), iter(ranked[n_chosen:].tolist())
    for entry in order.tolist():
        if entry in seen or sum(drawn) == draws:
            continue
        entries.append(entry)
        drawn.append(True)
        seen.add(entry)
        if (
            follow
            and wrong[entry]
            and (other := next((each for each in further if each not in seen), None)) is not None
        ):
            entries.append(other)
            drawn.append(False)
            seen.add(other)
    return np.array(entries), np.array(drawn)


def list_capitals(p, wrong, entries, drawn, number):
    """Return the logarithm of the capital against the true number after each draw: false bounds are above alpha."""
    bets = Bets.place(p, entries, drawn, wrong[entries], AIM * len(p) + 1)
    return np.log1p(bets.stakes * (number - bets.centres)).cumsum(), bets


def pass_first(p, wrong, entries, drawn):
    """Return whether the first bound of at most ``max_error`` comes while more errors remain."""
    found, allowed = np.cumsum(wrong[entries]), int(0.9 * wrong.sum())
    places = np.flatnonzero(drawn)
    for n in range(20, len(places) + 1, 20):
        part = slice(0, places[n - 1] + 1)
        bets = Bets.place(p, entries[part], drawn[part], wrong[entries[part]], allowed + 1.0)
        known = int(found[places[n - 1]])
        if bets.bound(ALPHA) - known <= allowed - known:
            return wrong.sum() > allowed
    return False


def measure(number):
    """Yield one record per table."""
    for seed in range(number):
        rng, case, n_chosen = np.random.default_rng(seed), CASES[seed // 4 % 4], CHOSEN * (seed // 16 % 2)
        p, wrong = simulate(list(SHAPES)[seed % 4], case, rng)
        entries, drawn = answer(p, wrong, rng, n_chosen)
        grown, _ = list_capitals(p, wrong, entries, drawn, wrong.sum())
        mixed, _ = list_capitals(p, wrong, *answer(p, wrong, rng, n_chosen, 300, follow=True), wrong.sum())
        needed = -np.log(ALPHA)
        yield {
            "case": case,
            "plan": grown[239] >= needed,
            "first pass": pass_first(p, wrong, entries, drawn),
            "hindsight": (grown >= needed).any(),
            "choosing": (mixed >= needed).any(),
        }


def main():
    """Print the share of tables with a false bound, by case and stopping rule."""
    parser = make_parser(__doc__)
    parser.add_argument("--tables", type=int, default=2000)
    with use_one_thread():
        table = pd.DataFrame(measure(parser.parse_args().tables))
    print(table.groupby("case").mean().round(4).to_string())
    print(f"all {len(table)}: {table.drop(columns='case').mean().round(4).to_dict()}; at most {ALPHA} is required")


if __name__ == "__main__":
    main()
