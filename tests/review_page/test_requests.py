"""Malformed requests: whatever a client sends, the response is a sentence, and the journal stays whole."""

import json
import re
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from tests.review_page.serving import Served, make_session, read_journal

from halflabel.review_page.endpoints import ENDPOINTS
from halflabel.review_page.outputs import Targets, list_answers

#: JSON that Python reads to something odd, or not at all. Fields are texts here, because no object has these forms.
ODD = [
    "Infinity", "-Infinity", "NaN", "1e999", "-1e999", "9" * 5000, "9" * 400, "-" + "9" * 400, "[" * 100_000,
    '{"a":' * 20_000, "[" * 900 + "]" * 900, '"\\ud800"', '"\\u0000"', '""', "", "nul", "true", "null", "{}", "[]",
    '"' + "x" * 50_000 + '"', "2.5", "1.0", "-1", "99999", "1e3", '"1"', "[1, 2.5]", "[[]]", "[null]",
]  # fmt: skip
SIMPLE = st.one_of(st.integers(-3, 50), st.floats(0, 1), st.text(max_size=5), st.booleans()).map(json.dumps)
VALUES = st.recursive(
    st.sampled_from(ODD) | SIMPLE,
    lambda inner: (
        st.lists(inner, max_size=3).map(lambda parts: f"[{','.join(parts)}]")
        | inner.map(lambda part: f'{{"a": {part}}}')
    ),
    max_leaves=4,
)

ANSWER = {
    "row": "5", "column": "0", "item": '"s5"', "label": '"rock"', "value": "1", "key": '"k"', "why": '"random"',
    "ms": "5", "shown": "true",
}  # fmt: skip
ASKED = {"table": "TABLE", "view": '"item"', "kind": '"suspects"', "n": "5"}
VALID = {
    "/api/list": [{"column": "0", "text": '"s"', "states": "[0, 1]", "start": "0"}],
    "/api/questions": [
        {"view": '"item"', "kind": '"suspects"', "n": "5", "label": "1", "held": "[4, 5]", "exclude": "[7]"},
        {"view": '"wall"', "kind": '"random"', "n": "8", "page": '"p"'},
    ],
    "/api/answers": [{}],
    "/api/undo": [{"key": '"u"'}],
    "/api/explain": [{"item": '"s5"', "label": '"rock"'}],
    "/api/write": [{}],
}


def write(fields):
    return "{" + ",".join(f'"{name}": {text}' for name, text in fields.items()) + "}"


@st.composite
def changed(draw, fields):
    """Return an object of which some fields have other values, are absent or are new."""
    names = st.sampled_from([*fields, "extra"])
    changes = draw(st.dictionaries(names, VALUES | st.none(), max_size=2))
    return write({name: text for name, text in {**fields, **changes}.items() if text is not None})


@st.composite
def requests(draw):
    """Return a path and the bytes of a body that is nearly right."""
    path = draw(st.sampled_from(sorted(VALID)))
    fields = {"table": "TABLE", **draw(st.sampled_from(VALID[path]))}
    if path == "/api/answers":
        fields["answers"] = f"[{','.join(draw(st.lists(changed(ANSWER), min_size=1, max_size=3)))}]"
    text = draw(changed(fields))
    broken = [lambda t: t[: len(t) // 2].encode(), lambda t: t.encode("utf-16"), lambda t: b"\xff" + t.encode()]
    spoil = draw(st.sampled_from([*[str.encode] * 12, *broken]))
    return path, spoil(text)


@pytest.fixture(scope="module")
def client(tmp_path_factory, make_fit):
    folder = tmp_path_factory.mktemp("requests")
    targets = Targets(*(folder / name for name in ("done.csv", "answers.csv", "report.html")))
    with Served(make_session(folder / "a.jsonl", fit=make_fit, targets=targets)) as client:
        yield client


def check_response(status, content, accepted):
    assert status in (*accepted, 400, 404, 409)
    if status in (400, 409):
        error = json.loads(content)["error"]
        assert re.fullmatch(r"[A-Za-z].*\.", error), error
        assert not re.search(r"codec|int\(\)|convert|NoneType|object is|argument|Traceback", error), error


def test_every_endpoint_that_changes_something_is_tried():
    assert set(VALID) == {path for method, path, _ in ENDPOINTS if method == "POST"}


@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(st.lists(requests(), min_size=4, max_size=12))
@example([("/api/questions", write({**ASKED, "n": n}).encode()) for n in ("Infinity", "1e999", "1" * 19)])
@example([("/api/questions", write({**ASKED, "label": "99"}).encode())])
@example([("/api/answers", b"[" * 100_000)])
@example([("/api/answers", b'{"table": TABLE, "answers": [%s]}' % write({**ANSWER, "ms": "9" * 400}).encode())])
@example([("/api/answers", b'{"table": TABLE, "answers": [%s]}' % write({**ANSWER, "key": '"\\ud800"'}).encode())])
def test_a_malformed_body_ends_in_a_sentence(client, sent):
    for path, body in sent:
        before = len(read_journal(client.session.journal.path)[1])
        status, content = client.request("POST", path, body.replace(b"TABLE", json.dumps(client.table).encode()))
        check_response(status, content, (200,))
        after = len(read_journal(client.session.journal.path)[1])
        assert after == len(client.session.book.records)
        assert status == 200 or after == before  # what is not accepted is not kept
    list_answers(client.session.book, client.session.opened.index)  # what was kept can be written


ODD_NUMBERS = ["9" * 5000, "-1", "1.5", "", "1_0", "\u0663", "a", "1e9", "nan", "40", "%00", "0,,1"]
NUMBERS = st.sampled_from(ODD_NUMBERS) | st.text("0123456789,. -_x", max_size=6)


@given(
    st.sampled_from(["/api/items?rows={}", "/media/{}/5", "/media/0/{}", "/static/{}", "/api/{}"]),
    NUMBERS,
)
@example("/api/items?rows={}", "9" * 5000)
@example("/media/{}/5", "9" * 5000)
def test_a_malformed_address_ends_in_a_sentence(client, path, text):
    status, content = client.request("GET", path.format(quote(text)))
    check_response(status, content, (200, 204, 307, 405))
