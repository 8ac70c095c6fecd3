"""halflabel complete: the columns that stand for an item, the review table and its answers."""

from __future__ import annotations

import re

import pandas as pd
import pytest
from tests.cli.conftest import outputs, run

from halflabel import AutoLabeler
from halflabel.cli.review import review_command

pytestmark = pytest.mark.usefixtures("one_member")


def test_the_report_shows_the_columns_that_stand_for_an_item(songs):
    assert run("complete", songs, "--labels", "tag_*", "--set", "show=song,f0", "--effort", "fast").exit_code == 0
    page = songs.with_name("songs.report.html").read_text()
    assert '<span class="shown" title="song"><bdi>s' in page
    assert '<span class="shown" title="f0">' in page


def test_a_column_to_show_that_does_not_exist_ends_the_run_before_the_fit(songs):
    result = run("complete", songs, "--labels", "tag_*", "--set", "show=songs")
    assert result.exit_code == 1
    assert "did you mean 'song'" in result.output
    assert outputs(songs) == []


def test_a_review_table_goes_out_and_comes_back_with_answers(songs):
    path = songs.with_name("review.csv")
    options = ("--id", "song", "--labels", "tag_*", "--effort", "fast")
    assert run("review", songs, *options, "-o", path, "--set", "show=f0").exit_code == 0
    review = pd.read_csv(path)
    assert review.columns.tolist() == [
        "item", "label", "given", "suggested", "probability", "reason", "answer", "f0",
    ]  # fmt: skip
    assert len(review) > 0
    first = review.iloc[0]
    opposite = 0 if first["suggested"] == 1 else 1
    review.assign(answer=["no" if opposite == 0 else "yes"] + [None] * (len(review) - 1)).to_csv(path, index=False)
    result = run("complete", songs, *options, "--answers", path)
    assert "1 answer of" in result.output
    after = pd.read_csv(songs.with_name("songs.completed.csv")).set_index("song")
    assert after.loc[first["item"], first["label"]] == opposite


def test_answers_of_a_review_in_the_browser_know_why_they_were_asked(songs, monkeypatch):
    frame = pd.read_csv(songs).set_index("song")
    item = frame.index[frame["tag_a"].isna()][0]
    path = songs.with_name("songs.review.csv")
    facts = {"answer": [1], "by": ["ana"], "at": ["2026-01-01"], "why": ["wall"], "seconds": [1.5]}
    pd.DataFrame({"item": [item], "label": ["tag_a"], **facts}).to_csv(path, index=False)
    used = []
    fit = AutoLabeler.fit
    monkeypatch.setattr(
        AutoLabeler, "fit", lambda *given, **more: used.append(more["calibrate_on"]) or fit(*given, **more)
    )
    options = ("--id", "song", "--labels", "tag_*", "--effort", "fast")
    assert run("complete", songs, *options, "--answers", path).exit_code == 0
    assert (~used[0]).sum() == 1
    assert not used[0][frame.index.get_loc(item), 0]


def test_the_terminal_prints_both_values(songs):
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", "--set", "show=song", "-v")
    assert re.search(r"gaps filled: \d+ yes, \d+ no\.", result.output)
    assert re.search(r"entries to check *\n.*probability +song *\n(\d+ +tag_. .* s\d+ *\n){1,5}", result.output)


def test_features_become_pictures(songs):
    frame = pd.read_csv(songs)
    frame.assign(f5=frame["f0"] ** 2).to_csv(songs, index=False)
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", "--set", "thumbnails=2x3")
    assert result.exit_code == 0, result.output
    assert "data:image/png" in songs.with_name("songs.report.html").read_text()
    result = run("complete", songs, "--labels", "tag_*", "--effort", "fast", "--set", "thumbnails=8x8")
    assert "marks of 8 x 8 pixels need 64 numbers per item; there are 6 features." in result.output
    assert run("complete", songs, "--labels", "tag_*", "--set", "thumbnails=8").exit_code == 2


class Page:
    """Stands for the server of the page: what was printed before it answers requests, and an interrupt."""

    def __init__(self, monkeypatch, capture, *, asks_to_write=False):
        self.capture, self.asks_to_write, self.before = capture, asks_to_write, None
        monkeypatch.setattr("halflabel.review_page.session.Worker", Workplace)
        monkeypatch.setattr("halflabel.review_page.server.Server.run", lambda *given: self.run(*given))
        Workplace.is_writing = asks_to_write

    def run(self, server, serving):
        self.before = self.capture()
        serving()
        server.socket.close()
        raise KeyboardInterrupt


class Workplace:
    """Stands for the process that fits."""

    is_writing, is_idle = False, True
    interrupts = 0

    def __init__(self, *_):
        pass

    def ask(self, job):
        pass

    def finish_writing(self):
        if type(self).interrupts:
            raise KeyboardInterrupt
        type(self).is_writing = False

    def close(self):
        pass


@pytest.fixture
def review(songs, monkeypatch, capsys):
    """Run a review until an interrupt, and return what was printed before and after the page could be opened."""

    def start(**facts):
        printed = []
        page = Page(monkeypatch, lambda: printed.append(capsys.readouterr().out) or printed[-1], **facts)
        review_command([str(songs), "--labels", "tag_*", "--no-browser"], standalone_mode=False)
        end = capsys.readouterr()
        return page.before, end.out, end.err

    return start


def test_the_address_is_printed_when_the_page_can_be_opened(review):
    before, after, _ = review()
    assert "Open http" not in before
    assert after.startswith("Open http://127.0.0.1:")


def test_files_that_were_asked_for_are_written_before_the_end(review):
    _, after, notes = review(asks_to_write=True)
    assert "Writing the files that you asked for. Ctrl-C leaves them out." in after
    assert "Written:" in after
    assert "not written" not in notes


def test_files_that_are_left_out_at_the_end_are_named(review, monkeypatch):
    monkeypatch.setattr(Workplace, "interrupts", 1)
    _, after, notes = review(asks_to_write=True)
    assert "Written:" not in after
    assert "The files that were asked for last are not written" in notes


@pytest.mark.parametrize("option", [("--by", "ana"), ("--journal", "a.jsonl"), ("--media", "pictures")])
def test_an_option_of_the_page_is_an_error_with_a_table(songs, option):
    result = run("review", songs, "--labels", "tag_*", "-o", songs.with_name("review.csv"), *option)
    assert (result.exit_code, f"{option[0]} has no effect with --output" in result.output) == (2, True)
