"""A small board, and methods that fail in different ways."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import replace
from typing import Any, Self

import numpy as np
from papers.tests.toy_models import Linear, make

from halflabel_papers.benchmark.board import Board, Protocol, read_board
from halflabel_papers.spec import Method, SetSpec

#: A method of each kind, by name.
KINDS = ("Good", "Breaks", "Nan", "Crashes", "Hangs")


class Good(Linear):
    """Least squares on the known entries of each label."""

    def fit(self, X: Any, y: Any) -> Self:
        columns = [np.linalg.lstsq(X[k], 2 * c[k] - 1, rcond=None)[0] for c in y.T for k in [~np.isnan(c)]]
        self.coef_ = np.column_stack(columns)
        return self


class Scores(Good):
    """Without probabilities."""

    @property
    def predict_proba(self) -> Any:
        raise AttributeError


class Breaks(Linear):
    def fit(self, X: Any, y: Any) -> Self:
        raise RuntimeError("nothing works")


class Nan(Good):
    def predict_proba(self, X: Any) -> Any:
        return np.where(np.arange(len(X))[:, None] % 2, np.nan, super().predict_proba(X))


class Crashes(Linear):
    def fit(self, X: Any, y: Any) -> Self:
        os.kill(os.getpid(), signal.SIGKILL)
        return self


class Hangs(Linear):
    """It also ignores the signal of the time limit, as compiled code does."""

    def fit(self, X: Any, y: Any) -> Self:
        signal.signal(signal.SIGPROF, signal.SIG_IGN)
        time.sleep(300)
        return self


def make_larger(rng: np.random.Generator) -> Any:
    return make(rng, n=80)


def make_board(*names: str, sets: int = 1, draws: int = 1) -> Board:
    """Return a board of two protocols and some of the methods above."""
    methods = {name: Method(name, ({"use": f"papers.tests.benchmark.toy:{name}"},)) for name in names}
    generated = {f"toy{i}": SetSpec(f"toy{i}", make="papers.tests.benchmark.toy:make_larger") for i in range(sets)}
    protocols = {
        "Q": Protocol("Q", "Items", "Items.", "hide_items", (0.4, 0.6)),
        "Z": Protocol("Z", "Positives", "Positives.", "drop_positives", (0.3,), options={"annotated": 0.5}),
    }
    quick = {"sets": list(generated), "rates": {"Q": 0.6, "Z": 0.3}}
    own = {"methods": methods, "sets": generated, "protocols": protocols, "quick": quick}
    board = read_board()
    return replace(board, key="toy", ours="Good", budget={**board.budget, "trials": draws}, **own)


#: A user's method in ten lines.
NEAREST = """
import numpy as np
from sklearn.base import BaseEstimator


class Nearest(BaseEstimator):
    def fit(self, X, y):
        known = ~np.isnan(y).any(axis=1)
        self.X_, self.y_ = X[known], y[known]
        return self

    def predict(self, X):
        return self.y_[((X[:, None] - self.X_) ** 2).sum(axis=2).argmin(axis=1)]
"""
