"""AutoLabeler and what else a user would take, on the same rows: CPU seconds, peak memory, Brier score, micro-F1.

The cases are those of cost.py; most items have no label, and every method predicts these items. CPU seconds are those
of the fit with the predictions, memory is its growth at the peak; each run is a process with one thread. Features have
the weights of AutoLabeler for every method (standardised, or words weighted by rarity). The others are used as their
documentation shows, without calibration. Micro-F1 is that of a threshold of 1/2 and that of the threshold with the
highest expected micro-F1, which needs only the probabilities of the method.

Each result is written to a log at once, so that an interrupted run continues. A process is ended after --limit CPU
seconds. LightGBM is measured where it is installed.

    python benchmarks/rivals.py [--cases yeast tmc] [--methods logistic default] [--limit 400] [--log rivals.csv]
"""

from __future__ import annotations

import json
import resource
import signal
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
from _common import (
    append_record,
    choose_unlabelled,
    make_parser,
    read_records,
    run_alone,
    time_cpu,
    use_one_thread,
)
from auto_methods import weight_features
from comparison import complete_label_spreading
from cost import load
from memory import read_memory, reset_peak
from sklearn.ensemble import ExtraTreesRegressor
from sklearn.linear_model import LogisticRegression, LogisticRegressionCV
from sklearn.multiclass import OneVsRestClassifier
from sklearn.neighbors import KNeighborsRegressor

from halflabel import AutoLabeler, PartialLabels
from halflabel.labels.calibration import thresholds
from halflabel.labels.metrics import brier, micro_f1

CASES = ("yeast", "tmc", "text2", "text", "labels", "dense100", "large")


# -- methods: from features and known labels to the probabilities of the items without labels ------------------------


def predict_per_label(make_classifier, X, known):
    """Return the probabilities of one classifier per label."""
    X, new = weight_features(X), known.unlabelled
    model = OneVsRestClassifier(make_classifier()).fit(X[~new], known.relevant[~new].astype(int))
    return model.predict_proba(X[new])


def predict_together(make_regressor, X, known):
    """Return the predictions of one regressor for all labels, which are shares of relevant items."""
    X, new = weight_features(X), known.unlabelled
    return make_regressor().fit(X[~new], known.relevant[~new].astype(float)).predict(X[new])


def predict_spreading(X, known):
    """Return the probabilities of LabelSpreading, one graph per label."""
    return complete_label_spreading(weight_features(X), known.values())[known.unlabelled]


def predict_auto(effort, X, known):
    """Return the probabilities of AutoLabeler."""
    return AutoLabeler(effort).fit(X, known).label_probabilities_[known.unlabelled]


def make_lightgbm():
    """Return LightGBM with its defaults."""
    from lightgbm import LGBMClassifier

    return LGBMClassifier(verbose=-1, n_jobs=1, random_state=0)


METHODS = {
    "logistic": partial(predict_per_label, partial(LogisticRegression, max_iter=1000)),
    "logistic cv": partial(
        predict_per_label,
        partial(LogisticRegressionCV, Cs=(0.01, 0.1, 1, 10), cv=3, max_iter=1000, scoring="neg_log_loss"),
    ),
    # The variance of 0/1 targets is half the Gini impurity: the trees are those of the classifier.
    "extratrees": partial(
        predict_together,
        partial(ExtraTreesRegressor, 200, max_features="sqrt", min_samples_leaf=2, random_state=0),
    ),
    "lightgbm": partial(predict_per_label, make_lightgbm),
    "knn": partial(predict_together, partial(KNeighborsRegressor, 15)),
    "label spreading": predict_spreading,
} | {effort: partial(predict_auto, effort) for effort in ("fast", "default", "best")}


# -- measuring -------------------------------------------------------------------------------------------------------


def measure(case, method, limit):
    """Return the record of one method; the process ends by a signal after ``limit`` CPU seconds of it."""
    X, labels, share = load(case)
    unlabelled = choose_unlabelled(len(labels), share, np.random.default_rng(1))
    known, hidden = labels.hide(unlabelled[:, None]), labels[unlabelled]
    with use_one_thread():
        METHODS[method](*make_tiny())  # imports are not counted
        before = reset_peak()
        limit_cpu(limit)
        seconds, p = time_cpu(lambda: METHODS[method](X, known))
        limit_cpu(None)
        peak = read_memory("VmHWM") - before
    return {
        "cpu_s": seconds,
        "peak_mb": peak / 1e6,
        "brier": brier(hidden, p),
        "f1_half": micro_f1(hidden, p >= 0.5),
        "f1_chosen": micro_f1(hidden, p >= thresholds(p, "micro_f1")),
    }


def make_tiny():
    """Return features and two labels of 80 items, of which half are labelled."""
    rng = np.random.default_rng(0)
    Y = PartialLabels.from_table(rng.random((80, 2)) < 0.5)
    return rng.normal(size=(80, 3)), Y.hide(np.arange(80)[:, None] % 2 == 0)


def limit_cpu(seconds):
    """End this process after a number of further CPU seconds; None is no limit."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    used = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (hard if seconds is None else int(used + seconds) + 1, hard))


def measure_alone(case, method, limit):
    """Return the record of one method, measured in a process of its own, or the reason why there is none."""
    done = run_alone(__file__, "--cases", case, "--methods", method, "--limit", str(limit), "--here", check=False)
    if done.returncode == 0:
        return json.loads(done.stdout.splitlines()[-1]) | {"reason": ""}
    reason = (
        f"more than {limit} s" if done.returncode == -signal.SIGXCPU else (done.stderr.splitlines() or ["ended"])[-1]
    )
    return dict.fromkeys(("cpu_s", "peak_mb", "brier", "f1_half", "f1_chosen")) | {"reason": reason[:100]}


def measure_missing(options):
    """Measure what the log lacks, and return the records of the chosen cases and methods."""
    done = read_records(options.log)
    keys = set() if done.empty else set(zip(done["case"], done["method"], strict=True))
    for case in options.cases:
        for method in options.methods:
            if (case, method) not in keys:
                append_record(
                    {"case": case, "method": method} | measure_alone(case, method, options.limit), options.log
                )
    table = read_records(options.log)
    return table[table["case"].isin(options.cases) & table["method"].isin(options.methods)]


def print_table(table):
    """Print the records in Markdown, with the CPU seconds of each method in units of those of "default"."""
    print(
        "| | | CPU s | / default | MB | Brier | micro-F1 at ½ | at its threshold |\n|---|---|--:|--:|--:|--:|--:|--:|"
    )
    for case in [case for case in CASES if case in set(table["case"])]:
        records = table[table["case"] == case].set_index("method")
        unit = records["cpu_s"].get("default", np.nan)
        for k, method in enumerate([method for method in METHODS if method in records.index]):
            print(f"| {'' if k else case} | {method} | {' | '.join(format_record(records.loc[method], unit))} |")


def format_record(record, unit):
    """Return the cells of a record: the reason and dashes if there are no figures."""
    if np.isnan(record["cpu_s"]):
        return [record["reason"], *"–––––"]
    ratio = "–" if np.isnan(unit) else f"{record['cpu_s'] / unit:.2f}"
    scores = [f"{record[name]:.{digits}f}" for name, digits in (("brier", 4), ("f1_half", 3), ("f1_chosen", 3))]
    return [
        f"{record['cpu_s']:.1f}",
        *(text.removeprefix("0") for text in (ratio, f"{record['peak_mb']:.0f}", *scores)),
    ]


def main():
    """Measure what the log lacks, and print its table."""
    parser = make_parser(__doc__)
    parser.add_argument("--cases", nargs="+", default=list(CASES), choices=CASES, metavar="CASE")
    parser.add_argument("--methods", nargs="+", default=list(METHODS), choices=METHODS, metavar="METHOD")
    parser.add_argument("--limit", type=int, default=400, help="maximum number of CPU seconds per run")
    parser.add_argument("--log", type=Path, default=Path("rivals.csv"), help="file of the records")
    parser.add_argument("--here", action="store_true", help="measure the first case and method in this process")
    options = parser.parse_args()
    if options.here:
        print(json.dumps(measure(options.cases[0], options.methods[0], options.limit)))
        return
    if not find_spec("lightgbm"):
        options.methods = [method for method in options.methods if method != "lightgbm"]
    print_table(measure_missing(options))


if __name__ == "__main__":
    main()
