"""Work that takes many steps of a model, done a little with each message, so that a key never waits
for it."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

from engine.core.cache import Cache

AT_ONCE = 0.08  # seconds of work with one message
KEPT = 24


class Work:
    """The results so far, and the rest of the work; it is let go of once it is done."""

    def __init__(self, steps: Iterator[Any]) -> None:
        self.made: list[Any] = []
        self.problem = ""
        self._steps: Iterator[Any] | None = steps
        self._lock = threading.Lock()

    @property
    def done(self) -> bool:
        return self._steps is None

    def go(self, seconds: float = AT_ONCE) -> Work:
        # else another session is at it
        if self._steps is not None and self._lock.acquire(blocking=False):
            try:
                end = time.perf_counter() + seconds
                while time.perf_counter() < end:
                    self.made.append(next(self._steps))
            except StopIteration:
                self._steps = None
            except ValueError as problem:
                self._steps, self.problem = None, str(problem)
            finally:
                self._lock.release()
        return self


WORKS: Cache[Any, Work] = Cache("works", lambda work: 1, most=KEPT)


def of(key: Any, make: Callable[[], Iterator[Any]]) -> Work:
    """The work under this key, begun where it is new."""
    return WORKS.made(key, lambda: Work(make()))
