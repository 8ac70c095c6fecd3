"""Scores inside the records of items are a prior, whatever the form of the field."""

import json

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.conftest import FEWER_EXAMPLES

import halflabel as hl

NAMES = ["rock", "very sad", "live"]
scores = st.dictionaries(st.sampled_from(NAMES), st.floats(0.01, 0.99), max_size=3)


def write_scores(found, form):
    """Return the scores of an item in one of the forms of taggers."""
    if form == "object":
        return found
    key, value = form.split()
    return [{key: name, value: score} for name, score in found.items()]


@FEWER_EXAMPLES
@given(
    rows=st.lists(st.one_of(st.none(), scores), min_size=2, max_size=6).filter(lambda rows: any(rows)),
    form=st.sampled_from(["object", "name score", "tag p", "label probability"]),
    place=st.sampled_from(["llm", "llm.tags", "text"]),
    with_id=st.booleans(),
    key=st.sampled_from(["song", "id"]),  # the second one is seen
)
def test_scores_in_any_form_are_the_prior(rows, form, place, with_id, key):
    cells = [None if row is None else write_scores(row, form) for row in rows]
    if place == "llm.tags":
        cells = [{"tags": cell, "model": "m"} for cell in cells]
    elif place == "text":
        cells = [None if cell is None else json.dumps(cell) for cell in cells]
    frame = pd.DataFrame({key: [f"s{i}" for i in range(len(rows))], "n": np.arange(len(rows)) / 2})
    frame["llm"] = pd.Series(cells, dtype=object)
    frame[NAMES] = [[1, 0, 1], [0, 1, 0], *[[None] * 3] * (len(rows) - 2)]
    opened = hl.open_table(
        frame, labels=NAMES, id=key if with_id else None, prior_field="llm.tags" if place == "llm.tags" else "llm"
    )
    expected = [[(row or {}).get(name, np.nan) for name in NAMES] for row in rows]
    np.testing.assert_allclose(opened.prior, expected)
    assert opened.encoder.feature_names == (("n",) if with_id else opened.encoder.feature_names)
    assert "llm" not in opened.roles.features


def test_fields_of_flat_records_are_the_prior_and_no_feature(tmp_path):
    records = [{"n": i / 2, "rock": i % 2, "llm": {"tags": {"rock": 0.2 + 0.1 * i}, "model": "m"}} for i in range(4)]
    (tmp_path / "a.jsonl").write_text("\n".join(map(json.dumps, records)))
    opened = hl.open_table(tmp_path / "a.jsonl", labels=["rock"], prior_field="llm.tags")
    np.testing.assert_allclose(opened.prior[:, 0], [0.2, 0.3, 0.4, 0.5])
    assert opened.encoder.feature_names == ("n",)


@pytest.mark.parametrize(
    ("cell", "field", "message"),
    [
        ({"rock": 0.5}, "lm", "did you mean 'llm'"),
        ([{"tagg": 1}], "llm", "have no name of a tag"),
        ({"rock": "often"}, "llm", "a value next to a tag is true, false, null, 1, 0 or a probability"),
        (7, "llm", r"holds 7 \(row 0\)"),
        ({"rock": 7}, "llm", "the prior"),
        ({"rok": 0.5}, "llm", "the prior has no column of a label"),
    ],
)
def test_a_field_that_does_not_fit_is_one_sentence(cell, field, message):
    frame = pd.DataFrame({"n": [0.5, 1.5], "rock": [1, 0], "llm": pd.Series([cell, None], dtype=object)})
    with pytest.raises(ValueError, match=message):
        hl.open_table(frame, labels=["rock"], prior_field=field)
