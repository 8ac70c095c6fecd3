"""A backend of Label Studio: it predicts for tasks, learns from annotations, and keeps every version of its model."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeGuard
from xml.etree import ElementTree

from halflabel._wording import plural, quoted
from halflabel.completion import complete
from halflabel.completion.model_file import Predictor, load
from halflabel.completion.predictions import make_suggestions
from halflabel.files.choice_answers import NO, YES
from halflabel.files.conversion import write_records
from halflabel.files.json_files import read_records
from halflabel.files.records import Question
from halflabel.table import open_table
from halflabel.table.columns import Description
from halflabel.table.source_files import read_file

#: A new version is fitted after this number of annotations.
FIT_AFTER = 20

#: The format of :mod:`halflabel.files` that tasks have.
FORMAT = "label-studio"

#: Events after which a task has other annotations.
_CHANGES = ("ANNOTATION_CREATED", "ANNOTATION_UPDATED", "ANNOTATION_DELETED")


class Backend:
    """The state of the backend.

    Parameters
    ----------
    path : Path
        A saved model, ``NAME.halflabel``: the first version. Later ones are ``NAME.v2.halflabel`` and so on, next to
        it, and are found again at the next start.
    tasks : iterable of dict
        The tasks of an export with their annotations, which the model was fitted on. Without them, nothing is learned:
        a model of the new annotations alone would be worse.
    """

    def __init__(self, path: Path, tasks: Iterable[dict[str, Any]] = ()) -> None:
        self.tasks = {task["id"]: {"annotations": [], **task} for task in tasks}
        self.learns, self.path, self.n_new = bool(self.tasks), path, 0
        self.versions = {path.stem: path}
        while (following := self._name_next()).exists():
            self.versions[following.stem] = following
        self._load = lru_cache(maxsize=2)(load)
        self.is_fitting = False
        self._load(self.versions[self.version])  # raises before the server starts

    @property
    def version(self) -> str:
        """The newest version."""
        return list(self.versions)[-1]

    def _name_next(self) -> Path:
        return self.path.with_name(f"{self.path.stem}.v{len(self.versions) + 1}.halflabel")

    def predict(self, tasks: Sequence[dict[str, Any]], config: str, version: str = "") -> list[dict[str, Any]]:
        """Return one prediction per task, in the names of the labelling configuration. An old version is possible."""
        chosen = version if version in self.versions else self.version
        predictor = self._load(self.versions[chosen])
        question, targets = read_config(config, predictor.label_names)
        if not tasks:
            return []
        with tempfile.TemporaryDirectory() as folder:
            asked, answered = Path(folder) / "tasks.json", Path(folder) / "predicted.json"
            write_tasks(asked, [{**task, "annotations": [], "predictions": []} for task in tasks])
            source = read_file(asked, Description(labels=(), format=FORMAT))
            labels, p = predictor.predict(source.raw.frame, source.raw.matrix, return_proba=True)
            made = make_suggestions(predictor, source, source.raw.frame, labels, p)
            write_records(answered, FORMAT, replace(made, question=question))
            written = [(task["predictions"] or [{"result": []}])[0] for task in json.loads(answered.read_text())]
        for prediction in written:
            prediction["model_version"] = chosen
            for result in prediction["result"]:
                result["to_name"] = targets[result["from_name"]]
        return written

    def learn(self, event: dict[str, Any]) -> bool:
        """Take an event of the project. Return whether :meth:`fit` is due: one at a time."""
        action, task, annotation = (event.get(name) for name in ("action", "task", "annotation"))
        if action in _CHANGES and _is_task(task) and isinstance(annotation, dict):
            kept = self.tasks.setdefault(task["id"], {"id": task["id"], "annotations": []})
            others = [each for each in kept["annotations"] if each.get("id") != annotation.get("id")]
            added = [annotation] if action != "ANNOTATION_DELETED" else []
            self.tasks[task["id"]] = {**kept, "data": task["data"], "annotations": [*others, *added]}
            self.n_new += 1
        enough = self.n_new >= (1 if action == "START_TRAINING" else FIT_AFTER)
        if not self.learns or self.is_fitting or not enough:
            return False
        self.n_new, self.is_fitting = 0, True
        return True

    def fit(self) -> Path:
        """Fit a new version to all tasks, and return its path. The version before it answers until then."""
        path, tasks = self._name_next(), list(self.tasks.values())
        try:
            with tempfile.TemporaryDirectory() as folder:
                known = Path(folder) / "tasks.json"
                write_tasks(known, tasks)
                columns = describe_columns(self._load(self.versions[self.version]), tasks)
                complete(open_table(known, format=FORMAT, **columns)).save(path)
        finally:
            self.is_fitting = False
        self.versions[path.stem] = path
        return path


def _is_task(sent: Any) -> TypeGuard[dict[str, Any]]:
    return isinstance(sent, dict) and isinstance(sent.get("id"), int | str) and isinstance(sent.get("data"), dict)


def describe_columns(predictor: Predictor, tasks: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the roles of the columns of tasks, as arguments of :func:`halflabel.open_table`."""
    results = [each for task in tasks for made in task["annotations"] for each in made.get("result", [])]
    stated = {"text": predictor.roles.text, "group": predictor.roles.group}
    if any(result.get("from_name") in predictor.label_names for result in results):
        return stated  # a question for each label
    return {**stated, "absent": "unknown" if getattr(predictor.model, "positive_only_", False) else "irrelevant"}


def read_export(path: Path) -> list[dict[str, Any]]:
    """Return the tasks of an export in Label Studio's format JSON."""
    tasks = [task for _, task in read_records([path])]
    if not all("data" in task and "id" in task for task in tasks):
        raise ValueError(f"{path}: its records are not tasks with 'id' and 'data': export the project as JSON.")
    return tasks


def write_tasks(path: Path, tasks: Sequence[dict[str, Any]]) -> None:
    """Write tasks as an export."""
    path.write_text(json.dumps(list(tasks)), encoding="utf-8")


def read_config(text: str, names: Sequence[str]) -> tuple[Question | None, dict[str, str]]:
    """Return the question of a labelling configuration about the labels, and the object of each question.

    Either each label has a question with the choices yes and no (then there is no common question), or the labels are
    choices of one question.

    Examples
    --------
    >>> read_config('<View><Choices name="topic" toName="t"><Choice value="tax"/></Choices></View>', ["tax"])
    (Question(name='topic', target='t'), {'topic': 't'})
    """
    try:
        found = list(ElementTree.fromstring(text).iter("Choices"))
    except ElementTree.ParseError as error:
        raise ValueError(f"The labelling configuration is not XML: {error}.") from None
    words = {each.get("name", ""): {choice.get("value") for choice in each.iter("Choice")} for each in found}
    targets = {each.get("name", ""): each.get("toName", "") for each in found}
    if all({YES, NO} <= words.get(name, set()) for name in names):
        return None, targets
    for name, choices in words.items():
        if set(names) <= choices:
            return Question(name, targets[name]), targets
    missing = plural(len(names), "label")
    raise ValueError(f"The project has no question with the {missing} of the model as choices: {quoted(names)}.")
