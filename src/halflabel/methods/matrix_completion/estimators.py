"""MC-1 and MC-b, eq. (3) and (2) of Goldberg, Zhu, Recht, Xu & Nowak (2010)."""

from __future__ import annotations

from typing import Any, Self

from halflabel.labels.rules import Rule
from halflabel.methods.candidates import Candidates
from halflabel.methods.matrix_completion.matrix_completion import MatrixCompletion

#: Section 3 and 4 of the paper: lambda grid, five folds of entries, relative change 1e-5, sign as the decision.
_PUBLISHED: dict[str, Any] = {
    "alpha": None,
    "label_weight": (1e-3, 1e-2, 1e-1, 1.0),
    "criterion": "labels",
    "cv": "entries",
    "n_folds": 5,
    "scale": None,
    "solver": "fpc",
    "tol": 1e-5,
    "rule": Rule("fixed", threshold=0.0),
}


class MC1(MatrixCompletion):
    r"""One low-rank matrix fills in labels and missing features, with a row of ones as the bias (MC-1).

    Minimises over Z of shape (n_items, n_labels + n_features + 1), columns in this order,

    .. math::
        \mu\|Z\|_* + \frac{\lambda}{|\Omega_Y|}\sum_{(i,j)\in\Omega_Y} \log(1 + e^{-y_{ij} z_{ij}})
        + \frac{1}{|\Omega_X|}\Bigl(\sum_{(i,k)\in\Omega_X} \tfrac12 (z_{i,t+k} - x_{ik})^2
        + w\sum_i \tfrac12 (z_{i,t+d+1} - 1)^2\Bigr)

    with :math:`\Omega_Y` the observed labels, coded +1 (relevant) and -1 (irrelevant), and :math:`\Omega_X` the
    observed features: eq. (3) of the paper, transposed, and with a soft row of ones. The method treats missing
    features, unknown labels and unlabelled items alike: they are unobserved entries of Z.

    Parameters
    ----------
    alpha : float or None, default=None
        :math:`\mu`, weight of the nuclear norm. None chooses it by cross-validation along a path: the smallest value
        for which Z is 0, halved 13 times.
    label_weight : float or sequence of float, default=(0.01, 0.1, 1.0)
        :math:`\lambda`, weight of the mean label loss against the mean feature loss; of several values the best is
        chosen.
    bias_row_weight : float, default=1.0
        w, weight of one entry of the row of ones in units of one observed feature. ``inf`` is the constraint of
        eq. (3).
    criterion : {"log_loss", "labels", "features"}, default="log_loss"
        The error on hidden entries that cross-validation minimises: the log loss of calibrated scores of labels, the
        share of labels whose score has the wrong sign (the paper's), or the squared error of features. Where relevant
        entries are rare, the sign is often wrong more often than "always irrelevant", and chooses among such models.
    cv : {"auto", "entries", "items"}, default="auto"
        A fold hides single labels, or all labels of an item. It should match the way in which labels are missing.
        "auto" does so: it is "items" if at least half of the unknown labels belong to unlabelled items. If features are
        missing, folds also hide single features.
    n_folds : int, default=5
        Number of folds.
    scale : {"standard", None}, default="standard"
        Centre each feature and divide it by its standard deviation, both computed from its observed entries. Results
        are in the original units.
    solver : {"auto", "fpc"}, default="auto"
        "auto" is the accelerated proximal gradient method, or, with the hard row, three-operator splitting. "fpc" is
        Algorithm 2 as published, with its steps, its path of weights, its stopping rule, its start and the weight of
        the row of ones that its step implies.
    tol : float, default=1e-4
        Stop when the bound of the relative gap to the minimum is at most this; the gap itself is about the square of
        the bound. Cross-validation uses 1e-2. For "fpc", the relative change of the objective.
    max_iter : int, default=3000
        Maximum number of iterations at one weight.
    rule : str or Rule, default="micro_f1"
        Threshold rule: a name of :data:`halflabel.labels.rules.RULES`, "fixed", or a :class:`halflabel.Rule` with its
        numbers, such as ``Rule("cost", ratio=2)``. "fixed" compares scores with 0, the paper's sign.
    random_state : int or None, default=0
        Seed of the folds.

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        z. NaN for a label that was not observed with both values.
    label_probabilities_ : ndarray of shape (n_items, n_labels)
        Calibrated on hidden labels, out of fold for observed entries.
    transduction_ : ndarray of shape (n_items, n_labels) or (n_items,)
        0/1. Known entries keep their values.
    thresholds_ : ndarray of shape (n_labels,)
        The lowest probability (or, for "fixed", score) of a relevant entry.
    alpha_, label_weight_ : float
        The weights of the fit.
    cv_ : {"entries", "items"}
        The kind of entries that the folds hid.
    cv_results_ : dict of ndarray
        For every pair of weights: ``alpha``, ``label_weight``, ``log_loss``, ``label_error``, ``feature_error`` (NaN if
        no feature was hidden) and ``n_iter``.
    solution_ : Completed
        Objective, bound of the relative gap (``residual``), iterations and status.
    left_, right_ : ndarray of shape (n_items, rank) and (n_labels + n_features + 1, rank)
        Z = left_ @ right_.T, features scaled.
    bias_ : ndarray of shape (n_labels,)
        0 for MC-1, b for :class:`MCb`.

    Raises
    ------
    ValueError
        If nothing is observed, a label holds anything but 1, 0 or missing, the labels are positive-only, sparse X holds
        NaN, the table is too large, or a parameter is out of range.

    Warns
    -----
    UserWarning
        If fewer entries are observed than r (n + m - r), the degrees of freedom of a Z with r directions; these are the
        ones with 99 % of its squares. The paper needs this number and more for exact recovery. Tables of fewer than
        1000 cells are not compared.

    Notes
    -----
    With m columns an iteration costs :math:`3 m^2 n` operations and the memory of three copies of Z, and sparse X
    becomes dense. Therefore Z has at most 2e8 cells, and at most 4000 rows or at most 4000 columns. A path ends when
    its error has been above the best one three times in a row. A new item is folded in: with V (``right_``) fixed it
    gets the u that minimises its own part of the objective, with :math:`\tfrac{\mu}{2}\|u\|^2` for the nuclear norm.
    This is the exact variational form: an item of the fit, with its labels, gets the scores of the fit.

    ``transform`` completes X and keeps known cells. ``denoise`` returns the low-rank part of all cells. Features of the
    fitted items are completed from their labels too (``fit_transform``). Weights that are chosen by the labels may fill
    in features badly, see ``criterion``.

    **Departures from the paper.** The row of ones is soft. The published algorithm for the hard row solves a problem
    with a soft row, whose weight is the inverse of its step (see :func:`halflabel.numerics.solvers.fpc.fpc`). Here the
    weight is a parameter. The path of weights starts where Z becomes different from 0, not at a singular value of the
    data, which has a different unit. Features are standardised. The stopping rule is a bound of the gap, not the change
    of the objective. Probabilities are calibrated, because the logistic function of a shrunken score is
    under-confident. The weights are chosen by the log loss of these probabilities, not by the sign of the score. Folds
    hide features only if some are missing.

    References
    ----------
    .. [1] A. B. Goldberg, X. Zhu, B. Recht, J.-M. Xu, R. Nowak, "Transduction with Matrix Completion: Three Birds
       with One Stone", NIPS 2010, eq. (3) and Algorithm 2.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.outer([-3.0, -2, -1, 1, 2, 3], [1.0, 2, -1])
    >>> X[4, 1] = np.nan
    >>> y = [0, 0, None, 1, None, 1]
    >>> model = MC1(alpha=0.01, label_weight=1.0, n_folds=2).fit(X, y)
    >>> model.transduction_
    array([0, 0, 0, 1, 1, 1])
    >>> model.transform(X)[4].round(1)
    array([ 2. ,  3.2, -2. ])
    """

    def __init__(
        self,
        alpha: float | None = None,
        *,
        label_weight: Candidates = (0.01, 0.1, 1.0),
        bias_row_weight: float = 1.0,
        criterion: str = "log_loss",
        cv: str = "auto",
        n_folds: int = 5,
        scale: str | None = "standard",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 3000,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.label_weight = label_weight
        self.bias_row_weight = bias_row_weight
        self.criterion = criterion
        self.cv = cv
        self.n_folds = n_folds
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the settings of the paper's synthetic experiments: Algorithm 2, raw features."""
        return cls(**_PUBLISHED, bias_row_weight=1.0)

    def _bias(self) -> tuple[float | None, float]:
        return self.bias_row_weight, 1.0


class MCb(MatrixCompletion):
    r"""One low-rank matrix and a bias per label fill in labels and missing features (MC-b).

    Minimises over Z of shape (n_items, n_labels + n_features) and b of shape (n_labels,)

    .. math::
        \mu\|Z\|_* + \lambda\Bigl(\frac{1}{|\Omega_Y|}\sum_{(i,j)\in\Omega_Y} \log(1 + e^{-y_{ij}(z_{ij} + b_j)})
        + \frac{\rho}{2}\|b\|^2\Bigr) + \frac{1}{|\Omega_X|}\sum_{(i,k)\in\Omega_X} \tfrac12 (z_{i,t+k} - x_{ik})^2

    which is eq. (2), transposed, plus a small ridge. Parameters, attributes and notes are as in :class:`MC1`, except
    for the ones that are described here.

    Parameters
    ----------
    alpha : float or None, default=None
    label_weight : float or sequence of float, default=(0.01, 0.1, 1.0)
    bias_ridge : float, default=1e-6
        :math:`\rho`. Without it a label whose observed entries are all equal has no minimiser: b grows without bound. A
        warning names such labels. Within folds the ridge alone is enough.
    criterion : {"log_loss", "labels", "features"}, default="log_loss"
    cv : {"auto", "entries", "items"}, default="auto"
    n_folds : int, default=5
    scale : {"standard", None}, default="standard"
    solver : {"auto", "fpc"}, default="auto"
        "fpc" is Algorithm 1.
    tol : float, default=1e-4
    max_iter : int, default=3000
    rule : str or Rule, default="micro_f1"
        As in :class:`MC1`.
    random_state : int or None, default=0

    Attributes
    ----------
    label_scores_ : ndarray of shape (n_items, n_labels)
        z + b. NaN for a label that was not observed with both values.
    bias_ : ndarray of shape (n_labels,)
        b.

    Notes
    -----
    At every Z the objective is minimised over b, by a few Newton steps. The remaining function of Z is convex and its
    gradient has the same Lipschitz constant, so that the step can be twice the step of the paper's joint iteration.

    References
    ----------
    .. [1] A. B. Goldberg, X. Zhu, B. Recht, J.-M. Xu, R. Nowak, "Transduction with Matrix Completion: Three Birds
       with One Stone", NIPS 2010, eq. (2) and Algorithm 1.

    Examples
    --------
    >>> import numpy as np
    >>> X = np.outer([-3.0, -2, -1, 1, 2, 3], [1.0, 2, -1])
    >>> MCb(alpha=0.01, label_weight=1.0, n_folds=2).fit(X, [0, 0, None, 1, None, 1]).transduction_
    array([0, 0, 0, 1, 1, 1])
    """

    def __init__(
        self,
        alpha: float | None = None,
        *,
        label_weight: Candidates = (0.01, 0.1, 1.0),
        bias_ridge: float = 1e-6,
        criterion: str = "log_loss",
        cv: str = "auto",
        n_folds: int = 5,
        scale: str | None = "standard",
        solver: str = "auto",
        tol: float = 1e-4,
        max_iter: int = 3000,
        rule: str | Rule = "micro_f1",
        random_state: int | None = 0,
    ) -> None:
        self.alpha = alpha
        self.label_weight = label_weight
        self.bias_ridge = bias_ridge
        self.criterion = criterion
        self.cv = cv
        self.n_folds = n_folds
        self.scale = scale
        self.solver = solver
        self.tol = tol
        self.max_iter = max_iter
        self.rule = rule
        self.random_state = random_state

    @classmethod
    def as_published(cls) -> Self:
        """Return an instance with the settings of the paper's synthetic experiments: Algorithm 1, raw features."""
        return cls(**_PUBLISHED, bias_ridge=1e-6)

    def _bias(self) -> tuple[float | None, float]:
        return None, self.bias_ridge
