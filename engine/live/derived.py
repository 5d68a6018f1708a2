"""Derived: what is computed from a trace, once for as long as the trace is kept.

What      most keys leave the tokens as they are, and with them the trace (engine/live/cache.py); what a
          page makes of it is then the same, too
Differs   Nothing is counted in bytes: what is derived goes with its trace, and of MOST traces at most.
          Who asked is not held: a page's function knows its model, which would stay with it
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar
from weakref import ref

from engine.core.trace import Trace

T = TypeVar("T")
MOST, EACH = 16, 4  # traces; of one of them, for as many who ask
_made: dict[int, tuple[ref[Trace], list[tuple[ref[Any], Any]]]] = {}


def once(trace: Trace, key: object, make: Callable[[], T]) -> T:
    """What `make` returns, which depends on the trace and on `key` (told apart by `is`) alone."""
    at = id(trace)
    held = _made.get(at)
    if held is None or held[0]() is not trace:
        held = _made[at] = (ref(trace, lambda _: _made.pop(at, None)), [])
        for oldest in [*_made][:-MOST]:
            _made.pop(oldest, None)
    for known, value in tuple(held[1]):
        if known() is key:
            found: T = value
            return found
    value = make()
    held[1].append((ref(key), value))
    del held[1][:-EACH]
    return value
