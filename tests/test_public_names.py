"""What a person finds in Python: names, types and the groups of the arguments."""

from __future__ import annotations

import importlib
import inspect

import numpy as np
import pandas as pd
import pytest

import halflabel as hl

#: Packages whose names are imported when they are first used.
LAZY = (
    "halflabel",
    "halflabel.completion",
    "halflabel.evaluation",
    "halflabel.files",
    "halflabel.labels",
    "halflabel.table",
)

#: The first parameter of a method.
OWN = ("self", "cls")

#: Values of the kind that the user gave, for which Python has no type.
OF_ANY_KIND = {"Completion.table", "OpenTable.restore"}


def list_signatures():
    """Yield (name, function) of each public function, and of each public method of a public class."""
    for name in hl.__all__:
        value = getattr(hl, name)
        if inspect.isfunction(value):
            yield name, value
        for member, raw in inspect.getmembers_static(value) if inspect.isclass(value) else ():
            function = raw.fget if isinstance(raw, property) else getattr(raw, "func", getattr(raw, "__func__", raw))
            is_own = (getattr(function, "__module__", "") or "").startswith("halflabel")
            if inspect.isfunction(function) and is_own and (not member.startswith("_") or member == "__init__"):
                yield f"{name}.{member}", function


@pytest.mark.parametrize("package", LAZY)
def test_a_package_lists_its_public_names_only(package):
    module = importlib.import_module(package)
    for name in module.__all__:
        getattr(module, name)
    assert dir(module) == sorted(module.__all__)


def test_no_public_type_is_any():
    untyped = ("Any", inspect.Parameter.empty)
    found = set()
    for name, function in list_signatures():
        signature = inspect.signature(function)
        stated = [each for each in signature.parameters.values() if each.kind is not each.VAR_KEYWORD]
        found |= {f"{name}({each.name})" for each in stated if each.name not in OWN and each.annotation in untyped}
        found |= {name} if signature.return_annotation in untyped else set()
    assert found == OF_ANY_KIND


@pytest.mark.parametrize("names", ["rock", "rock,sad", ["rock"], ("rock", "sad"), "tag_*"])
def test_names_in_the_place_of_labels_end_in_one_sentence(names):
    songs = pd.DataFrame({"tempo": np.arange(8.0) + 0.5, "rock": [0, 1] * 4, "sad": [1, 0] * 4})
    with pytest.raises(ValueError, match=r"the second argument is a table of labels, not .* labels=\['") as error:
        hl.complete(songs, names)
    assert str(error.value).count(". ") == 0
