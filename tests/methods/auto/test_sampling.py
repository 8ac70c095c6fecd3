"""Generators by stream, and samples of rows."""

from __future__ import annotations

import zlib

import numpy as np
import pytest

from halflabel.methods.auto.sampling import Stream, draw, make_rng


def test_a_generator_belongs_to_its_seed_and_its_stream():
    first = make_rng(1, Stream.TREES).random(3).tolist()
    assert make_rng(1, Stream.TREES).random(3).tolist() == first
    assert make_rng(2, Stream.TREES).random(3).tolist() != first
    assert make_rng(1, Stream.FOLDS).random(3).tolist() != first


def test_the_number_of_a_stream_decides_and_each_fold_has_a_generator():
    assert len({stream.value for stream in Stream}) == len(Stream.__members__)
    # The numbers of the version before: names of streams were hashed, so that none could be changed.
    of_name = np.random.default_rng([1, zlib.crc32(b"growing trees, fold 3")])
    assert make_rng(1, Stream.TREES, 3).random() == of_name.random()
    assert make_rng(1, Stream.SURROGATE).random() == np.random.default_rng([1, zlib.crc32(b"stand-in")]).random()
    assert make_rng(1, Stream.TREES, 3).random() != make_rng(1, Stream.TREES, 4).random()


@pytest.mark.parametrize("max_rows", [9, 10, 11])
def test_a_sample_holds_no_row_twice_and_keeps_the_order(max_rows, rng):
    rows = np.arange(10) * 3
    found = draw(rows, max_rows, rng)
    assert len(found) == min(max_rows, 10)
    assert (np.diff(found) > 0).all()
    assert np.isin(found, rows).all()
    assert (found is rows) == (max_rows >= 10)
