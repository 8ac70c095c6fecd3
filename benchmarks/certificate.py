"""How often the bound of an audit holds, over simulated tables.

Protocol: a table of 60 items and 10 labels, no entry given. The probabilities of its entries have one of four shapes,
and the truth is drawn from them. "calibrated" fills by these probabilities; "overconfident" draws the truth from
probabilities whose log odds are .6 times as large; "hidden" replaces, in addition, the truth of 3 % of the entries by
the opposite of what is filled in. ``Completion.audit`` asks for random entries, which are answered with the truth. The
bounds hold if the share of right entries (with ``bound_recall``, the share of relevant entries that were filled in as
relevant) is at least as large. Coverage must be .95, less two standard errors.

    python benchmarks/certificate.py [--tables 2000] [--answers 59 200]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import make_parser
from scipy.special import expit, logit

from halflabel.evidence.audit import bound_recall, draw_audit

N_ITEMS, N_LABELS, LEVEL = 60, 10, 0.95
SHAPES = {"sparse": (0.1, 0.9), "even": (0.5, 0.5), "certain": (0.03, 0.15), "uncertain": (2.0, 2.0)}
CASES = ("calibrated", "overconfident", "hidden")


def simulate(shape, case, rng):
    """Return the filled and the true values, +1 and -1."""
    p = np.clip(rng.beta(*SHAPES[shape], (N_ITEMS, N_LABELS)), 1e-6, 1 - 1e-6)
    true_p = p if case == "calibrated" else expit(0.6 * logit(p))
    filled = np.where(p >= 0.5, 1, -1).astype(np.int8)
    truth = np.where(rng.random(p.shape) < true_p, 1, -1)
    if case == "hidden":
        truth = np.where(rng.random(p.shape) < 0.03, -filled, truth)
    return filled, truth


def audit(filled, truth, n, seed, population):
    """Return the certificate of a table whose questions are answered with the truth."""
    items, names = pd.RangeIndex(N_ITEMS), tuple(f"label{j}" for j in range(N_LABELS))
    given = np.zeros_like(filled)
    n = min(n, int(np.isin(filled, {"all": (1, -1), "relevant": (1,), "irrelevant": (-1,)}[population]).sum()))
    drawn = draw_audit(items, names, given, filled, n=n, seed=seed, population=population)
    answers = drawn.questions.assign(answer=np.where(truth[drawn.rows, drawn.columns] > 0, "1", "0"))
    return drawn.certify(answers, LEVEL)


def measure(options):
    """Yield one record per table and number of answers."""
    for seed in range(options.tables):
        rng = np.random.default_rng(seed)
        shape, case = list(SHAPES)[seed % 4], CASES[seed // 4 % 3]
        filled, truth = simulate(shape, case, rng)
        for n in options.answers:
            precision = (filled == truth).mean()
            bound = audit(filled, truth, n, seed, "all").precision
            relevant, irrelevant = (audit(filled, truth, n, seed, kind) for kind in ("relevant", "irrelevant"))
            recall = (filled[truth > 0] > 0).mean()
            recall_bound = bound_recall(relevant, irrelevant)
            yield {
                "case": case,
                "answers": n,
                "precision held": bound <= precision,
                "slack": precision - bound,
                "recall held": recall_bound <= recall,
                "recall slack": recall - recall_bound,
            }


def main():
    """Print coverage and mean slack, by case and number of answers."""
    parser = make_parser(__doc__)
    parser.add_argument("--tables", type=int, default=2000)
    parser.add_argument("--answers", type=int, nargs="+", default=[59, 200])
    table = pd.DataFrame(measure(parser.parse_args()))
    print(table.groupby(["answers", "case"]).mean().round(3).to_string())
    for kind in ("precision held", "recall held"):
        held, n = table[kind].mean(), len(table)
        lowest = LEVEL - 2 * np.sqrt(LEVEL * (1 - LEVEL) / n)
        print(f"{kind}: {held:.4f} of {n} certificates; at least {lowest:.4f} is required")


if __name__ == "__main__":
    main()
