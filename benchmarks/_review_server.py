"""Parts of the benchmark of the review page that need no browser: kills, replay, hostile requests, fits, size."""

from __future__ import annotations

import contextlib
import http.client
import importlib.metadata
import json
import os
import signal
import tempfile
import threading
import time
from pathlib import Path

import numpy as np
import pandas as pd

from halflabel.review_page.config import Config
from halflabel.review_page.items import ItemViews
from halflabel.review_page.journal import open_journal, read_journal
from halflabel.review_page.server import Server
from halflabel.review_page.session import Session
from halflabel.table import open_table

LIBRARIES = ("starlette", "uvicorn", "anyio", "h11", "idna")
KILLS, REPLAYED = 200, 100_000
PNG, SVG = b"\x89PNG\r\n\x1a\n", b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'


def make_items(n, n_features, n_labels, seed=0):
    """Return items whose labels depend on the features; one entry in ten is given."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, n_features))
    Y = (X @ rng.normal(size=(n_features, n_labels)) + rng.normal(size=(n, n_labels)) > 0).astype(float)
    Y[rng.random(Y.shape) < 0.9] = np.nan
    frame = pd.DataFrame(X, columns=[f"f{j}" for j in range(n_features)])
    frame.insert(0, "item", np.char.add("i", np.arange(n).astype(str)))
    return pd.concat([frame, pd.DataFrame(Y, columns=[f"label{j}" for j in range(n_labels)])], axis=1)


def open_session(frame, folder, coordinates=None, **views):
    """Return a session over a table, without a fit."""
    labels = [name for name in frame if name.startswith("label")]
    opened = open_table(frame, id="item", labels=labels)
    config = Config(opened, ItemViews(opened, **views), title="items", by="benchmark", coordinates=coordinates)
    return Session(config, Path(folder) / "journal.jsonl")


class Serving:
    """Serves a session from a thread."""

    def __init__(self, session):
        self.server = Server(session)
        self.thread = threading.Thread(target=self.server.run, daemon=True)

    def __enter__(self):
        self.thread.start()
        return self.server.address

    def __exit__(self, *_):
        self.server.stop()
        self.thread.join(10)


def measure_kills():
    """Yield the number of acknowledged answers that were lost when the process was killed at random moments."""
    rng, lost, last = np.random.default_rng(0), 0, 0
    with tempfile.TemporaryDirectory() as folder:
        session = open_session(make_items(300, 3, 4), folder)
        session.close()
        for _ in range(KILLS):
            acknowledged = max(last, kill_while_answering(session, rng.uniform(0.01, 0.08)))
            last = len(read_journal(session.journal.path)[1])
            lost += max(acknowledged - last, 0)
    yield f"acknowledged answers lost in {KILLS} SIGKILLs, of {last:,}", f"{lost}", "0"


def kill_while_answering(before, seconds):
    """Answer in a child process until it is killed; return the number of the last answer that was acknowledged."""
    reads, writes = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            session = Session(before.config, before.journal.path)
            while True:
                n = session.book.next_number
                names = {"item": f"i{n % 300}", "label": f"label{n % 4}"}
                session.answer([{**names, "value": n % 2, "why": "random", "key": str(n)}])
                os.write(writes, n.to_bytes(4, "little"))
        finally:
            os._exit(1)
    os.close(writes)
    time.sleep(seconds)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    with os.fdopen(reads, "rb") as file:
        return int.from_bytes(file.read()[-4:], "little")


def measure_replay():
    """Yield the time to open a review with many answers."""
    with tempfile.TemporaryDirectory() as folder:
        frame = make_items(20_000, 3, 10)
        open_session(frame, folder).close()
        with open_journal(Path(folder) / "journal.jsonl", {}, lambda record: None) as journal:
            own = {"op": "answer", "by": "a", "at": "now", "why": "uncertain"}
            journal.append(
                {"n": n, "key": str(n), "item": f"i{n % 20_000}", "label": f"label{n % 10}", "value": n % 2, **own}
                for n in range(1, REPLAYED + 1)
            )
        opened = open_table(frame, id="item", labels=[f"label{j}" for j in range(10)])
        config = Config(opened, ItemViews(opened), by="benchmark")
        start, cpu = time.perf_counter(), time.process_time()
        session = Session(config, Path(folder) / "journal.jsonl")
        value = f"{time.perf_counter() - start:.1f} s ({time.process_time() - cpu:.1f} CPU seconds)"
        yield f"{REPLAYED:,} answers read again at the start", value, "<= 2 s"
        session.close()


def measure_hostile():
    """Yield the number of hostile requests that are rejected."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "in"
        root.mkdir()
        (Path(folder) / "secret.png").write_bytes(PNG)
        (root / "link.png").symlink_to(Path(folder) / "secret.png")
        (root / "drawing.svg").write_bytes(SVG)
        cells = ["../secret.png", "link.png", "drawing.svg"]
        frame = make_items(40, 3, 2).assign(picture=[*cells, *["none.png"] * 37], far="https://evil.test/a.png")
        session = open_session(frame, folder, show=["picture", "far"], media_root=root)
        session.config.views.media.folder = root
        serving = Serving(session)
        with serving:
            results = dict(send_hostile(serving.server.guard, session, frame.columns.get_loc("picture")))
        session.close()
    wrong = [name for name, rejected in results.items() if not rejected]
    value = f"{sum(results.values())} of {len(results)}" + (f" (not {', '.join(wrong)})" if wrong else "")
    yield "hostile requests that are rejected", value, "12 of 12"


def send_hostile(guard, session, picture):
    """Yield the name of each request, and whether it was rejected or cannot do harm."""
    own = {"Host": f"127.0.0.1:{guard.port}", "Cookie": f"{guard.cookie}={guard.secrets['']}"}
    write = {**own, "Content-Type": "application/json", "X-Halflabel": "review"}
    names = {"item": "i5", "label": "label0"}
    answer = {"table": session.table, "answers": [{**names, "value": 1, "key": "k", "why": "random"}]}
    requests = {
        "a foreign host": ("GET", "/api/session", {**own, "Host": "evil.test"}, None),
        "the host with another port": ("GET", "/api/session", {**own, "Host": "127.0.0.1:1"}, None),
        "the origin null": ("POST", "/api/answers", {**write, "Origin": "null"}, answer),
        "no token": ("GET", "/api/session", {**own, "Cookie": ""}, None),
        "no header": ("POST", "/api/answers", {**write, "X-Halflabel": ""}, answer),
        "a path outside the folder": ("GET", f"/media/0/{picture}", own, None),
        "a row that does not exist": ("GET", f"/media/400/{picture}", own, None),
        "a large body": ("POST", "/api/answers", {**write, "Content-Length": "5000000"}, {}),
        "another type of content": ("POST", "/api/answers", {**write, "Content-Type": "text/plain"}, answer),
        "a link out of the folder": ("GET", f"/media/1/{picture}", own, None),
    }
    for name, request in requests.items():
        yield name, send(guard.port, *request).status >= 400
    drawing = send(guard.port, "GET", f"/media/2/{picture}", own, None)
    yield "a script in a drawing", "sandbox" in drawing.headers.get("Content-Security-Policy", "")
    kinds = {cell["kind"] for cell in session.config.views.describe(9)["cells"]}
    policy = send(guard.port, "GET", "/", own, None).headers["Content-Security-Policy"]
    yield "a remote image", kinds == {"text"} and "evil" not in policy and not len(session.book)


def send(port, method, path, headers, body):
    """Send one request and return the response."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
    connection.putrequest(method, path, skip_host=True)
    raw = b"" if body is None else json.dumps(body).encode()
    length = {"Content-Length": str(len(raw))} if method == "POST" else {}
    for name, value in {**length, **headers}.items():
        connection.putheader(name, value)
    connection.endheaders()
    with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has read everything
        connection.send(raw)
    response = connection.getresponse()
    connection.close()
    return response


def measure_fits():
    """Yield the time from a request to the arrival of a fit, for two sizes."""
    for n, n_labels, goal in ((2400, 14, 5), (20_000, 20, 15)):
        with tempfile.TemporaryDirectory() as folder:
            session = open_session(make_items(n, 100, n_labels), folder)
            arrived = threading.Event()
            session.announce = lambda kind, _, arrived=arrived: kind == "fit" and arrived.set()
            start = time.monotonic()
            session.start()
            arrived.wait()
            yield f"first fit of {n:,} x {n_labels}, process started", f"{time.monotonic() - start:.1f} s", ""
            while not session.worker.is_idle:
                time.sleep(0.2)
            arrived.clear()
            start = time.monotonic()
            session.refit("fast")
            arrived.wait()
            value = f"{time.monotonic() - start:.1f} s (of these {session.fit.seconds:.1f} s fit)"
            yield f"fit of {n:,} x {n_labels}, from request to arrival", value, f"<= {goal} s"
            session.close()


def measure_size():
    """Yield the size of the libraries that came with the review."""
    total = 0
    for name in LIBRARIES:
        files = importlib.metadata.files(name) or []
        total += sum(file.locate().stat().st_size for file in files if file.suffix != ".pyc" and file.locate().exists())
    yield f"libraries for the review ({', '.join(LIBRARIES)})", f"{total / 1e6:.1f} MB", "<= 6 MB"
