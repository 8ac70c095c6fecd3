"""The base of VVMR and LowRankVVMR: kernels per width, folds, the choice of weights, and scores from weights."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import ClassVar, Self

import numpy as np
from scipy import sparse

from halflabel._arrays import Floats, Ints, Mask, Matrix
from halflabel._progress import step
from halflabel.labels import PartialLabels
from halflabel.methods.base import PartialLabelEstimator
from halflabel.methods.candidates import Candidates, list_candidates
from halflabel.methods.cross_fitting import score_out_of_fold
from halflabel.methods.model_selection import folds_of_labelled
from halflabel.methods.validation import (
    is_real,
    read_graph,
    require,
    require_choice,
    require_not_negative,
    require_positive,
    require_whole,
)
from halflabel.methods.vvmr.kernel_setting import KernelSetting, Selection
from halflabel.methods.vvmr.problem import MANIFOLDS, InputKernel, Problem, graph_operator
from halflabel.numerics.graph.output_kernel import output_kernel
from halflabel.numerics.graph.weights import laplacian
from halflabel.numerics.kernels import KernelRidge, mean_distance
from halflabel.numerics.scaling import Scaler
from halflabel.numerics.solvers.solution import Solution
from halflabel.numerics.threads import limit_threads


class VectorValued(PartialLabelEstimator):
    """Base of VVMR and LowRankVVMR. A subclass defines :meth:`_solve` and the parameters named here."""

    alpha: Candidates
    alpha_manifold: Candidates
    label_graph_weight: float
    label_graph: str | Matrix
    width: Candidates
    manifold: str | Matrix
    n_neighbors: int
    scale: str | None
    max_exact: int
    n_landmarks: int
    n_folds: int
    random_state: int | None

    scaler_: Scaler
    bandwidth_: float
    setting_: KernelSetting
    model_: KernelRidge

    own_threshold: ClassVar[float] = 0.0
    _transductive: ClassVar[tuple[str, ...]] = (*PartialLabelEstimator._transductive, "cv_results_")

    def _solve(self, problem: Problem, setting: KernelSetting, *, rough: bool) -> tuple[Floats, Solution]:
        """Return the weights of the features and the solution. A ``rough`` solution is enough to compare settings."""
        raise NotImplementedError

    def _free(self, labels: PartialLabels) -> Mask:
        """Return which entries a recovery may raise."""
        return np.zeros(labels.shape, dtype=bool)

    def _settings(self) -> list[KernelSetting]:
        """Return every combination of the candidates."""
        names = ("width", "alpha", "alpha_manifold", "alpha_trace", "knee")
        offered = [list_candidates(getattr(self, name, 0.0)) for name in names]
        return [KernelSetting(*combination) for combination in itertools.product(*offered)]

    def _fit(self, X: Matrix, labels: PartialLabels, observed_rate: float = 1.0) -> Self:
        self._validate_parameters()
        with limit_threads(len(labels)):
            return self._choose_and_fit(X, labels, observed_rate)

    def _choose_and_fit(self, X: Matrix, labels: PartialLabels, observed_rate: float) -> Self:
        rng = np.random.default_rng(self.random_state)
        self.scaler_ = Scaler.learn(X, self.scale)
        items = self.scaler_(X)
        rows = np.flatnonzero(~labels.unlabelled)
        folds = folds_of_labelled(labels[rows], self.n_folds, rng)
        rule = self.resolve_rule()
        chosen = Selection(labels[rows], observed_rate, rule.threshold if rule.name == "fixed" else None)
        unit, L, settings = mean_distance(items, rng), self._operator(items), self._settings()
        widths = dict.fromkeys(setting.width for setting in settings)
        for k, width in enumerate(widths):
            step("trying kernel widths", k, len(widths))
            kernel = self._input_kernel(items, rows, L, width * unit, rng)
            if self._compare(kernel, labels[rows], folds, [s for s in settings if s.width == width], chosen):
                self.bandwidth_, best = width * unit, kernel
        assert chosen.best is not None
        _, self.setting_, held_out = chosen.best
        self.cv_results_ = {name: np.array(column) for name, column in chosen.table.items()}
        whole = self._problem(best, labels[rows], np.arange(len(rows)))
        weights, self.solution_ = self._solve(whole, self.setting_, rough=False)
        self.model_ = best.model(weights)
        self._warn_unless_converged(self.solution_.status, self.solution_.residual)
        out_of_fold = np.full(labels.shape, np.nan)
        out_of_fold[rows] = held_out
        return self._decide(labels, self.model_.predict(items), out_of_fold)

    def _compare(
        self,
        kernel: InputKernel,
        labels: PartialLabels,
        folds: Ints,
        settings: Sequence[KernelSetting],
        chosen: Selection,
    ) -> bool:
        """Add the out-of-fold scores of every setting at one width. Return whether one setting is the best so far."""
        # In the order of their ratios: the kernel between the rows is decomposed once for each ratio.
        order = sorted(range(len(settings)), key=lambda k: settings[k].alpha_manifold / settings[k].alpha)

        def score_held_out(held_out: Mask) -> Floats:
            problem = self._problem(kernel, labels, np.flatnonzero(~held_out))
            features = kernel.rows[kernel.annotated[held_out]]
            scores = np.empty((len(features), labels.shape[1], len(settings)))
            for k in order:
                scores[..., k] = features @ self._solve(problem, settings[k], rough=len(settings) > 1)[0]
            return scores

        scores = score_out_of_fold(score_held_out, folds, (*labels.shape, len(settings)))
        better = [chosen.add(setting, scores[..., k].copy()) for k, setting in enumerate(settings)]
        return any(better)

    def _problem(self, kernel: InputKernel, labels: PartialLabels, rows: Ints) -> Problem:
        """Return the fit to some annotated items. All other items stay in the graph without labels."""
        part = labels[rows]
        Y = part.values(irrelevant=-1.0, unknown=-1.0)
        given = not isinstance(self.label_graph, str)
        graph = read_graph("label_graph", self.label_graph, Y.shape[1]) if given else None
        normalize = given or self.label_graph == "normalized"
        output = output_kernel(Y, self.label_graph_weight, normalize=normalize, graph=graph)
        return Problem(kernel, output, rows, Y, part.observed, self._free(part))

    def _operator(self, items: Matrix) -> sparse.csr_array | None:
        """Return the graph operator, or None if it has weight 0 in every setting."""
        if not any(setting.alpha_manifold for setting in self._settings()):
            return None
        if isinstance(self.manifold, str):
            return graph_operator(items, self.manifold, self.n_neighbors)
        L = laplacian(read_graph("manifold", self.manifold, items.shape[0]), normalized=True)
        return sparse.csr_array(L[self._item_order][:, self._item_order])

    def _input_kernel(
        self, items: Matrix, rows: Ints, L: sparse.csr_array | None, bandwidth: float, rng: np.random.Generator
    ) -> InputKernel:
        used = len(rows) if L is None else items.shape[0]
        max_landmarks = self.max_exact if used <= self.max_exact else self.n_landmarks
        return InputKernel.learn(items, rows, L, bandwidth, max_landmarks, rng)

    def _validate_parameters(self) -> None:
        require_whole(self, n_neighbors=1, max_exact=2, n_landmarks=2, n_folds=2)
        if isinstance(self.manifold, str):
            require_choice(self, manifold=MANIFOLDS)
        else:
            read_graph("manifold", self.manifold, len(self._item_order))
        if isinstance(self.label_graph, str):
            require_choice(self, label_graph=("normalized", "raw"))
        else:
            read_graph("label_graph", self.label_graph, len(self.label_names_))
        require(
            self,
            "label_graph_weight",
            lambda weight: is_real(weight) and 0 <= weight < 1,
            "be at least 0 and below 1",
            reason="at 1 the output kernel is singular, and no label could be common to all items",
        )
        require_positive(self, "alpha", "width", several=True)
        require_not_negative(self, "alpha_manifold", several=True)

    def _score_new(self, X: Matrix) -> Floats:
        return self.model_.predict(self.scaler_(X))
