"""The columns by which a reader recognises an item."""

from __future__ import annotations

import pandas as pd
import pytest
from tests.report.test_render import HOSTILE, page_of

from halflabel.report import summarize
from halflabel.table import Roles, open_table
from halflabel.table.items import choose_shown


def make_frame() -> pd.DataFrame:
    texts = [f"text {i} {HOSTILE} {'long ' * 60}" for i in range(6)]
    return pd.DataFrame({"text": texts, "url": [f"https://x.org/{i}?a=1&b=2" for i in range(6)]})


def test_items_are_listed_with_their_text_by_default(by_hand):
    summary = summarize(by_hand(frame=make_frame(), roles=Roles(text="text")))
    row = summary["strip"][0]
    [cell] = row["shown"]
    assert cell["text"].startswith(f"text {row['item'].removeprefix('song ')} ")
    assert len(cell["text"]) == 120
    assert cell["link"] is None


def test_shown_columns_are_escaped_and_addresses_are_links(by_hand):
    page = page_of(by_hand(frame=make_frame(), roles=Roles(text="text")), show=["text", "url"])
    links = [link for link in page.all("a") if link["href"].startswith("http")]
    assert "https://x.org/2?a=1&b=2" in {link["href"] for link in links}
    assert all("noopener" in link["rel"] for link in links)
    assert not page.all("img")
    assert not page.all("script")


def test_only_web_addresses_are_links(by_hand):
    frame = pd.DataFrame({"url": ["javascript:alert(1)"] * 5 + [None]})
    page = page_of(by_hand(frame=frame), show=["url"])
    assert "javascript:alert(1)" in page.text
    assert all(link["href"].startswith("#") for link in page.all("a"))


def test_an_unknown_column_is_named(by_hand):
    with pytest.raises(ValueError, match="did you mean 'text'"):
        summarize(by_hand(frame=make_frame()), show=["txt"])


def test_a_recognised_id_is_shown_by_default():
    songs = pd.DataFrame({"song": ["a", "b", "c"], "tempo": [90.5, 120.0, 121.0], "rock": [1, 0, None]})
    assert choose_shown(open_table(songs, labels=["rock"])) == ("song",)
    assert choose_shown(open_table(songs, labels=["rock"], id="song")) == ()
    assert choose_shown(open_table(songs[["tempo"]], songs[["rock"]])) == ()
    titled = songs.drop(columns="song").assign(title=[f"the song of the year {i}" for i in range(len(songs))])
    assert choose_shown(open_table(titled, labels=["rock"])) == ("title",)


def test_marks_of_the_map_have_titles(by_hand):
    completion = by_hand(frame=make_frame(), roles=Roles(text="text"))
    summary = summarize(completion)
    assert len(summary["map"]["titles"]) == 6
    assert summary["map"]["titles"][3].startswith("song 3 · text 3 ")
    assert "rock (given), sad (given)" in summarize(by_hand())["map"]["titles"][3]
