"""The features of a table: against a slow reader, through state and back, and what raises."""

import math
import re
import unicodedata
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from halflabel.completion.model_file.archive import load_tree, save_tree
from halflabel.completion.model_file.saving import saved_classes
from halflabel.table import Description, FeatureEncoder, Roles, choose_roles

VECTORS = pd.ArrowDtype(pa.list_(pa.float32()))
SONGS = pd.DataFrame(
    {
        "tempo": [90.0, None, 120.0, 60.0],
        "live": [True, False, True, None],
        "key": ["minor", "major", None, "minor"],
        "vec": [[1.0, 2.0], [3.0, None], [5.0, 6.0], [0.0, 1.0]],
        "words": ["A café, a café!", "the cafe closes", None, "closes late the the"],
    }
)
ROLES = Roles(numeric=("tempo", "live"), categorical=("key",), vectors="vec", text="words")
DENSE = Roles(numeric=("tempo", "live"), categorical=("key",))


def slow_numbers(cells: list) -> list[float]:
    """Numbers, a gap filled with the mean of the others."""
    known = [float(cell) for cell in cells if cell is not None and not pd.isna(cell)]
    mean = sum(known) / len(known) if known else 0.0
    return [mean if cell is None or pd.isna(cell) else float(cell) for cell in cells]


def slow_tfidf(texts: list) -> dict[str, list[float]]:
    """Tf-idf written out: (1 + log tf)(log((1 + n) / (1 + df)) + 1), rows of length 1."""
    bags = []
    for text in texts:
        plain = "".join(c for c in unicodedata.normalize("NFKD", (text or "").lower()) if not unicodedata.combining(c))
        bags.append(Counter(re.findall(r"\b\w\w+\b", plain)))
    df = Counter(word for bag in bags for word in bag)
    words = sorted(word for word, count in df.items() if count >= 2)
    idf = {word: math.log((1 + len(texts)) / (1 + df[word])) + 1 for word in words}
    rows = [{word: (1 + math.log(bag[word])) * idf[word] for word in words if bag[word]} for bag in bags]
    norms = [math.sqrt(sum(weight**2 for weight in row.values())) or 1.0 for row in rows]
    return {word: [row.get(word, 0.0) / norm for row, norm in zip(rows, norms, strict=True)] for word in words}


def slow_features(frame: pd.DataFrame, roles: Roles) -> dict[str, list[float]]:
    """Every feature by name, one cell at a time."""
    features = {column: slow_numbers(frame[column].tolist()) for column in roles.numeric}
    if roles.vectors:
        for j in range(len(frame[roles.vectors].iloc[0])):
            features[f"{roles.vectors}[{j}]"] = slow_numbers([vector[j] for vector in frame[roles.vectors]])
    for column in roles.categorical:
        for value in sorted(set(frame[column].dropna())):
            features[f"{column}={value}"] = [float(not pd.isna(cell) and cell == value) for cell in frame[column]]
    if roles.text:
        texts = [None if pd.isna(text) else text for text in frame[roles.text]]
        features |= {f"{roles.text}:{word}": weights for word, weights in slow_tfidf(texts).items()}
    return features


def check(frame: pd.DataFrame, roles: Roles) -> None:
    encoder = FeatureEncoder.learn(frame, roles)
    X = encoder.transform(frame)
    expected = slow_features(frame, roles)
    assert encoder.feature_names == tuple(expected)
    assert X.dtype == np.float64
    assert sparse.issparse(X) == (roles.text is not None)
    np.testing.assert_allclose(
        X.toarray() if sparse.issparse(X) else X, np.array(list(expected.values())).T, atol=1e-12
    )


def round_trip(encoder: FeatureEncoder) -> FeatureEncoder:
    """Through a file, as a saved model does."""
    with TemporaryDirectory() as folder:
        save_tree(Path(folder, "m"), {"encoder": encoder}, saved_classes())
        again: FeatureEncoder = load_tree(Path(folder, "m"), saved_classes())["encoder"]
    return again


def same(A: object, B: object) -> None:
    if sparse.issparse(A):
        A, B = A.toarray(), B.toarray()
    np.testing.assert_array_equal(A, B)


# -- against the slow reader ---------------------------------------------------------


def test_all_blocks_equal_the_slow_reader():
    check(SONGS, ROLES)
    check(SONGS, DENSE)


@pytest.mark.parametrize(
    "dtypes",
    [
        {"tempo": "Float64", "live": "boolean", "key": "string", "words": "string"},
        {"tempo": object, "live": object, "key": object, "words": object},
        {"tempo": "double[pyarrow]", "live": "bool[pyarrow]", "key": "string[pyarrow]", "vec": VECTORS},
        {"tempo": "float32", "key": "category", "vec": pd.ArrowDtype(pa.list_(pa.float64(), 2))},
    ],
)
def test_the_type_of_a_column_does_not_matter(dtypes):
    check(SONGS.astype(dtypes), ROLES)


def test_vectors_as_parquet_gives_them(tmp_path):
    SONGS.to_parquet(tmp_path / "t.parquet")
    check(pd.read_parquet(tmp_path / "t.parquet"), ROLES)
    check(pd.concat([SONGS.astype({"vec": VECTORS})] * 2, ignore_index=True), ROLES)  # two chunks


cell = st.one_of(st.none(), st.floats(-1e6, 1e6))
category = st.one_of(st.none(), st.sampled_from(["a", "b", "ä b", "7"]))
text = st.one_of(st.none(), st.lists(st.sampled_from(["Été", "sun", "sea", "the"]), max_size=4).map(" ".join))
rows = st.lists(st.tuples(cell, category, st.lists(cell, min_size=2, max_size=2), text), min_size=1, max_size=8)


@given(rows)
def test_random_tables_equal_the_slow_reader_and_survive_their_state(cells):
    cells = [*cells, (1.5, "a", [0.5, 0.5], "sun sea"), (2.5, "b", [1.5, 2.5], "sun sea")]
    frame = pd.DataFrame(cells, columns=list("xcvt"), dtype=object)
    roles = Roles(numeric=("x",), categorical=("c",), vectors="v", text="t")
    check(frame, roles)
    encoder = FeatureEncoder.learn(frame, roles)
    again = round_trip(encoder)
    assert (again.feature_names, again.notes, again.columns) == (encoder.feature_names, encoder.notes, encoder.columns)
    same(again.transform(frame), encoder.transform(frame))


@given(st.permutations(list(SONGS.columns)), st.permutations(range(len(SONGS))))
def test_columns_and_rows_may_come_in_any_order(columns, order):
    encoder = FeatureEncoder.learn(SONGS, ROLES)
    same(encoder.transform(SONGS[columns].iloc[order]), encoder.transform(SONGS)[order])


# -- learned on one table, used on another --------------------------------------------


def test_a_new_table_is_filled_with_the_means_of_the_old():
    encoder = FeatureEncoder.learn(SONGS, DENSE)
    new = pd.DataFrame({"tempo": [None], "live": [1], "key": ["atonal"], "more": [3]})
    assert encoder.transform(new).tolist() == [[90.0, 1.0, 0.0, 0.0]]
    assert encoder.describe_unseen(new) == (
        "1 row with a value that is new in the category column 'key' ('atonal'): encoded as no category.",
    )
    assert encoder.describe_unseen(SONGS) == ()


def test_whole_numbers_are_the_same_category_with_and_without_gaps():
    frame = pd.DataFrame({"c": pd.Series([1, 2, 1]).astype("category")})
    encoder = FeatureEncoder.learn(frame, Roles(categorical=("c",)))
    assert encoder.feature_names == ("c=1", "c=2")
    assert encoder.transform(pd.DataFrame({"c": [2.0, np.nan]})).tolist() == [[0.0, 1.0], [0.0, 0.0]]


def test_a_note_names_what_was_filled():
    notes = FeatureEncoder.learn(
        SONGS.assign(key="a", hole=None), Roles(numeric=("tempo", "live"), vectors="vec")
    ).notes
    assert notes == (
        "3 features with missing values (3 cells; 'tempo', 'live' and 'vec[1]'): filled with the mean of the feature.",
    )
    assert FeatureEncoder.learn(SONGS, Roles(categorical=("key",))).notes == (
        "1 row without a value in the category column 'key': encoded as no category.",
    )
    assert FeatureEncoder.learn(SONGS, Roles(text="words")).notes == ()


def test_columns_that_are_not_there_are_named():
    encoder = FeatureEncoder.learn(SONGS, ROLES)
    with pytest.raises(ValueError, match="the table lacks 2 columns that the features are made of: 'key' and 'vec'"):
        encoder.transform(SONGS.drop(columns=["vec", "key"]))
    with pytest.raises(ValueError, match=r"the table lacks 1 column that .*: 'key'"):
        encoder.describe_unseen(SONGS.drop(columns="key"))


# -- vectors that do not fit --------------------------------------------------------


def test_a_new_table_has_vectors_of_the_learned_length():
    encoder = FeatureEncoder.learn(SONGS, Roles(vectors="vec"))
    with pytest.raises(ValueError, match=r"row 0 of the vector column 'vec' has a vector of 3 numbers, .* needs 2"):
        encoder.transform(pd.DataFrame({"vec": [[1, 2, 3]]}))


# -- a matrix next to the table --------------------------------------------------------


def test_a_dense_matrix_is_filled_and_named():
    matrix = np.array([[1.0, np.nan], [3.0, np.nan], [np.nan, np.nan], [5.0, np.nan]], dtype=np.float32)
    encoder = FeatureEncoder.learn(SONGS, Roles(numeric=("tempo",)), matrix, ["p", "q"])
    assert encoder.feature_names == ("tempo", "p", "q")
    assert encoder.transform(SONGS, matrix).tolist() == [[90, 1, 0], [90, 3, 0], [120, 3, 0], [60, 5, 0]]
    assert encoder.notes == (
        "3 features with missing values (6 cells; 'tempo', 'p' and 'q'): "
        "filled with the mean of the feature, 1 without any value with 0.",
    )
    assert FeatureEncoder.learn(SONGS, Roles(), matrix).feature_names == ("x0", "x1")


@pytest.mark.parametrize("make", [sparse.csr_array, sparse.coo_matrix, sparse.csc_array])
def test_a_sparse_matrix_stays_sparse(make):
    matrix = make(np.array([[1, 0], [0, 0], [0, 2], [3, 0]]))
    encoder = FeatureEncoder.learn(SONGS, Roles(numeric=("tempo",)), matrix)
    X = round_trip(encoder).transform(SONGS, matrix)
    assert isinstance(X, sparse.csr_array)
    assert X.toarray().tolist() == [[90, 1, 0], [90, 0, 0], [120, 0, 2], [60, 3, 0]]


@pytest.mark.parametrize(
    ("matrix", "sentence"),
    [
        (np.ones((4, 3)), r"the matrix has shape \(4, 3\), but 4 rows and 2 features are needed"),
        (None, r"made from a matrix of 2 features without a table: .* such as new\.to_numpy\(\)"),
    ],
)
def test_a_matrix_that_does_not_fit_raises(matrix, sentence):
    encoder = FeatureEncoder.learn(SONGS, Roles(), np.ones((4, 2)), ["p", "q"])
    with pytest.raises(ValueError, match=sentence):
        encoder.transform(SONGS, matrix)


def test_without_any_feature_the_reasons_are_given():
    roles = choose_roles(pd.DataFrame({"a": [1, 1], "y": [1, 0]}), Description(labels=["y"]))
    with pytest.raises(ValueError, match=r"no column of the table can be a feature \('a': a single value \(1\)\)"):
        FeatureEncoder.learn(pd.DataFrame({"a": [1, 1], "y": [1, 0]}), roles)
    with pytest.raises(ValueError, match=r"can be a feature \(there is none but the labels\)"):
        FeatureEncoder.learn(pd.DataFrame({"y": [1, 0]}), Roles(labels=("y",)))


def test_a_frame_is_never_changed():
    before = SONGS.copy(deep=True)
    FeatureEncoder.learn(SONGS, ROLES).transform(SONGS)
    pd.testing.assert_frame_equal(SONGS, before)
