"""The registry of a model file: names are unique, and everything that a fitted method is made of is in it."""

from __future__ import annotations

import types
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass, replace
from typing import Any, get_args, get_type_hints

import numpy as np
import pandas as pd
import pytest
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.model_file.archive import save_tree
from halflabel.completion.model_file.registry import CLASSES, list_by_name
from halflabel.completion.model_file.saving import saved_classes
from halflabel.methods import baselines
from halflabel.methods.auto import EFFORTS
from halflabel.methods.base import PartialLabelEstimator

pytestmark = pytest.mark.usefixtures("one_member")


def test_names_are_unique():
    assert {kind.__name__ for kind in CLASSES} < saved_classes().keys()
    other = types.new_class("Scaler")
    with pytest.raises(ValueError, match="distinct names, but Scaler appears twice"):
        list_by_name(*CLASSES, other)


def test_every_public_method_is_listed():
    public = {name: getattr(home, name) for home in (hl, baselines) for name in home.__all__}
    methods = {
        name for name, kind in public.items() if isinstance(kind, type) and issubclass(kind, PartialLabelEstimator)
    }
    assert len(methods) >= 8
    assert methods <= saved_classes().keys()


def list_parts(hint: Any) -> Iterator[type]:
    """Yield the records of this library that an annotation names, at any depth."""
    if isinstance(hint, type) and is_dataclass(hint) and hint.__module__.startswith("halflabel"):
        yield hint
    for argument in get_args(hint):
        yield from list_parts(argument)


@pytest.mark.parametrize(
    "kind", [kind for kind in saved_classes().values() if is_dataclass(kind)], ids=lambda kind: kind.__name__
)
def test_the_parts_of_a_record_are_listed(kind):
    parts = {part.__name__ for hint in get_type_hints(kind).values() for part in list_parts(hint)}
    assert parts - {"Filling"} <= saved_classes().keys()  # FeatureEncoder writes the fields of its Filling as its own


@dataclass(frozen=True)
class Scaler:
    """A class of another library with the name of a listed one."""

    scale: float


def test_only_the_listed_class_itself_is_saved(tmp_path):
    with pytest.raises(TypeError, match="a Scaler cannot be saved as plain data"):
        save_tree(tmp_path / "m", {"model": Scaler(1.0)}, saved_classes())
    assert list(tmp_path.iterdir()) == []


KINDS = ("words", "single gaps", "prior", "positive-only", "groups")


@pytest.mark.parametrize("kind", KINDS)
def test_the_default_of_every_kind_of_table_comes_back(kind, tmp_path, rng, monkeypatch):
    monkeypatch.setitem(EFFORTS, "default", replace(EFFORTS["default"], n_trees=5))
    X, Y, truth = half_labelled(rng, 90)
    given: dict[str, Any] = {}
    items: Any = pd.DataFrame(X, columns=list("abcde"))
    labels: Any = pd.DataFrame(Y, columns=["rock", "sad", "live"])
    if kind == "words":
        items = items.assign(text=[" ".join(f"{'xyz'[j % 3]}{int(x > 0)}" for j, x in enumerate(row)) for row in X])
        given["text"] = "text"
    elif kind == "single gaps":
        labels = labels.assign(rock=truth[:, 1], sad=truth[:, 1]).mask(rng.random(Y.shape) < 0.3)  # two that agree
    elif kind == "prior":
        given["prior"] = np.clip(truth, 0.2, 0.8)
    elif kind == "positive-only":
        labels = hl.PartialLabels.from_positives(truth)
    else:
        items, given["group"] = items.assign(thread=np.arange(90) // 3), "thread"
    filled = hl.complete(items, labels, **given)
    filled.save(tmp_path / "m")
    again = hl.load(tmp_path / "m")
    pd.testing.assert_frame_equal(again.predict_proba(items), filled.predictor.predict_proba(items), check_exact=True)
