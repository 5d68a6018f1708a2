"""What is kept in memory: bounded in bytes, let go of when it is forgotten, made once by many
threads."""

from __future__ import annotations

import gc
import threading
import time
import weakref
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from engine.core import cache as core
from engine.core.cache import BUDGET_BYTES, Cache, once, remembered
from engine.live import cache, snapshots
from engine.live.reader import Reader
from engine.live.shown import Shown
from engine.live.window import tokens
from engine.runs.store import Run, RunStore


@given(
    some.lists(some.tuples(some.booleans(), some.integers(0, 9), some.integers(1, 60))),
    some.booleans(),
)
def test_it_is_what_a_plain_list_in_order_of_use_is(
    steps: list[tuple[bool, int, int]], keep_last: bool
) -> None:
    made: Cache[int, int] = Cache("x", lambda size: size, keep_last=keep_last, most=100)
    plain: list[tuple[int, int]] = []  # the least recently used first
    for put, key, size in steps:
        size = 3 * size
        there = next((row for row in plain if row[0] == key), None)
        if put:
            made.put(key, size)
            if there is None and (size <= 100 or keep_last):
                plain.append((key, size))
                while sum(s for _, s in plain) > 100 and len(plain) > keep_last:
                    plain.pop(0)
        else:
            assert made.get(key) == (there[1] if there else None)
            if there:
                plain.remove(there)
                plain.append(there)
        assert made.size_bytes == sum(s for _, s in plain) and len(made) == len(plain)
    assert all(key in made for key, _ in plain)


@given(
    some.lists(
        some.tuples(some.booleans(), some.integers(0, 2), some.integers(0, 5), some.integers(1, 40))
    )
)
def test_caches_together_keep_what_a_plain_list_of_all_keeps(
    steps: list[tuple[bool, int, int, int]],
) -> None:
    """Three caches that may keep 60 each and 100 together; the first keeps its last value."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "_all", weakref.WeakSet())
        patch.setattr(core, "TOGETHER_BYTES", 100)
        patch.setitem(BUDGET_BYTES, "x", 60)
        caches: list[Cache[int, int]] = [
            Cache("x", lambda size: size, keep_last=n == 0) for n in range(3)
        ]
        outside: Cache[int, int] = Cache("not one of them", lambda size: size, most=500)
        outside.put(0, 400)
        plain: list[tuple[int, int, int]] = []  # the least recently used first

        def may_go(row: tuple[int, int, int]) -> bool:
            return row[0] > 0 or sum(other[0] == 0 for other in plain) > 1

        for put, n, key, size in steps:
            there = next((row for row in plain if row[:2] == (n, key)), None)
            if put:
                caches[n].put(key, size)
                if there is None:
                    plain.append((n, key, size))
                    while sum(s for m, _, s in plain if m == n) > 60:
                        plain.remove(next(row for row in plain if row[0] == n))
                    while sum(s for *_, s in plain) > 100:
                        plain.remove(next(row for row in plain if may_go(row)))
            else:
                assert caches[n].get(key) == (there[2] if there else None)
                if there:
                    plain.remove(there)
                    plain.append(there)
            assert core.total_bytes() == sum(s for *_, s in plain) <= 100
            assert [len(one) for one in caches] == [
                sum(m == n for m, *_ in plain) for n in range(3)
            ]
        assert outside.get(0) == 400


def test_what_went_is_found_as_long_as_somebody_holds_it() -> None:
    class Thing:
        pass

    kept: Cache[str, Thing] = Cache("x", lambda v: 60, alive=True, most=100)
    held = kept.made("held", Thing)
    kept.put("other", Thing())
    assert len(kept) == 1 and "held" in kept
    assert kept.made("held", Thing) is held and kept.size_bytes == 60, "the other one went for it"
    assert "other" not in kept and kept.get("other") is None, "nobody held it"
    kept.forget(lambda key: key == "held")
    assert "held" not in kept and kept.get("held") is None, "forgotten, whoever holds it"


def test_it_is_made_once_though_many_ask_and_an_error_is_nobody_s_value() -> None:
    kept: Cache[str, np.ndarray] = Cache("x", lambda v: v.nbytes, most=10_000)
    made: list[int] = []
    found: list[np.ndarray] = []

    def make() -> np.ndarray:
        time.sleep(0.02)
        made.append(1)
        return np.zeros(10)

    threads = [
        threading.Thread(target=lambda: found.append(kept.made("key", make))) for _ in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(made) == 1 and all(one is found[0] for one in found)

    def fails() -> np.ndarray:
        raise ValueError

    with pytest.raises(ValueError):
        kept.made("other", fails)
    assert kept.made("other", make).size == 10 and not kept._making


def test_what_is_of_a_folder_is_forgotten_everywhere() -> None:
    one: Cache[tuple[str, int], str] = Cache("x", len, most=100)
    two: Cache[object, str] = Cache("y", len, most=100)
    for n in range(3):
        one.put(("/a", n), "abc")
        one.put(("/b", n), "abc")
    two.put(("recipe", "/a", (1, 2)), "abcd")
    two.put("/a", "no part of a key")
    core.forget("/a")
    assert (len(one), one.size_bytes, len(two)) == (3, 9, 1)


class Thing:
    """What has an identity."""


def test_who_remembers_does_not_keep_it_alive() -> None:
    calls: list[str] = []

    @remembered(3)
    def work(thing: Thing, word: str) -> str:
        calls.append(word)
        return word.upper()

    first, second = Thing(), Thing()
    assert [work(first, "a"), work(first, "a"), work(second, "a")] == ["A"] * 3
    assert calls == ["a", "a"]
    gone = weakref.ref(first)
    del first
    assert gone() is None, "at once, not with the next collection"
    for word in "bcde":
        work(second, word)
    work(second, "a")
    assert calls == ["a", "a", *"bcde", "a"], "the least recently used went first"


def test_what_is_remembered_of_those_who_went_goes_with_the_next() -> None:
    class Of:
        pass

    @remembered(100)
    def made(of: Of, number: int) -> np.ndarray:
        return np.empty(number)

    first, second = Of(), Of()
    value = weakref.ref(made(first, 1))
    assert made(first, 1) is value()
    made(second, 1)
    assert value() is not None
    del first
    gc.collect()
    made(second, 2)
    gc.collect()
    assert value() is None
    assert made(second, 1) is made(second, 1)


def test_a_method_is_computed_once_for_each_object_and_class() -> None:
    calls: list[str] = []

    class Parent:
        @once
        def says(self) -> str:
            calls.append("parent")
            return "parent"

    class Child(Parent):
        @once
        def says(self) -> str:
            calls.append("child")
            return "child of " + super().says()

    one, other = Child(), Child()
    assert one.says() == one.says() == other.says() == "child of parent"
    assert Parent().says() == "parent"
    assert calls == 2 * ["child", "parent"] + ["parent"]


def test_all_budgets_stand_in_one_place() -> None:
    here = [most for name, most in BUDGET_BYTES.items() if "device" not in name]
    assert max(here) - BUDGET_BYTES["idle buffers"] < core.TOGETHER_BYTES < sum(here)
    for name, kept in {
        "models": cache.MODELS,
        "traces": cache.TRACES,
        "blocks": cache.BLOCKS,
        "snapshots": snapshots.SNAPSHOTS,
    }.items():
        assert kept.most_bytes == BUDGET_BYTES[name] and kept.shares


def test_a_forgotten_run_lets_its_model_go(tmp_path: Path) -> None:
    """With its tokens looked up, its trace and its overview kept."""
    run = _copied("lstm", tmp_path)
    model = cache.model(run)
    assert cache.model(run) is model and cache.is_open(run)
    text = "the cat sat on the mat"
    ids = tokens(model, text)
    shown = Shown.of(
        Reader("lstm", "LSTM", model, run.id, "characters"), run, text, (0, len(text)), ids
    )
    trace = cache.trace_of(shown)
    assert cache.trace_of(shown) is trace
    survey = cache.survey_of(shown)
    survey.step()
    assert cache.survey_of(shown) is survey
    gone = weakref.ref(model)
    cache.forget(run)
    assert not cache.is_open(run)
    del model, trace, shown, survey
    gc.collect()
    assert gone() is None


def _copied(id: str, root: Path) -> Run:
    """A shipped run under a folder of its own."""
    import shutil

    folder = RunStore().find(id).folder
    shutil.copytree(folder, root / id)
    return RunStore(root).find(id)
