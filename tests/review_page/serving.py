"""A review that is served from a thread, with fits that are made up, and a client of plain HTTP."""

from __future__ import annotations

import contextlib
import http.client
import json
import threading
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from halflabel._ledger import read_lines
from halflabel.review_page.config import Config
from halflabel.review_page.items import ItemViews
from halflabel.review_page.journal import TASK, repeat_records
from halflabel.review_page.review import Review
from halflabel.review_page.server import Server
from halflabel.table import open_table

LABELS = ("rock", "sad", "live")


def make_table(n=40, **columns):
    """Return items with one number, text, and labels of which two in three are unknown."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"song": [f"s{i}" for i in range(n)], "tempo": rng.normal(size=n).round(3)})
    for name in LABELS:
        frame[name] = rng.choice([0, 1, np.nan, np.nan, np.nan, np.nan], size=n)
    frame.loc[:1, list(LABELS)] = [[0] * 3, [1] * 3]
    return frame.assign(**columns, energy=rng.normal(size=n).round(3))


def answer(question, value, key, **facts):
    """Return an answer to a question about a table of :func:`make_table`, as the page sends it."""
    row, column = question["row"], question["column"]
    names = {"item": f"s{row}", "label": LABELS[column]}
    return {"row": row, "column": column, **names, "value": value, "key": key, "why": question.get("why", ""), **facts}


def make_setting(frame, **options):
    root = options.pop("media_root", None)
    keys = {name: options.pop(name) for name in ("show", "thumbnails", "text") if name in options}
    opened = open_table(frame, id="song", labels=list(LABELS), **keys)
    return Config(opened, ItemViews(opened, media_root=root), title="songs.csv", by="ana", **options)


def read_journal(path):
    """Return the header and the records of a journal that may be open, without a line that is cut off."""
    found, records = read_lines(path, TASK), []
    repeat_records(found.records, str(path), records.append)
    return found.header, records


class Workplace:
    """Takes the jobs of a session in the place of the process that fits."""

    def __init__(self):
        self.jobs = []
        self.is_idle, self.is_writing = True, False

    def ask(self, job):
        self.jobs.append(job)

    def close(self):
        pass


def make_session(path, frame=None, fit=None, **options):
    """Return a session with a made-up fit, whose worker only collects its jobs."""
    session = Review(make_setting(make_table() if frame is None else frame, **options), path)
    session.worker = Workplace()
    if fit is not None:
        given = session.labels.state
        p = np.random.default_rng(1).random(given.shape)
        session.receive("fit", fit(given, p))
    return session


@dataclass
class Client:
    """Requests as the page sends them, unless a test changes them."""

    port: int
    token: str
    cookie: str = ""
    table: str = ""
    last: Any = None
    headers: dict[str, str] = field(default_factory=dict)

    def request(self, method, path, body=None, headers=None, *, host=None):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=120)
        connection.putrequest(method, path, skip_host=True)
        sent = {"Host": host or f"127.0.0.1:{self.port}", "Cookie": self.cookie, **(headers or {})}
        raw = body if isinstance(body, bytes) else b"" if body is None else json.dumps(body).encode()
        if method == "POST":
            sent = {
                "Content-Type": "application/json",
                "X-Halflabel": "review",
                "Content-Length": str(len(raw)),
                **sent,
            }
        for name, value in sent.items():
            if value is not None and value != "":
                connection.putheader(name, value)
        connection.endheaders()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # it may answer before it has read everything
            connection.send(raw)
        self.last = connection.getresponse()
        content = self.last.read()
        connection.close()
        return self.last.status, content

    def enter(self):
        """Exchange the token for the cookie, and learn which table is open."""
        status, _ = self.request("GET", f"/?token={self.token}")
        assert status == 200
        self.cookie = self.last.headers["Set-Cookie"].split(";")[0]
        self.table = self.get("/api/session").get("table", "")

    def get(self, path):
        status, content = self.request("GET", path)
        return json.loads(content) if status == 200 else (status, content.decode())

    def post(self, path, body):
        status, content = self.request("POST", path, {"table": self.table, **body})
        return json.loads(content) if status == 200 else (status, json.loads(content))


class Served:
    """Serves a session from a thread while the block runs."""

    def __init__(self, session, **options):
        self.session = session
        self.server = Server(session, **options)

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.run, daemon=True)
        self.thread.start()
        client = Client(self.server.guard.port, self.server.address.split("token=")[1])
        client.enter()
        client.session, client.server = self.session, self.server
        return client

    def __exit__(self, *_):
        self.server.stop()
        self.thread.join(10)
        self.session.close()
