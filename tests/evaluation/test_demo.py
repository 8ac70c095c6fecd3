"""The demo: how much it hides, and the command that it prints."""

from __future__ import annotations

import sys
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from click.testing import CliRunner

from halflabel.cli import main
from halflabel.datasets import load_digits_tags
from halflabel.evaluation import run_demo
from halflabel.review_page.items import ItemViews


@pytest.fixture(params=[150, pytest.param(1797, marks=pytest.mark.slow)], autouse=True)
def some_digits(request, one_member, monkeypatch):
    """The first digits instead of all: what the demo does is the same."""
    digits = load_digits_tags()
    some = replace(digits, X=digits.X[: request.param], Y=digits.Y[np.arange(request.param)])
    monkeypatch.setattr("halflabel.evaluation.demo.load_digits_tags", lambda: some)


def demo_truth():
    return sys.modules[run_demo.__module__].load_digits_tags().Y.relevant


def _count_wrong(path):
    """Return the number of values in a completed file that differ from the digits' tags."""
    completed, truth = pd.read_csv(path), sys.modules[run_demo.__module__].load_digits_tags()
    return int((completed[list(truth.label_names)].to_numpy() != truth.Y.relevant).sum())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_demo_can_be_repeated_by_the_line_it_prints(tmp_path):
    printed = CliRunner().invoke(main, ["demo", "-o", str(tmp_path / "demo")], catch_exceptions=False)
    assert printed.exit_code == 0, printed.output
    line = printed.output.strip().splitlines()[-1].strip()
    assert line.startswith("halflabel complete ")
    assert line.endswith(" --set thumbnails=8x8")
    wrong = _count_wrong(tmp_path / "demo" / "digits-completed.csv")
    assert f"({wrong:,} of " in printed.output
    CliRunner().invoke(main, line.split()[1:], catch_exceptions=False)
    first = pd.read_csv(tmp_path / "demo" / "digits-completed.csv")
    again = pd.read_csv(tmp_path / "demo" / "digits-half.completed.csv")
    pd.testing.assert_frame_equal(first, again)


def test_the_demo_hides_nine_items_in_ten():
    demo = run_demo(1)
    assert ItemViews(demo.completion.opened).describe(0)["mark"]  # a review shows pictures and no pixel numbers
    unknown = demo.half[list(demo.tags)].isna().to_numpy()
    assert unknown.all(axis=1).mean() == pytest.approx(0.9, abs=0.02)
    assert unknown.mean() == pytest.approx(0.95, abs=0.01)
    gaps = unknown
    assert demo.filled == gaps.sum()
    truth, known = demo_truth(), demo.half[list(demo.tags)].to_numpy(float, na_value=np.nan)
    commoner = np.nanmean(known, axis=0) >= 0.5
    assert demo.wrong["always the commoner value"] == (gaps & (truth != commoner)).sum()
