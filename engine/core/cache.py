"""Cache: what was worked out is kept up to a number of bytes; the least recently used goes first.

What      Cache("traces"): a named cache, whose bytes stand in BUDGET_BYTES · remembered: for a
          function of an object and more, which lets the object go · once: for a method
Differs   The only place that says how much memory may be kept: by each, and by all together
          (TOGETHER_BYTES), whose least recently used value goes, whichever cache it is in.  From
          any thread.
"""

from __future__ import annotations

import itertools
import math
import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
P = ParamSpec("P")

MB = 1_000_000
# How many bytes each cache of this process may keep, and buffers that lie idle (core/buffers.py)
BUDGET_BYTES = {
    "models": 192 * MB,  # the shipped ones take 334; one is opened in 13 ms on average
    "snapshots": 64 * MB,  # models as they were at a step
    "traces": 96 * MB,  # and always the last: one of 250 tokens of a small GPT-2 takes 192
    "walls": 64 * MB,  # of all heads, small
    "masked": 24 * MB,  # answers under a mask, with what the next key goes on from
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

TOGETHER_BYTES = 96 * MB  # of this computer's memory, in all caches that BUDGET_BYTES names

_all: weakref.WeakSet[Cache[Any, Any]] = weakref.WeakSet()
_all_lock = threading.Lock()
_uses = itertools.count()  # the hand of a clock that all caches read


def _every() -> list[Cache[Any, Any]]:
    with _all_lock:
        return list(_all)


def total_bytes() -> int:
    """Kept now, of this computer's memory."""
    return sum(cache.size_bytes for cache in _every() if cache.shares)


def _make_room() -> None:
    """Until all are within TOGETHER_BYTES, what was used least recently goes."""
    while total_bytes() > TOGETHER_BYTES:
        oldest = min((cache for cache in _every() if cache.shares), key=Cache.last_use)
        if not oldest.drop():
            return


def forget(part: Hashable) -> None:
    """Let go of whatever any cache keeps under a key that has this part, such as a run's folder."""
    for cache in _every():
        cache.forget(lambda key: isinstance(key, tuple) and part in key)


class Cache(Generic[K, V]):
    """Values under keys.  `size_of` says how many bytes a value takes.

    keep_last  the value that was asked for last stays, however large; else one that is larger than
               all together may be is not kept
    alive      a value that went is found again as long as somebody else still holds it
    shares     whether it counts towards TOGETHER_BYTES
    """

    def __init__(
        self,
        name: str,
        size_of: Callable[[V], int],
        *,
        keep_last: bool = False,
        alive: bool = False,
        most: int = 0,
    ) -> None:
        """most: bytes, where not those of BUDGET_BYTES."""
        self.most_bytes = most or BUDGET_BYTES[name]
        self.shares = not most
        self._size_of, self._keep_last = size_of, keep_last
        self._kept = OrderedDict[K, tuple[V, int, int]]()  # value, bytes, when it was last used
        self._alive: weakref.WeakValueDictionary[K, Any] | None = (
            weakref.WeakValueDictionary() if alive else None
        )
        self._alive_bytes: dict[K, int] = {}
        self._bytes, self._lock = 0, threading.RLock()
        self._making: dict[K, threading.Lock] = {}
        with _all_lock:
            _all.add(self)

    def get(self, key: K) -> V | None:
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept[key] = *found[:2], next(_uses)
                self._kept.move_to_end(key)
                return found[0]
            value: V | None = None if self._alive is None else self._alive.get(key)
        if value is not None:
            self.put(key, value, self._alive_bytes.get(key))
        return value

    def put(self, key: K, value: V, size_bytes: int | None = None) -> None:
        """A key that is there already keeps its value.  `size_bytes`: where it is known already."""
        size = self._size_of(value) if size_bytes is None else size_bytes
        with self._lock:
            if key in self._kept or (size > self.most_bytes and not self._keep_last):
                return
            self._kept[key] = value, size, next(_uses)
            self._bytes += size
            if self._alive is not None:
                self._alive[key], self._alive_bytes[key] = value, size
            while self._bytes > self.most_bytes and self.drop():
                pass
        if self.shares:
            _make_room()

    def drop(self) -> bool:
        """Let go of what was used least recently; False where nothing may go."""
        with self._lock:
            if len(self._kept) <= self._keep_last:
                return False
            self._bytes -= self._kept.popitem(last=False)[1][1]
            return True

    def last_use(self) -> float:
        """When that was used; never, where nothing may go."""
        with self._lock:
            if len(self._kept) <= self._keep_last:
                return math.inf
            return next(iter(self._kept.values()))[2]

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
            for key in [key for key in self._alive or () if of(key)]:
                del self._alive[key]  # type: ignore[union-attr]
            for key in [key for key in self._alive_bytes if of(key)]:
                del self._alive_bytes[key]

    def clear(self) -> None:
        self.forget(lambda key: True)

    def __contains__(self, key: object) -> bool:
        return key in self._kept or (self._alive is not None and key in self._alive)

    def __len__(self) -> int:
        return len(self._kept)

    @property
    def size_bytes(self) -> int:
        return self._bytes


def held_bytes(of: object) -> int:
    """Bytes of what an object of this program refers to, each thing once: arrays and tensors with
    all that they are views of, texts, lists and tables.  Of objects of other libraries only the
    parts of a net are looked into."""
    seen, storages, todo, total = set[int](), set[int](), [of], 0
    while todo:
        one = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        if isinstance(one, np.ndarray):
            whole = one.base is None
            total += one.nbytes if whole else 0
            todo += [] if whole else [one.base]
        elif isinstance(one, str | bytes | int | float):
            total += sys.getsizeof(one)
        elif isinstance(one, Mapping):
            total += sys.getsizeof(one)
            todo += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple | set | frozenset):
            total += sys.getsizeof(one)
            todo += one
        elif hasattr(one, "untyped_storage"):  # a tensor
            total += getattr(getattr(one, "packed", None), "size_bytes", 0)
            storage = one.untyped_storage()
            if storage.data_ptr() not in storages:
                storages.add(storage.data_ptr())
                total += storage.nbytes()
        elif not isinstance(one, type) and (
            type(one).__module__.startswith("engine.") or hasattr(one, "named_parameters")
        ):
            slots = [name for kind in type(one).__mro__ for name in getattr(kind, "__slots__", ())]
            todo += [getattr(one, name, None) for name in slots]
            todo += getattr(one, "__dict__", {}).values()
    return total


def remembered(
    most: int,
) -> Callable[[Callable[Concatenate[Any, P], T]], Callable[Concatenate[Any, P], T]]:
    """As `functools.lru_cache(most)`, for functions of an object and more that can be hashed.  The
    object, such as a model, is not kept alive by it; what is returned must not refer to it."""

    def around(make: Callable[Concatenate[Any, P], T]) -> Callable[Concatenate[Any, P], T]:
        kept, lock = OrderedDict[Any, T](), threading.Lock()
        watched, gone = dict[int, weakref.ref[Any]](), list[Any]()  # objects by id; those that went

        @wraps(make)
        def found(of: Any, *more: P.args, **named: P.kwargs) -> T:
            key = (weakref.ref(of), *more, *named.items())
            with lock:
                if key in kept:
                    kept.move_to_end(key)
                    return kept[key]
            value = make(of, *more, **named)
            with lock:
                if gone:
                    gone.clear()
                    for old in [old for old in kept if old[0]() is None]:
                        del kept[old]
                    for dead in [at for at, one in watched.items() if one() is None]:
                        del watched[dead]
                if (seen := watched.get(id(of))) is None or seen() is not of:
                    watched[id(of)] = weakref.ref(of, gone.append)
                kept[key] = value
                if len(kept) > most:
                    kept.popitem(last=False)
            return value

        return found

    return around


def once(make: Callable[[Any], T]) -> Callable[[Any], T]:
    """For a method whose result follows from what its object is made of: it is computed once for each
    object, and lies with it."""
    name = f"_once {make.__qualname__}"  # a subclass may ask its parent's

    @wraps(make)
    def found(of: Any) -> T:
        try:
            value: T = of.__dict__[name]
        except KeyError:
            value = of.__dict__[name] = make(of)
        return value

    return found
