"""The state of the worker without its process: outputs that were asked for, and a process that no interrupt ends."""

import re
import signal
import threading
from multiprocessing.reduction import ForkingPickler
from pathlib import Path

import pytest
from tests.review_page.serving import make_setting, make_table
from tests.table.test_odd_rows import IN_MEMORY

from halflabel.review_page.worker import Job, Worker, _without_interrupts, _without_objects
from halflabel.table import open_table


class Pipe:
    """Stands for the pipe to the process."""

    def __init__(self):
        self.sent = []

    def send(self, job):
        self.sent.append(job.kind)


@pytest.fixture
def worker():
    made = Worker(make_setting(make_table(20)).opened, {}, lambda *_: None)
    made._pipe = Pipe()
    return made


def end_job(worker):
    with worker._lock:
        worker._send()


def test_the_end_waits_for_outputs_and_for_nothing_else(worker):
    for kind in ("fit", "explain", "write", "explain"):
        worker.ask(Job(kind))
    assert worker.is_writing
    ended = threading.Event()
    waiting = threading.Thread(target=lambda: (worker.finish_writing(), ended.set()), daemon=True)
    waiting.start()
    while len(worker._waiting) > 1:  # the other jobs are left out
        assert not ended.wait(0.01)
    end_job(worker)
    assert worker._pipe.sent == ["fit", "write"]
    assert not ended.is_set()
    end_job(worker)
    assert ended.wait(60)
    assert not worker.is_writing


def test_without_outputs_the_end_waits_for_nothing(worker):
    worker.ask(Job("fit"))
    assert not worker.is_writing
    worker.finish_writing()


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the mask of a process is in /proc")
def test_an_interrupt_does_not_reach_the_process_that_fits_from_its_start(monkeypatch):
    worker = Worker(make_setting(make_table(20)).opened, {}, lambda *_: None)
    try:
        worker.ask(Job("fit"))
        status = Path(f"/proc/{worker._process.pid}/status").read_text()
        masks = [int(re.search(rf"{name}:\s+(\w+)", status)[1], 16) for name in ("SigBlk", "SigIgn")]
        assert any(mask >> (signal.SIGINT - 1) & 1 for mask in masks)
    finally:
        worker.close()
    with _without_interrupts():
        pass
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


@pytest.mark.parametrize("convert", IN_MEMORY.values(), ids=IN_MEMORY)
def test_a_table_of_any_library_reaches_the_process(convert):
    opened = open_table(convert(make_table(20)), id="song", labels=["rock", "sad", "live"])
    assert len(ForkingPickler.dumps(_without_objects(opened))) > 1000
