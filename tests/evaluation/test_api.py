"""evaluate() opens whatever complete() opens, with the same names for columns."""

import numpy as np
import pandas as pd
import pytest

import halflabel as hl
from halflabel.methods.baselines import BinaryRelevance, MLkNN
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("one_member")

METHODS = {"halflabel": MLkNN(), "regression": BinaryRelevance()}
ASKED = {"methods": METHODS, "repeats": 2, "curve": False}


@pytest.fixture
def songs(rng):
    has = np.arange(60) % 2
    frame = pd.DataFrame({"tempo": 60.0 * has + rng.normal(size=60), "thread": np.arange(60) // 4})
    return frame.assign(dance=np.where(np.arange(60) < 45, has, np.nan))


def test_a_table_and_the_opened_table_give_the_same(songs):
    direct = hl.evaluate(songs, labels=["dance"], group="thread", **ASKED)
    opened = hl.evaluate(open_table(songs, labels=["dance"], group="thread"), **ASKED)
    metrics = ["macro_auc", "micro_f1", "brier"]
    pd.testing.assert_frame_equal(direct.records[metrics], opened.records[metrics])
    assert direct.pattern.endswith("groups as a whole.")


def test_arrays(songs):
    result = hl.evaluate(songs[["tempo"]].to_numpy(), songs["dance"].to_numpy(), **ASKED)
    assert result.summary.index.tolist() == list(METHODS)
