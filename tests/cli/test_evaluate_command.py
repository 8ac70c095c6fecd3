"""halflabel evaluate: advice in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run
from tests.conftest import half_labelled

from halflabel.evaluation.comparison import DEFAULT

pytestmark = pytest.mark.usefixtures("one_member")


def test_the_command_prints_advice(tmp_path, rng):
    X, Y, _ = half_labelled(rng, n=120)
    pd.DataFrame(np.hstack([X, Y]), columns=list("abcdexyz")).to_csv(tmp_path / "t.csv", index=False)
    printed = run("evaluate", tmp_path / "t.csv", "--labels", "x,y,z", "--effort", "fast")
    for words in ("average precision", DEFAULT, "SSDR-MC", "expected from its", "Doubling the labelled items", "ECE"):
        assert words in printed.output
