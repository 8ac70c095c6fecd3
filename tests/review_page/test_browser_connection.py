"""A page whose command was started again, and sentences on the page; fits are made up."""

from tests.review_page.browsing import MARKS, WAIT, press
from tests.review_page.serving import Served, make_session, make_table

from halflabel.review_page.server import Server

pytestmark = MARKS


class ServedAgain(Served):
    """A review on the port of an earlier one."""

    def __init__(self, session, port):
        self.session, self.server = session, Server(session, port)


def test_an_old_tab_gets_messages_again_after_a_restart(serve, open_page, tmp_path):
    with serve(has_fit=False) as client:
        address = client.server.guard.make_address()
        page = open_page(address)
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("1 answer, saved")', timeout=WAIT)
        port = client.server.guard.port
        client.session.announce("progress", ("drawing the map", 1, 2))
        page.wait_for_selector('#fit-text:text-matches("drawing the map")', state="attached", timeout=WAIT)
        page.evaluate("window.old = true")
    page.wait_for_selector('#saved:text-matches("does not respond")', timeout=WAIT)
    again = make_session(tmp_path / "a.jsonl", make_table(200))
    with ServedAgain(again, port) as client:
        with page.expect_response(lambda r: "/api/events" in r.url and r.status in (401, 403), timeout=WAIT):
            pass
        other = page.context.new_page()  # the same browser opens the new address
        other.goto(client.server.guard.make_address())
        other.wait_for_selector("body[data-question]", timeout=WAIT)
        page.wait_for_selector('#saved:text-matches("1 answer, saved")', timeout=WAIT)
        press(page, "j")
        page.wait_for_selector('#saved:text-matches("2 answers, saved")', timeout=WAIT)
        page.wait_for_selector("#fit-text:empty", state="attached", timeout=WAIT)  # the map ended with the command
        client.session.announce("begun", None)
        page.wait_for_selector('#fit-text:text-matches("^A fit runs")', state="attached", timeout=WAIT)
        assert page.evaluate("window.old")  # it was not loaded again


def test_the_same_sentence_is_on_the_page_once(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        shown = page.evaluate("""async () => {
          const { notify } = await import("/static/dom.js");
          for (const text of ["one", "two", "one", "one"]) notify(text, "error");
          return [...document.querySelectorAll("#notices .notice")].map((each) => each.textContent);
        }""")
        assert shown == ["two", "one"]


def test_a_label_is_broken_after_a_mark_between_words_and_not_within_one(serve, open_page):
    with serve() as client:
        page = open_page(client.server.guard.make_address())
        lines = page.evaluate("""async () => {
          const { breakable } = await import("/static/dom.js");
          const heading = document.getElementById("asked");
          heading.style.width = "9em";
          heading.replaceChildren(...breakable("mech_Scenario_Mission_Campaign_Game?"));
          const range = document.createRange(), found = [];
          for (const node of heading.childNodes) {
            if (node.nodeType !== Node.TEXT_NODE) continue;
            range.selectNodeContents(node);
            found.push(range.getClientRects().length);
          }
          return [found, heading.textContent, heading.getClientRects().length && heading.offsetHeight];
        }""")
        assert lines[0] == [1, 1, 1, 1, 1]  # each word is on one line
        assert lines[1] == "mech_Scenario_Mission_Campaign_Game?"
