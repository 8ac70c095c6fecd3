"""From a raw file of eight kinds of users to a completed table: the error of a first command, and the right command.

    python benchmarks/raw_files.py

Raw files are made of public sets with the mess that such files have: a survey (ticks, codes, two header lines), a
database, gene annotations with NOT, records with the scores of a language model, vectors with labels in another file,
a table of a musician with a title and a total, a table in Python, pictures with COCO. For each file the script runs the
first command of a newcomer and prints the error, if it is one; then the command that the errors and notes lead to. It
prints CPU and wall seconds, the share of right values among those that were filled in, the one that the command
printed with its band, and that of "no everywhere".
"""

from __future__ import annotations

import json
import os
import re
import resource
import sqlite3
import subprocess
import sys
import tempfile
import time
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from _common import load_set, make_parser

from halflabel.datasets import load_digits_tags

MAIN = "from halflabel.cli import main; main()"
CELL = """
import halflabel as hl, pandas as pd
frame = pd.read_parquet("table.parquet")
filled = hl.complete(frame, labels={labels})
filled.table.to_csv("table.completed.csv", index=False)
print(filled)
"""


@dataclass(frozen=True)
class User:
    """A person with a raw file: the first and the right command, and what is known and true of each entry."""

    first: tuple[str, ...]
    command: tuple[str, ...]
    read: object  #: From the folder to the completed labels, 1, 0 and NaN.
    given: np.ndarray
    truth: np.ndarray


def main():
    """Make the files, run the commands and print a table."""
    parser = make_parser(__doc__)
    parser.add_argument("--users", nargs="+", default=list(USERS), choices=list(USERS), help="some of the users")
    args = parser.parse_args()
    print("| user | command | CPU s | wall s | right | printed | no everywhere |\n|---|---|--:|--:|--:|--:|--:|")
    for name in args.users:
        with tempfile.TemporaryDirectory() as folder:
            user = USERS[name](Path(folder), np.random.default_rng(0))
            if user.first:
                printed = call([sys.executable, "-c", MAIN, *user.first], folder).stderr.strip().splitlines()
                print(f"| {name}, first | `{' '.join(user.first)}`: {printed[-1] if printed else '-'} | | | | | |")
            print(run(name, user, Path(folder)), flush=True)


def call(command, folder):
    """Run a command in a folder, with one thread."""
    return subprocess.run(
        command, cwd=folder, capture_output=True, text=True, env={**os.environ, "OMP_NUM_THREADS": "1"}
    )


def run(name, user, folder):
    """Run the right command of a user and return a row of the table."""
    is_cell = user.command[0] == "-c"
    command = [sys.executable, *user.command] if is_cell else [sys.executable, "-c", MAIN, *user.command]
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = call(command, folder)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    shown = "one cell in Python" if is_cell else f"`{' '.join(user.command)}`"
    if done.returncode:
        return f"| {name} | {shown} | failed: {done.stderr.strip().splitlines()[-1]} | | | | |"
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    state = user.read(folder)
    filled = np.isnan(user.given) & ~np.isnan(state) & ~np.isnan(user.truth)
    right, no = (state[filled] == user.truth[filled]).mean(), (user.truth[filled] == 0).mean()
    changed = (state[~np.isnan(user.given)] != user.given[~np.isnan(user.given)]).sum()
    found = f"{right:.1%} of {filled.sum():,}" + (f", {changed} given entries changed" if changed else "")
    printed = find_printed(done.stdout + done.stderr)
    return f"| {name} | {shown} | {cpu:.0f} | {wall:.0f} | {found} | {printed} | {no:.1%} |"


def make_survey(folder, rng):
    """Write an export with two header lines, ticks of 1 or blank, -99 for no answer, and people who were not asked."""
    data = load_set("emotions")
    truth, n = data.Y.values(), len(data.Y)
    names = [f"Q12_{j + 1}" for j in range(truth.shape[1])]
    asked, answered = rng.uniform(size=n) < 0.6, rng.uniform(size=n) < 0.95
    known = asked & answered & (truth == 1).any(axis=1)
    given = np.where(known[:, None], truth, np.nan)
    X = np.asarray(data.X)[:, :20]
    frame = pd.DataFrame(np.round(X, 2), columns=[f"Q{j}" for j in range(20)]).astype(object)
    frame.iloc[rng.choice(n, 30, replace=False), 3] = -99
    frame.insert(0, "ResponseId", [f"R_{i:05d}" for i in range(n)])
    for j, name in enumerate(names):
        ticks = pd.Series(np.where(given[:, j] == 1, "1", ""), dtype=object)
        frame[name] = ticks.where(answered | ~asked, "-99")
    questions = pd.DataFrame([[f"Question text of {name}?" for name in frame]], columns=frame.columns)
    pd.concat([questions, frame]).to_csv(folder / "survey.csv", index=False)
    base = ("complete", "survey.csv", "--id", "ResponseId", "--labels", "Q12_*")
    more = (
        "--set",
        "skip_rows=2",
        "--set",
        "no=",
        "--set",
        "unknown=-99",
        "--set",
        "empty=unlabelled",
        "--set",
        "missing=-99",
    )

    def read(place):
        done = pd.read_csv(place / "survey.completed.csv", dtype=str, keep_default_na=False)
        done = done[done["ResponseId"].str.startswith("R_")]
        return done[names].replace({"": "0", "-99": "nan"}).to_numpy(dtype=float)

    return User(base, (*base, *more), read, given, truth)


def make_database(folder, rng):
    """Write a shop: items, tags, and rows of items and tags by id; 40 % of the items have tags."""
    data = load_set("scene")
    truth = data.Y.values()
    names = [str(name) for name in data.label_names]
    given = hide_rows(truth, 0.6, rng)
    X = np.asarray(data.X)[:, ::3]
    columns = ", ".join(f"x{j} REAL" for j in range(X.shape[1]))
    with closing(sqlite3.connect(folder / "shop.db")) as base:
        base.execute(f"CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT, {columns})")
        base.execute("CREATE TABLE tags (id INTEGER PRIMARY KEY, name TEXT)")
        base.execute("CREATE TABLE item_tags (id INTEGER PRIMARY KEY, item_id INTEGER REFERENCES items(id), "
                     "tag_id INTEGER REFERENCES tags(id), added_by TEXT)")  # fmt: skip
        marks = ", ".join("?" * (X.shape[1] + 2))
        rows = [(i + 1, f"item {i}", *map(float, row)) for i, row in enumerate(X)]
        base.executemany(f"INSERT INTO items VALUES ({marks})", rows)
        base.executemany("INSERT INTO tags VALUES (?, ?)", [(j + 1, name) for j, name in enumerate(names)])
        pairs = [(int(i) + 1, int(j) + 1, "ana") for i, j in np.argwhere(given == 1)]
        base.executemany("INSERT INTO item_tags (item_id, tag_id, added_by) VALUES (?, ?, ?)", pairs)
        base.commit()

    def read(place):
        with closing(sqlite3.connect(place / "shop.db")) as base:
            added = pd.read_sql("SELECT * FROM halflabel_tags", base)
        state = given.copy()
        for row in added[added["source"] == "filled"].itertuples():
            state[int(row.item) - 1, names.index(row.tag)] = float(row.probability >= 0.5)
        return np.where(np.isnan(state), 0, state)

    command = ("complete", "shop.db", "--set", "items_table=items", "--tags", "item_tags", "--absent", "irrelevant")
    return User(("complete", "shop.db"), (*command, "--report", "none", "-o", "shop.db"), read, given, truth)


def make_genes(folder, rng):
    """Write expression values, and annotations with NOT; 5 % of the annotated genes were never measured."""
    data = load_set("yeast")
    truth = data.Y.values()
    names = [f"GO:{1000 + j:07d}" for j in range(truth.shape[1])]
    shown = rng.uniform(size=truth.shape) < np.where(truth == 1, 0.7, 0.3)
    given = np.where(shown, truth, np.nan)
    genes = [f"Y{i:05d}" for i in range(len(truth))]
    measured = rng.uniform(size=len(truth)) < 0.95
    frame = pd.DataFrame(np.asarray(data.X), columns=[f"c{j}" for j in range(data.X.shape[1])])
    frame.insert(0, "gene", genes)
    frame[measured].to_csv(folder / "expression.csv", index=False)
    lines = ["!gaf-version: 2.2"]
    for i, j in np.argwhere(~np.isnan(given)):
        qualifier = "involved_in" if given[i, j] == 1 else "NOT|involved_in"
        lines.append("\t".join(["SGD", genes[i], genes[i], qualifier, names[j], "PMID:1", "IDA", "", "P", "", "",
                                "protein", "taxon:559292", "20240101", "SGD", "", ""]))  # fmt: skip
    (folder / "sgd.gaf").write_text("\n".join(lines) + "\n")
    base = ("complete", "expression.csv", "--id", "gene", "--set", "pairs=sgd.gaf")
    gaf = ("on=symbol", "tag=go_id", "value=value")
    command = (*base, *(word for key in gaf for word in ("--set", key)), "--absent", "unknown")
    keep = np.flatnonzero(measured)
    read = read_columns(names, pd.read_csv)
    return User(base, command, lambda place: read(place / "expression.completed.csv"), given[keep], truth[keep])


def make_records(folder, rng):
    """Write JSON lines with texts, the tags of people for a third, and the scores of a language model for all."""
    data = load_set("medical")
    truth = data.Y.values()[:, np.asarray(data.Y.values()).sum(axis=0) >= 10]
    names = [f"t{j}" for j in range(truth.shape[1])]
    given = hide_rows(truth, 0.67, rng)
    scores = np.clip(0.15 + 0.6 * truth + rng.normal(0, 0.2, truth.shape), 0.01, 0.99)
    with (folder / "tagged.jsonl").open("w") as file:
        for i, text in enumerate(write_texts(data, range(len(truth)))):
            tags = None if np.isnan(given[i]).any() else [names[j] for j in np.flatnonzero(given[i])]
            llm = {"tags": {name: round(float(score), 3) for name, score in zip(names, scores[i], strict=True)}}
            file.write(json.dumps({"id": f"d{i}", "text": text, "human_tags": tags, "llm": llm}) + "\n")
    base = ("complete", "tagged.jsonl", "--text", "text", "--tags", "human_tags")

    def read(place):
        lists = [json.loads(line)["human_tags"] or [] for line in (place / "tagged.completed.jsonl").open()]
        return spread(lists, names)

    return User(base, (*base, "--absent", "irrelevant", "--set", "prior_field=llm.tags"), read, given, truth)


def make_vectors(folder, rng, n=20_000):
    """Write vectors of 64 numbers, and labels of 5 % of the rows in another file, by row number."""
    X = rng.normal(size=(n, 64)).astype(np.float32)
    truth = ((X[:, :6] + X[:, 6:12] + rng.normal(size=(n, 6))) > 1.5).astype(float)
    names = [f"tag_{j}" for j in range(6)]
    given = hide_rows(truth, 0.95, rng)
    np.save(folder / "emb.npy", X)
    labels = pd.DataFrame(given, columns=names)
    labels.insert(0, "row", range(n))
    labels.dropna().astype(int).to_csv(folder / "labels.csv", index=False)
    command = ("complete", "emb.npy", "--set", "labels_file=labels.csv", "--set", "on=row", "--labels", "tag_*")
    read = read_columns(names, pd.read_csv)
    return User(("complete", "emb.npy"), (*command, "-o", "done.csv"), lambda place: read(place / "done.csv"), given,
                truth)  # fmt: skip


def make_musician(folder, rng):
    """Write a table as a German Excel does: a title, decimal commas, Latin-1, a total row; half of it has tags."""
    data = load_set("msrc")
    truth = data.Y.values()
    names = [f"Tag: {name}" for name in data.label_names]
    given = hide_rows(truth, 0.5, rng)
    frame = pd.DataFrame(np.asarray(data.X, dtype=float)[:, :60].round(4), columns=[f"Maß {j}" for j in range(60)])
    total = ["Summe", *(str(value).replace(".", ",") for value in frame.sum().round(4)), *[""] * len(names)]
    frame.insert(0, "Titel", [f"Stück {i}" for i in range(len(frame))])
    frame[names] = pd.DataFrame(given).astype("Int8")
    table = frame.to_csv(index=False, sep=";", decimal=",", lineterminator="\r\n")
    text = f"Meine Stücke, Stand 2024\r\n\r\n{table}{';'.join(total)}\r\n"
    (folder / "musik.csv").write_bytes(text.encode("cp1252"))
    base = ("complete", "musik.csv", "--labels", "Tag:*")

    def read(place):
        done = pd.read_csv(place / "musik.completed.csv", sep=";", decimal=",", encoding="cp1252")
        return done[names].to_numpy(dtype=float)[: len(given)]

    return User(base, (*base, "--id", "Titel", "--set", "skip_rows=1-2,last"), read, given, truth)


def make_frame(folder, rng, n=1500):
    """Write a table of frog calls for a cell in Python."""
    data = load_set("frogs")
    rows = np.sort(rng.choice(len(data.Y), n, replace=False))
    truth, names = data.Y[rows].values(), [str(name) for name in data.label_names]
    given = hide_rows(truth, 0.6, rng)
    X = pd.DataFrame(np.asarray(data.X, dtype=float)[rows], columns=[str(name) for name in data.feature_names])
    X.assign(**{name: given[:, j] for j, name in enumerate(names)}).to_parquet(folder / "table.parquet", index=False)
    read = read_columns(names, pd.read_csv)
    return User((), ("-c", CELL.format(labels=names)), lambda place: read(place / "table.completed.csv"), given, truth)


def make_pictures(folder, rng, n=600):
    """Write pictures and a COCO file with classes of a third of them."""
    from PIL import Image

    digits = load_digits_tags()
    truth, names = digits.Y.values()[:n], [str(name) for name in digits.label_names]
    given = hide_rows(truth, 0.67, rng)
    given[~(truth == 1).any(axis=1)] = np.nan
    (folder / "pictures").mkdir()
    for i in range(n):
        pixels = (255 - 15.9 * np.asarray(digits.X[i]).reshape(8, 8)).astype(np.uint8)
        Image.fromarray(pixels).resize((64, 64)).save(folder / "pictures" / f"{i:04d}.png")
    images = [{"id": i, "file_name": f"pictures/{i:04d}.png", "width": 64, "height": 64} for i in range(n)]
    pairs = enumerate(np.argwhere(given == 1).tolist())
    annotations = [{"id": k, "image_id": i, "category_id": j, "bbox": [0, 0, 64, 64]} for k, (i, j) in pairs]
    categories = [{"id": j, "name": name} for j, name in enumerate(names)]
    content = {"images": images, "annotations": annotations, "categories": categories}
    (folder / "instances.json").write_text(json.dumps(content))
    base = ("complete", "instances.json", "--set", "images=file_name")

    def read(place):
        done = json.loads((place / "instances.completed.json").read_text())
        state = np.zeros(given.shape)
        at = {image["id"]: int(Path(image["file_name"]).stem) for image in done["images"]}
        named = {category["id"]: names.index(category["name"]) for category in done["categories"]}
        for each in done["annotations"]:
            state[at[each["image_id"]], named[each["category_id"]]] = 1
        return state

    return User(base, (*base, "--absent", "irrelevant"), read, given, truth)


USERS = {
    "survey": make_survey,
    "database": make_database,
    "genes with NOT": make_genes,
    "scores of a model": make_records,
    "20,000 vectors": make_vectors,
    "musician": make_musician,
    "in Python": make_frame,
    "pictures": make_pictures,
}


def find_printed(text):
    """Return the sentence about wrong values that a command printed."""
    found = re.search(r"(?:About|Probably|How many)[^.]*? wrong\b[^.]*\.", " ".join(text.split()))
    return "none" if found is None else found[0]


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
