"""A model file holds the comparators, too: the entry point of this distribution lists their classes."""

from __future__ import annotations

from dataclasses import is_dataclass
from typing import get_type_hints

import numpy as np
import pytest
from tests.completion.model_file.test_registry import list_parts
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.model_file.saving import saved_classes
from halflabel_papers.comparators import OtherLabels
from halflabel_papers.comparators.saved import CLASSES, METHODS


def test_every_method_is_listed():
    assert len(METHODS) >= 10
    assert {kind.__name__ for kind in CLASSES} <= saved_classes().keys()


@pytest.mark.parametrize("kind", [kind for kind in CLASSES if is_dataclass(kind)], ids=lambda kind: kind.__name__)
def test_the_parts_of_a_record_are_listed(kind):
    parts = {part.__name__ for hint in get_type_hints(kind).values() for part in list_parts(hint)}
    assert parts <= saved_classes().keys()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("kind", METHODS, ids=lambda kind: kind.__name__)
def test_every_method_comes_back_bit_for_bit_or_raises(kind, tmp_path, rng):
    X, Y, _ = half_labelled(rng)
    filled = hl.complete(X, Y, method=kind())
    if kind is OtherLabels:  # it holds classifiers of another library
        with pytest.raises(TypeError, match="a LogisticRegression cannot be saved as plain data; only the methods"):
            filled.save(tmp_path / "m")
        return
    filled.save(tmp_path / "m")
    again = hl.load(tmp_path / "m").model
    assert type(again) is kind
    np.testing.assert_array_equal(again.predict_proba(X), filled.model.predict_proba(X))
    np.testing.assert_array_equal(again.predict(X), filled.model.predict(X))
