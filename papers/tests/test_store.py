"""Failures while records are written: each is whole, or can be written again."""

from __future__ import annotations

import os
from contextlib import suppress

from papers.tests.cases import TOY
from tests.failures import FULL_DISK, attempts, fail_call

from halflabel_papers.load import load_paper
from halflabel_papers.plan import plan_runs
from halflabel_papers.store import Record, Store


def test_a_record_is_whole_or_can_be_written_again(tmp_path):
    run = plan_runs(load_paper(TOY))[0]
    store = Store(tmp_path / "records.jsonl")
    store.append(Record.of(run, metrics={"a": 1.0}))
    for failure in attempts(fail_call("fdatasync"), FULL_DISK):
        with failure, suppress(OSError):
            store.append(Record.of(run, metrics={"a": 2.0}))
        assert store.read()[run.key].metrics["a"] in (1.0, 2.0)
    for failure in attempts(fail_call("replace"), FULL_DISK):
        with failure, suppress(OSError):
            store.replace([Record.of(run, metrics={"a": 3.0})])
        assert len(store.read()) == 1
    assert store.read()[run.key].metrics["a"] == 3.0
    assert os.listdir(tmp_path) == ["records.jsonl"]
