"""Questions that a page holds, so that no other page asks them at the same time."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Iterable

#: Seconds without a request after which a page that receives no events counts as closed.
PATIENCE = 30.0


class Leases:
    """The entries that each open page holds, as flat numbers. Pages choose their own names. Any thread may use it."""

    def __init__(self) -> None:
        self._held: dict[str, set[int]] = {}
        self._streams: Counter[str] = Counter()
        self._seen: dict[str, float] = {}
        self._lock = threading.Lock()

    def enter(self, page: str) -> None:
        """Note that a page begins to receive events."""
        with self._lock:
            self._streams[page] += 1

    def leave(self, page: str) -> None:
        """Note that a page is closed, and holds nothing any more."""
        with self._lock:
            self._streams[page] -= 1
            if self._streams[page] <= 0:
                del self._streams[page]
                self._held.pop(page, None)
                self._seen.pop(page, None)

    def list_others(self, page: str) -> set[int]:
        """Return the entries that other open pages hold."""
        now = time.monotonic()
        with self._lock:
            self._held = {other: held for other, held in self._held.items() if self._is_open(other, now)}
            return set().union(*(held for other, held in self._held.items() if other != page))

    def hold(self, page: str, kept: Iterable[int], taken: Iterable[int]) -> None:
        """Note the entries that a page holds now: kept ones, if it held them before, and taken ones."""
        if page:
            with self._lock:
                self._seen[page] = time.monotonic()
                self._held[page] = (self._held.get(page, set()) & set(kept)) | set(taken)

    def release(self, answered: Iterable[int]) -> None:
        """Take answered entries from all pages."""
        numbers = set(answered)
        with self._lock:
            for held in self._held.values():
                held -= numbers

    def clear(self) -> None:
        """Take all entries from all pages."""
        with self._lock:
            self._held.clear()

    def _is_open(self, page: str, now: float) -> bool:
        return self._streams[page] > 0 or now - self._seen.get(page, now) < PATIENCE
