"""The last fit on the disk: equal after a restart, and nothing at all if the file is damaged or of another table."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.review_page.serving import make_session, make_table

from halflabel.review_page.choosing import choose_next
from halflabel.review_page.stored import ARRAYS, FitStore


@pytest.fixture
def written(tmp_path, make_fit, rng):
    known = rng.choice([0, 1, -1], size=(30, 4)).astype(np.int8)
    fit = make_fit(known, rng.random((30, 4)), flip_rates=np.full((2, 4), 0.1))
    points = rng.integers(0, 65536, size=60).astype("<u2").tobytes()
    store = FitStore(tmp_path / "a.jsonl", "table", {"effort": "fast"})
    store.keep(fit, points)
    return store, fit, points


def test_a_fit_and_a_map_come_back_as_they_were(written):
    store, fit, points = written
    again, map_again = store.restore((30, 4))
    assert map_again == points
    for name in ARRAYS:
        assert np.array_equal(getattr(again, name), getattr(fit, name)), name
    assert np.array_equal(again.flip_rates, fit.flip_rates)
    assert (again.name, again.expected, again.effort) == (fit.name, fit.expected, fit.effort)
    assert store.path.stat().st_mode & 0o77 == 0


def test_nothing_comes_back_for_another_table_setting_or_size(written):
    store, _, _ = written
    journal = store.path.with_name("a.jsonl")
    assert FitStore(journal, "table", {"effort": "fast"}).restore((30, 4)) is not None
    assert FitStore(journal, "other", {"effort": "fast"}).restore((30, 4)) is None
    assert FitStore(journal, "table", {}).restore((30, 4)) is None
    assert FitStore(journal.with_name("absent.jsonl"), "table", {"effort": "fast"}).restore((30, 4)) is None
    assert store.restore((29, 4)) is None


@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_changed_byte_changes_nothing_or_everything(written, place, byte):
    store, fit, _ = written
    content = bytearray(store.path.read_bytes())
    content[place % len(content)] ^= byte
    changed = FitStore(store.path.with_name("changed.jsonl"), "table", {"effort": "fast"})
    changed.path.write_bytes(content)
    found = changed.restore((30, 4))
    assert found is None or np.array_equal(found[0].p, fit.p)  # a byte of the container that no array depends on


def test_a_restart_asks_by_the_last_fit_but_audits_wait(tmp_path, make_fit):
    path = tmp_path / "songs.review.jsonl"
    first = make_session(path, fit=make_fit)
    asked = choose_next(first, "uncertain", 5, None, None, np.array([], dtype=np.intp))
    first.close()
    assert first.store.path.exists()
    again = make_session(path)
    again._restore()
    assert choose_next(again, "uncertain", 5, None, None, np.array([], dtype=np.intp)) == asked
    with pytest.raises(ValueError, match="when the running fit has ended"):
        again.begin_audit(5, "all", "k")
    again.receive("fit", first.fit)
    again.begin_audit(5, "all", "k")
    again.close()
    changed = make_session(path, make_table(n=30))
    changed._restore()
    assert changed.fit is None
    changed.close()
