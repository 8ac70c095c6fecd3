"""halflabel evaluate: advice in words, every record as JSON."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.conftest import half_labelled

from halflabel.evaluation.comparison import DEFAULT

pytestmark = pytest.mark.usefixtures("one_member")


def test_the_command_prints_advice_and_json(tmp_path, rng):
    X, Y, _ = half_labelled(rng, n=120)
    pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).to_csv(tmp_path / "t.csv", index=False)
    arguments = ["evaluate", str(tmp_path / "t.csv"), "--labels", "x,y,z", "--effort", "fast"]
    printed = run(*arguments)
    for words in ("average precision", DEFAULT, "SSDR-MC", "expected from its", "Doubling the labelled items", "ECE"):
        assert words in printed.output
    found = json.loads(run(*arguments, "--json").stdout)
    assert {record["repeat"] for record in found["records"]} == set(range(5))
    assert [point["share"] for point in found["curve"]] == [0.25, 0.5, 1.0]
    assert {"pattern", "advice", "warning", "trust", "more_labels"} <= set(found)
