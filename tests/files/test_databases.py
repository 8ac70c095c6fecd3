"""Databases: tables, queries, tags in tables of their own, and suggestions that are added in one transaction."""

import os
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing

import numpy as np
import pandas as pd
import pytest
from tests.cli.conftest import run

import halflabel as hl
from halflabel.cli.termination import Terminated, raise_on_sigterm
from halflabel.files import ReadError, read_table
from halflabel.files.registry import TABLES
from halflabel.files.sqlite import SUGGESTIONS

SCHEMA = """
CREATE TABLE items (id INTEGER PRIMARY KEY, name VARCHAR, price DOUBLE, weight DOUBLE);
CREATE TABLE tags (id INTEGER PRIMARY KEY, name VARCHAR);
CREATE TABLE item_tags (
    id INTEGER, item_id INTEGER REFERENCES items(id), tag_id INTEGER REFERENCES tags(id), added_by VARCHAR
);
CREATE VIEW cheap AS SELECT * FROM items WHERE price < 0;
"""


def connect(path):
    return closing(sqlite3.connect(path))


def fill(path, n=60):
    """Write a shop: items of two kinds, two thirds of them with tags by id."""
    rng = np.random.default_rng(0)
    with connect(path) as database:
        for statement in SCHEMA.strip().split(";\n"):
            database.execute(statement)
        high = rng.random(n) < 0.5
        prices = np.where(high, 2, -2) + rng.normal(size=n)
        rows = [(i, f"it's {i}", float(prices[i]), float(rng.normal())) for i in range(n)]
        database.executemany("INSERT INTO items VALUES (?, ?, ?, ?)", rows)
        database.executemany("INSERT INTO tags VALUES (?, ?)", [(7, "dear"), (8, "cheap")])
        pairs = [(100 + i, i, 7 if high[i] else 8, "me") for i in range(n * 2 // 3)]
        database.executemany("INSERT INTO item_tags VALUES (?, ?, ?, ?)", pairs)
        database.commit()
    return high


@pytest.fixture
def shop(tmp_path):
    fill(tmp_path / "shop.db")
    return tmp_path / "shop.db"


def dump(path):
    """Return everything in a database but the table of suggestions."""
    with connect(path) as database:
        return [line for line in database.iterdump() if SUGGESTIONS not in line]


def test_a_table_and_a_view_are_read(shop):
    raw = read_table(shop, items_table="ITEMS")
    assert (raw.format, raw.table, raw.id) == ("sqlite", "items", "id")
    assert raw.frame.columns.tolist() == ["id", "name", "price", "weight"]
    assert len(raw) == 60
    view = read_table(shop, items_table="cheap").frame
    cheap = raw.frame[raw.frame["price"] < 0].reset_index(drop=True)
    pd.testing.assert_frame_equal(view, cheap)
    assert 0 < len(view) < 60


def test_which_table_is_asked_where_there_are_several(shop, tmp_path):
    for stated in ({}, {"items_table": "itms"}):
        with pytest.raises(ReadError, match=r"'items'.*name the table of the items with items_table='NAME'"):
            read_table(shop, **stated)
    with closing(sqlite3.connect(tmp_path / "one.sqlite")) as database:
        database.execute("CREATE TABLE only (a, b)")
        database.execute("INSERT INTO only VALUES (1, 2)")
        database.commit()
    assert read_table(tmp_path / "one.sqlite").frame.to_dict("list") == {"a": [1], "b": [2]}


@pytest.mark.parametrize("function", ["load_extension('x')", "writefile('w', 'x')", "readfile('/etc/passwd')"])
def test_a_view_reads_and_writes_no_other_file(shop, function):
    with closing(sqlite3.connect(shop)) as database:
        database.execute(f"CREATE VIEW sly AS SELECT {function} AS a")
    before, files = shop.read_bytes(), sorted(shop.parent.iterdir())
    with pytest.raises(ReadError, match=r"shop\.db: "):
        read_table(shop, items_table="sly")
    assert shop.read_bytes() == before
    assert sorted(shop.parent.iterdir()) == files


def test_a_view_that_would_not_end_in_memory_is_an_error(shop, monkeypatch):
    monkeypatch.setattr("halflabel.files.sqlite.size_limit", lambda: 100_000)
    with closing(sqlite3.connect(shop)) as database:
        database.execute("CREATE VIEW large AS SELECT a.* FROM items a, items b, items c")
    with pytest.raises(ReadError, match="100,000 bytes, the limit"):
        read_table(shop, items_table="large")


ENDLESS = "WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r) SELECT count(*) AS n FROM r"


@pytest.fixture
def endless(tmp_path):
    """Return a database whose only view never ends."""
    with closing(sqlite3.connect(tmp_path / "endless.db")) as database:
        database.execute(f"CREATE VIEW v AS {ENDLESS}")
        database.commit()
    return tmp_path / "endless.db"


def test_a_view_that_never_ends_is_an_error(endless, monkeypatch):
    monkeypatch.setattr("halflabel.files.sqlite.MAX_STEPS", 3_000_000)
    with pytest.raises(ReadError, match="more than 3,000,000 steps, the limit: read a table, not a view"):
        read_table(endless)


@pytest.mark.parametrize(("number", "expected"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, Terminated)])
def test_a_signal_ends_a_view_that_never_ends(endless, number, expected, monkeypatch):
    """The signal comes from inside the query, at the first of its periods."""

    class Periods:
        def __init__(self, start):
            self.number = start - 1

        def __next__(self):
            self.number += 1
            if self.number == 1:
                os.kill(os.getpid(), number)
            return self.number

    monkeypatch.setattr("halflabel.files.sqlite.count_up", Periods)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores it
    try:
        with pytest.raises(expected), raise_on_sigterm():
            read_table(endless)
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize("n_columns", [1, 10])
def test_all_cells_of_a_row_together_are_limited(tmp_path, n_columns, monkeypatch):
    monkeypatch.setattr("halflabel.files.sqlite.size_limit", lambda: 100_000)
    cells = ", ".join(f"zeroblob({200_000 // n_columns}) AS c{j}" for j in range(n_columns))
    with closing(sqlite3.connect(tmp_path / "wide.db")) as database:
        database.execute(f"CREATE VIEW v AS SELECT {cells}")
        database.commit()
    with pytest.raises(ReadError, match=f"a cell takes more than {100_000 // n_columns:,} bytes, the limit"):
        read_table(tmp_path / "wide.db")


def test_tags_in_tables_of_their_own_are_found_by_the_keys_of_the_database(shop):
    opened = hl.open_table(shop, items_table="items", tags="item_tags", absent="irrelevant")
    assert opened.labels.names == ("cheap", "dear")
    assert opened.labels.unlabelled.sum() == 20
    assert opened.index.tolist() == list(range(60))
    assert "2 labels in 'tag_id' (40 pairs)." in opened.notes
    assert sum(number for _, number in opened.reading.counts) == 40
    by_hand = hl.open_table(
        shop, items_table="items", id="id", pairs="item_tags", on="item_id", tag="tag_id", tag_names="tags",
        absent="irrelevant",
    )  # fmt: skip
    np.testing.assert_array_equal(by_hand.labels.state, opened.labels.state)


@pytest.mark.usefixtures("small_forests")
def test_suggestions_are_added_and_nothing_else_changes(shop):
    before = dump(shop)
    filled = hl.complete(hl.open_table(shop, items_table="items", tags="item_tags", absent="irrelevant"), effort="fast")
    for _ in range(2):  # a second time, they are replaced
        sentences = filled.write(shop)
        assert sentences == (f"{60} rows in the table 'halflabel_tags' of shop.db; no other table was changed.",)
    assert dump(shop) == before
    written = read_table(shop, items_table=SUGGESTIONS).frame
    assert written.columns.tolist() == ["item", "tag", "source", "probability"]
    assert (written["source"] == "given").sum() == 40
    expected = filled.probabilities.stack().loc[list(zip(written["item"], written["tag"], strict=True))]
    np.testing.assert_allclose(written["probability"], expected.to_numpy())
    assert {*written["item"]} <= {*read_table(shop, items_table="items").frame["id"]}


def test_a_table_of_the_user_with_that_name_stays(shop):
    with connect(shop) as database:
        database.execute(f"CREATE TABLE {SUGGESTIONS} (mine INTEGER)")
        database.execute(f"INSERT INTO {SUGGESTIONS} VALUES (1)")
        database.commit()
    pairs = pd.DataFrame({"item": [1], "tag": ["a"], "source": ["filled"], "probability": [0.5]})
    with pytest.raises(ReadError, match="its table 'halflabel_tags' is not one of halflabel"):
        TABLES["sqlite"].append(pairs, shop)
    assert read_table(shop, items_table=SUGGESTIONS).frame["mine"].tolist() == [1]


def test_a_locked_database_is_as_it_was(shop):
    with closing(sqlite3.connect(shop)) as other:
        other.execute("BEGIN EXCLUSIVE")
        with pytest.raises(ReadError, match="locked"):
            read_table(shop, items_table="items")


def test_damaged_databases_are_one_sentence(shop):
    whole = shop.read_bytes()
    rng = np.random.default_rng(1)
    for _ in range(20):
        content = bytearray(whole[: rng.integers(20, len(whole))] if rng.random() < 0.5 else whole)
        for place in rng.integers(16, len(content), 30):
            content[place] = rng.integers(256)
        shop.write_bytes(content)
        error = None
        try:
            read_table(shop, items_table="items")
        except ReadError as raised:
            error = str(raised)
        assert error is None or error.startswith(f"{shop}: ")


@pytest.mark.slow
def test_a_kill_at_any_point_leaves_all_or_nothing(tmp_path):
    """A process that writes 100 000 pairs is killed at moments over the whole time that the writing takes."""
    path = tmp_path / "shop.db"
    fill(path)
    before = dump(path)
    script = (
        "import sys, pandas as pd; from pathlib import Path; from halflabel.files.registry import TABLES\n"
        "n = int(sys.argv[2]); pairs = pd.DataFrame({'item': range(n), 'tag': ['a'] * n, 'source': ['filled'] * n, "
        "'probability': [.5] * n})\n"
        "print('ready', flush=True); TABLES['sqlite'].append(pairs, Path(sys.argv[1])); print('done', flush=True)"
    )
    command = [sys.executable, "-c", script, str(path)]

    def start(n):
        process = subprocess.Popen([*command, str(n)], stdout=subprocess.PIPE, text=True, env=os.environ)
        process.stdout.readline()
        return process

    began = time.monotonic()
    with start(100_000) as process:
        process.wait(120)
    length = time.monotonic() - began
    counts = [100_000]
    for k in range(9):
        n = 100_000 + k + 1
        with start(n) as process:
            if k < 8:  # the last one may end
                time.sleep(length * k / 8)
                process.send_signal(signal.SIGKILL)
            process.wait(120)
        assert dump(path) == before
        found = len(read_table(path, items_table=SUGGESTIONS))
        assert found in (counts[-1], n)
        counts.append(found)
    assert len(set(counts)) > 1
    assert len(set(counts)) < len(counts)  # some were killed before the end


@pytest.mark.parametrize("scheme", ["postgresql", "postgres", "postgresql+psycopg", "mysql", "https", "s3"])
def test_an_address_is_an_error_with_a_command_that_does_not_repeat_the_password(scheme, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    address = f"{scheme}://ana:secret@db.example.org:5432/shop"
    result = run("complete", address, "--labels", "rock", "-o", "out.csv")
    with pytest.raises(ReadError, match=r"the address of a server .* is not read: .*items\.(csv|tsv)") as error:
        hl.open_table(address, labels="rock")
    for text in (str(error.value), result.output):
        assert "the address of a server" in text
        assert "secret" not in text
    assert list(tmp_path.iterdir()) == []
