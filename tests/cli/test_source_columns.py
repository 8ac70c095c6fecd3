"""Votes of models in the table itself, in each form, for complete and finish."""

import json
import re
import shlex

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

import halflabel as hl

pytestmark = pytest.mark.usefixtures("one_member")

LABELS = ["rock", "sad", "live"]
SOURCES = ("--sources", "llm_*")


def name_each(votes):
    """Return a column for each label and model, such as rock@gpt."""
    return {f"{label}@{name}": v[:, j] for name, v in votes.items() for j, label in enumerate(LABELS)}


def make_cells(write):
    """Return a function that writes the values of each model into a column of cells."""
    return lambda votes: {f"llm_{name}": list(map(write, v.tolist())) for name, v in votes.items()}


def list_tags(row):
    return [label for label, value in zip(LABELS, row, strict=True) if value]


#: Form -> a function of the votes that returns the columns.
FORMS = {
    "label@source": name_each,
    "lists": make_cells(lambda row: json.dumps(list_tags(row))),
    "objects": make_cells(lambda row: json.dumps(dict(zip(LABELS, row, strict=True)))),
    "tags": make_cells(lambda row: ";".join(list_tags(row))),
}


@pytest.mark.parametrize("form", FORMS)
def test_each_form_has_the_result_of_a_long_table_in_complete_and_finish(form, tmp_path):
    rng, n = np.random.default_rng(0), 90
    x = rng.normal(size=(n, 4))
    truth = (x[:, :3] + 0.5 * rng.normal(size=(n, 3)) > 0).astype(int)
    votes = {name: np.where(rng.random(truth.shape) < e, 1 - truth, truth) for name, e in (("gpt", 0.1), ("ann", 0.2))}
    for values in votes.values():
        values[values.sum(axis=1) == 0, 0] = 1  # a cell without a tag is empty: no vote
    is_known = (np.arange(n) % 3 == 0)[:, None]
    items = pd.DataFrame(x, columns=list("abcd")).assign(id=[f"p{i}" for i in range(n)])
    items[LABELS] = np.where(is_known, truth, np.nan)
    path, asked = tmp_path / "posts.csv", tmp_path / "q.csv"
    items.assign(**FORMS[form](votes)).to_csv(path, index=False)
    long = [(f"p{i}", LABELS[j], name, v[i, j]) for name, v in votes.items() for i, j in np.ndindex(v.shape)]
    long = pd.DataFrame(long, columns=["item", "label", "source", "value"])
    expected = hl.complete(items, id="id", labels=LABELS, sources=long)

    sources = ("--sources", "*@*") if form == "label@source" else SOURCES
    result = run("complete", path, "--labels", ",".join(LABELS), *sources, "--report", "none")
    assert result.exit_code == 0, result.output
    filled = pd.read_csv(tmp_path / "posts.completed.csv")[LABELS]
    pd.testing.assert_frame_equal(filled, expected.table[LABELS], check_dtype=False)
    for name, values in votes.items():
        rate = (values != truth)[is_known.ravel()].mean()
        assert f"{name} {rate:.1%} (" in result.output
    [command] = re.findall("`halflabel review (.*)`", result.output)
    assert "--set" not in command
    result = run("finish", *shlex.split(command), "--seed", "1", "--questions", asked)
    assert result.exit_code == 0, result.output
    questions = expected.finish(seed=1).next(60)[["item", "label"]]
    pd.testing.assert_frame_equal(pd.read_csv(asked)[["item", "label"]], questions.astype(object), check_dtype=False)


def test_a_table_that_only_models_have_labelled_is_finished_and_audited(tmp_path):
    """The answers leave one value of a label, of which a model had the only two yes: its values stay in the task."""
    rng, n = np.random.default_rng(1), 60
    x = rng.normal(size=(n, 3))
    truth = pd.DataFrame(x[:, :2] > 0, columns=LABELS[:2], index=[f"p{i}" for i in range(n)]).astype(int).assign(live=0)
    votes = np.where(rng.random(truth.shape) < 0.1, 1 - truth, truth)
    votes[:, 2] = np.arange(n) < 2
    cells = [json.dumps(dict(zip(LABELS, row, strict=True))) for row in votes.tolist()]
    path, asked = tmp_path / "posts.csv", tmp_path / "posts.questions.csv"
    pd.DataFrame(x, columns=list("abc")).assign(id=truth.index, llm_gpt=cells).to_csv(path, index=False)
    result = run("finish", path, *SOURCES, "--questions", asked, "--max-error", "0.1", "--seed", "1")
    for _ in range(20):
        assert result.exit_code == 0, result.output
        if "; done." in result.output:
            break
        questions = pd.read_csv(asked)
        entries = zip(questions["item"], questions["label"], strict=True)
        questions.assign(answer=[truth.loc[entry] for entry in entries]).to_csv(asked, index=False)
        result = run("finish", path, *SOURCES, "--answers", asked, "--max-error", "0.1", "--seed", "1")
    delivered = pd.read_csv(tmp_path / "posts.completed.csv", index_col="id")[LABELS]
    assert (delivered != truth).to_numpy().mean() <= 0.1
    page = (tmp_path / "posts.certificate.html").read_text(encoding="utf-8")
    assert "It is proved." in page
    assert "llm_<wbr>gpt" in page
    assert run("verify", tmp_path / "posts.certificate.json", tmp_path / "posts.completed.csv").exit_code == 0
