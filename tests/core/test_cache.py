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
from engine.core.cache import BUDGET_BYTES, Cache, remembered
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


def test_all_budgets_stand_in_one_place() -> None:
    here = [most for name, most in BUDGET_BYTES.items() if "device" not in name]
    assert core.total_bytes() == sum(here) < 8_000_000_000
    for name, kept in {
        "models": cache.MODELS,
        "traces": cache.TRACES,
        "blocks": cache.BLOCKS,
        "snapshots": snapshots.SNAPSHOTS,
    }.items():
        assert kept.most_bytes == BUDGET_BYTES[name]


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
