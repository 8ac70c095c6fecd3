"""No reader starts a program, whatever a file holds under whatever name."""

import importlib
import json
import os
import shutil
import subprocess
import sys

import pytest

from halflabel.files.media import PICTURES
from halflabel.files.registry import TABLES

#: Programs that libraries of pictures, documents and archives start. Each fake notes its name and its arguments.
PROGRAMS = ("gs", "convert", "magick", "inkscape", "rsvg-convert", "ffmpeg", "djpeg", "ppmtogif", "unzip", "soffice")

FAKE = """#!/bin/sh
echo "$0 $@" >> "$STARTED"
echo 10.0
"""

#: Contents that some programs run or convert, and that a library may give to them.
POSTSCRIPT = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 40 40\n%%EndComments\nshowpage\n%%EOF\n"
DOS_HEADER = b"\xc5\xd0\xd3\xc6\x1e\0\0\0" + len(POSTSCRIPT).to_bytes(4, "little") + bytes(18)
CONTENTS = {
    "postscript": POSTSCRIPT,
    "postscript for DOS": DOS_HEADER + POSTSCRIPT,
    "svg": b'<svg xmlns="http://www.w3.org/2000/svg" width="40" height="40"/>',
    "pdf": b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n",
    "wmf": b"\xd7\xcd\xc6\x9a\0\0\0\0\0\0(\0(\0H\0\0\0\0\0\0\0\1\0\x09\0\0\3",
    "script": b"#!/bin/sh\ngs\n",
}

#: Reads every file of a folder by every reader, in a process of its own whose audit hook notes what it starts.
SCRIPT = """
import json, os, sys, warnings
from pathlib import Path

started = []
HOOKS = {"subprocess.Popen", "os.system", "os.exec", "os.posix_spawn", "os.spawn", "os.startfile"}
sys.addaudithook(lambda event, arguments: started.append(str(arguments)) if event in HOOKS else None)

from halflabel.files import detect, read, read_table
from halflabel.files.media import describe_media
from halflabel.files.media_folder import read_media_folder
from halflabel.files.registry import FORMATS
from halflabel.table.pictures import read_thumbnail

warnings.simplefilter("ignore")
folder = Path(sys.argv[1])
readers = [read_table, detect, *(lambda path, name=name: read(path, name, "unknown") for name in FORMATS)]
pictures = [
    lambda path: describe_media([path]),
    lambda path: read_thumbnail(path.name, folder),
    lambda path: read_thumbnail(path.read_bytes()),
    lambda path: read_media_folder(folder),
]
n_read = 0
for path in sorted(folder.iterdir()):
    for reader in readers + (pictures if "picture" in path.name else []):
        n_read += 1
        try:
            reader(path)
        except (ValueError, OSError):
            pass
print(json.dumps([n_read, [text for text in started if sys.executable not in text]]))
"""


@pytest.fixture
def programs(tmp_path):
    """A folder with fake programs, and the file in which they note that they were started."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in PROGRAMS:
        (folder / name).write_text(FAKE)
        (folder / name).chmod(0o755)
    return folder, tmp_path / "started"


def read_all(folder, programs):
    """Return what is started while every reader reads every file of a folder."""
    path, started = programs
    environment = os.environ | {"PATH": f"{path}{os.pathsep}{os.environ['PATH']}", "STARTED": str(started)}
    command = [sys.executable, "-c", SCRIPT, str(folder)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    n_read, seen = json.loads(done.stdout.splitlines()[-1])
    assert n_read > len(list(folder.iterdir()))
    return [*seen, *(started.read_text().splitlines() if started.exists() else [])]


def test_no_picture_starts_a_program(tmp_path, programs):
    pytest.importorskip("skimage", reason="scikit-image (extra images) is not installed")
    folder = tmp_path / "pictures"
    folder.mkdir()
    for number, content in enumerate(CONTENTS.values()):
        for suffix in PICTURES:
            (folder / f"picture{number}{suffix}").write_bytes(content)
    assert read_all(folder, programs) == []


@pytest.mark.slow
def test_no_table_starts_a_program(tmp_path, programs):
    """Files of statistics programs are tried in a process of Python each, which is the only one that may start."""
    folder = tmp_path / "tables"
    folder.mkdir()
    suffixes = {suffix for table in TABLES.values() for suffix in table.suffixes}
    for suffix in sorted({*suffixes, ".txt", ".xlsx", ".json", ".eps", ".svg", ".pdf"}):
        (folder / f"table{suffix}").write_bytes(POSTSCRIPT)
    assert read_all(folder, programs) == []


def test_the_fakes_are_started_by_an_open_list_of_formats(tmp_path, programs, monkeypatch):
    """The test of this file can fail: Pillow without a list of formats starts the fake of Ghostscript."""
    image = importlib.import_module("PIL.Image")
    eps = importlib.import_module("PIL.EpsImagePlugin")
    folder, started = programs
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    monkeypatch.setenv("STARTED", str(started))
    monkeypatch.setattr(eps, "gs_binary", None)
    (tmp_path / "p.png").write_bytes(POSTSCRIPT)
    assert shutil.which("gs", path=str(folder))
    with pytest.raises(OSError, match=r".*"), image.open(tmp_path / "p.png") as opened:
        opened.load()
    assert str(folder / "gs") in started.read_text()
