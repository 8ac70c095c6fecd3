"""Hostile requests: every one of them is rejected, and none changes the journal."""

import json
import socket

import pytest
from tests.review_page.serving import Served, answer, make_session, make_table

ANSWER = {"answers": [answer({"row": 5, "column": 0}, 1, "k1")]}
SVG = b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


@pytest.fixture(scope="module")
def client(tmp_path_factory):
    folder = tmp_path_factory.mktemp("review")
    (folder / "in").mkdir()
    (folder / "secret.png").write_bytes(b"\x89PNG\r\n\x1a\n secret")
    (folder / "in" / "link.png").symlink_to(folder / "secret.png")
    (folder / "in" / "page.png").write_bytes(b"<html><script>alert(1)</script>")
    (folder / "in" / "drawing.svg").write_bytes(SVG)
    cells = ["link.png", "page.png", "drawing.svg", "../secret.png", str(folder / "secret.png"), "a\0b.png"]
    frame = make_table(picture=[*cells, *["none.png"] * 34], far=["https://evil.test/a.png"] * 40)
    session = make_session(folder / "a.jsonl", frame, show=["picture", "far"], media_root=folder / "in")
    session.config.views.media.folder = folder / "in"
    with Served(session) as client:
        client.journal = folder / "a.jsonl"
        yield client


def test_the_page_itself_is_let_in(client):
    assert client.post("/api/answers", {"answers": []})["answers"] == 0
    status, content = client.request("GET", "/")
    assert status == 200
    assert b"halflabel review" in content
    headers = client.last.headers
    assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert "unsafe" not in headers["Content-Security-Policy"]
    assert (headers["X-Content-Type-Options"], headers["Cache-Control"]) == ("nosniff", "no-store")
    assert client.get("/api/session")["labels"] == ["rock", "sad", "live"]


@pytest.mark.parametrize(
    ("status", "changes"),
    [
        (421, {"host": "evil.test"}),
        (421, {"host": "127.0.0.1:1"}),
        (421, {"host": "127.0.0.1"}),
        (403, {"headers": {"Origin": "null"}}),
        (403, {"headers": {"Origin": "http://evil.test"}}),
        (403, {"headers": {"Origin": "http://127.0.0.1:1"}}),
        (403, {"headers": {"Sec-Fetch-Site": "cross-site"}}),
        (403, {"headers": {"Cookie": ""}}),
        (403, {"headers": {"Cookie": "halflabel-1=x; a=b"}}),
        (403, {"headers": {"X-Halflabel": ""}}),
        (415, {"headers": {"Content-Type": "text/plain"}}),
        (413, {"headers": {"Content-Length": "5000000"}, "body": b"{}"}),
        (413, {"headers": {"Content-Length": "9" * 19}, "body": b"{}"}),
        (405, {"method": "PUT"}),
        (405, {"method": "OPTIONS"}),
    ],
)
def test_requests_of_others_are_rejected(client, status, changes):
    before = client.journal.read_bytes()
    given = {"method": "POST", "body": ANSWER, **changes}
    got, content = client.request(given.pop("method"), "/api/answers", **given)
    assert got == status
    assert b"Traceback" not in content
    assert client.journal.read_bytes() == before


def test_a_read_needs_the_cookie_and_the_right_token(client):
    for path in ("/", "/?token=wrong", "/api/session", "/static/app.js", "/media/2/5", "/api/events"):
        status, _ = client.request("GET", path, headers={"Cookie": ""})
        assert status == 403


def test_a_token_works_once_and_the_cookie_goes_on(client):
    token = client.server.address.split("token=")[1]
    used = client.server.guard.make_address()
    for address in (used, client.server.address):
        path = "/" + address.split("/")[-1]
        status, _ = client.request("GET", path, headers={"Cookie": "", "Sec-Fetch-Site": "cross-site"})
        assert status == 200
        cookie = client.last.headers["Set-Cookie"].split(";")[0]
        status, content = client.request("GET", path, headers={"Cookie": ""})
        assert (status, client.last.headers["Set-Cookie"]) == (403, None)
        assert b'url=/"' in content  # a browser that has the cookie goes on
        for again in (path, "/", "/api/session"):
            assert client.request("GET", again, headers={"Cookie": cookie})[0] == 200
        for given in (token, used.split("token=")[1], client.token):  # a token is no cookie
            assert client.request("GET", "/", headers={"Cookie": f"{client.server.guard.cookie}={given}"})[0] == 403
    assert token not in client.server.address  # the next one is another one
    status, content = client.request("GET", "/", headers={"Cookie": ""})
    assert (status, b"each address works once" in content) == (403, True)


def test_a_body_without_a_true_length_is_cut(client):
    cookie = client.cookie.encode()
    with socket.create_connection(("127.0.0.1", client.port)) as raw:
        raw.sendall(
            b"POST /api/answers HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nCookie: %s\r\nX-Halflabel: review\r\n"
            b"Content-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n" % (client.port, cookie)
        )
        try:
            for _ in range(100):
                raw.sendall(b"%x\r\n" % 65536 + b" " * 65536 + b"\r\n")
            raw.sendall(b"0\r\n\r\n")
            answer = raw.recv(1000)
        except ConnectionError:
            answer = b""
    assert answer == b"" or b" 413 " in answer
    assert client.get("/api/session")["answers"] == 0


@pytest.mark.parametrize(
    "path",
    [
        "/media/0/5",  # a link that leads out of the folder
        "/media/1/5",  # a page that is named as an image
        "/media/3/5",  # a path that leads out of the folder
        "/media/4/5",
        "/media/5/5",
        "/media/0/6",  # an image of another host
        "/media/0/1",  # no image
        "/media/99/5",
        "/media/0/99",
        "/media/-1/5",
        "/media/..%2f..%2fsecret.png/5",
        "/static/../session.py",
        "/static/..%2fsession.py",
        "/static/%2e%2e/session.py",
    ],
)
def test_only_media_under_the_root_are_sent(client, path):
    status, content = client.request("GET", path)
    assert status == 404
    assert b"secret" not in content


def test_a_drawing_runs_nothing(client):
    status, content = client.request("GET", "/media/2/5")
    assert (status, content) == (200, SVG)
    assert client.last.headers["Content-Security-Policy"].startswith("sandbox; default-src 'none'")
    assert client.last.headers["Content-Type"] == "image/svg+xml"


def test_a_remote_image_is_text(client):
    [item] = client.get("/api/items?rows=7")["items"]
    assert {"column": "far", "kind": "text", "text": "https://evil.test/a.png"} in item["cells"]


#: A request for questions. Without one of the fields the page would be asked something else than it shows.
ASKED = {"kind": "uncertain", "view": "item", "n": 8}


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/api/answers", {"answers": [{**answer({"row": 1, "column": 0}, 5, "a")}]}),
        ("/api/answers", {"answers": "all"}),
        ("/api/answers", ["rows"]),
        ("/api/answers", b"\xff{"),
        *(("/api/questions", {**ASKED, **other}) for other in ({"kind": "nothing"}, {"held": [4.5]}, {"n": 201})),
        *(("/api/questions", {name: value for name, value in ASKED.items() if name != left}) for left in sorted(ASKED)),
        ("/api/write", {}),
    ],
)
def test_invalid_requests_end_in_a_sentence(client, path, body):
    before = client.journal.read_bytes()
    named = {"table": client.table, **body} if isinstance(body, dict) else body
    status, content = client.request("POST", path, named)
    assert status == 400
    assert json.loads(content)["error"]
    assert client.journal.read_bytes() == before
