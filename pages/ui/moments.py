"""Models as they were at the snapshots of a run: kept up to a number of bytes, the next ones opened ahead in moments of rest."""

from __future__ import annotations

import contextlib
import threading
from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from engine.runs import Run, RunStore

MOST_BYTES = 256_000_000
REST_SECONDS = 0.3
AHEAD_BYTES = MOST_BYTES // 4  # a model larger than this is opened when it is asked for


class Moments:
    """Least recently used models go first once they hold more than `limit` bytes together; the last one asked for stays."""

    def __init__(self, limit: int) -> None:
        self._limit, self._kept, self._lock = limit, OrderedDict[tuple[str, str], tuple[Any, int]](), threading.Lock()

    def get(self, run: Run) -> Any:
        with self._lock:
            if (key := _key(run)) not in self._kept:
                return None
            self._kept.move_to_end(key)
            return self._kept[key][0]

    def put(self, run: Run, model: Any) -> None:
        size = sum(values.nbytes for values in model.weights().values())
        with self._lock:
            self._kept[_key(run)] = (model, size)
            self._kept.move_to_end(_key(run))
            while len(self._kept) > 1 and self.size_bytes > self._limit:
                self._kept.popitem(last=False)

    def forget(self, run: Run) -> None:
        """All of its steps."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == str(run.folder)]:
                del self._kept[key]

    def __contains__(self, run: Run) -> bool:
        return _key(run) in self._kept

    @property
    def size_bytes(self) -> int:
        return sum(size for _, size in self._kept.values())


def _key(run: Run) -> tuple[str, str]:
    return str(run.folder), str(run.note.get("recipe"))


KEPT = Moments(MOST_BYTES)
_wish: list[threading.Timer] = []


def model(run: Run) -> Any:
    """ValueError when the snapshot is damaged."""
    found = KEPT.get(run)
    if found is None:
        found = RunStore().load(run)
        KEPT.put(run, found)
    return found


def ahead(run: Run, steps: Sequence[int]) -> None:
    """Open the models of `run` at these steps when nobody has asked for anything for a moment; a newer wish takes the place of an older."""

    def work() -> None:
        for step in steps:
            if _wish and _wish[-1] is not timer:
                return
            with contextlib.suppress(ValueError, LookupError, OSError):  # damaged or gone: the page says so when it is asked for
                if (at := run.at(step)) not in KEPT:
                    if at.snapshots[step].stat().st_size > AHEAD_BYTES:
                        return
                    model(at)

    for old in _wish:
        old.cancel()
    timer = threading.Timer(REST_SECONDS, work)
    timer.daemon = True
    _wish[:] = [timer]
    timer.start()
