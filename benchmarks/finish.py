"""The share of the gaps that is answered until a delivered table has at most 5 % (or 2 %) errors, on public sets.

Protocol: at most 900 random items (the 15 most frequent labels with at least 12 relevant items), of which 100 keep
their labels. ``Completion.finish`` asks in batches of at most 4 % of the gaps, and of at most as many questions as it
expects to need; the answers are the truth. "refit" fits after each batch of uncertain entries, and "one fit" keeps the
first fit. "trust" is the comparison without a proof: the uncertain entries of the first fit are answered until the
probabilities expect that the share of errors is reached. "no proof" is the smallest share of uncertain entries after
whose answers it is truly reached, in hindsight. "broken" is the share of runs whose delivered table has
more errors, and "false" the share of runs with a bound below the truth at any moment, after each batch. The floor of
the weights was chosen on scene, emotions, msrc, yahoo-arts and simulated tables, and the plan on these sets, langlog,
enron, yahoo-education and frogs. The other sets are the test.

    python benchmarks/finish.py [--sets scene yeast] [--repeats 1] [--max-error 0.05 0.02] [--ways "one fit" refit]
"""

from __future__ import annotations

import numpy as np
import pandas as pd
from _common import load_frequent, make_parser, use_one_thread
from precision import hide_all_but

import halflabel as hl
from halflabel import AutoLabeler

SETS = (
    "scene", "emotions", "yahoo-arts", "medical", "yeast", "msrc", "langlog", "yahoo-health", "yahoo-science",
    "yahoo-social", "tmc2007-500", "ohsumed",
)  # fmt: skip
LABELLED, FIRST_SEED, BATCH = 100, 11, 0.04
WAYS = {"refit": True, "one fit": False}  #: Way -> whether it fits after each batch of uncertain entries.


def answer(questions, truth):
    """Return the questions with the truth."""
    columns = [truth.names.index(name) for name in questions["label"]]
    return questions.assign(answer=truth.relevant[questions["item"].to_numpy(dtype=int), columns].astype(int))


def play(filled, truth, right, max_error, seed, fit):
    """Return the task after the last answer, the share of errors that remains, and whether a bound was ever false."""
    task, gaps, is_false = filled.finish(max_error, seed=seed), filled.labels.state == 0, False
    batch = max(int(BATCH * gaps.sum()), 20)
    while not task.done:
        questions = task.next(min(batch, max(task.left, 20)))
        task.answer(answer(questions, truth))
        if fit is not None and (questions["why"] == "most uncertain").all():
            task.improve(fit(task.answers))
        left = (task.completion.state != right)[gaps].mean()
        is_false |= left > task.bound + 1e-12
    return task, left, is_false


def trust(filled, wrong, gaps, max_error):
    """Return the share of gaps that is answered if probabilities are trusted, and the share of errors that remains."""
    doubt = np.minimum(filled.evidence.probabilities, 1 - filled.evidence.probabilities)[gaps]
    order = np.argsort(-doubt)
    n = int((doubt.sum() - np.cumsum(doubt[order]) > max_error * len(doubt)).sum())
    return n / len(doubt), wrong[gaps][order[n:]].sum() / len(doubt)


def find_needed(filled, wrong, gaps, max_error):
    """Return the smallest share of the most uncertain gaps after whose answers the limit is reached, in hindsight."""
    doubt = np.where(filled.state > 0, 1 - filled.evidence.probabilities, filled.evidence.probabilities)[gaps]
    order = np.argsort(-doubt, kind="stable")
    left = wrong[gaps].sum() - np.append(0, np.cumsum(wrong[gaps][order]))
    n = int(np.argmax(left <= max_error * len(doubt)))
    return n / len(doubt), left[n] / len(doubt)


def measure(options):
    """Yield one record per set, seed and way."""
    for seed in range(FIRST_SEED, FIRST_SEED + options.repeats):
        for name in options.sets:
            X, truth = load_frequent(name, 900, seed)
            known = hide_all_but(truth, LABELLED, np.random.default_rng(seed))

            def fit(answers=None, X=X, known=known):
                return hl.complete(X, known, method=AutoLabeler(options.effort), answers=answers)

            filled = fit()
            columns = [truth.names.index(label) for label in filled.labels.names]
            right, gaps = truth.state[:, columns], filled.labels.state == 0
            wrong = (filled.state != right) & gaps
            facts = {"set": name, "gaps": gaps.sum(), "errors before": wrong[gaps].mean()}
            for most in options.max_error:
                facts["max error"] = most
                n, left = trust(filled, wrong, gaps, most)
                yield {**facts, "way": "trust", "answered": n, "errors": left, "broken": left > most}
                n, left = find_needed(filled, wrong, gaps, most)
                yield {**facts, "way": "no proof", "answered": n, "errors": left, "broken": left > most}
                for way in options.ways:
                    task, left, is_false = play(filled, truth, right, most, seed, fit if WAYS[way] else None)
                    n, random = (number / gaps.sum() for number in (task.answered, task.certificate["audited"]))
                    yield {**facts, "way": way, "answered": n, "random": random, "errors": left,
                           "broken": left > most, "false": is_false}  # fmt: skip


def main():
    """Print the share of answered gaps by set and way."""
    parser = make_parser(__doc__, SETS, 1)
    parser.add_argument("--max-error", nargs="+", type=float, default=[0.05])
    parser.add_argument("--effort", default="fast")
    parser.add_argument("--ways", nargs="+", choices=list(WAYS), default=list(WAYS))
    with use_one_thread():
        table = pd.DataFrame(measure(parser.parse_args()))
    numbers = ["gaps", "errors before", "answered", "random", "errors", "broken", "false"]
    print(table.groupby(["max error", "set", "way"])[numbers].mean().round(3).to_string())
    print(table.groupby(["max error", "way"])[numbers].mean().round(4).to_string())


if __name__ == "__main__":
    main()
