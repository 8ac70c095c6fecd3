"""A completion as a terminal and a notebook show it."""

from __future__ import annotations

import html
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.completion.plain import make_evidence
from tests.completion.test_review_list import complete, open_songs

import halflabel as hl
from halflabel.completion import Completion, Explanation
from halflabel.completion.evidence import Evidence
from halflabel.labels import PartialLabels
from halflabel.labels.rules import Rule
from halflabel.methods.baselines import MLkNN
from halflabel.report.display import describe_review, render_completion
from halflabel.table import open_table

pytestmark = pytest.mark.usefixtures("one_member")

HOSTILE = "<script>alert(1)</script>"


def test_a_terminal_shows_the_verdict():
    filled = complete(open_songs())
    assert repr(filled) == str(filled.verdict)
    assert repr(filled).splitlines() == [
        "4 gaps filled: 2 yes, 2 no.",
        "About 1 of the 4 is wrong (between 0 and 3). Very few labelled items [few-items].",
        "Next: answer the questions that help most: `filled.review()`",
    ]


def test_a_notebook_shows_the_verdict_and_some_filled_values():
    filled = complete(open_songs())
    opened = replace(filled.opened, labels=replace(filled.labels, names=(HOSTILE, "sad")))
    page = replace(filled, evidence=replace(filled.evidence, opened=opened))._repr_html_()
    assert "<script>" not in page
    assert "&lt;script&gt;" in page
    assert filled.verdict.filled in page
    assert page.count("<tr>") == 1 + 4


class Valued(Evidence):
    """Evidence of given values."""

    state = property(lambda self: np.where(self.labels.observed, self.labels.state, self.model.filled))


class Drawn(Completion):
    """A completion whose items are at places drawn at random."""

    def map(self, n_components=2, **_):
        places = np.random.default_rng(0).normal(size=(len(self.labels), n_components))
        return SimpleNamespace(places=places)


@st.composite
def completions(draw):
    """Draw a completion whose entries are in any state: given or not, filled or left empty, certain or not."""
    n, n_labels = draw(st.integers(1, 8)), draw(st.integers(1, 3))
    shape, positive_only = (n, n_labels), draw(st.booleans())
    given = draw(
        arrays(np.float64, shape, elements=st.sampled_from([0.0, 1.0] if positive_only else [0.0, 1.0, np.nan]))
    )
    given[draw(arrays(bool, n))] = np.nan  # items that are not annotated
    given[0, 0] = 1
    p = draw(arrays(np.float64, shape, elements=st.sampled_from([0.0, 0.01, 0.3, 0.5, 0.7, 0.76, 0.999, 1.0])))
    filled = draw(arrays(np.int8, shape, elements=st.sampled_from([-1, 0, 1])))
    labels = PartialLabels.from_positives(given) if positive_only else PartialLabels.from_table(given)
    model = SimpleNamespace(
        label_probabilities_=p,
        out_of_fold_scores_=p,
        filled=filled,
        thresholds_=np.full(n_labels, 0.5),
        resolve_rule=lambda: Rule("probable"),
    )
    opened = open_table(np.arange(3.0 * n).reshape(n, 3), labels)
    precision = draw(st.sampled_from([None, 0.9]))
    return Drawn(make_evidence(opened, model, Valued, min_precision=precision))


@given(completions())
def test_a_notebook_shows_every_state_of_an_entry(filled):
    page = render_completion(filled)
    assert page == filled._repr_html_()
    assert filled.verdict.filled in page


def test_a_page_that_cannot_be_made_is_shown_as_text(monkeypatch):
    def fail(_):
        raise KeyError(HOSTILE)

    filled = complete(open_songs())
    monkeypatch.setattr("halflabel.report.display.render_completion", fail)
    page = filled._repr_html_()
    assert "The page for notebooks could not be made (KeyError: &#39;&lt;script&gt;" in page
    assert html.unescape(page.removeprefix("<pre>").removesuffix("</pre>")).startswith(repr(filled))


def test_an_explanation_is_a_sentence():
    carriers = pd.DataFrame({"part": ["trees"], "name": [HOSTILE], "log_odds": [1.0]})
    parts = pd.DataFrame(
        {"part": ["rate of the label", "trees"], "log_odds": [-0.5, 2.7], "rests_on": ["2 of 5", HOSTILE]}
    )
    why = Explanation("s1", "rock", 1, None, 0.9, 0.5, parts, carriers)
    first, *lines = repr(why).splitlines()
    assert first == ("s1, rock: yes (given: unknown), probability 90 %, threshold 50 %. The parts of its log odds:")
    assert lines[0] == "   −0.50  rate of the label     2 of 5"
    assert lines[-1] == "   +2.20  sum"
    assert len(lines) == 3
    nothing = replace(why, contributions=parts[:0], note="It has no probability.")
    assert repr(nothing).endswith("threshold 50 %. It has no probability.")
    page = why._repr_html_()
    assert "<script>" not in page
    assert page.count("<th>") == 6  # a column per field, none for the numbers of the rows
    assert "border=" not in page


def test_the_entries_to_check_are_counted_by_reason():
    filled = complete(open_songs())
    assert describe_review(filled) == "1 value to check: uncertain value: answer helps (1)."


def test_an_output_in_a_folder_that_does_not_exist_is_named_as_it_was_given(tmp_path):
    filled = hl.complete(open_songs(), method=MLkNN(n_neighbors=1))
    for name, write in (("x.halflabel", filled.save), ("x.html", filled.report)):
        with pytest.raises(FileNotFoundError, match="Make it first") as error:
            write(tmp_path / "none" / name)
        assert str(error.value).startswith(f"{tmp_path / 'none' / name} cannot be written: there is no folder")
    assert filled.report(tmp_path / "x.html") == tmp_path / "x.html"


def test_an_id_of_several_items_is_an_error_and_a_note():
    opened = open_table(
        pd.DataFrame({"tempo": [1.5, 2.0, 2.5], "rock": [1, 0, None]}, index=["a", "a", "b"]),
        labels=["rock"],
    )
    assert any("2 rows share their id with another row: name a column of distinct ids (id=)" in n for n in opened.notes)
    with pytest.raises(KeyError, match="2 items are identified by 'a'"):
        complete(opened).explain("a", "rock")
