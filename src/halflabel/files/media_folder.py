"""A folder of pictures or texts as a table: one row per file, its folder as a tag, features of its content."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from pathlib import Path

import pandas as pd

from halflabel._wording import plural
from halflabel.files.bounded import check_ordinary, size_limit
from halflabel.files.media import OTHERS, PICTURES, describe_media
from halflabel.files.raw_table import RawTable, ReadError

#: Suffixes of texts, and the kinds of files of which a folder has one.
TEXTS = (".txt", ".md")
KINDS = {"picture": PICTURES, "text": TEXTS, "file": OTHERS}

#: Maximum number of files of a folder.
MAX_FILES = 1_000_000


def find_media(folder: Path) -> list[Path]:
    """Return the pictures, texts or other media in a folder and its subfolders: the files of the most frequent kind."""
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and not _is_hidden(path, folder)]
    if len(files) > MAX_FILES:
        raise ReadError.at(folder, f"it has more than {plural(MAX_FILES, 'file')}, the limit: name a part of it.")
    kinds = Counter(kind for path in files if (kind := _kind_of(path)))
    chosen = max(kinds, key=lambda kind: (kind != "file", kinds[kind]), default="")
    return [path for path in files if chosen and _kind_of(path) == chosen]


def read_media_folder(folder: Path) -> RawTable:
    """Read a folder. The name of a subfolder is the tag of its files, and other files have none."""
    files = find_media(folder)
    kind = _kind_of(files[0])
    names = [path.relative_to(folder).as_posix() for path in files]
    parents = [path.parent.relative_to(folder).as_posix() for path in files]
    notes = (f"{plural(len(files), kind)} in {folder}.",)
    raw = RawTable(pd.DataFrame({"file": names}), source=str(folder), id="file", notes=notes)
    if any(parent != "." for parent in parents):
        raw.frame["folder"] = pd.Series([None if parent == "." else [parent] for parent in parents], dtype=object)
        raw = replace(raw, tags="folder")
    if kind == "text":
        raw.frame["text"] = [_read_text(path) for path in files]
        return raw
    matrix, features = describe_media(files)
    return replace(raw, matrix=matrix, matrix_names=features)


def _kind_of(path: Path) -> str:
    return next((kind for kind, suffixes in KINDS.items() if path.suffix.lower() in suffixes), "")


def _is_hidden(path: Path, folder: Path) -> bool:
    return any(part.startswith((".", "_")) for part in path.relative_to(folder).parts)


def _read_text(path: Path) -> str:
    check_ordinary(path)
    if path.stat().st_size > min(size_limit(), 64_000_000):
        raise ReadError.at(path, "the text has more than 64,000,000 bytes, the limit: split it.")
    try:
        return path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ReadError.at(path, f"byte {error.start + 1} is not UTF-8: save the text as UTF-8.") from None
