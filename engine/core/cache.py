"""Cache: what was worked out is kept up to a number of bytes; the least recently used goes first.

What      Cache("traces"): a named cache, whose bytes stand in BUDGET_BYTES · remembered: for a
          function of an object and more, which lets the object go
Differs   The only place that says how much memory may be kept; `total_bytes` is the sum.  From any
          thread.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
P = ParamSpec("P")

MB = 1_000_000
# How many bytes each cache of this process may keep, and buffers that lie idle (core/buffers.py)
BUDGET_BYTES = {
    "models": 4000 * MB,  # the shipped ones take 230
    "snapshots": 256 * MB,  # models as they were at a step
    "traces": 96 * MB,  # and always the last: one of 250 tokens of a small GPT-2 takes 192
    "walls": 64 * MB,  # of all heads, small
    "edited": 24 * MB,  # a drag makes many: they don't push out the traces of other pages
    "states before": 16 * MB,  # what gradients of a long text go back to, and no further
    "walks": 48 * MB,  # of gradient reach: 65 tokens of an LSTM of two layers of 384 units take 3
    "readings": 96 * MB,  # of Units: one of a long text takes 75
    "blocks": 48 * MB,  # of overviews of long texts
    "overviews": 48 * MB,
    "idle buffers": 640 * MB,  # 1,024 tokens of 12 layers with 12 heads, once
    # not of this computer's memory but of its GPU's, and a share of that at most (live/placement.py)
    "models on a device": 4000 * MB,
    "traces on a device": 1000 * MB,
}


def total_bytes() -> int:
    """Of this computer's memory."""
    return sum(most for name, most in BUDGET_BYTES.items() if not name.endswith("on a device"))


_all: weakref.WeakSet[Cache[Any, Any]] = weakref.WeakSet()


def forget(part: Hashable) -> None:
    """Let go of whatever any cache keeps under a key that has this part, such as a run's folder."""
    for cache in list(_all):
        cache.forget(lambda key: isinstance(key, tuple) and part in key)


class Cache(Generic[K, V]):
    """Values under keys.  `size_of` says how many bytes a value takes.

    keep_last  the value that was asked for last stays, however large; else one that is larger than
               all together may be is not kept
    """

    def __init__(
        self, name: str, size_of: Callable[[V], int], *, keep_last: bool = False, most: int = 0
    ) -> None:
        """most: bytes, where not those of BUDGET_BYTES."""
        self.most_bytes = most or BUDGET_BYTES[name]
        self._size_of, self._keep_last = size_of, keep_last
        self._kept = OrderedDict[K, tuple[V, int]]()
        self._bytes, self._lock = 0, threading.RLock()
        self._making: dict[K, threading.Lock] = {}
        _all.add(self)

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._kept.get(key)
            if found is None:
                return None
            self._kept.move_to_end(key)
            return found[0]

    def put(self, key: K, value: V, size_bytes: int | None = None) -> None:
        """A key that is there already keeps its value.  `size_bytes`: where it is known already."""
        size = self._size_of(value) if size_bytes is None else size_bytes
        with self._lock:
            if key in self._kept or (size > self.most_bytes and not self._keep_last):
                return
            self._kept[key] = value, size
            self._bytes += size
            while self._bytes > self.most_bytes and len(self._kept) > self._keep_last:
                self._bytes -= self._kept.popitem(last=False)[1][1]

    def made(self, key: K, make: Callable[[], V], size_bytes: int | None = None) -> V:
        """What is kept, or what `make` makes, once, though several threads ask at the same
        time."""
        if (found := self.get(key)) is not None:
            return found
        with self._lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                if (found := self.get(key)) is None:
                    found = make()
                    self.put(key, found, size_bytes)
                return found
            finally:
                with self._lock:
                    self._making.pop(key, None)

    def forget(self, of: Callable[[K], bool]) -> None:
        """Let go of the keys of which this is true."""
        with self._lock:
            for key in [key for key in self._kept if of(key)]:
                self._bytes -= self._kept.pop(key)[1]

    def clear(self) -> None:
        self.forget(lambda key: True)

    def __contains__(self, key: object) -> bool:
        return key in self._kept

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size_bytes(self) -> int:
        return self._bytes


def remembered(
    most: int,
) -> Callable[[Callable[Concatenate[Any, P], T]], Callable[Concatenate[Any, P], T]]:
    """As `functools.lru_cache(most)`, for functions of an object and more that can be hashed.  The
    object, such as a model, is not kept alive by it; what is returned must not refer to it."""

    def around(make: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
        kept, lock = OrderedDict[Any, T](), threading.Lock()

        @wraps(make)
        def found(of: Any, *more: P.args, **named: P.kwargs) -> T:
            key = (weakref.ref(of), *more, *named.items())
            with lock:
                if key in kept:
                    kept.move_to_end(key)
                    return kept[key]
            value = make(of, *more, **named)
            with lock:
                for old in [old for old in kept if old[0]() is None]:
                    del kept[old]
                kept[key] = value
                if len(kept) > most:
                    kept.popitem(last=False)
            return value

        return found

    return around
