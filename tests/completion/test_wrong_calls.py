"""Calls that a person writes from memory, and that cannot work: each is one sentence with the way on."""

import numpy as np
import pandas as pd
import pytest

import halflabel as hl

X = np.arange(24.0).reshape(12, 2) ** 1.5
Y = np.where(np.arange(12)[:, None] % 3 == 1, np.nan, np.column_stack([X[:, 0] > 30, X[:, 0] < 20]))


@pytest.fixture(scope="module")
def filled():
    return hl.complete(X, Y, effort="fast")


def test_answers_are_a_table(filled):
    with pytest.raises(ValueError, match="answers are a table with the columns item, label and answer"):
        filled.update({(0, "label0"): 1})


def test_a_model_of_an_array_takes_arrays(filled):
    new = pd.DataFrame(X[:3])
    with pytest.raises(ValueError, match=r"made from a matrix of 2 features without a table: .* new.to_numpy\(\)"):
        filled.predictor.predict_proba(new)
    assert filled.predictor.predict_proba(new.to_numpy()).shape == (3, 2)


@pytest.mark.parametrize("method", ["predict", "predict_proba"])
def test_an_empty_batch_is_named(filled, method):
    with pytest.raises(ValueError, match="there are no new items"):
        getattr(filled.predictor, method)(X[:0])


def test_complex_numbers_are_no_features():
    with pytest.raises(ValueError, match="items are complex numbers: give their real and imaginary parts"):
        hl.complete(X + 1j, Y)


def test_a_method_without_coordinates_has_no_names_for_them():
    fitted = hl.SSDRMC().fit(X, Y)
    assert not hasattr(fitted, "get_feature_names_out")
    assert len(hl.SSDRMC(n_components=2).fit(X, Y).get_feature_names_out()) == 2


def test_data_sets_are_found_without_an_import_of_their_own():
    assert hl.datasets.load_digits_tags().Y.shape[0] == 1797
