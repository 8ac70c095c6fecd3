"""The sentences of the page: people read them who have never seen the library."""

from __future__ import annotations

import html
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.report.conftest import FLIPPED
from tests.report.test_render import TAGS

from halflabel.report import render_html, summarize
from halflabel.report.sentences import write_doubtful, write_errors

#: Turns of phrase at which readers stopped.
UNCLEAR = ("out of fold,", "to the letter", "lacks", "to a decimal", "off by", "None")


def page_of(completion):
    """Return the body of the page, without pictures."""
    page = render_html(summarize(completion))
    return re.sub(r"<svg.*?</svg>", "", page[page.index("<body") :], flags=re.DOTALL)


def texts(page, element):
    """Return the texts of all elements of a kind."""
    found = re.findall(rf"<{element}\b[^>]*>(.*?)</{element}>", page, flags=re.DOTALL)
    return [text_of(part) for part in found]


def text_of(page):
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", page)).split())


def test_navigation_names_the_headings(by_hand):
    page = page_of(by_hand())
    (navigation,) = re.findall(r"<nav.*?</nav>", page, flags=re.DOTALL)
    assert texts(navigation, "a") == texts(page, "h2")


@pytest.mark.parametrize("rate", [None, 0.7])
def test_an_expected_precision_is_named_only_if_there_is_one(by_hand, rate):
    text = text_of(page_of(by_hand(TAGS, observed_rate=rate)))
    assert ("How many of them are right cannot be observed" in text) is (rate is None)
    assert ("expected precision of 95 % means" in text) is (rate is not None)
    assert "expected precisions above" not in text or rate is not None


def test_settings_are_no_python(by_hand):
    details = text_of(page_of(by_hand())).split("How this report was made")[1]
    assert not re.search(r"\(['\"]|None|True|array\(|\{|<", details)


@pytest.mark.parametrize("labels", [None, TAGS])
def test_sentences_are_plain(by_hand, labels):
    text = text_of(page_of(by_hand() if labels is None else by_hand(labels)))
    assert [phrase for phrase in UNCLEAR if phrase in text] == []
    if "coin tosses" in text:
        assert "6.0 bits are the uncertainty of six coin tosses" in text


def test_a_phone_shows_the_probability_of_a_doubtful_entry(by_hand):
    """What is hidden on a narrow page is less important than the column that the table is about."""
    page = render_html(summarize(by_hand(*FLIPPED)))
    narrow = page[page.index("@media (max-width: 36rem)") :]
    assert re.search(r"\.wide\b[^{]*\{ display: none; \}", narrow[: narrow.index("@media print")])
    table = next(part for part in re.findall(r"<table.*?</table>", page, flags=re.DOTALL) if "Given as" in part)
    columns = re.findall(r"<th scope=\"col\"([^>]*)>(.*?)</th>", table)
    hidden = [text_of(name) for attributes, name in columns if "wide" in attributes]
    assert hidden == ["Given as"]
    assert any("Probability" in name for _, name in columns)


@given(st.lists(st.floats(0, 1e7), min_size=3, max_size=3))
def test_rounding_moves_no_end_of_the_band_by_more_than_a_tenth_of_it(numbers):
    low, expected, high = sorted(numbers)
    sentence = write_errors(10**7, expected, low, high)
    about, _, least, most = (int(each.replace(",", "")) for each in re.findall(r"[\d,]*\d", sentence))
    assert least <= about <= most
    for printed, number in ((least, low), (about, expected), (most, high)):
        assert abs(printed - number) <= max((high - low) / 10, 0.5)


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        ([], ""),
        ([0.6], "The most doubtful given entry is probably wrong."),
        ([0.9, 0.7, 0.5], "About 2 of the 3 most doubtful given entries are wrong."),
    ],
)
def test_the_number_is_about_the_listed_entries(wrong, sentence):
    assert write_doubtful(wrong) == sentence
