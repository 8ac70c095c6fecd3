"""A scripted reviewer audits and finishes tables through the pages, and each number is compared with the library.

Protocol: digits with four labels, of which a quarter of the items keep theirs, in five random splits of 400 items. In
each split, eight audits of the page of `halflabel review` (60, 120 or 240 answers), and a run of the page of
`halflabel finish` until at most 5 % are wrong. Each page is served by its real server, and all requests are HTTP. After
each answer, the bound of the page is compared with that of ``Completion.finish``, which gets the same seed and the
same answers; at the end the certificate is compared, key by key, and the written table is verified. A reviewer in three
is not sure at one question in twenty. "holds" is the number of runs whose bound was never below the truth.

    python benchmarks/page_audits.py [--splits 5]
"""

from __future__ import annotations

import http.client
import json
import math
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pandas as pd
from _common import make_parser, use_one_thread

import halflabel as hl
from halflabel.datasets import load_digits_tags
from halflabel.evidence.certificate import verify
from halflabel.labels.masking import hide_items
from halflabel.review_page.config import Config
from halflabel.review_page.finish_endpoints import FINISH_ENDPOINTS
from halflabel.review_page.finish_mode import FinishTargets, open_finish
from halflabel.review_page.fits import summarize_fit
from halflabel.review_page.items import ItemViews
from halflabel.review_page.server import Server
from halflabel.review_page.session import Session

AUDITS, SIZES, MAX_ERROR = 8, (60, 120, 240), 0.05
LABELS = ("even", "closed_loop", "straight_strokes", "prime")

#: The keys of a certificate that follow from the way in which it was made.
OWN = {"by", "fit", "seed_from", "journal", "max_error", "taken_back", "columns", "sentence", "is_current"}


class Client:
    """Requests of a page."""

    def __init__(self, server):
        self.port = server.guard.port
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request("GET", server.address.partition(str(self.port))[2])
        cookie = connection.getresponse().headers["Set-Cookie"].partition(";")[0]
        connection.close()
        self.headers = {"Cookie": cookie, "X-Halflabel": "review"}
        self.table, self.n = self.call("GET", "/api/session")["table"], 0

    def call(self, method, path, **body):
        """Send a request, and return the response as plain values."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        sent = json.dumps({"table": self.table, **body}) if method == "POST" else None
        connection.request(method, path, sent, {**self.headers, "Content-Type": "application/json"})
        response = connection.getresponse()
        content = json.loads(response.read())
        connection.close()
        assert response.status == 200, content
        return content

    def post(self, path, **body):
        """Send a request that changes something, with a key of its own."""
        self.n += 1
        return self.call("POST", path, key=f"k{self.n}", **body)

    def answer(self, question, value, why):
        """Answer one question."""
        self.n += 1
        names = {name: question[name] for name in ("item", "label")}
        sent = {**names, "value": value, "why": why, "key": f"k{self.n}"}
        progress = self.call("POST", "/api/answers", answers=[sent])
        assert progress["results"] == [{"key": sent["key"], "saved": True}], progress["results"]
        return progress


@contextmanager
def serving(session, **options):
    """Serve a session while the block runs."""
    server = Server(session, **options)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        yield Client(server)
    finally:
        server.stop()
        thread.join(10)
        session.close()


def make_case(seed):
    """Return a completion, and the truth by item and label."""
    data, rng = load_digits_tags(), np.random.default_rng(seed)
    rows = np.sort(rng.permutation(len(data.Y))[:400])
    truth = data.Y[rows].select([data.label_names.index(name) for name in LABELS])
    frame = pd.DataFrame(np.asarray(data.X)[rows]).add_prefix("pixel").assign(scan=[f"s{i}" for i in rows])
    known = hide_items(truth, 0.75, rng)
    filled = hl.complete(frame.join(known.to_frame()), id="scan", labels=list(truth.names), effort="fast")
    return filled, truth.select([truth.names.index(name) for name in filled.labels.names]).relevant.astype(int)


def decide(question, filled, truth, rng, unsure):
    """Return the answer of the reviewer: the truth, or None for "not sure"."""
    row, column = filled.index.get_loc(question["item"]), filled.labels.names.index(question["label"])
    return None if unsure and rng.random() < 0.05 else int(truth[row, column])


def give(task, question, value):
    """Give the library the answer of the page."""
    answer = {"item": [question["item"]], "label": [question["label"]], "answer": [value]}
    task.answer(pd.DataFrame(answer, dtype=object))


def count_wrong(task, truth):
    """Return the number of wrong entries among the filled and answered ones, "not sure" as filled."""
    proof = task._state.proof
    return int(((proof.delivered > 0) != (truth > 0)).ravel()[proof.gaps].sum())


def same(certificate, of_library):
    """Whether two certificates have the same facts. A page has its probabilities as float32."""
    keys = (certificate.keys() & of_library.keys()) - OWN - {"expected"}
    is_close = math.isclose(certificate["expected"], of_library["expected"], rel_tol=1e-6)
    return is_close and all(certificate[key] == of_library[key] for key in keys) and len(keys) > 20


def audit(filled, truth, n, rng, unsure):
    """Return whether every number of an audit on the page of a review is that of the library, and its facts."""
    with tempfile.TemporaryDirectory() as folder:
        config = Config(filled.opened, ItemViews(filled.opened), by="script")
        session = Session(config, Path(folder) / "journal.jsonl")
        session.receive("fit", summarize_fit(filled, n_records=0, effort="fast", seconds=0))
        with serving(session) as client:
            client.post("/api/audit", op="begin", n=n)
            task = filled.finish(MAX_ERROR, seed=session.audit.record.body["seed"])
            task.draw(n)
            equal, holds = True, True
            names, ids = filled.labels.names, filled.index
            while questions := client.post("/api/queue", kind="uncertain", n=1)["questions"]:
                question = {"item": str(ids[questions[0]["row"]]), "label": names[questions[0]["column"]]}
                value = decide(question, filled, truth, rng, unsure)
                shown = client.answer(question, value, "audit")["audit"]["precision"]
                give(task, question, value)
                equal &= shown == 1 - task.bound
                holds &= count_wrong(task, truth) <= task._state.proof.max_errors
            certificate = client.post("/api/audit", op="finish")["certificate"]
        equal &= same(certificate, task.certificate)
    return {"page": "audit", "answers": n, "equal": equal, "holds": holds, "bound": task.bound}


def finish(filled, truth, seed, rng, unsure):
    """Return the same for a table that is finished on its page, and verify the table that is written."""
    with tempfile.TemporaryDirectory() as folder:
        targets = FinishTargets(*(Path(folder) / name for name in ("table.csv", "certificate.json", "page.html")))
        config = Config(filled.opened, ItemViews(filled.opened), by="script")
        session = open_finish(config, Path(folder) / "journal.jsonl", targets, seed=seed, max_error=MAX_ERROR)
        session.take_values(filled.state, filled.evidence.probabilities)
        task, equal, holds = filled.finish(MAX_ERROR, seed=seed), True, True
        with serving(session, endpoints=FINISH_ENDPOINTS) as client:
            progress = client.call("GET", "/api/progress")
            task.next(20)
            while not progress["done"]:
                question = progress["questions"][0]
                value = decide(question, filled, truth, rng, unsure)
                progress = client.answer(question, value, "")
                give(task, question, value)
                if not (len(task.questions) or task.done):
                    task.next(20)  # as the page does, before it plans
                equal &= (progress["bound"], progress["left"]) == (task.bound, task.left)
                holds &= count_wrong(task, truth) <= task._state.proof.max_errors
            client.post("/api/write")
        certificate = json.loads(targets.certificate.read_text())
        equal &= same(certificate, task.certificate)
        table = pd.read_csv(targets.table, index_col="scan")[list(filled.labels.names)]
        sentence = verify(task.certificate, list(map(str, table.index)), filled.labels.names, 2 * table.to_numpy() - 1)
        equal &= sentence == str(task.certificate)
    return {"page": "finish", "answers": task.answered, "equal": equal, "holds": holds, "bound": task.bound}


def main():
    """Print one line for each page."""
    parser = make_parser(__doc__)
    parser.add_argument("--splits", type=int, default=5)
    records = []
    with use_one_thread():
        for split in range(parser.parse_args().splits):
            filled, truth = make_case(split)
            rng = np.random.default_rng(split)
            for k in range(AUDITS):
                records.append(audit(filled, truth, SIZES[k % len(SIZES)], rng, k % 3 == 0))
                if k == 1:
                    records.append(finish(filled, truth, 100 * split + k, rng, k % 3 == 0))
    table = pd.DataFrame(records).groupby("page")
    print(table.agg(runs=("equal", "size"), answers=("answers", "sum"), equal=("equal", "sum"), holds=("holds", "sum"),
                    bound=("bound", "mean")).to_string())  # fmt: skip


if __name__ == "__main__":
    main()
