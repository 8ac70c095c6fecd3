"""t-SNE by openTSNE on our own neighbours."""

from __future__ import annotations

import signal
import threading
import time
from types import SimpleNamespace

import numpy as np
import pytest
from openTSNE import TSNEEmbedding

from halflabel.numerics.layout import tsne
from halflabel.numerics.layout.tsne import lay_out


def two_groups(rng, n=40):
    return np.vstack([rng.normal(size=(n, 4)), rng.normal(size=(n, 4)) + 12])


def test_groups_stay_apart_and_one_seed_has_one_result(rng):
    Z = two_groups(rng)
    start = Z[:, :2] - Z[:, :2].mean(axis=0)
    drawn = lay_out(Z, start, 3)
    first, second = (part - part.mean(axis=0) for part in (drawn[:40], drawn[40:]))
    radius = max(np.linalg.norm(part, axis=1).max() for part in (first, second))
    assert np.linalg.norm(drawn[:40].mean(axis=0) - drawn[40:].mean(axis=0)) > radius
    np.testing.assert_array_equal(lay_out(Z, 1024 * start, 3), drawn)  # the scale of the start has no effect


def test_duplicates_and_a_flat_start_have_a_layout():
    Z = np.repeat(np.eye(3), 4, axis=0)
    assert np.isfinite(lay_out(Z, np.zeros((12, 2)), 0)).all()


class Recorder:
    """In place of openTSNE's embedding: it keeps what it is given, and moves nothing."""

    def __init__(self, start, affinities, **settings):
        self.start, self.affinities, self.settings, self.phases = start, affinities, settings, []
        Recorder.last = self

    def optimize(self, n_iter, callbacks, callbacks_every_iters, **phase):
        assert threading.current_thread() is not threading.main_thread()
        assert not threading.current_thread().daemon  # the end of the interpreter aborts these in compiled code
        assert (callbacks(), callbacks_every_iters) == (False, 10)
        self.phases.append((n_iter, phase))
        return self

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.start, dtype)


@pytest.mark.parametrize(("n", "method"), [(5000, "bh"), (5001, "fft")])
def test_the_method_follows_from_the_size(n, method, monkeypatch):
    monkeypatch.setattr("openTSNE.TSNEEmbedding", Recorder)
    monkeypatch.setattr(tsne, "_search", lambda Z: (None, None))
    monkeypatch.setattr(tsne, "_attract", lambda indices, distances: "affinities")
    start = np.arange(2.0 * n).reshape(n, 2)
    drawn = lay_out(np.zeros((n, 3)), start, 9)
    assert drawn[:, 0].std() == pytest.approx(1e-4)
    np.testing.assert_allclose(drawn / drawn[-1, -1], start / start[-1, -1])
    recorded = Recorder.last
    assert recorded.affinities == "affinities"
    assert recorded.settings == {"negative_gradient_method": method, "theta": 0.8, "n_jobs": 1, "random_state": 9}
    shared = {"momentum": 0.8, "learning_rate": "auto"}
    early, main = ({"exaggeration": exaggeration} | shared for exaggeration in (12, 1))
    assert recorded.phases == [(50, early), (150, main)]


@pytest.mark.parametrize(("n", "k"), [(200, 90), (91, 90), (60, 59)])
def test_ninety_neighbours_have_a_perplexity_of_thirty(n, k, rng, monkeypatch):
    found = {}
    monkeypatch.setattr("openTSNE.affinity.PerplexityBasedNN", lambda **given: found.update(given))
    indices, distances = tsne._search(rng.normal(size=(n, 2)))
    assert indices.shape == (n, k)
    tsne._attract(indices, distances)
    assert (found["perplexity"], found["n_jobs"]) == (k / 3, 1)
    np.testing.assert_array_equal(found["knn_index"].indices, indices)


@pytest.fixture
def interruptible():
    """Workers of pytest-xdist ignore interrupts."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_ends_the_optimisation():
    """In the main thread it would come in the middle of openTSNE's code, which it crashes."""
    ended = threading.Event()

    def optimize(iterations, callbacks, callbacks_every_iters):
        signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)
        end = time.monotonic() + 120
        while not callbacks(10, 0.0, None) and time.monotonic() < end:
            time.sleep(0.001)
        ended.set()

    with pytest.raises(KeyboardInterrupt):
        tsne._optimize(SimpleNamespace(optimize=optimize), 7)
    assert ended.wait(60)


def test_an_error_of_the_optimisation_is_raised():
    def optimize(iterations, callbacks, callbacks_every_iters):
        raise MemoryError(iterations)

    with pytest.raises(MemoryError, match="7"):
        tsne._optimize(SimpleNamespace(optimize=optimize), 7)


def test_the_thread_changes_no_coordinate(rng):
    Z = two_groups(rng)
    first, second = (TSNEEmbedding(Z[:, :2], tsne._attract(*tsne._search(Z)), n_jobs=1, random_state=0) for _ in "ab")
    expected = first.optimize(23, exaggeration=12, learning_rate="auto")
    found = tsne._optimize(second, 23, exaggeration=12, learning_rate="auto")
    np.testing.assert_array_equal(np.array(found), np.array(expected))
