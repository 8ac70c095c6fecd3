"""A user's own models and sets, added to the tables of a paper."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from halflabel.methods.positives import PositiveOnlyEstimator
from halflabel_papers.chain import build_step
from halflabel_papers.imports import import_object, make_absolute, split_path
from halflabel_papers.spec import Experiment, Method, Paper, SetSpec, SpecError


def describe_user_method(path: str, classifier: Sequence[Mapping[str, Any]]) -> Method:
    """Return a user's estimator as a method. It is built once, so that an error appears before anything runs.

    Parameters
    ----------
    path : str
        Import path of a class or of an estimator. Its attributes ``threshold_rule`` (its rule in words),
        ``learns_from_positives`` and ``returns_relevant`` are optional.
    classifier : sequence of mapping
        The steps that follow a transformer.

    Raises
    ------
    SpecError
        If it cannot be imported or built, or is not an estimator.
    """
    kind = import_object(path)
    if not hasattr(kind, "fit"):
        raise SpecError(f"{path}: it has no fit method, so it is not an estimator.")
    predicts = hasattr(kind, "predict")
    if not predicts and not (classifier and hasattr(kind, "transform")):
        raise SpecError(f"{path}: it has no predict method, and this paper has no classifier to follow it.")
    step = {"use": make_absolute(path)}
    build_step(step, 1, _no_lookup)
    options, remarks = _read_attributes(kind)
    return Method(
        split_path(path)[1],
        (step, *(() if predicts else classifier)),
        options=options,
        natural=getattr(kind, "threshold_rule", "its predict method"),
        ours=True,
        added=True,
        note="; ".join([f"{path}, from --add", *remarks]),
    )


def _no_lookup(name: str, attribute: str) -> Any:
    raise SpecError(f"a model of your own cannot use {attribute} of {name}.")


def _read_attributes(kind: Any) -> tuple[dict[str, Any], list[str]]:
    """Return the options that a model's attributes decide, and remarks on its labels."""
    own = isinstance(kind, type) and issubclass(kind, PositiveOnlyEstimator)
    learns = bool(getattr(kind, "learns_from_positives", own))
    options: dict[str, Any] = {"absent": "unknown"} if learns else {}
    if getattr(kind, "returns_relevant", False):
        options["returns"] = "relevant"
    return options, ["positive-only labels where the protocol has them"] if learns else []


def add_methods(paper: Paper, added: Sequence[Method]) -> Paper:
    """Return the paper with further methods, which come first in every open experiment."""
    names = _check_additions("method", paper.methods, added)
    methods = {**paper.methods, **dict(zip(names, added, strict=True))}
    experiments = _change_open(paper, lambda each: replace(each, methods=names + each.methods))
    return replace(paper, methods=methods, experiments=experiments)


def add_sets(paper: Paper, added: Sequence[SetSpec]) -> Paper:
    """Return the paper with further sets, in every open experiment."""
    names = _check_additions("set", paper.sets, added)
    sets = {**paper.sets, **dict(zip(names, added, strict=True))}
    experiments = _change_open(paper, lambda each: replace(each, sets=each.sets + names))
    return replace(paper, sets=sets, experiments=experiments)


def _check_additions(kind: str, known: Mapping[str, Any], added: Sequence[Method | SetSpec]) -> tuple[str, ...]:
    """Return the names of a user's methods or sets. Raise if a name is used twice."""
    names = tuple(each.name for each in added)
    if twice := [name for name in names if name in known or names.count(name) > 1]:
        raise SpecError(f"there are two {kind}s of the name {twice[0]!r}: rename yours.")
    return names


def _change_open(paper: Paper, change: Callable[[Experiment], Experiment]) -> tuple[Experiment, ...]:
    return tuple(change(experiment) if experiment.open else experiment for experiment in paper.experiments)
