"""The commands on positive-only labels."""

from __future__ import annotations

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import outputs, run
from tests.conftest import half_labelled

pytestmark = pytest.mark.usefixtures("one_member")


class TestPositiveOnly:
    """Tags of which some are missing; every fourth item has none at all."""

    OPTIONS = ("--id", "song", "--tags", "tags", "--absent", "unknown")

    @pytest.fixture
    def tagged(self, tmp_path, rng):
        X, _, has = half_labelled(rng, n=60)
        frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(5)]).assign(song=[f"s{i}" for i in range(60)])
        known = (has > 0) & (rng.random(has.shape) < 0.7) & (np.arange(60) % 4 > 0)[:, None]
        frame["tags"] = [";".join(np.array(["a", "b", "c"])[row]) for row in known]
        frame.to_csv(tmp_path / "t.csv", index=False)
        return tmp_path / "t.csv"

    def test_it_fills_and_reports_what_depends_on_the_share(self, tagged):
        result = run("complete", tagged, *self.OPTIONS, "-v")
        assert result.exit_code == 0, result.output
        assert "stay empty" not in result.output
        assert "Probabilities are of being assigned" in result.output
        before, after = (pd.read_csv(path)["tags"].fillna("") for path in (tagged, tagged.with_name("t.completed.csv")))
        assert all(new.startswith(old) for old, new in zip(before, after, strict=True))
        assert (after[before == ""] != "").any()
        assert "Probability of being assigned" in tagged.with_name("t.report.html").read_text()

    def test_the_share_may_be_given(self, tagged):
        output = json.loads(run("complete", tagged, *self.OPTIONS, "--set", "observed_rate=0.7", "--json").stdout)
        assert (output["observed_rate"], output["probability_of"], output["left"]) == (0.7, "being relevant", 0)

    def test_the_next_step_takes_the_answers(self, tagged):
        first = run("complete", tagged, *self.OPTIONS, "--set", "observed_rate=ask")
        questions = tagged.with_name("t.completed.questions.csv")
        words = shlex.split(re.findall(r"`halflabel (.*)`", first.stdout)[0])
        assert words[-4:] == ["--answers", str(questions), "--set", "observed_rate=ask"]
        pd.read_csv(questions).assign(answer=0).to_csv(questions, index=False)
        again = run(*words)
        assert "By 20 answers," in again.output
        assert "is not known" not in again.output

    @pytest.mark.parametrize("more", [(), ("--set", "observed_rate=ask"), ("--set", "observed_rate=0.9")])
    def test_json_has_the_sentences_of_the_terminal(self, tagged, more):
        shown, output = (run("complete", tagged, *self.OPTIONS, *more, *way).stdout for way in ((), ("--json",)))
        assert "\n".join(json.loads(output)["verdict"]) in shown

    def test_a_model_labels_new_items_and_reports_what_its_probabilities_mean(self, tagged, tmp_path):
        assert run("complete", tagged, *self.OPTIONS, "--model", tmp_path / "m").exit_code == 0
        result = run("predict", tmp_path / "m", tagged, "--probabilities", tmp_path / "p.csv")
        assert "60 items labelled" in result.output
        assert "Probabilities are of being assigned" in result.stderr
        assert pd.read_csv(tmp_path / "t.predicted.csv")["tags"].notna().mean() > 0.5

    @pytest.mark.parametrize(
        ("options", "sentence"),
        [
            (("--set", "observed_rate=1.5"), "must be above 0 and at most 1, not 1.5"),
            (("--min-precision", "0.9"), "give the assigned share (--set observed_rate=...)"),
            (("--absent", "irrelevant", "--set", "observed_rate=0.7"), "these labels have irrelevant entries"),
        ],
    )
    def test_what_does_not_fit_ends_in_one_sentence(self, tagged, options, sentence):
        result = run("complete", tagged, *self.OPTIONS, *options)
        assert result.exit_code == 1
        assert sentence in result.stderr
        lines = result.stderr.splitlines()  # notes about the reading are above
        assert [line for line in lines if line.startswith("Error")] == lines[-1:]
        assert outputs(tagged) == []

    def test_evaluate_reports_what_cannot_be_observed(self, tagged):
        result = run("evaluate", tagged, *self.OPTIONS)
        assert "Precision cannot be observed" in result.output
        assert "lower bound of F1" in result.output
        assert "20% of the assigned labels were hidden" in result.output
        failed = run("evaluate", tagged, *self.OPTIONS, "--set", "observed_rate=0")
        assert "must be above 0" in failed.stderr
