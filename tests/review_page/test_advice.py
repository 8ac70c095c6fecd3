"""What is left, random questions, bounds, plans, and what of an item is shown."""

from dataclasses import replace

import numpy as np
import pytest
from scipy import stats
from tests.review_page.serving import LABELS, make_setting, make_table

from halflabel.completion.verdict import write_wrong
from halflabel.review_page.advice import NEXT, advise, bound_share_of_errors, score_random, write_advice
from halflabel.review_page.answers import AnswerBook, Record
from halflabel.review_page.fits import remove_flips
from halflabel.review_page.items import MAX_CELLS, ItemViews
from halflabel.review_page.queues import Situation, choose_screens
from halflabel.table import open_table


def make_book(answers):
    book = AnswerBook([f"s{i}" for i in range(40)], list("abcde"))
    for n, (row, body) in enumerate(answers, 1):
        values = {"item": f"s{row % 40}", "label": "abcde"[row // 40], "value": 1, "why": "random", "ms": 1500, **body}
        book.apply(Record(n, "answer", "ana", "now", f"k{n}", values))
    return book


def test_expected_errors_are_those_of_entries_without_an_answer(situation):
    now = replace(situation, fit=replace(situation.fit, band=(0.8, 1.5)))
    book = make_book([])
    numbers = advise(now, book)
    open_wrong = now.fit.wrong[now.open_entries]
    assert numbers["expected"] == pytest.approx(open_wrong.sum())
    assert numbers["low"] == pytest.approx(0.8 * open_wrong.sum())
    current = np.where(now.open_entries, 1, 0).astype(np.int8)
    assert advise(replace(now, current=current), book)["sentence"] == "No filled value is left to check."
    low, high = numbers["low"], numbers["high"]
    verdict = write_wrong(int(now.open_entries.sum()), numbers["expected"], low, high)
    assert numbers["sentence"].startswith(f"Filled values: a{verdict[1:]}")


def test_before_the_first_answer_the_band_is_that_of_the_terminal(rng, make_fit):
    """Probabilities come in single precision: an end that is a whole number may not become the next one."""
    given = np.zeros((40, 5), dtype=np.int8)
    for _ in range(50):
        p, (low, high) = rng.random(given.shape), sorted(rng.integers(1, 200, size=2))
        expected = float(np.minimum(p, 1 - p).sum())
        now = Situation(given, given, make_fit(given, p, band=(low / expected, high / expected)))
        stated = advise(now, make_book([]))
        assert (np.floor(stated["low"]), np.ceil(stated["high"])) == (low, high)


@pytest.mark.parametrize("has_band", [True, False])
def test_a_fit_without_a_gap_left_states_so(situation, make_fit, has_band):
    given = np.ones_like(situation.given)
    fit = make_fit(given, situation.fit.p, **({} if has_band else {"band": None}))
    advice = advise(replace(situation, given=given, fit=fit), make_book([]))
    assert (advice["sentence"], advice["expected"]) == ("No filled value is left to check.", 0 if has_band else None)


@pytest.mark.parametrize("n_items", [4, 12, 40])
@pytest.mark.parametrize("scale", [1.0, 0.1])
def test_the_next_answers_remove_the_errors_of_the_entries_that_are_asked(situation, make_fit, n_items, scale):
    """The most doubtful entries of all items together have more: 1.7 times on emotions, scene and yeast."""
    given = situation.given[:n_items]
    now = replace(situation, given=given, current=given * 0, fit=make_fit(given, scale * situation.fit.p[:n_items]))
    asked = [(q.row, q.column) for screen in choose_screens(now, "uncertain", NEXT) for q in screen][:NEXT]
    rest = np.sort([now.fit.wrong[place] for place in zip(*np.nonzero(now.filled), strict=True) if place not in asked])
    expected = sum(now.fit.wrong[place] for place in asked) + rest[::-1][: NEXT - len(asked)].sum()
    n = int(now.filled.sum())
    advice = advise(now, make_book([]))
    assert advice["sentence"] == write_advice(n, advice["expected"], advice["low"], advice["high"], expected)


def test_no_number_is_expected_where_a_check_contradicts_the_probabilities(situation):
    fit = replace(situation.fit, band=None, verdict="How many of them are wrong is not known.")
    book = make_book([(0, {"filled": 1, "p": 0.9}), (1, {"filled": 0, "p": 0.2})])
    advice = advise(replace(situation, fit=fit), book)
    assert advice["expected"] is None
    assert advice["sentence"] == fit.verdict
    assert advice["random"] == {"answers": 2, "errors": 1}


def test_random_answers_score_the_values_of_their_time():
    book = make_book(
        [
            (0, {"filled": 1, "p": 0.9}),
            (1, {"filled": 0, "p": 0.2}),  # wrong
            (2, {"filled": 0, "p": 0.4, "value": None}),
            (3, {"filled": 1, "p": 0.6, "why": "uncertain"}),
            (4, {"filled": None, "p": 0.6}),
        ]
    )
    assert score_random(book) == {"answers": 2, "errors": 1}


def ask_random(n, errors, p=0.9):
    return make_book([(i, {"filled": 1, "p": p, "value": int(i >= errors)}) for i in range(n)])


def test_the_upper_end_is_that_of_the_random_answers(situation, make_fit):
    p = np.full((40, 5), 0.05)
    now = replace(situation, fit=make_fit(situation.given, p))
    n = int(now.open_entries.sum())
    none, agrees, differs = (advise(now, book) for book in (make_book([]), ask_random(60, 4), ask_random(60, 30)))
    assert none["expected"] == agrees["expected"] == pytest.approx(0.05 * n)
    low, high = bound_share_of_errors(4, 60)
    assert agrees["high"] == pytest.approx(high * n)
    assert agrees["low"] <= low * n
    assert differs["expected"] is None
    assert differs["sentence"].startswith(
        f"At most {differs['high']:.0f} of {n} filled values are wrong, after 60 random"
    )
    assert "remove" not in differs["sentence"]
    assert not differs["is_enough"]


@pytest.mark.parametrize("answers", [1, 6, 24, 59])
def test_until_60_random_answers_the_band_is_that_of_the_model(situation, make_fit, answers):
    """The exact band of six answers is 0 to 39 % of all entries. No band is chosen by its width."""
    now = replace(situation, fit=make_fit(situation.given, np.full((40, 5), 0.05)))
    none, some, most = (advise(now, ask_random(answers, errors)) for errors in (0, round(0.05 * answers), answers))
    before = advise(now, make_book([]))
    assert (some["low"], some["high"]) == (before["low"], before["high"])
    assert (none["low"], none["high"]) == (before["low"], before["high"])
    assert most["expected"] is None or answers == 1
    assert "At most" not in most["sentence"]


@pytest.mark.parametrize(("errors", "answers"), [(0, 12), (3, 24), (24, 24), (10, 200)])
def test_the_interval_of_random_answers_is_exact(errors, answers):
    low, high = bound_share_of_errors(errors, answers)
    assert errors == answers or stats.binom.cdf(errors, answers, high) == pytest.approx(0.05)
    assert errors == 0 or stats.binom.sf(errors - 1, answers, low) == pytest.approx(0.05)
    assert 0 <= low <= errors / answers <= high <= 1


def test_wrong_given_values_are_not_expected_again():
    q = np.array([[0.02, 0.4], [0.9, 0.5]])
    false_relevant, false_irrelevant = np.array([0.03, 0.1]), np.array([0.1, 0.0])
    p = q * (1 - false_irrelevant) + (1 - q) * false_relevant
    np.testing.assert_allclose(remove_flips(p, false_relevant, false_irrelevant), q)
    assert (remove_flips(p * 0, false_relevant, false_irrelevant) == 0).all()


@pytest.mark.parametrize("p", [0.001, 0.01, 0.03, 0.049, 0.051, 0.2])
def test_the_page_states_when_the_next_answers_remove_few_errors(situation, make_fit, p):
    fit = make_fit(situation.given, np.full((40, 5), p))
    advice = advise(replace(situation, fit=fit), make_book([]))
    assert advice["is_enough"] == (p < 0.05) == advice["sentence"].startswith("It is enough: 60 more answers")
    empty = advise(replace(situation, fit=replace(fit, state=situation.given)), make_book([]))
    assert not empty["is_enough"]
    assert empty["sentence"] == "No filled value is left to check."
    words = "no error" if 60 * p < 0.5 else f"about {round(60 * p)} error"
    assert f"60 more answers would remove {words}" in advice["sentence"]


@pytest.mark.parametrize("wrong", [0.15, 0.04])
def test_a_few_values_of_which_many_are_wrong_are_not_enough(situation, make_fit, wrong):
    """Three of the last 19 values are as much worth a question as 9 of 60."""
    current = np.where(np.arange(200).reshape(40, 5) < 181, 1, 0).astype(np.int8)
    given = np.zeros((40, 5), dtype=np.int8)
    advice = advise(Situation(given, current, make_fit(given, np.full((40, 5), wrong))), make_book([]))
    assert advice["filled"] == 19
    assert advice["is_enough"] == (wrong < 0.05) == advice["sentence"].startswith("It is enough: 19 more answers")


def test_what_is_shown_of_an_item(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    frame = make_table(
        note=["<b>bold</b>\nsecond line", *["x"] * 39], picture=["a.png", "gone.png", *["a.png"] * 38],
        sound=["https://media.test/a.mp3"] * 40,
    )  # fmt: skip
    views = make_setting(frame, show=["picture", "sound"]).views
    views.media.folder = views.media.root = tmp_path
    first, second = views.describe(0)["cells"], views.describe(1)["cells"]
    assert first[0] == {"column": "picture", "kind": "image", "source": f"/media/0/{frame.columns.get_loc('picture')}"}
    assert first[1] == {"column": "sound", "kind": "text", "text": "https://media.test/a.mp3"}
    assert second[0] == {"column": "picture", "kind": "text", "text": "gone.png"}
    chosen = make_setting(frame, show=["note"]).views.describe(0)["cells"]
    assert chosen == [{"column": "note", "kind": "text", "text": "<b>bold</b>\nsecond line"}]
    wide = make_table(**{f"f{j}": np.arange(40) / 2 for j in range(30)})
    assert len(make_setting(wide).views.describe(0)["cells"]) == MAX_CELLS


def test_files_that_are_not_there_are_named_and_another_folder_helps(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    frame = make_table(picture=["a.png", "../b.png", *["a.png"] * 38])
    [note] = make_setting(frame).views.list_missing()
    assert note.startswith("40 of the first 40 files of column 'picture' cannot be shown, such as 'a.png'")
    [note] = make_setting(frame, media_root=tmp_path).views.list_missing()
    assert note.startswith("1 of the first 40 files")
    assert make_setting(make_table()).views.list_missing() == []
    with pytest.raises(ValueError, match="there is no such folder"):
        make_setting(frame, media_root=tmp_path / "none")


def test_the_column_of_texts_is_shown_as_text():
    opened = open_table(make_table(note=["short", *["other"] * 39]), id="song", labels=list(LABELS), text="note")
    assert ItemViews(opened).describe(0)["cells"] == [{"column": "note", "kind": "text", "text": "short", "long": True}]


def test_numbers_of_an_item_as_a_picture():
    frame = make_table(**{f"f{j}": np.arange(40) * (j + 1) / 2 for j in range(7)}, f7=0)
    views = make_setting(
        frame.drop(columns=["tempo", "energy"]), thumbnails=(2, 4)
    ).views  # a constant column is a pixel, too
    assert views.describe(3)["mark"].startswith("data:image/png;base64,")
    assert views.describe(3)["cells"] == []
