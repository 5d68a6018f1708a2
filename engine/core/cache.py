"""Cache: what was worked out is kept up to a number of bytes; the least recently used goes first.

What      Cache("traces", size_of): values of one kind under keys, all kinds in one LRU of TOGETHER_BYTES
          · remembered: for a function of an object and more, which lets the object go · once: for a
          method
Differs   Thread-safe.  Values that are larger than all together may be are not kept, except the last.
"""

from __future__ import annotations

import sys
import threading
import weakref
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from typing import Any, Concatenate, Generic, ParamSpec, TypeVar

import numpy as np
from cachetools import LRUCache

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")
P = ParamSpec("P")

MB = 1_000_000
TOGETHER_BYTES = 96 * MB  # of this computer's memory, in all caches without a bound of their own
Kept = LRUCache[tuple[str, Hashable], tuple[Any, int]]


def _lru(most: int) -> Kept:
    return LRUCache(most, getsizeof=lambda kept: kept[1])


_shared = _lru(TOGETHER_BYTES)
_all: weakref.WeakSet[Cache[Any, Any]] = weakref.WeakSet()
_lock = threading.RLock()


def forget(part: Hashable) -> None:
    """Let go of whatever any cache keeps under a key that has this part, such as a run's folder."""
    with _lock:
        every = [*_all]
    for cache in every:
        cache.forget(lambda key: isinstance(key, tuple) and part in key)


class Cache(Generic[K, V]):
    """Values under keys.

    size_of    how many bytes a value takes
    keep_last  the value that was asked for last stays, however large
    alive      a value that went is found again as long as somebody else still holds it
    most       a bound of its own; it shares TOGETHER_BYTES with the others where none is given
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
        self.name = name
        self._size_of, self._keep_last = size_of, keep_last
        self._kept = _lru(most) if most else _shared
        self._last: tuple[K, V] | None = None
        self._alive = weakref.WeakValueDictionary[K, Any]() if alive else None
        self._sizes: dict[K, int] = {}  # of those, as they were first put
        self._making: dict[K, threading.Lock] = {}
        with _lock:
            _all.add(self)

    @property
    def most_bytes(self) -> int:
        return int(self._kept.maxsize)

    def get(self, key: K) -> V | None:
        with _lock:
            value: V | None
            if (found := self._kept.get((self.name, key))) is not None:
                value = found[0]
            elif self._last is not None and self._last[0] == key:
                value = self._last[1]
            elif self._alive is not None and (value := self._alive.get(key)) is not None:
                self.put(key, value)
            else:
                return None
            self._used(key, value)
            return value

    def put(self, key: K, value: V) -> None:
        """A key that is there already keeps its value."""
        size = self._sizes.get(key) or self._size_of(value)
        with _lock:
            if (self.name, key) in self._kept:
                return
            if size <= self._kept.maxsize:
                self._kept[self.name, key] = value, size
            if self._alive is not None:
                self._alive[key], self._sizes[key] = value, size
            self._used(key, value)

    def _used(self, key: K, value: V | None) -> None:
        if self._keep_last and value is not None:
            self._last = key, value

    def made(self, key: K, make: Callable[[], V]) -> V:
        """What is kept, or what `make` makes, once, though several threads ask at the same
        time."""
        if (found := self.get(key)) is not None:
            return found
        with _lock:
            making = self._making.setdefault(key, threading.Lock())
        with making:
            try:
                if (found := self.get(key)) is None:
                    found = make()
                    self.put(key, found)
                return found
            finally:
                with _lock:
                    self._making.pop(key, None)

    def forget(self, of: Callable[[K], bool]) -> None:
        """Let go of the keys of which this is true."""
        with _lock:
            for name, key in [at for at in self._kept if at[0] == self.name and of(at[1])]:  # type: ignore[arg-type]
                del self._kept[name, key]
            if self._last is not None and of(self._last[0]):
                self._last = None
            for key in [key for key in self._alive or () if of(key)]:
                del self._alive[key]  # type: ignore[union-attr]
            for key in [key for key in self._sizes if of(key)]:
                del self._sizes[key]

    def clear(self) -> None:
        self.forget(lambda key: True)

    def __len__(self) -> int:
        with _lock:
            return sum(name == self.name for name, _ in self._kept)

    def __contains__(self, key: object) -> bool:
        """Whether it would be found."""
        with _lock:
            return (
                (self.name, key) in self._kept
                or (self._last is not None and self._last[0] == key)
                or (self._alive is not None and key in self._alive)
            )


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
