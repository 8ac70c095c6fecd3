"""A sparse ARFF file through the whole command."""

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import half_labelled, run

from halflabel.files.registry import find_home

if find_home("arff"):
    pytest.skip("halflabel-papers is not installed with its formats", allow_module_level=True)


class TestSparseArff:
    """Labels, ids and features of a sparse file are found by name as in any other."""

    NAMES = ("f0", "f1", "f2", "f3", "f4", "'tag a'", "tag_b")

    @pytest.fixture
    def path(self, tmp_path, rng):
        X, Y, _ = half_labelled(rng)
        self.table = np.hstack([X, Y[:, :2]])
        return self.write(tmp_path / "s.arff", range(7))

    def write(self, path, order):
        kinds = (*["numeric"] * 5, "{no,yes}", "{0,1}")
        header = [f"@attribute {self.NAMES[j]} {kinds[j]}" for j in order]
        rows = ["{" + ", ".join(f"{at} {self.cell(row, j)}" for at, j in enumerate(order)) + "}" for row in self.table]
        path.write_text("\n".join(["@relation s", *header, "@data", *rows]))
        return path

    def cell(self, row, j):
        if np.isnan(row[j]):
            return "?"
        return ("no", "yes")[int(row[j])] if j == 5 else f"{row[j]:g}"

    @pytest.mark.parametrize("labels", ["tag a,tag_b", "tag*"])
    def test_labels(self, path, labels):
        result = run("complete", path, "--labels", labels)
        assert "60 items, 5 features, 2 labels" in result.output, result.stderr

    def test_a_typing_error(self, path):
        assert "did you mean 'tag a'" in run("complete", path, "--labels", "tga a").stderr

    def test_features_and_ignored_columns(self, path):
        described = run("describe", path, "--labels", "tag*", "--set", "features=f1,f3").output
        assert "60 items, 2 features, 2 labels" in described
        described = run("describe", path, "--labels", "tag*", "--set", "ignore=f1").output
        assert "60 items, 4 features, 2 labels" in described

    def test_predict_finds_features_by_name(self, path):
        assert run("complete", path, "--labels", "tag*", "--model", path.with_name("m")).exit_code == 0
        run("predict", path.with_name("m"), path, "--probabilities", path.with_name("one.csv"))
        self.write(path, [6, 3, 2, 5, 4, 1, 0])
        run("predict", path.with_name("m"), path, "--probabilities", path.with_name("two.csv"))
        one, two = (pd.read_csv(path.with_name(name)) for name in ("one.csv", "two.csv"))
        np.testing.assert_allclose(one, two, atol=1e-9)
