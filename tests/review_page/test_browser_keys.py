"""Random keys while fits arrive and responses are late: each answer in the journal is the one that was on the screen.

Time is counted in keys, not in seconds: a response waits until the program lets it go after a later key.
"""

import numpy as np
import pytest
from tests.review_page.browsing import MARKS, wait_until_sent
from tests.review_page.serving import make_table, read_journal

pytestmark = MARKS

KEYS, SEEDS = 160, 20
CHOICES = ["j", "f", "k", "Enter", "1", "2", "3", "u", " ", "v"]
SHARES = [0.2, 0.15, 0.08, 0.25, 0.08, 0.06, 0.04, 0.06, 0.05, 0.03]
VALUES = {"yes": 1, "no": 0, "not sure": None}

#: Press a key, and return what was on the screen at that moment: its name, and the values that J and Enter would send.
PRESS = """(key) => {
    const { view, question } = document.body.dataset;
    const text = (element, part) => element.querySelector(part).textContent;
    const label = document.querySelector("#asked").textContent.replace(/[?]$/, "");
    const item = document.querySelector("#item .id")?.textContent;
    const all = (selector) => [...document.querySelectorAll(selector)];
    const list = (selector, read) => all(selector).map((e) => [...read(e), text(e, ".value")]);
    const chips = list("#chips .choice", (e) => [item, text(e, "b")]);
    const values = view === "wall" ? list("#wall .tile", (e) => [text(e, ".name"), label]) : chips;
    const isUndoing = document.querySelector("#undo").ariaBusy === "true";
    // A value that changes later is on no screen yet.
    if (isUndoing && (view === "chips" ? /[1-9jfk]/ : /[1-9]/).test(key)) return { isUndoing };
    document.body.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
    return { question, view, item, label, values, isUndoing };
}"""


class Delays:
    """Holds the requests of a page, and lets them go one by one."""

    def __init__(self, page):
        self.page, self.held, self.is_over = page, [], False
        for path in ("answers", "questions", "undo", "progress", "items*"):
            page.route(f"**/api/{path}", lambda route: route.continue_() if self.is_over else self.held.append(route))

    def release(self, number=None):
        for _ in range(len(self.held) if number is None else min(number, len(self.held))):
            self.held.pop(0).continue_()

    def end(self):
        self.is_over = True
        self.release()


def list_wanted(shown, key):
    """Return the answers that a key gives if it acts on the screen that is shown."""
    if not shown.get("question"):
        return []
    if shown["view"] == "single":
        value = {"j": 1, "f": 0, "k": None}.get(key, "none")
        return [] if value == "none" else [(shown["item"], shown["label"], value)]
    values = shown["values"] if key == "Enter" else []
    if shown["view"] == "chips" and any(value == "open" for *_, value in values):
        return []  # a value that is asked without a proposal has no answer yet
    return [(item, label, VALUES[value]) for item, label, value in values if value in VALUES]


@pytest.mark.parametrize("seed", range(SEEDS))
def test_random_keys_give_no_wrong_answer(serve, open_page, make_fit, tmp_path, seed):
    rng, wanted, sure = np.random.default_rng(seed), [], []
    table = make_table(200).assign(note=[f"text {i}" for i in range(200)])
    with serve(table, has_fit=bool(seed % 2), text="note") as client:
        page, session = open_page(client.server.guard.make_address()), client.session
        delays = Delays(page)
        for n in range(10 * KEYS):
            if n >= KEYS and len(sure) > KEYS / 10:
                break
            key = rng.choice(CHOICES, p=SHARES)
            shown = page.evaluate(PRESS, str(key))
            given = list_wanted(shown, key)
            wanted += given
            sure += [] if shown["isUndoing"] else given
            if not shown.get("question"):
                delays.release()
                page.wait_for_timeout(20)
            elif rng.random() < 0.6:
                delays.release(int(rng.integers(1, 6)))
            if rng.random() < 0.08:
                session.receive("fit", make_fit(session.labels.state, rng.random(session.labels.shape)))
        delays.end()
        wait_until_sent(page)
        records = [each for each in read_journal(tmp_path / "a.jsonl")[1] if each.op == "answer"]
        given = [(each.body["item"], each.body["label"], each.body["value"]) for each in records]
        assert len(given) > KEYS / 10
        assert [each for each in given if each not in wanted] == []
        assert [each for each in sure if each not in given] == []
        assert len(given) <= len(wanted)
        assert len({each.key for each in records}) == len(records)
        assert page.problems == []
