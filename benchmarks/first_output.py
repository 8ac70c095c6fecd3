"""From a raw file to a completed table: the commands, their time, and the share of right values.

    python benchmarks/first_output.py

Five kinds of raw files are made of public sets: image vectors (Parquet), support tickets (CSV of a German Excel),
genes (`write.table` of R), a polars table in a notebook, and exports of Label Studio and of a Hugging Face dataset. A
part of their labels is hidden. For each file the script runs one command that completes it, and one that fills in only
sure values and lists entries for review. It prints CPU and wall seconds from the start of the command to its end, the
share of right values among those that were filled in, the one that the command printed with its band, that of "no
everywhere", and the number of entries in the review table.
"""

from __future__ import annotations

import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
from _common import load_set, make_parser

CAREFUL = ("--min-precision", "0.95")
NOTEBOOK = """
import sys, halflabel as hl, polars as pl
frame = pl.read_parquet("songs.parquet")
filled = hl.complete(frame, labels="mood_*"{options})
filled.table.write_csv("songs.completed.csv")
print(filled)
{last}
"""


@dataclass(frozen=True)
class User:
    """A person with a raw file.

    Parameters
    ----------
    name : str
    command : tuple of str
        What completes the file.
    output : str
        The completed file.
    read : callable
        Returns the completed labels as an array of 1, 0 and NaN from the path of the output.
    given, truth : ndarray of shape (n_items, n_labels)
        The labels before, with NaN where they are hidden, and all of them.
    """

    name: str
    command: tuple[str, ...]
    output: str
    read: object
    given: np.ndarray
    truth: np.ndarray


def main():
    """Make the files, run the commands and print a table."""
    parser = make_parser(__doc__)
    parser.add_argument("--keep", type=Path, help="folder for the raw files; by default a temporary one")
    parser.add_argument("--users", nargs="+", default=list(USERS), choices=list(USERS), help="some of the users")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = args.keep or Path(temporary)
        folder.mkdir(exist_ok=True)
        print("| user | command | CPU s | wall s | right | printed | no everywhere | to review |")
        print("|---|---|--:|--:|--:|--:|--:|--:|")
        for name in args.users:
            user = USERS[name](folder, np.random.default_rng(0))
            for options in ((), CAREFUL):
                print(run(user, options, folder), flush=True)


def run(user, options, folder):
    """Run the command of a user and return a row of the table."""
    if user.command[0] == "notebook":
        code = NOTEBOOK.format(
            options=", min_precision=0.95" if options else "",
            last="filled.review().write_csv('review.csv')" if options else "",
        )
        command, shown = [sys.executable, "-c", code], "one cell in Python"
    else:
        command = [sys.executable, "-c", "from halflabel.cli import main; main()", *user.command, *options]
        shown = f"`halflabel {' '.join((*user.command, *options))}`"
    (folder / "review.csv").unlink(missing_ok=True)
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        return f"| {user.name} | {shown} | failed: {done.stderr.strip().splitlines()[-1]} | | | | | |"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    review = folder / "review.csv"  # of the notebook alone
    listed = len(pd.read_csv(review)) if review.exists() else ""
    right, no = describe_right(user, folder)
    printed = find_printed(done.stdout + done.stderr)
    return f"| {user.name} | {shown} | {cpu:.0f} | {wall:.0f} | {right} | {printed} | {no:.1%} | {listed} |"


def find_printed(text):
    """Return the sentence about wrong values that a command printed."""
    found = re.search(r"(?:About|Probably|How many)[^.]*? wrong\b[^.]*\.", " ".join(text.split()))
    return "none" if found is None else found[0]


def describe_right(user, folder):
    """Return the share of right values among those that were filled in, relevant and irrelevant apart, and of no."""
    state = user.read(folder / user.output)
    filled = np.isnan(user.given) & ~np.isnan(state)
    parts = []
    for value, word in ((1, "relevant"), (0, "irrelevant")):
        chosen = filled & (state == value)
        right = f"{(user.truth[chosen] == value).mean():.1%} of " if chosen.any() else ""
        parts.append(f"{right}{chosen.sum():,} {word}")
    right = (state[filled] == user.truth[filled]).mean()
    return f"{right:.1%}: {', '.join(parts)}", (user.truth[filled] == 0).mean()


# -- raw files -------------------------------------------------------------------------


def make_images(folder, rng):
    """Write vectors of images with one column per label; 15 % of the items are labelled."""
    data = load_set("scene")
    truth, names = data.Y.values(), list(data.label_names)
    given = hide_rows(truth, 0.85, rng)
    frame = pd.DataFrame(given, columns=names).astype("Int8")
    frame.insert(0, "image", [f"img_{i:05d}" for i in range(len(frame))])
    frame["url"] = [f"https://images.example.org/{i}.jpg" for i in range(len(frame))]
    frame["embedding"] = list(np.asarray(data.X, dtype=np.float32))
    frame.to_parquet(folder / "images.parquet", index=False)
    command = ("complete", "images.parquet", "--id", "image", "--set", "vectors=embedding", "--labels", ",".join(names))
    return User("images", command, "images.completed.parquet", read_columns(names, pd.read_parquet), given, truth)


def make_tickets(folder, rng, n=2000):
    """Write texts as a German Excel does; a third of the items is annotated and lacks 30 % of its tags."""
    data = load_set("tmc2007-500")
    rows = np.sort(rng.choice(data.X.shape[0], n, replace=False))
    truth, names = data.Y[rows].values(), [f"topic {j}" for j in range(len(data.label_names))]
    annotated = rng.uniform(size=n) < 1 / 3
    given = np.where((truth == 1) & annotated[:, None] & (rng.uniform(size=truth.shape) < 0.7), 1.0, np.nan)
    frame = pd.DataFrame({"Ticket": [f"T-{i}" for i in range(n)], "Text": write_texts(data, rows)})
    frame["Text"] = frame["Text"].where(rng.uniform(size=n) < 0.9, frame["Text"] + " 50 € zurück")
    frame["Tags"] = [", ".join(names[j] for j in np.flatnonzero(row == 1)) for row in given]
    text = frame.to_csv(index=False, sep=";", lineterminator="\r\n")
    (folder / "tickets.csv").write_bytes(text.encode("cp1252"))
    command = ("complete", "tickets.csv", "--id", "Ticket", "--text", "Text", "--tags", "Tags", "--absent", "unknown",
               "--set", "observed_rate=0.7")  # fmt: skip

    def read(path):
        completed = pd.read_csv(path, sep=";", encoding="cp1252")
        return spread(completed["Tags"].fillna("").map(lambda cell: [tag.strip() for tag in cell.split(",")]), names)

    return User("tickets", command, "tickets.completed.csv", read, given, truth)


def make_genes(folder, rng):
    """Write a table as `write.table` of R does: row names without a name, NA, TRUE and FALSE, and missing features."""
    data = load_set("yeast")
    truth, names = data.Y.values(), list(data.label_names)
    given = np.where(rng.uniform(size=truth.shape) < 0.4, np.nan, truth)
    X = np.where(rng.uniform(size=data.X.shape) < 0.0265, np.nan, data.X)
    header = " ".join(f'"{name}"' for name in [*data.feature_names, *names])
    words = {1.0: "TRUE", 0.0: "FALSE"}
    lines = [header]
    for i, (x, y) in enumerate(zip(X, given, strict=True)):
        numbers = ["NA" if np.isnan(v) else f"{v:.6g}" for v in x]
        lines.append(" ".join([f'"g{i}"', *numbers, *(words.get(v, "NA") for v in y)]))
    (folder / "genes.txt").write_text("\n".join(lines) + "\n")
    command = ("complete", "genes.txt", "--labels", "Class*")

    def read(path):
        completed = pd.read_csv(path, sep=r"\s+")
        return (
            completed[names].apply(lambda c: c.map({True: 1.0, False: 0.0, "TRUE": 1.0, "FALSE": 0.0})).to_numpy(float)
        )

    return User("genes", command, "genes.completed.txt", read, given, truth)


def make_songs(folder, rng):
    """Write features of songs that a notebook holds as a polars table."""
    data = load_set("emotions")
    truth = data.Y.values()
    names = [f"mood_{j}" for j in range(truth.shape[1])]
    given = hide_rows(truth, 0.6, rng)
    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    frame[names] = given
    frame.astype(dict.fromkeys(names, "Int8")).to_parquet(folder / "songs.parquet", index=False)
    return User("songs", ("notebook",), "songs.completed.csv", read_columns(names, pd.read_csv), given, truth)


def make_label_studio(folder, rng):
    """Write the JSON export of a Label Studio project: half of the tasks are annotated."""
    data = load_set("enron")
    truth = data.Y.values()
    names = [name.replace(".", " ") for name in data.label_names]
    given = hide_rows(truth, 0.5, rng)
    tasks = []
    for i, (text, row) in enumerate(zip(write_texts(data, range(len(truth))), given, strict=True)):
        task = {"id": i + 1, "data": {"text": text}, "annotations": []}
        if not np.isnan(row).any():
            chosen = {"choices": [names[j] for j in np.flatnonzero(row == 1)]}
            result = {"id": f"r{i}", "type": "choices", "from_name": "topics", "to_name": "text", "value": chosen}
            task["annotations"] = [{"id": i + 1, "completed_by": 1, "result": [result], "was_cancelled": False}]
        tasks.append(task)
    (folder / "export.json").write_text(json.dumps(tasks))
    command = ("complete", "export.json", "--text", "text", "--absent", "irrelevant")

    def read(path):
        state = given.copy()
        for task in json.loads(path.read_text()):
            i = int(task["data"]["item_id"]) - 1
            for prediction in task["predictions"]:
                # One question lists the relevant labels only: what is left open looks like irrelevant here.
                state[i] = np.isin(names, [each for r in prediction["result"] for each in r["value"]["choices"]])
        return state

    return User("Label Studio", command, "export.completed.json", read, given, truth)


def make_dataset(folder, rng):
    """Write a Hugging Face dataset: lists of class numbers, named in the metadata; half of them is null."""
    data = load_set("medical")
    truth, names = data.Y.values(), list(data.label_names)
    given = hide_rows(truth, 0.5, rng)
    lists = [None if np.isnan(row).any() else np.flatnonzero(row == 1).tolist() for row in given]
    feature = {"feature": {"names": names, "_type": "ClassLabel"}, "_type": "Sequence"}
    features = {"text": {"dtype": "string", "_type": "Value"}, "labels": feature}
    table = pa.table({"text": write_texts(data, range(len(truth))), "labels": pa.array(lists, pa.list_(pa.int64()))})
    metadata = {"huggingface": json.dumps({"info": {"features": features}})}
    pq.write_table(table.replace_schema_metadata(metadata), folder / "train.parquet")
    command = ("complete", "train.parquet", "--text", "text", "--tags", "labels", "--absent", "irrelevant")

    def read(path):
        cells = pd.read_parquet(path)["labels"]
        return spread(cells.map(lambda cell: [] if cell is None else [names[k] for k in cell]), names)

    return User("Hugging Face", command, "train.completed.parquet", read, given, truth)


USERS = {
    "images": make_images,
    "tickets": make_tickets,
    "genes": make_genes,
    "songs": make_songs,
    "label-studio": make_label_studio,
    "hugging-face": make_dataset,
}

# -- helpers ---------------------------------------------------------------------------


def hide_rows(truth, share, rng):
    """Return labels whose rows are missing with this probability."""
    return np.where(rng.uniform(size=(len(truth), 1)) < share, np.nan, truth)


def write_texts(data, rows):
    """Return the words of each item as a text."""
    names = np.array(data.feature_names, dtype=object)
    X = data.X[list(rows)]
    X = X.toarray() if hasattr(X, "toarray") else np.asarray(X)
    return [" ".join(names[row > 0]) or "empty" for row in X]


def read_columns(names, reader):
    """Return a reader of label columns."""
    return lambda path: reader(path)[names].to_numpy(dtype=float, na_value=np.nan)


def spread(lists, names):
    """Return lists of tags as one column of 1 and 0 per label."""
    return np.array([[float(name in tags) for name in names] for tags in lists])


if __name__ == "__main__":
    main()
