"""The record of stated columns: what it checks, what it expands, and that every function names the same columns."""

import inspect
from dataclasses import fields

import pandas as pd
import pytest

import halflabel as hl
from halflabel._wording import name_command_options
from halflabel.table import Description
from halflabel.table.patterns import expand_patterns


@pytest.mark.parametrize("function", [hl.complete, hl.evaluate, hl.open_table])
def test_a_signature_shows_keys_as_the_record_has_them(function):
    keys = {field.name: field for field in fields(Description)}
    shown = {name: each for name, each in inspect.signature(function).parameters.items() if name in keys}
    assert {name: (each.default, each.annotation) for name, each in shown.items()} == {
        name: (keys[name].default, keys[name].type) for name in shown
    }
    assert "{keys}" not in inspect.getdoc(function)


def test_the_help_of_open_table_is_the_table_of_keys():
    text = inspect.getdoc(hl.open_table)
    assert all(f"* ``{field.name}``: {field.metadata['help']}\n" in text for field in fields(Description))
    assert len(inspect.signature(hl.open_table).parameters) == 4


def test_complete_has_at_most_twenty_parameters_and_takes_every_key():
    parameters = inspect.signature(hl.complete).parameters
    assert len(parameters) - 1 <= 20
    assert parameters["keys"].kind is inspect.Parameter.VAR_KEYWORD
    frame = pd.DataFrame({"tempo": [1.0, 2.0, 3.0, 4.0], "dance": ["x", "-", "", "x"]})
    filled = hl.complete(frame, labels="dance", yes="x", no="-", effort="fast")
    assert filled.opened.description.yes == ("x",)


def test_settings_that_both_functions_have_are_the_same():
    ours, theirs = (inspect.signature(function).parameters for function in (hl.complete, hl.evaluate))
    shared = ours.keys() & theirs.keys()
    assert shared >= {"effort", "observed_rate"}
    assert {name: ours[name].default for name in shared} == {name: theirs[name].default for name in shared}


@pytest.mark.parametrize("function", [hl.complete, hl.evaluate])
@pytest.mark.parametrize(("typed", "meant"), [("label", "labels"), ("vector", "vectors"), ("ignored", "ignore")])
def test_a_typing_error_suggests_the_argument(function, typed, meant):
    with pytest.raises(TypeError, match=rf"{function.__name__}\(\) got .* '{typed}'. Did you mean '{meant}"):
        function([[1.0]], [1], **{typed: "rock"})


def test_names_become_text_and_one_name_a_tuple():
    columns = Description(labels="rock", ignore=[7], id=9, vectors=3)
    assert (columns.labels, columns.ignore, columns.id, columns.vectors) == (("rock",), ("7",), "9", "3")


def test_only_what_differs_from_the_defaults_is_stated():
    assert Description().stated == {}
    table = pd.DataFrame({"a": [1]})
    assert Description(ignore=[], max_categories=20, absent="unknown", prior=table).stated.keys() == {"absent", "prior"}


@pytest.mark.parametrize(
    ("stated", "sentence"),
    [
        ({"labels": ["a"], "tags": "b"}, r"labels and tags were both given \(labels=, tags=\)"),
        ({"empty": "zero"}, "empty must be 'unlabelled' or 'none', not 'zero'"),
        ({"sep": ""}, r"the separator of tags \(sep=\) is empty"),
    ],
)
def test_what_contradicts_itself_is_an_error(stated, sentence):
    with pytest.raises(ValueError, match=sentence):
        Description(**stated)


def test_an_error_names_the_options_of_the_command_in_the_command():
    with name_command_options(), pytest.raises(ValueError, match=r"both given \(--labels, --tags\)"):
        Description(labels=["a"], tags="b")


def test_patterns_stand_for_the_columns_that_have_no_other_role():
    names = ("song", "tag_a", "tag_b", "tempo", "loud")
    columns = expand_patterns(
        Description(id="song", labels=["tag_*"], ignore=["tag_b"], features=["te*", "loud"]), names
    )
    assert (columns.labels, columns.features) == (("tag_a",), ("tempo", "loud"))
    assert vars(expand_patterns(columns, names)) == vars(columns)
