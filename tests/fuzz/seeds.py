"""One small valid input per format, and the reader that must either read a change of it or raise one sentence."""

from __future__ import annotations

import gzip
import io
import tempfile
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import halflabel as hl
from halflabel.completion.archive import ModelFileError
from halflabel.datasets import ReadError, read
from halflabel.datasets.mulan import read_label_names

CSV = 'id,x,name,rock,live\n007,1.5,a,1,0\n008,,"b, c",,1\n009,-2e3,"two\nlines",0,\n'
ARFF = "@relation r\n@attribute x numeric\n@attribute 'a b' {0,1}\n@attribute s string\n@data\n1.5,1,'it\\'s'\n?,0,?\n"
SPARSE_ARFF = "@relation r\n@attribute x numeric\n@attribute b {0,1}\n@data\n{0 1.5}\n{1 1}\n{}\n"
XML = '<?xml version="1.0"?>\n<labels><label name="a"><label name="b"/></label></labels>'
SVMLIGHT = "1,3 1:0.5 2:1 # remark\n3 2:-1e3\n\n 1:0.25\n"
REPOSITORY = "4 6 5\n0,3 0:1.5 5:2\n 2:1\n3 1:0.5\n3,4 \n"


@dataclass(frozen=True)
class Format:
    """A format: its seed, the suffix of its files, its reader and the error that the reader may raise."""

    name: str
    suffix: str
    seed: Callable[[], bytes]
    reader: Callable[[Path], Any]
    error: type[Exception] = ReadError


def parquet() -> bytes:
    stream = io.BytesIO()
    frame = pd.DataFrame({"x": [1.5, None], "tags": [["a"], None], "id": ["007", "008"], "ok": [True, False]})
    frame.to_parquet(stream)
    return stream.getvalue()


def vectors() -> bytes:
    stream = io.BytesIO()
    np.save(stream, np.arange(6.0).reshape(3, 2))
    return stream.getvalue()


@cache
def model() -> bytes:
    """Return a small model whose members are stored plainly, so that a changed byte reaches them."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40, 2))
    Y = pd.DataFrame((X > 0).astype(float), columns=["a", "b"]).where(rng.random((40, 2)) < 0.7)
    stream = io.BytesIO()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "m.halflabel"
        hl.complete(X, Y, method=hl.SSDRMC(n_neighbors=5)).save(path)
        with zipfile.ZipFile(path) as packed, zipfile.ZipFile(stream, "w") as plain:
            for name in packed.namelist():
                plain.writestr(name, packed.read(name))
    return stream.getvalue()


def use_model(path: Path) -> Any:
    """Load a model and let it predict: probabilities must be finite and in [0, 1]."""
    loaded = hl.load(path)
    p = loaded.predict_proba(np.zeros((2, loaded.model.n_features_in_))).to_numpy()
    assert ((p >= 0) & (p <= 1)).all()
    return p


FORMATS = [
    Format("csv", ".csv", CSV.encode, read),
    Format("csv in gz", ".csv.gz", lambda: gzip.compress(CSV.encode(), mtime=0), read),
    Format("text", ".txt", lambda: CSV.replace(",", "\t").encode("cp1252"), read),
    Format("arff", ".arff", ARFF.encode, read),
    Format("sparse arff", ".arff", SPARSE_ARFF.encode, read),
    Format("xml", ".xml", XML.encode, read_label_names),
    Format("svmlight", ".svm", SVMLIGHT.encode, read),
    Format("repository", ".svm", REPOSITORY.encode, read),
    Format("parquet", ".parquet", parquet, read),
    Format("vectors", ".npy", vectors, read),
    Format("model", ".halflabel", model, use_model, ModelFileError),
]
