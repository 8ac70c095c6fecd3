"""Checks of an estimator's parameters and labels. Each check raises a ValueError that names the fault."""

from __future__ import annotations

import numbers
import warnings
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from scipy import sparse

from halflabel._arrays import Mask, Matrix, is_sparse
from halflabel._wording import clipped, listed
from halflabel.labels import PartialLabels

#: The kinds of values that decide random numbers.
RandomState = int | np.random.Generator | np.random.RandomState | None

#: Seeds that are drawn are below this number.
MAX_SEED = 2**31 - 1

#: Differences between both halves of a symmetric matrix that are rounding, in units of its largest entry.
ASYMMETRY = 1e-8


def require(
    model: Any,
    name: str,
    is_valid: Callable[[Any], bool],
    wanted: str,
    *,
    several: bool = False,
    reason: str = "",
) -> None:
    """Raise unless a parameter of the model is valid.

    Parameters
    ----------
    model : estimator
    is_valid : callable
        Takes the value of the parameter.
    wanted : str
        The condition on the value: the words after "must".
    several : bool
        Whether the parameter may hold several values to choose from. Each value is checked.
    reason : str
        The reason, or the way out. It follows the value.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> model = SimpleNamespace(share=1.5)
    >>> require(model, "share", lambda share: 0 <= share <= 1, "lie between 0 and 1", reason="it is a proportion")
    Traceback (most recent call last):
    ValueError: share must lie between 0 and 1, not 1.5: it is a proportion.
    """
    value = getattr(model, name)
    offered = (value,)
    if several:
        from halflabel.methods.candidates import list_candidates  # imported here: few methods choose among values

        offered = list_candidates(value)
    invalid = [one for one in offered if not is_valid(one)] if offered else [value]
    if invalid:
        raise ValueError(f"{name} must {wanted}, not {invalid[0]!r}{f': {reason}' if reason else ''}.")


def require_whole(model: Any, *, several: bool = False, **minimum: int) -> None:
    """Raise unless each named parameter is a whole number of at least its minimum.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_whole(SimpleNamespace(n_folds=1), n_folds=2)
    Traceback (most recent call last):
    ValueError: n_folds must be a whole number of at least 2, not 1.
    """
    for name, least in minimum.items():
        wanted = f"be a whole number of at least {least}" + (", or several" if several else "")
        require(model, name, partial(_is_whole_from, least), wanted, several=several)


def require_choice(model: Any, **choices: Iterable[Any]) -> None:
    """Raise unless each named parameter is one of its choices.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_choice(SimpleNamespace(solver="svd"), solver=("auto", "fpc"))
    Traceback (most recent call last):
    ValueError: solver must be one of 'auto', 'fpc', not 'svd'.
    """
    for name, offered in choices.items():
        known = tuple(offered)
        require(model, name, known.__contains__, f"be one of {', '.join(map(repr, known))}")


def require_positive(
    model: Any, *names: str, finite: bool = False, optional: bool = False, several: bool = False, reason: str = ""
) -> None:
    """Raise unless each named parameter is positive, and finite if that is asked for. ``optional`` accepts None.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_positive(SimpleNamespace(bandwidth=0.0), "bandwidth", finite=True, optional=True)
    Traceback (most recent call last):
    ValueError: bandwidth must be positive and finite, or None, not 0.0.
    """
    wanted = "be positive" + (" and finite" if finite else "")
    wanted += ((", " if finite else " ") + "or None") if optional else ""
    wanted += ", one number or several to choose from" if several else ""

    def is_valid(value: Any) -> bool:
        return (optional and value is None) or (is_real(value) and 0 < value <= _largest(finite))

    for name in names:
        require(model, name, is_valid, wanted, several=several, reason=reason)


def require_not_negative(model: Any, *names: str, finite: bool = False, several: bool = False) -> None:
    """Raise unless each named parameter is at least 0, and finite if that is asked for.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_not_negative(SimpleNamespace(ridge=-1.0), "ridge")
    Traceback (most recent call last):
    ValueError: ridge must be at least 0, not -1.0.
    """
    wanted = "be at least 0" + (" and finite" if finite else "")
    wanted += ", one number or several to choose from" if several else ""
    for name in names:
        require(model, name, lambda value: is_real(value) and 0 <= value <= _largest(finite), wanted, several=several)


def require_share(model: Any, *names: str) -> None:
    """Raise unless each named parameter lies between 0 and 1.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_share(SimpleNamespace(threshold=99), "threshold")
    Traceback (most recent call last):
    ValueError: threshold must lie between 0 and 1, not 99.
    """
    for name in names:
        require(model, name, lambda value: is_real(value) and 0 <= value <= 1, "lie between 0 and 1")


def require_irrelevant(model: Any, labels: PartialLabels) -> None:
    """Raise if the labels are positive-only, because then every observed entry of a label has the same value.

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> require_irrelevant(SimpleNamespace(), PartialLabels.from_positives([[1], [0]]))
    Traceback (most recent call last):
    ValueError: SimpleNamespace needs irrelevant entries, but these labels are positive-only (an absent tag is unknown).
    If an absent tag means irrelevant, pass absent='irrelevant'.
    """
    if labels.positive_only:
        raise ValueError(
            f"{type(model).__name__} needs irrelevant entries, but these labels are positive-only (an absent tag is "
            "unknown). If an absent tag means irrelevant, pass absent='irrelevant'."
        )


def read_square(name: str, given: object, size: int, what: str = "matrix") -> Matrix:
    """Return a matrix that a parameter holds, in double precision, dense or sparse. Raise if it has another shape.

    Examples
    --------
    >>> read_square("label_kernel", None, 3)
    Traceback (most recent call last):
    ValueError: label_kernel must be a matrix of shape (3, 3), not None.
    """
    wanted = f"{name} must be a {what} of shape ({size}, {size})"
    try:
        matrix: Any = given if is_sparse(given) else np.asarray(given)
        matrix = matrix.astype(np.float64)
    except (TypeError, ValueError):
        matrix = np.array(np.nan)
    if matrix.ndim == 0:
        raise ValueError(f"{wanted}, not {clipped(repr(given), 60)}.")
    if matrix.shape != (size, size):
        raise ValueError(f"{wanted}, not of shape {matrix.shape}.")
    return matrix


def read_graph(name: str, given: object, size: int) -> sparse.csr_array:
    """Return the weights of a given graph without loops. Raise unless they are symmetric and not negative.

    A graph that was computed, such as a correlation, is symmetric but for rounding: it is made symmetric.
    """
    W = sparse.csr_array(read_square(name, given, size, "graph"))
    if not np.isfinite(W.data).all() or (W.data < 0).any() or abs(W - W.T).max() > ASYMMETRY * W.max():
        raise ValueError(f"{name} must hold weights of edges, symmetric and not negative: give (W + W.T) / 2.")
    W = (W + W.T) / 2
    return sparse.csr_array(W - sparse.diags_array(W.diagonal()))


def _is_whole_from(least: int, value: Any) -> bool:
    return is_whole(value) and value >= least


def _largest(finite: bool) -> float:
    return float(np.finfo(np.float64).max) if finite else np.inf


def is_whole(value: Any) -> bool:
    """Return whether a value is a whole number, of Python or of NumPy."""
    return isinstance(value, numbers.Integral)


def is_random_state(value: Any) -> bool:
    """Return whether a value decides random numbers: None, a whole number, or a generator of NumPy."""
    kinds = (np.random.Generator, np.random.RandomState)
    return value is None or isinstance(value, kinds) or (is_whole(value) and value >= 0)


def as_seed(random_state: RandomState) -> int | None:
    """Return the seed of a random state: a generator of NumPy draws one."""
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(MAX_SEED))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(MAX_SEED))
    return random_state


def is_real(value: Any) -> bool:
    """Return whether a value is a real number, of Python or of NumPy."""
    return isinstance(value, numbers.Real)


def warn_of_rates(labels: PartialLabels, lacking: Mask, why: str) -> None:
    """Warn about labels whose entries are filled with a rate."""
    names = [labels.names[j] for j in np.flatnonzero(lacking)]
    if names:
        warnings.warn(
            f"{len(names)} of {len(labels.names)} labels {why} ({listed(names, 5)}); their entries get the rate of the "
            "label among its observed entries.",
            UserWarning,
            stacklevel=4,
        )
