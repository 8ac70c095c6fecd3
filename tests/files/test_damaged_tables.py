"""Whatever happens to the bytes of a file, the reader returns a table or raises its one sentence."""

import gzip
import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pyarrow import parquet as pq

from halflabel.files.raw_table import RawTable, ReadError
from halflabel.files.reading import read_table

CSV = b'id,x,name,rock\n007,1.5,"a, b",1\n008,,c,0\n'


def npy():
    np.save(buffer := io.BytesIO(), np.zeros((3, 2)))
    return buffer.getvalue()


def parquet():
    pd.DataFrame({"a": [1, 2], "b": ["x", "y"]}).to_parquet(buffer := io.BytesIO())
    return buffer.getvalue()


SOUND = {
    "a.csv": CSV,
    "b.csv.gz": gzip.compress(CSV + CSV.partition(b"\n")[2] * 19),
    "a.npy": npy(),
    "a.parquet": parquet(),
}
PIECES = st.binary(max_size=2) | st.text("',\"{}?% :;0123456789.-\\\\e@\n", max_size=3).map(str.encode)


def error_of(path):
    try:
        assert isinstance(read_table(path), RawTable)
    except ReadError as error:
        return str(error)
    return None


@pytest.mark.parametrize("name", SOUND)
def test_what_is_sound_is_read(tmp_path, name):
    (tmp_path / name).write_bytes(SOUND[name])
    assert error_of(tmp_path / name) is None


@pytest.mark.parametrize("name", SOUND)
@given(damage=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 4), PIECES), min_size=1, max_size=3))
def test_damage_gives_a_table_or_a_sentence(tmp_path_factory, name, damage):
    content = SOUND[name]
    for where, removed, inserted in damage:
        at = int(where * len(content))
        content = content[:at] + inserted + content[at + removed :]
    path = tmp_path_factory.mktemp("damage") / name
    path.write_bytes(content)
    error_text = error_of(path)
    assert error_text is None or (error_text.startswith(str(path)) and "\n" not in error_text)


LISTS = pa.table({"a": pa.array([[0] * 100_000], pa.list_(pa.int64()))})


def test_a_list_of_numbers_is_counted_before_it_is_decoded(tmp_path, monkeypatch):
    """Run lengths hide the size of equal numbers, and one row may hold all of them."""
    path = tmp_path / "a.parquet"
    pq.write_table(LISTS, path)
    assert path.stat().st_size < 2000
    assert len(read_table(path).frame["a"][0]) == 100_000
    monkeypatch.setattr("halflabel.files.parquet.size_limit", lambda: 700_000)
    monkeypatch.setattr("pyarrow.parquet.ParquetFile.iter_batches", lambda *_, **__: pytest.fail("decoded"))
    with pytest.raises(ReadError, match=r"unpacks to more than 800,00. bytes, above the limit of 700,000"):
        read_table(path)


def test_statistics_that_end_pyarrow_are_an_error():
    """A number in the list of definition levels is cut: pyarrow ends the process that asks for its columns."""
    damaged = Path(__file__).parents[1] / "fuzz" / "crashes" / "parquet-114fe1b6732d.parquet"
    with pytest.raises(ReadError, match="it cannot be read as Parquet"):
        read_table(damaged)
