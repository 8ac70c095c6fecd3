"""How the page is opened: no other account learns an address, no browser blocks the command, no port stays taken."""

from __future__ import annotations

import http.client
import os
import re
import signal
import stat
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from tests.processes import wait_for
from tests.review_page.serving import LABELS, Client, Served, make_session, make_table

from halflabel.review_page import browser
from halflabel.review_page.server import Server

#: The command without its process that fits.
PROGRAM = """
import sys
from halflabel.review_page.review import Review
Review.start = lambda session: None
from halflabel.cli import main
sys.argv[0] = "halflabel"
main()
"""
OTHER_ACCOUNT = 65_534
PATIENCE = 60.0


class Command:
    """``halflabel review`` whose browser writes down its process and what it is given, and never ends."""

    def __init__(self, folder, *options):
        make_table().to_csv(folder / "songs.csv", index=False)
        self.seen, browser, self.log = folder / "seen", folder / "browser.sh", folder / "log"
        browser.write_text(f'#!/bin/sh\nprintf "%s %s\\n" "$$" "$1" > {self.seen}.tmp\nmv {self.seen}.tmp {self.seen}\n'
                           "exec sleep 1000\n")  # fmt: skip
        browser.chmod(0o755)
        command = [sys.executable, "-c", PROGRAM, "review", str(folder / "songs.csv"), "--id", "song"]
        command += ["--labels", ",".join(LABELS), *options]
        with self.log.open("w") as log:
            environment = {**os.environ, "BROWSER": f"{browser} %s"}
            self.process = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, env=environment)
        self.address = wait_for(lambda: re.search(r"^Open (\S+)$", self.log.read_text(), re.MULTILINE))[1]

    def read_browser(self):
        """Return the number of the browser's process and its argument."""
        number, given = wait_for(lambda: self.seen.exists() and self.seen.read_text()).split()
        return int(number), given

    def enter(self, address):
        port, token = re.search(r":(\d+)/\?token=(.+)", address).groups()
        client = Client(int(port), token)
        client.enter()
        return client

    def end(self):
        self.process.send_signal(signal.SIGINT)
        return self.process.wait(PATIENCE)


@pytest.fixture
def begin():
    """Return a function that starts a command in a folder that every account may enter."""
    commands = []
    with tempfile.TemporaryDirectory() as name:
        os.chmod(name, 0o755)
        yield lambda *options: commands.append(Command(Path(name), *options)) or commands[-1]
        for command in commands:
            if command.process.poll() is None:
                command.process.kill()
                command.process.wait()
            os.kill(command.read_browser()[0], signal.SIGKILL)


posix = pytest.mark.skipif(os.name != "posix", reason="the browser of this test is a shell script")


@posix
def test_a_browser_that_does_not_return_blocks_nothing_and_shows_no_token(begin):
    command = begin()
    number, given = command.read_browser()
    seen = Path(f"/proc/{number}/cmdline").read_text() if Path("/proc").is_dir() else given
    assert "token" not in seen + given
    page = Path(given.removeprefix("file://"))
    assert stat.S_IMODE(page.stat().st_mode) == 0o600
    address = re.search(r"url=(\S+?)\"", page.read_text())[1]
    command.enter(address)
    wait_for(lambda: not page.exists())
    client = command.enter(command.address)  # the printed one is another one
    assert client.get("/api/session")["items"] == 40
    following = wait_for(lambda: re.search(r"for another browser, open (\S+)", command.log.read_text()))[1]
    command.enter(following)
    assert command.end() == 0


def test_the_same_port_can_be_used_again_at_once(tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        browser = http.client.HTTPConnection("127.0.0.1", client.port)
        browser.request("GET", "/api/session", headers={"Cookie": client.cookie})
        assert browser.getresponse().read()
    session = make_session(tmp_path / "b.jsonl")  # the server has closed the connection, which the system remembers
    try:
        Server(session, client.port).socket.close()
    finally:
        browser.close()
        session.close()


def test_a_port_that_is_in_use_is_still_an_error(tmp_path):
    with Served(make_session(tmp_path / "a.jsonl")) as client:
        session = make_session(tmp_path / "b.jsonl")
        with pytest.raises(OSError, match=f"port {client.port} cannot be used"):
            Server(session, client.port)
        session.close()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become another account")
def test_another_account_can_neither_read_the_file_nor_use_what_it_sees(begin):
    command = begin()
    number, given = command.read_browser()
    page = Path(given.removeprefix("file://"))

    def read(*paths):
        account = {"user": OTHER_ACCOUNT, "group": OTHER_ACCOUNT, "extra_groups": []}
        return subprocess.run(["cat", *paths], capture_output=True, check=False, **account)

    assert read(page.with_name("songs.csv")).returncode == 0
    assert (read(page).returncode, read(page).stdout) == (1, b"")
    assert read(f"/proc/{number}/cmdline").returncode == 0
    running = read(*(entry / "cmdline" for entry in Path("/proc").iterdir() if entry.name.isdigit())).stdout
    assert b"songs.csv" in running
    addresses = command.address, re.search(r"url=(\S+?)\"", page.read_text())[1]
    assert not any(address.split("token=")[1].encode() in running for address in addresses)
    for address in addresses:
        port, token = re.search(r":(\d+)/\?token=(.+)", address).groups()
        command.enter(address)
        assert Client(int(port), "").request("GET", f"/?token={token}")[0] == 403  # one that is learned later is used


def test_a_folder_without_private_files_is_not_used(tmp_path, monkeypatch):
    status = os.fstat
    monkeypatch.setattr(browser.os, "fstat", lambda file: os.stat_result([0o100644, *status(file)[1:]]))
    path = browser.write_private("page", tmp_path)
    assert path.parent != tmp_path
    assert list(tmp_path.iterdir()) == []
    path.unlink()
    monkeypatch.undo()
    path = browser.write_private("page", tmp_path / "absent")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    path.unlink()
