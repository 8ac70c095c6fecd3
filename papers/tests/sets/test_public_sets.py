"""Every public set has the size that its own page and the literature state."""

import gzip
import hashlib

import numpy as np
import pytest
from scipy import sparse

from halflabel.datasets.benchmark import Dataset
from halflabel.files.reading import read_table
from halflabel_papers.sets import load_benchmark, stack

#: name: (instances, features, labels, cardinality), counted from the files by other means
SETS = {
    "corel5k": (5000, 499, 374, 3.522),
    "emotions": (593, 72, 6, 1.869),
    "enron": (1702, 1001, 53, 3.378),
    "msrc": (591, 960, 23, 2.607),
    "scene": (2407, 294, 6, 1.074),
    "tmc2007-500": (28596, 500, 22, 2.158),
    "yahoo-arts": (5000, 462, 26, 1.636),
    "yahoo-arts-full": (7484, 23146, 26, 1.654),
    "yahoo-business": (5000, 438, 30, 1.588),
    "yahoo-computers": (5000, 681, 33, 1.508),
    "yahoo-education": (5000, 550, 33, 1.461),
    "yahoo-entertainment": (5000, 640, 21, 1.420),
    "yahoo-health": (5000, 612, 32, 1.662),
    "yahoo-recreation": (5000, 606, 22, 1.423),
    "yahoo-reference": (5000, 793, 33, 1.169),
    "yahoo-science": (5000, 743, 40, 1.451),
    "yahoo-social": (5000, 1047, 39, 1.283),
    "yahoo-society": (5000, 636, 27, 1.692),
    "yeast": (2417, 103, 14, 4.237),
}

DENSE = {"emotions", "msrc", "scene", "yeast"}

#: Labels without a relevant item in the whole set, and documents without a word.
EMPTY_LABELS = {"yahoo-business": 1, "yahoo-health": 2, "yahoo-reference": 1, "yahoo-social": 1}
EMPTY_ROWS = {"yahoo-arts": 26, "yahoo-computers": 66, "yahoo-science": 2, "yahoo-social": 0, "yahoo-society": 8}


#: Fifteen sets have one form; some of them have an oddity.
SLOW = SETS.keys() - {"emotions", "enron", "scene", "yahoo-health", "yahoo-society", "yeast"}


@pytest.fixture(params=[pytest.param(name, marks=pytest.mark.slow if name in SLOW else ()) for name in SETS])
def loaded(request, data_folder) -> Dataset:
    if not (data_folder / request.param).is_dir():
        pytest.skip(f"{request.param} is not in {data_folder}")
    return load_benchmark(request.param, data_folder)


def test_size_cardinality_and_oddities(loaded):
    instances, features, labels, cardinality = SETS[loaded.name]
    relevant = loaded.Y.relevant
    assert loaded.X.shape == (instances, features)
    assert loaded.Y.shape == (instances, labels)
    assert relevant.sum() / instances == pytest.approx(cardinality, abs=0.00055)
    assert loaded.Y.observed.all()
    assert relevant.any(axis=1).all()
    assert (~relevant.any(axis=0)).sum() == EMPTY_LABELS.get(loaded.name, 0)
    assert len(set(loaded.feature_names)) == features
    assert sparse.issparse(loaded.X) is (loaded.name not in DENSE)
    values = loaded.X.data if sparse.issparse(loaded.X) else loaded.X
    assert values.dtype == np.float64
    assert np.isfinite(values).all()
    if loaded.name in EMPTY_ROWS:
        assert (np.diff(loaded.X.indptr) == 0).sum() == EMPTY_ROWS[loaded.name]


def test_labels_are_found_by_name_where_the_xml_has_another_order(data_folder):
    yeast = load_benchmark("yeast", data_folder)
    assert yeast.label_names[:5] == ("Class1", "Class2", "Class3", "Class6", "Class4")
    text = gzip.decompress((data_folder / "yeast" / "yeast.arff.gz").read_bytes()).decode().splitlines()
    attributes = [line.split()[1] for line in text if line.lower().startswith("@attribute")]
    first = dict(zip(attributes, text[text.index("@data") + 1].split(","), strict=True))
    assert [int(first[name]) for name in yeast.label_names] == yeast.Y.relevant[0].tolist()


@pytest.mark.parametrize("name", ["corel5k", "emotions"])
def test_train_then_test_is_the_whole(data_folder, name):
    train, test, whole = (load_benchmark(name, data_folder, part=part) for part in ("train", "test", "whole"))
    both = sparse.vstack([train.X, test.X]) if sparse.issparse(whole.X) else np.vstack([train.X, test.X])
    assert abs(both - whole.X).max() == 0
    np.testing.assert_array_equal(np.vstack([train.Y.state, test.Y.state]), whole.Y.state)
    assert train.name == f"{name}-train"


def test_digest_is_that_of_the_file(data_folder):
    path = data_folder / "emotions" / "emotions.arff.gz"
    assert read_table(path).sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert read_table(path).sha256 == "162592ef5baa548599285ee392269ab3128cd552714696e8a126d7fde68a1015"


def test_a_set_in_two_parts_has_a_digest_of_both(data_folder):
    parts = [read_table(data_folder / "scene" / f"scene-{part}.arff.gz") for part in ("train", "test")]
    assert len(stack(*parts)) == 1211 + 1196
    assert stack(*parts).sha256 not in {part.sha256 for part in parts}
    assert stack(*parts).sha256 != stack(*reversed(parts)).sha256
