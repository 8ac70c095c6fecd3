"""The backend of Label Studio: its documented requests, answered for projects of both kinds."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from contextlib import contextmanager

import pytest
import uvicorn

import halflabel as hl
from halflabel.review_page.label_studio import FIT_AFTER, Backend, read_config, read_export
from halflabel.review_page.label_studio_server import make_app

pytestmark = pytest.mark.usefixtures("one_member")

WORDS = {"tax": "refund invoice income", "sport": "goal match team", "law": "court judge appeal"}
TOPICS = [list(WORDS)[i % 3] for i in range(90)]
KNOWN = 45
TOPIC = '<Choices name="topic" toName="body" choice="multiple">{}</Choices>'.format(
    "".join(f'<Choice value="{name}"/>' for name in WORDS)
)
LABELS = "".join(
    f'<Choices name="{name}" toName="body"><Choice value="yes"/><Choice value="no"/></Choices>' for name in WORDS
)
CONFIGS = {"one": f"<View><Text/>{TOPIC}</View>", "each": f"<View><Text/>{LABELS}</View>"}


def annotate(i, kind):
    chosen = (
        {"topic": [TOPICS[i]]} if kind == "one" else {name: ["yes" if name == TOPICS[i] else "no"] for name in WORDS}
    )
    result = [
        {"from_name": name, "to_name": "body", "type": "choices", "value": {"choices": words}}
        for name, words in chosen.items()
    ]
    return {"id": 500 + i, "result": result}


def make_task(i, **more):
    return {"id": i + 1, "data": {"text": f"the {WORDS[TOPICS[i]]} of {WORDS[TOPICS[i]].split()[i % 2]} {i}"}, **more}


@pytest.fixture(params=list(CONFIGS))
def project(request, tmp_path):
    """The kind of a project, its model, and its export."""
    kind, path, model = request.param, tmp_path / "export.json", tmp_path / "topics.halflabel"
    tasks = [make_task(i, annotations=[annotate(i, kind)] if i < KNOWN else []) for i in range(len(TOPICS))]
    path.write_text(json.dumps(tasks))
    absent = {"absent": "irrelevant"} if kind == "one" else {}
    hl.complete(hl.open_table(path, text="text", **absent), effort="fast").save(model)
    return kind, model, path


def read_chosen(prediction):
    """Return the relevant labels of a prediction."""
    chosen = {each["from_name"]: each["value"]["choices"] for each in prediction["result"]}
    return chosen["topic"] if "topic" in chosen else [name for name, words in chosen.items() if words == ["yes"]]


class Client:
    """Sends requests to a server."""

    def __init__(self, port):
        self.port = port

    def ask(self, method, path, body=None, **headers):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        sent = None if body is None else json.dumps(body)
        given = {"Content-Type": "application/json", **{name.replace("_", "-"): text for name, text in headers.items()}}
        connection.request(method, path, sent, given)
        response = connection.getresponse()
        content = response.read().decode()
        connection.close()
        return response.status, json.loads(content) if content.startswith("{") else content

    def get(self, path):
        return self.ask("GET", path)[1]

    def post(self, path, body):
        return self.ask("POST", path, body)[1]


@contextmanager
def served(backend, announce=lambda text: None):
    """Serve a backend on a free port."""
    server = uvicorn.Server(uvicorn.Config(make_app(backend, announce), log_level="warning"))
    with socket.create_server(("127.0.0.1", 0)) as bound:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
        thread.start()
        yield Client(bound.getsockname()[1])
        server.should_exit = True
        thread.join()


def make_event(i, kind, action="ANNOTATION_CREATED"):
    return {"action": action, "task": make_task(i), "annotation": annotate(i, kind)}


def test_the_requests_of_a_project(project):
    kind, model, export = project
    announced = []
    with served(Backend(model, read_export(export)), announced.append) as client:
        assert client.get("/health") == {"status": "UP", "model_class": "halflabel", "model_version": "topics"}
        assert client.post("/setup", {"project": "1.2", "schema": CONFIGS[kind]}) == {"model_version": "topics"}
        tasks = [make_task(i) for i in range(KNOWN, len(TOPICS))]
        asked = {"tasks": tasks, "label_config": CONFIGS[kind], "params": {}}
        answer = client.post("/predict", asked)
        assert [read_chosen(each) for each in answer["results"]] == [[topic] for topic in TOPICS[KNOWN:]]
        assert {each["to_name"] for made in answer["results"] for each in made["result"]} == {"body"}
        assert all(0 < made["score"] <= 1 for made in answer["results"])
        statuses = [client.post("/webhook", make_event(KNOWN + k, kind))["status"] for k in range(FIT_AFTER)]
        assert statuses == ["ok"] * (FIT_AFTER - 1) + ["fitting"]
        while not announced:
            time.sleep(0.02)
        assert announced[0].startswith("A new version was fitted")
        assert client.get("/versions") == {"versions": ["topics", "topics.v2"]}
        assert client.post("/predict", asked)["results"][0]["model_version"] == "topics.v2"
        assert client.post("/predict", {**asked, "model_version": "topics"})["results"] == answer["results"]
    assert Backend(model).version == "topics.v2"


def test_what_is_not_a_request_of_the_project_is_an_error_in_words(project):
    kind, model, _ = project
    backend = Backend(model)
    with served(backend) as client:
        status, other = client.ask("POST", "/setup", {"schema": '<View><Choices name="mood" toName="t"/></View>'})
        assert status == 400
        assert "no question with the 3 labels of the model" in other["error"]
        assert client.ask("POST", "/predict", {"tasks": 3, "label_config": CONFIGS[kind]})[0] == 400
        assert client.ask("POST", "/webhook", {}, Content_Type="text/plain")[0] == 415
        assert client.ask("GET", "/health", Host="evil.example")[0] == 400
        for i in range(FIT_AFTER + 1):  # nothing is learned without the export
            assert client.post("/webhook", make_event(i, kind)) == {"status": "ok"}
    assert list(backend.versions) == ["topics"]


@pytest.mark.parametrize(
    "task", [{"data": {}}, {"id": [1], "data": {}}, {"id": 900, "data": 3}, {"id": 900}, "task", None]
)
def test_an_event_without_a_task_is_left_out(project, task):
    kind, model, export = project
    backend = Backend(model, read_export(export))
    known = dict(backend.tasks)
    assert not backend.learn({**make_event(1, kind), "task": task})
    assert (backend.tasks, backend.n_new) == (known, 0)


def test_changed_and_deleted_annotations_replace_the_first_one(project):
    kind, model, export = project
    backend = Backend(model, read_export(export))
    for action, i in (("ANNOTATION_UPDATED", 1), ("ANNOTATION_DELETED", 2), ("PROJECT_UPDATED", 3)):
        event = make_event(i, kind, action)
        event["annotation"]["result"] = []
        backend.learn(event)
    assert [len(backend.tasks[i + 1]["annotations"]) for i in (1, 2, 3)] == [1, 0, 1]
    assert backend.tasks[2]["annotations"][0]["result"] == []
    assert backend.learn({"action": "START_TRAINING"})
    backend.learn(make_event(4, kind))
    assert not backend.learn({"action": "START_TRAINING"})  # Label Studio can send it after each annotation
    backend.fit()
    assert backend.learn({"action": "START_TRAINING"})


def test_a_configuration_that_is_not_xml():
    with pytest.raises(ValueError, match="configuration is not XML"):
        read_config("<View>", ["tax"])
