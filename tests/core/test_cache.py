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

from engine.core import cache as core
from engine.core.cache import Cache, once, remembered
from engine.live import cache
from engine.live.reader import Reader
from engine.live.shown import Shown
from engine.live.window import tokens
from engine.runs.store import Run, RunStore


def test_caches_share_one_bound_and_the_last_value_stays() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(core, "_shared", core._lru(100))
        one: Cache[int, int] = Cache("one", lambda size: size, keep_last=True)
        two: Cache[int, int] = Cache("two", lambda size: size)
        own: Cache[int, int] = Cache("own", lambda size: size, most=500)
        own.put(0, 400)
        one.put(0, 60)
        two.put(0, 40)
        assert one.get(0) == 60 and two.get(0) == 40
        two.put(1, 30)
        assert ("one", 0) not in core._shared and len(two) == 2, "the least recently used went"
        assert one.get(0) == 60, "but it was the last of its cache"
        one.put(1, 200)
        assert one.get(1) == 200, "too large for all together, but the last"
        assert one.get(0) is None
        one.put(2, 10)
        assert one.get(1) is None and own.get(0) == 400


def test_what_went_is_found_as_long_as_somebody_holds_it() -> None:
    class Thing:
        pass

    kept: Cache[str, Thing] = Cache("x", lambda v: 60, alive=True, most=100)
    held = kept.made("held", Thing)
    kept.put("other", Thing())
    assert len(kept) == 1 and "held" in kept
    assert kept.made("held", Thing) is held and len(kept) == 1, "the other one went for it"
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
    assert (len(one), len(two)) == (3, 1)


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
