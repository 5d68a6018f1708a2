"""What is computed from a trace is computed once, and goes with it."""

from __future__ import annotations

import gc
import weakref

import numpy as np

from engine.core.trace import Field, Kind, Trace
from engine.live import derived


class Asker:
    """A page's function, or its model."""


def made(text: str) -> Trace:
    field = Field.of("cell", Kind.STATE, {"token": list(text)}, np.zeros(len(text)), "A number.")
    return Trace(text, tuple(text), (field,))


def test_once_for_each_trace_and_key() -> None:
    told: list[str] = []

    def make(name: str) -> str:
        told.append(name)
        return name * 2

    one, other, keys = made("ab"), made("ab"), (Asker(), Asker())
    for _ in range(3):
        assert derived.once(one, keys[0], lambda: make("a")) == "aa"
        assert derived.once(one, keys[1], lambda: make("b")) == "bb"
        assert derived.once(other, keys[0], lambda: make("c")) == "cc"
    assert told == ["a", "b", "c"]


def test_it_goes_with_its_trace() -> None:
    trace, key = made("abc"), Asker()
    derived.once(trace, key, lambda: 1)
    at = id(trace)
    assert at in derived._made
    del trace
    gc.collect()
    assert at not in derived._made
    kept = [made("x") for _ in range(derived.MOST + 9)]
    for one in kept:
        derived.once(one, key, lambda: 2)
    assert len(derived._made) <= derived.MOST


def test_who_asked_is_not_held() -> None:
    trace, key = made("abc"), Asker()
    seen = weakref.ref(key)
    derived.once(trace, key, lambda: 1)
    del key
    gc.collect()
    assert seen() is None and id(trace) in derived._made
