"""Parts are made in threads of their own: they go on without their page, are shared, stopped, and gone on with."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator

import pytest

from engine import frame as fr
from engine.frame import making
from engine.frame.blocks import Awaited, Block, Note, Progress, Stopped
from engine.storage import home


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "PATIENCE", 0.1)


class Steps:
    """Something that takes so many steps, each when it is let; `made` are the steps that were taken."""

    def __init__(self, count: int) -> None:
        self.count, self.made, self.go = count, list[int](), threading.Semaphore(0)
        self.told = fr.once_told(self._make)

    def _make(self, *, size: int) -> fr.Taking[str]:
        for n in range(self.count):
            self.go.acquire()
            self.made.append(n)
            yield Progress((n + 1) / self.count, "Working")
        return f"found {size}"

    def part(self) -> fr.Part:
        @fr.part("Long")
        def long(size: int = fr.slider("Size", 1, 9, 1)) -> fr.Blocks:
            yield "First"
            yield (yield from self.told(size=size))

        return long

    def let(self, steps: int) -> None:
        for _ in range(steps):
            self.go.release()


def seen(found: Iterator[Block]) -> list[Block]:
    return [block for block in found if not isinstance(block, Progress)]


def threads() -> list[threading.Thread]:
    return [one for one in threading.enumerate() if one.name == "making"]


def until(true: Callable[[], bool]) -> None:
    end = time.monotonic() + 10
    while not true():
        assert time.monotonic() < end
        time.sleep(0.005)


def test_what_takes_long_goes_on_without_the_page_and_is_there_when_it_comes_back() -> None:
    steps = Steps(3)
    part = steps.part()
    first, awaited = seen(part.answer("run", "anna"))
    assert first == "First" and isinstance(awaited, Awaited) and awaited.share() == 0
    steps.let(1)
    until(lambda: awaited.share() == pytest.approx(1 / 3))
    assert callable(awaited.words) and awaited.words() == "Working"
    assert isinstance(
        seen(part.answer("run", "ben"))[-1], Awaited
    )  # who asks for the same gets the same
    steps.let(2)
    until(lambda: awaited.share() is None)
    assert (
        seen(part.answer("run", "anna")) == seen(part.answer("run", "ben")) == ["First", "found 1"]
    )
    assert steps.made == [0, 1, 2]


def test_what_is_quick_is_shown_at_once_and_remembered() -> None:
    steps = Steps(0)
    part = steps.part()
    assert seen(part.answer("run", "anna")) == ["First", "found 1"]
    assert len(part._answers) == 1
    for size in range(1, 10):
        assert seen(part.answer("run", "anna", size=size))[-1] == f"found {size}"
    for run in range(20):
        seen(part.answer(run, "anna"))
    assert len(part._answers) <= 16


def test_stopped_by_one_reader_and_gone_on_with_where_it_was() -> None:
    steps = Steps(3)
    part = steps.part()
    awaited = seen(part.answer("run", "anna"))[-1]
    assert isinstance(awaited, Awaited) and awaited.stop
    steps.let(1)
    until(lambda: steps.made == [0])
    awaited.stop()
    steps.let(1)
    until(lambda: awaited.share() is None)
    assert seen(part.answer("run", "anna")) == ["First", Stopped()]
    assert steps.made == [0, 1]
    part.go_on("run", "anna")
    steps.let(1)
    until(lambda: seen(part.answer("run", "anna"))[-1] == "found 1")
    assert steps.made == [0, 1, 2]  # none of them twice


def test_another_reader_is_not_stopped_with_the_first() -> None:
    steps = Steps(2)
    part = steps.part()
    awaited = seen(part.answer("run", "anna"))[-1]
    seen(part.answer("run", "ben"))
    assert isinstance(awaited, Awaited) and awaited.stop
    awaited.stop()
    assert isinstance(seen(part.answer("run", "anna"))[-1], Stopped)
    before = threads()
    part.go_on("run", "anna")
    again = seen(part.answer("run", "anna"))[-1]
    assert isinstance(again, Awaited) and threads() == before  # ben's, not another one
    steps.let(2)
    until(lambda: seen(part.answer("run", "ben"))[-1] == "found 1")
    assert seen(part.answer("run", "anna"))[-1] == "found 1" and steps.made == [0, 1]


def test_who_turns_a_control_leaves_what_was_begun() -> None:
    steps = Steps(5)
    part = steps.part()
    old = seen(part.answer("run", "anna", size=1))[-1]
    seen(part.answer("run", "anna", size=2))
    steps.let(6)  # the new one takes five at most, so one is left for the old one to end at
    assert isinstance(old, Awaited)
    until(lambda: old.share() is None)
    until(lambda: seen(part.answer("run", "anna", size=2))[-1] == "found 2")
    assert sorted(steps.made) == [0, 0, 1, 2, 3, 4]
    steps.let(4)
    until(lambda: seen(part.answer("run", "anna", size=1))[-1] == "found 1")


def test_two_parts_that_need_the_same_make_it_once() -> None:
    steps = Steps(4)
    one, other = steps.part(), steps.part()
    seen(one.answer("run", "anna"))
    seen(other.answer("run", "anna"))
    steps.let(4)
    until(lambda: seen(one.answer("run", "anna"))[-1] == "found 1")
    until(lambda: seen(other.answer("run", "anna"))[-1] == "found 1")
    assert steps.made == [0, 1, 2, 3]


def test_what_is_not_made_for_the_reader_is_raised_and_made_anew() -> None:
    tries = list[int]()

    @fr.part("Wrong")
    def wrong() -> fr.Blocks:
        tries.append(1)
        yield Note("so far")
        raise RuntimeError("a bug")

    for _ in range(2):
        with pytest.raises(RuntimeError, match="a bug"):
            seen(wrong.answer("run", "anna"))
    assert len(tries) == 2


def test_it_works_for_who_asked() -> None:
    @fr.part("Whose")
    def whose() -> fr.Blocks:
        yield str(home.person())

    with home.act_as("a" * 32):
        assert seen(whose.answer("run", "anna")) == ["a" * 32]
