"""Five tasks of people, each from the command to the files, by a reader who has the truth.

    python -m pytest -q -s -m browser tests/review_page/test_browser_tasks.py

prints of each task: values answered, keys or taps, seconds in the browser, and the parts of the page that it used.
"""

from __future__ import annotations

import base64
import signal
import time

import numpy as np
import pandas as pd
import pytest
from tests.review_page.browsing import (
    KEYS,
    MARKS,
    WAIT,
    Reader,
    count_answers,
    press,
    read,
    wait_for_fit,
    wait_until_sent,
)
from tests.review_page.serving import read_journal

from halflabel.table.pictures import encode_png

pytestmark = MARKS
PHONE = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class Person(Reader):
    """A reader who opens "More", writes the files, and reports."""

    def more(self, name):
        """Open "More", for a part of it."""
        self.page.evaluate("document.activeElement.blur()")
        self.act("m", "#more")
        self.used.append(name)

    def write(self):
        """Write the files, and wait for them."""
        wait_until_sent(self.page)
        if self.taps:
            self.more("write")
        self.act("w", "#write")
        self.page.wait_for_selector('.notice:text-matches("^Written")', timeout=WAIT)
        self.used.append("write")

    def report(self, task):
        wait_until_sent(self.page)
        n, seconds = count_answers(self.page), time.perf_counter() - self.since
        used = ", ".join(dict.fromkeys(self.used))
        print(
            f"\n{task}: {n} values answered, {self.pressed} {'taps' if self.taps else 'keys'}, {seconds:.0f} s: {used}"
        )
        assert self.page.problems == []
        return n


def make_songs(n, rng):
    """Return songs with an artist and numbers, and the truth of three labels."""
    X = rng.normal(size=(n, 5)).round(3)
    artist = [f"artist {k}" for k in rng.integers(0, 40, n)]
    songs = pd.DataFrame(X, columns=["tempo", "energy", "mood", "pitch", "length"])
    songs.insert(0, "song", [f"song {k}" for k in range(n)])
    songs.insert(1, "artist", artist)
    noise = rng.normal(scale=0.4, size=(n, 3))
    truth = pd.DataFrame({"rock": X[:, 1] + noise[:, 0] > 0, "sad": X[:, 2] + noise[:, 1] < -0.3,
                          "live": X[:, 3] - X[:, 1] + noise[:, 2] > 0.8}, index=songs["song"])  # fmt: skip
    return songs, truth


def write_table(path, items, truth, hidden, rng):
    """Write a table of which a share of the labels is hidden, and return the truth by item and label."""
    known = truth.astype("Int8").mask(rng.random(truth.shape) < hidden).reset_index(drop=True)
    items.join(known).to_csv(path, index=False)
    return {(item, name): bool(truth.loc[item, name]) for item in truth.index for name in truth}


def read_records(path):
    return [each.body for each in read_journal(path)[1] if each.op == "answer"]


def test_200_songs_are_tidied(review, open_page, tmp_path):
    rng, path = np.random.default_rng(0), tmp_path / "songs.csv"
    songs, labels = make_songs(200, rng)
    truth = write_table(path, songs, labels, 0.6, rng)
    command = review(path, "--id", "song", "--labels", "rock,sad,live")
    page = open_page(command.address)
    reader = Person(page, truth)
    wait_for_fit(page)
    reader.answer(40)
    wait_until_sent(page)
    before = count_answers(page)
    reader.act("u", "#undo")
    page.wait_for_function(
        "before => parseInt(document.querySelector('#saved').textContent) < before", arg=before, timeout=WAIT
    )
    wait_until_sent(page)  # a key before that would not count: its question is about to change
    reader.used.append("undo")
    reader.answer(30)
    reader.more("search")
    page.click("#search-part summary")
    page.fill("#list-text", "song 123")
    page.locator("#list-rows button").get_by_text("song 123", exact=True).click()
    page.wait_for_function("() => document.querySelectorAll('.choice').length === 3", timeout=WAIT)
    reader.answer_screen()
    reader.write()
    reader.report("200 songs")
    assert command.end() == 0
    done = pd.read_csv(tmp_path / "songs.completed.csv").set_index("song")
    assert not done[["rock", "sad", "live"]].isna().any(axis=None)
    for body in read_records(tmp_path / "songs.review.jsonl"):
        assert bool(done.loc[body["item"], body["label"]]) == truth[body["item"], body["label"]]


WORDS = {"sport": "ball team goal match coach", "food": "soup bread oven salt dinner",
         "money": "bank loan price market tax"}  # fmt: skip


def write_posts(path, n, rng):
    """Write texts with tags of a model, of which one in eight is wrong, and return the right ones."""
    names, filler = list(WORDS), ["the", "day", "we", "went", "home", "and", "saw", "it", "again", "with", "them"]
    about = rng.random((n, 3)) < 0.4
    texts = [" ".join(rng.permutation([*rng.choice(filler, 6), *(w for j in range(3) if about[i, j]
                                                                 for w in rng.choice(WORDS[names[j]].split(), 3))]))
             for i in range(n)]  # fmt: skip
    given = about ^ (rng.random(about.shape) < 0.125)
    tags = [";".join(names[j] for j in range(3) if given[i, j]) or "none" for i in range(n)]
    posts = pd.DataFrame({"post": [f"post {i}" for i in range(n)], "text": texts, "tags": tags})
    posts.to_csv(path, index=False)
    right = {(f"post {i}", names[j]): bool(about[i, j]) for i in range(n) for j in range(3)}
    return right, (given != about).mean()


def test_tags_of_a_language_model_are_checked(review, open_page, tmp_path):
    rng, path = np.random.default_rng(1), tmp_path / "posts.csv"
    truth, wrong = write_posts(path, 300, rng)
    options = ("--id", "post", "--text", "text", "--tags", "tags", "--absent", "irrelevant", "--set", "no=none")
    command = review(path, *options)
    page = open_page(command.address)
    reader = Person(page, truth)
    reader.used.append("queue: what may be wrong")
    reader.answer(25)
    reader.write()
    n = reader.report("tags of a language model")
    bodies = read_records(tmp_path / "posts.review.jsonl")
    found = np.mean([body["value"] != body["was"] for body in bodies])
    print(f"of the {n} answered values {found:.0%} were wrong, of all {wrong:.0%}")
    assert {body["why"] for body in bodies} == {"suspects"}
    assert found > 3 * wrong
    assert command.end() == 0


def test_all_tax_letters_are_found(review, open_page, tmp_path):
    rng, path = np.random.default_rng(2), tmp_path / "letters.csv"
    is_tax, is_long = rng.random(300) < 0.12, rng.random(300) < 0.5
    words = ["dear", "sir", "we", "write", "about", "your", "the", "of", "house", "garden", "car", "school"]
    texts = [" ".join(rng.permutation([*rng.choice(words, 8 + 8 * is_long[i]),
                                       *(rng.choice(["tax", "return", "refund", "income"], 2) if is_tax[i] else [])]))
             for i in range(300)]  # fmt: skip
    letters = pd.DataFrame({"letter": [f"letter {i}" for i in range(300)], "body": texts})
    labels = pd.DataFrame({"tax": is_tax, "long": is_long}, index=letters["letter"])
    truth = write_table(path, letters, labels, 0.85, rng)
    command = review(path, "--id", "letter", "--text", "body", "--labels", "tax,long")
    page = open_page(command.address)
    reader = Person(page, truth)
    wait_for_fit(page)
    reader.more("label")
    page.select_option("#only", label="tax")
    page.keyboard.press("Escape")
    page.wait_for_selector("body[data-question]", timeout=WAIT)
    reader.answer(60)
    reader.act("v", "#view")
    page.wait_for_selector('body[data-question^="wall"]', timeout=WAIT)
    reader.answer(1)  # the most doubtful ones
    reader.more("search")
    page.click("#search-part summary")
    page.select_option("#list-state", label="filled: yes")
    page.wait_for_selector("#list-count:not(:empty)", timeout=WAIT)
    page.keyboard.press("Escape")
    reader.write()
    reader.report("tax letters")
    done = pd.read_csv(tmp_path / "letters.completed.csv").set_index("letter")["tax"]
    recall = done[labels.index[is_tax]].mean()
    wrong = (done.to_numpy() != is_tax).sum()
    print(f"{recall:.0%} of {is_tax.sum()} letters about taxes are found, {wrong} values are wrong")
    assert recall >= 0.9
    assert command.end() == 0


def test_photos_are_labelled_on_a_phone(review, open_page, tmp_path):
    rng, path = np.random.default_rng(3), tmp_path / "photos.csv"
    (tmp_path / "photos").mkdir()
    n, y, x = 120, *np.mgrid[-1:1:60j, -1:1:60j]
    is_round, is_dark = rng.random(n) < 0.5, rng.random(n) < 0.4
    for i in range(n):
        shape = x**2 + y**2 < 0.5 if is_round[i] else np.maximum(abs(x), abs(y)) < 0.6
        ink = np.where(shape, 255 if is_dark[i] else 110, 10 * rng.random()).astype(np.uint8)
        (tmp_path / "photos" / f"{i}.png").write_bytes(base64.b64decode(encode_png(ink).split(",")[1]))
    edge = np.where(is_round, 0.5, 0.9) + rng.normal(scale=0.12, size=n)
    grey = np.where(is_dark, 0.7, 0.4) + rng.normal(scale=0.1, size=n)
    photos = pd.DataFrame({"photo": [f"photos/{i}.png" for i in range(n)], "edge": edge, "grey": grey})
    labels = pd.DataFrame({"round": is_round, "dark": is_dark}, index=photos["photo"])
    truth = write_table(path, photos, labels, 0.7, rng)
    command = review(path, "--id", "photo", "--labels", "round,dark", "--set", "show=photo")
    page = open_page(command.address, **PHONE)
    reader = Person(page, truth, taps=True)
    wait_for_fit(page)
    reader.answer(20)
    reader.act("v", "#view")
    page.wait_for_selector('body[data-question^="wall"]', timeout=WAIT)
    reader.answer(24)
    reader.write()
    reader.report("photos on a phone")
    done = pd.read_csv(tmp_path / "photos.completed.csv").set_index("photo")
    for body in read_records(tmp_path / "photos.review.jsonl"):
        assert bool(done.loc[body["item"], body["label"]]) == truth[body["item"], body["label"]]
    assert command.end() == 0


def test_two_people_work_on_one_set(review, open_page, tmp_path):
    rng, path = np.random.default_rng(4), tmp_path / "songs.csv"
    songs, labels = make_songs(200, rng)
    truth = write_table(path, songs, labels, 0.7, rng)
    command = review(path, "--id", "song", "--labels", "rock,sad,live", by="ana,ben")
    people = [Person(open_page(command.find_address(name)), truth) for name in ("ana", "ben")]
    for each in people:
        wait_for_fit(each.page)
    for _ in range(6):
        for each in people:
            each.answer(8)
            wait_until_sent(each.page)
    first = people[0]
    first.more("agreement")
    first.page.wait_for_selector('#reviewers:text-matches("asked twice [1-9]")', timeout=WAIT)
    print("\n" + first.page.inner_text("#reviewers"))
    first.page.keyboard.press("Escape")
    first.write()
    for name, each in zip(("ana", "ben"), people, strict=True):
        each.report(f"two people, {name}")
    records = [each for each in read_journal(tmp_path / "songs.review.jsonl")[1] if each.op == "answer"]
    once = [(each.body["item"], each.body["label"]) for each in records if each.body["why"] != "twice"]
    assert len(once) == len(set(once))
    assert {each.by for each in records} == {"ana", "ben"}
    assert command.end(signal.SIGINT) == 0


@pytest.mark.parametrize("n", [2000])
def test_the_first_answer_of_a_large_table_comes_at_once(review, open_page, tmp_path, n):
    """Prints the seconds from the printed address to the first answer on the disk; a busy machine fails nothing."""
    rng, path = np.random.default_rng(5), tmp_path / "songs.csv"
    songs, labels = make_songs(n, rng)
    truth = write_table(path, songs, labels, 0.7, rng)
    command = review(path, "--id", "song", "--labels", "rock,sad,live")
    address = command.address
    since = time.perf_counter()
    page = open_page(address)
    shown = read(page)
    press(page, KEYS[truth[shown["item"], shown["label"]]] if shown["view"] == "single" else "Enter")
    page.wait_for_selector('#saved:text-matches("^[1-9].*saved")', timeout=WAIT)
    print(f"\n{n} songs: {time.perf_counter() - since:.1f} s from the printed address to the first answer on the disk")
