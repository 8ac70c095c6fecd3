from types import SimpleNamespace
from urllib.error import URLError

import numpy as np
import pandas as pd
import pytest

from halflabel.files.raw_table import ReadError
from halflabel_papers.sets import fetch


def answer(n=593, q=6, name="emotions", words=("FALSE", "TRUE")):
    rng = np.random.default_rng(0)
    data = pd.DataFrame({"f1": rng.normal(size=n), "f2": pd.Categorical(rng.choice(["0", "1"], n))})
    target = pd.DataFrame({f"y{j}": pd.Categorical(rng.choice(words, n), categories=words) for j in range(q)})
    return SimpleNamespace(data=data, target=target, details={"name": name, "licence": "Public"})


@pytest.fixture
def served(monkeypatch):
    """Let the fetcher return or raise what the test sets; no test reaches the network."""
    calls = []

    def serve(result):
        def fetcher(**options):
            calls.append(options)
            if isinstance(result, Exception):
                raise result
            return result

        monkeypatch.setattr("sklearn.datasets.fetch_openml", fetcher)
        return calls

    return serve


def test_an_answer_becomes_a_data_set(served, tmp_path):
    calls = served(answer())
    data = fetch("emotions", cache_dir=tmp_path)
    assert data.X.shape == (593, 2)
    assert data.Y.shape == (593, 6)
    assert data.label_names[0] == "y0"
    np.testing.assert_array_equal(data.Y.relevant[:, 0], answer().target["y0"] == "TRUE")
    assert set(data.X[:, 1]) == {0, 1}
    assert (data.licence, data.source) == ("Public", "https://www.openml.org/d/40589")
    assert calls[0]["data_id"] == 40589
    assert calls[0]["data_home"] == tmp_path
    assert data.sha256 == fetch("emotions").sha256


def test_offline_the_error_names_the_way_out(served):
    served(URLError("no route to host"))
    with pytest.raises(ReadError, match=r"OpenML could not be reached .*'halflabel complete yeast\.arff'"):
        fetch("yeast")


@pytest.mark.parametrize("wrong", [answer(n=592), answer(q=5), answer(name="birds")])
def test_another_set_than_the_one_meant_raises(served, wrong):
    served(wrong)
    with pytest.raises(
        ReadError, match=r"emotions: OpenML's data set 40589 is '\w+' with \d+ items and \d labels, where 593"
    ):
        fetch("emotions")


def test_labels_that_are_not_truth_values_raise(served):
    served(answer(words=("high", "low")))
    with pytest.raises(ReadError, match="column 'y0': is named as a label but takes the values"):
        fetch("emotions")


def test_unknown_names_list_the_known_ones():
    with pytest.raises(ReadError, match="iris: not a set that can be fetched; known are emotions, enron, scene, yeast"):
        fetch("iris")
