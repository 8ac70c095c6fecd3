"""Model files that were changed by hand: every one ends in a ModelFileError that names the file."""

from __future__ import annotations

import io
import json
import tracemalloc
import zipfile
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from tests.conftest import half_labelled

import halflabel as hl
from halflabel.completion.model_file.archive import ModelFileError
from halflabel.completion.model_file.parts import check_parts, make_up_rows
from halflabel.completion.model_file.predictor import Predictor
from halflabel.corrections.fit import Corrected
from halflabel.table import FeatureEncoder, Roles

pytestmark = pytest.mark.usefixtures("small_forests")


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """Return the path of a saved AutoLabeler."""
    X, Y, _ = half_labelled(np.random.default_rng(0))
    path = tmp_path_factory.mktemp("model") / "sound.halflabel"
    hl.complete(X, Y, effort="fast").save(path)
    return path


def parts(path):
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def write(path, content):
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in content.items():
            archive.writestr(name, data)
    return path


def nodes(value, kind=None):
    """Yield every object of a class in the JSON tree."""
    if isinstance(value, dict):
        if "object" in value and kind in (None, value["object"]):
            yield value
        for each in value.values():
            yield from nodes(each, kind)
    elif isinstance(value, list):
        for each in value:
            yield from nodes(each, kind)


def field(node, name):
    return next(pair for pair in node["state"]["dict"] if pair[0] == name)


def changed(saved, tmp_path, change):
    """Write the model with its JSON tree changed in place."""
    content = parts(saved)
    document = json.loads(content["model.json"])
    change(document, content)
    content["model.json"] = json.dumps(document).encode()
    return write(tmp_path / "m.halflabel", content)


def npy(array):
    stream = io.BytesIO()
    np.lib.format.write_array(stream, array, version=(1, 0))
    return stream.getvalue()


def loop_in_a_tree(document, content):
    number = field(next(nodes(document, "Trees")), "left")[1]["npy"]
    array = np.lib.format.read_array(io.BytesIO(content[f"{number}.npy"]))
    content[f"{number}.npy"] = npy(np.zeros_like(array))


def repeated_names(document, content):
    field(next(nodes(document, "Predictor")), "label_names")[1]["tuple"] = ["a", "a", "b"]


def roles_for_a_model(document, content):
    pair = field(next(nodes(document, "Corrected")), "model")
    pair[1] = field(next(nodes(document, "Predictor")), "roles")[1]


def an_endless_number(document, content):
    field(next(nodes(document, "AutoLabeler")), "thresholds_")[1] = {"npy": float("inf")}


def a_shorter_array(document, content):
    number = field(next(nodes(document, "AutoLabeler")), "thresholds_")[1]["npy"]
    content[f"{number}.npy"] = content[f"{number}.npy"][:-8]


CHANGES = [
    loop_in_a_tree,
    repeated_names,
    roles_for_a_model,
    an_endless_number,
    a_shorter_array,
]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_a_changed_model_is_an_error_that_names_the_file(saved, tmp_path, change):
    with pytest.raises(ModelFileError, match=r"m\.halflabel"):
        hl.load(changed(saved, tmp_path, change))


@pytest.mark.parametrize(
    "p", [[[0.0, 0.5, 1.5]] * 2, [[-0.5, 0.5, 1.0]] * 2, [[0.0, 0.5, np.nan]] * 2, [[0.5] * 3], [[0.5] * 2] * 2]
)
def test_a_model_that_does_not_predict_probabilities_is_damaged(saved, monkeypatch, p):
    monkeypatch.setattr(Predictor, "_write_all", lambda *_: (None, pd.DataFrame(p)))
    with pytest.raises(ModelFileError, match="it does not predict one probability per label"):
        hl.load(saved)


def test_a_probability_may_be_0_or_1(saved, monkeypatch):
    monkeypatch.setattr(Predictor, "_write_all", lambda *_: (None, pd.DataFrame([[0.0, 0.5, 1.0]] * 2)))
    assert len(hl.load(saved).label_names) == 3


def test_the_unchanged_model_loads(saved, tmp_path):
    path = changed(saved, tmp_path, lambda document, content: None)
    rows = np.zeros((2, hl.load(saved).model.n_features_in_))
    np.testing.assert_array_equal(hl.load(path).predict_proba(rows), hl.load(saved).predict_proba(rows))


def test_damage_never_answers_in_silence(saved, tmp_path):
    content, rng = saved.read_bytes(), np.random.default_rng(1)
    rows = np.zeros((2, hl.load(saved).model.n_features_in_))
    expected = hl.load(saved).predict_proba(rows)
    for _ in range(60):
        damaged = bytearray(content)
        start = int(rng.integers(len(content)))
        damaged[start : start + int(rng.integers(1, 40))] = rng.bytes(int(rng.integers(0, 40)))
        (tmp_path / "d").write_bytes(damaged)
        try:
            found, message = hl.load(tmp_path / "d").predict_proba(rows), ""
        except ModelFileError as error:
            found, message = expected, str(error)
        np.testing.assert_array_equal(found, expected)
        assert not message or str(tmp_path / "d") in message


def test_labels_and_probabilities_of_new_items_need_one_score_each(saved, monkeypatch):
    predictor = hl.load(saved)
    X, *_ = half_labelled(np.random.default_rng(1))
    labels, p = predictor.predict(X), predictor.predict_proba(X)
    scored, score = [], hl.AutoLabeler._score_new
    monkeypatch.setattr(hl.AutoLabeler, "_score_new", lambda self, X: scored.append(len(X)) or score(self, X))
    table, together = predictor.complete_both(pd.DataFrame(index=range(len(X))), X, given=False)
    assert scored == [len(X)]
    np.testing.assert_array_equal(table.to_numpy(), labels.to_numpy())
    np.testing.assert_array_equal(together, p)


# -- parts by hand ---------------------------------------------------------------


def build(names=("rock", "sad"), p=((0.25, 0.75), (0.5, 1.0)), **changes):
    """Return a predictor whose method has these probabilities for any two rows."""
    frame = pd.DataFrame({"a": [0.0, 1.0, 5.0], "b": [1.0, 0.0, 5.0]})
    encoder = FeatureEncoder.learn(frame, Roles(numeric=("a", "b")))
    p = np.array(p)
    both = (p >= 0.5).astype(int), p
    model = SimpleNamespace(
        thresholds_=np.full(len(names), 0.5),
        n_features_in_=2,
        predict_both=lambda X: both,
        complete_both=lambda X, labels: both,
    )
    model = changes.pop("model", model)
    corrected = Corrected(model, (), model.thresholds_)
    parts = {"corrected": corrected, "roles": Roles(numeric=("a", "b")), "encoder": encoder, "label_names": names}
    return Predictor(**(parts | changes))


def test_parts_that_fit_together_are_accepted():
    check_parts(build())


def change_model(**attributes):
    return SimpleNamespace(**(vars(build().model) | attributes))


ENCODER = build().encoder
TWICE = replace(ENCODER, numeric=("a", "a"))


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"names": ()}, "label names are missing, repeated or not printable"),
        ({"names": ("rock", "rock")}, "label names are missing, repeated or not printable"),
        ({"names": ("rock", "s\x1bd")}, "label names are missing, repeated or not printable"),
        ({"model": change_model(thresholds_=np.full(3, 0.5))}, "not one finite threshold per label"),
        ({"model": change_model(thresholds_=np.array([0.5, np.inf]))}, "not one finite threshold per label"),
        ({"model": change_model(n_features_in_=3)}, "another number of features than the method takes"),
        ({"roles": Roles(numeric=("a", "c"))}, "columns of the features differ from the columns of the roles"),
        ({"roles": Roles(numeric=("a",))}, "columns of the features differ from the columns of the roles"),
        (
            {"roles": Roles(numeric=("a",)), "encoder": TWICE},
            "columns of the features differ from the columns of the roles",
        ),
    ],
)
def test_parts_that_do_not_fit_together_are_named(changes, sentence):
    with pytest.raises(ValueError, match=sentence):
        check_parts(build(**changes))


SIZES = {
    "vector_width": [2**31, 2**62, 1, -1],
    "vectors": ["v"],
    "matrix_names": [("x",) * 3],
    "vocabulary": [("word",)],
    "idf": [np.ones(3), np.ones((0, 2))],
    "filling": [replace(ENCODER.filling, **change) for change in (
        {"means": np.zeros(3)}, {"means": np.zeros((2, 1))}, {"spreads": np.ones(1)}, {"components": np.ones((2, 5))},
        {"components": np.ones(2)}, {"marked": (2,)}, {"marked": (-1,)})],
}  # fmt: skip


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in SIZES.items() for value in values])
@pytest.mark.parametrize("n_features", [2, 2**31 + 2])
def test_sizes_are_those_of_the_arrays_before_anything_is_built(name, value, n_features):
    encoder = replace(ENCODER, **{"vectors": "v", name: value} if name == "vector_width" else {name: value})
    if name == "vectors":
        encoder = replace(encoder, vector_width=2**31)
    tracemalloc.start()
    with pytest.raises(ValueError, match=r"features|vectors"):
        check_parts(build(encoder=encoder, model=change_model(n_features_in_=n_features)))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2**20


def test_made_up_rows_have_a_value_of_every_kind():
    frame = pd.DataFrame(
        {"n": [1.0, 2.0], "k": ["b", "a"], "v": [[1.0, 2.0], [3.0, 4.0]], "t": ["one two", "two one three three"]}
    )
    roles = Roles(numeric=("n",), categorical=("k",), vectors="v", text="t")
    encoder = FeatureEncoder.learn(frame, roles, np.eye(2))
    rows, matrix = make_up_rows(encoder)
    assert rows.columns.tolist() == ["n", "k", "v", "t"]
    assert rows.loc[0].tolist() == [0.0, None, [0.0, 0.0], ""]
    assert rows.loc[1, "k"] == "a"
    assert rows.loc[1, "n"] != 0
    assert len(rows.loc[1, "v"]) == 2
    assert rows.loc[1, "t"].split() == [*encoder.vocabulary[:3]]
    assert matrix.shape == (2, 2)
    assert not matrix[0].any()
    assert matrix[1].all()
    thin, matrix = make_up_rows(FeatureEncoder.learn(frame, roles, sparse.csr_array(np.eye(2))))
    assert sparse.issparse(matrix)
    assert len(thin) == 2
    assert make_up_rows(build().encoder)[1] is None


@pytest.mark.parametrize(
    ("attributes", "of"),
    [
        ({}, "being relevant"),
        ({"observed_rate": None}, "being relevant"),
        ({"positive_only_": False, "observed_rate": None}, "being relevant"),
        ({"positive_only_": True}, "being relevant"),
        ({"positive_only_": True, "observed_rate": 0.5}, "being relevant"),
        ({"positive_only_": True, "observed_rate": None}, "being assigned"),
    ],
)
def test_probabilities_are_of_being_assigned_without_a_label_frequency(attributes, of):
    assert build(model=change_model(**attributes)).probability_of == of


def test_predictions_have_the_ids_of_the_new_items():
    new = pd.DataFrame({"song": ["x", "y"], "a": [1.0, 2.0], "b": [0.0, 3.0]}, index=[7, 8])
    plain, by_id = build(), build(roles=Roles(id="song", numeric=("a", "b")))
    assert plain.predict_proba(new).index.tolist() == [7, 8]
    assert by_id.predict_proba(new).index.tolist() == ["x", "y"]
    assert by_id.predict_proba(new.drop(columns="song")).index.tolist() == [7, 8]
    assert by_id.predict_proba(new).to_numpy().tolist() == [[0.25, 0.75], [0.5, 1.0]]
    assert by_id.predict(new).to_numpy().tolist() == [[0, 1], [1, 1]]


def test_labels_are_written_as_in_the_table_of_the_fit():
    new = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 3.0], "rock": [None, None]})
    table = build(words={"sad": ("no", "yes")}).complete(new, given=False)
    assert table.to_dict("list") == {"a": [1, 2], "b": [0, 3], "rock": [0, 1], "sad": ["yes", "yes"]}
    tags = build(roles=Roles(tags="tags", numeric=("a", "b"))).complete(new, given=False)
    assert tags.columns.tolist() == ["a", "b", "tags"]
    assert tags["tags"].tolist() == ["sad", "rock;sad"]


@pytest.mark.parametrize(
    ("roles", "given", "known", "completed"),
    [
        ({"labels": ("rock", "sad")}, {"rock": [1, None]}, [[1, 0], [0, 0]], {"rock": [1, 1], "sad": [1, 1]}),
        ({"tags": "tags"}, {"tags": ["rock", None]}, [[1, -1], [0, 0]], {"tags": ["rock", "rock;sad"]}),
    ],
)
def test_given_labels_of_new_items_stay(roles, given, known, completed):
    seen = []

    def complete_both(X, labels):
        seen.append(labels.state.tolist())
        return np.where(labels.observed, labels.relevant, 1), np.full((2, 2), 0.75)

    new = pd.DataFrame({"a": [1.0, 2.0], "b": [0.0, 3.0], **given})
    predictor = build(model=change_model(complete_both=complete_both), roles=Roles(numeric=("a", "b"), **roles))
    table = predictor.complete(new)
    assert {name: table[name].tolist() for name in completed} == completed
    both = predictor.complete_both(new)
    pd.testing.assert_frame_equal(both[0], table)
    assert both[1].to_numpy().tolist() == [[0.75] * 2] * 2
    assert seen == [known] * 2


def test_an_empty_cell_of_a_new_item_is_filled_whatever_a_column_states_about_the_table_of_the_fit():
    X, Y, _ = half_labelled(np.random.default_rng(0))
    cells = [None if np.isnan(row).any() else ";".join(f"t{j}" for j in np.flatnonzero(row)) for row in Y]
    by = [None if cell is None else "ann" for cell in cells]
    table = pd.DataFrame(X).add_prefix("x").assign(tags=[cell or None for cell in cells], by=by)
    filled = hl.complete(table, tags="tags", absent="irrelevant", annotated="by", effort="fast")
    assert (filled.labels.annotated == table["by"].notna()).all()
    new = table[table["by"].isna()]
    assert filled.predictor.complete(new)["tags"].str.len().gt(0).any()


def test_new_items_are_a_table_or_a_matrix():
    with pytest.raises(ValueError, match="a table or a matrix with one row per item, not list"):
        build().predict([1.0, 2.0])


def test_what_only_the_use_of_the_parts_shows_is_an_error_of_the_file(saved, monkeypatch):
    def fail(predictor):
        raise RuntimeError("x" * 150 + "\n\n" + "y" * 150)

    monkeypatch.setattr("halflabel.completion.model_file.saving.check_parts", fail)
    with pytest.raises(ModelFileError, match=r"its parts do not fit together \(x{150} y{49}\)"):
        hl.load(saved)


def test_a_predictor_has_six_verbs_and_an_explanation():
    verbs = {name for name in dir(Predictor) if not name.startswith("_") and callable(getattr(Predictor, name))}
    assert verbs == {"predict", "predict_both", "predict_proba", "complete", "complete_both", "read_labels"}
    with pytest.raises(AttributeError, match="no attribute 'answer'"):
        build().answer  # noqa: B018
