"""Part: a piece of a lesson below its live pictures, as a function that yields blocks.

What      @part("Two states by hand")
          def textbook(signs: str = typed("Words", "1 2 3", 40)) -> Blocks: ...
          The defaults of its parameters are its controls: the page draws them, binds each to the
          address as `lesson.part.name`, and calls the part with what they hold; a test calls it by
          itself.  They stand in a line at its top; those behind a `*` where it yields `Controls`
          with their names, if it does.  A parameter without a control is given by the page, by its
          name: `model` and `run` that are shown, `runs` of the models of the lesson, `open_run` that
          opens one, `lesson`, `mine`, what the reader has typed on any page, and `above`, what stands in the
          text box; of a page that shows several runs, `shown` and `models`, and what is chosen in its head

          SHOWN = show_runs(head) says which runs a page shows, where that is not one that is picked; the
          controls of `head` stand in the head of the page; SHOWN = Compared(...): those of several
          models that are chosen there

          HEAD = head("Counting …")(study) is a choice in the head of the page that several lessons
          share; parts ask for what it returns by its name, `study`, and what is chosen on one
          page is so on the next.  One that asks for `run` stands behind the choice of a run
Differs   A ValueError is a sentence for the reader: what was yielded before it stands.
"""

from __future__ import annotations

import inspect
import threading
from collections.abc import Callable, Generator, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any, TypeVar

from engine.frame.blocks import Block, Problem, Progress, Words
from engine.frame.control import Control
from engine.frame.making import SUMS, Making

T = TypeVar("T")
Blocks = Iterator[Block]
Choosing = Generator[Block, None, T]  # what a head shows, and what is chosen there
REMEMBERED = 16  # answers of a part: a slider goes back and forth
once = lru_cache(maxsize=SUMS)  # for sums of a part that not each of its controls changes


@dataclass(frozen=True)
class Shipped:
    """The opened model of a shipped run, or None where it is not there."""

    run: str


def shipped(run: str) -> Any:
    return Shipped(run)


@dataclass(frozen=True)
class Asking:
    """A function whose controls are the defaults of its parameters."""

    make: Callable[..., Any]

    @property
    def id(self) -> str:
        return self.make.__name__

    def key(self, lesson: str, name: str) -> str:
        """Of one of its controls, in the session and in the address."""
        shared = self.controls[name].shared
        return f"{lesson}.{name}" if shared else f"{lesson}.{self.id}.{name}"

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """{name: its default; None where the page gives it}"""
        found = inspect.signature(self.make).parameters.values()
        return {p.name: None if p.default is p.empty else p.default for p in found}

    @cached_property
    def controls(self) -> dict[str, Control]:
        return {n: found for n, found in self.parameters.items() if isinstance(found, Control)}

    @cached_property
    def above(self) -> tuple[str, ...]:
        """The controls that it does not place itself."""
        found = inspect.signature(self.make).parameters
        return tuple(
            n for n in self.controls if found[n].kind is not inspect.Parameter.KEYWORD_ONLY
        )

    def values(self, held: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What each control holds: as it is held, where it can be, or else its first value; `held`
        may hold what the page gives, too."""
        held = held or {}
        others = {name: value for name, value in held.items() if name not in self.controls}
        for name, control in self.controls.items():
            known = name in held
            others[name] = control.accept(held[name], others) if known else control.first(others)
        return {name: others[name] for name in self.controls}


@dataclass(frozen=True)
class Part(Asking):
    """`title` in English stands in links to it.

    always  it is always in sight, above those that one chooses among
    was     places and controls of before, as links name them, that are in it now
    """

    title: str = ""
    always: bool = False
    was: tuple[str, ...] = ()
    _answers: dict[Any, Making] = field(default_factory=dict, compare=False, repr=False)
    _lock: threading.Lock = field(default_factory=threading.Lock, compare=False, repr=False)

    def blocks(self, /, **given: Any) -> list[Block]:
        """With these values, and the first value of every other control."""
        return [block for block in self.made(given) if not isinstance(block, Progress)]

    def answer(self, of: object, asker: Hashable, /, **given: Any) -> Iterator[Block]:
        """The same as they are made, `Progress` among them, and remembered for these values; `of`:
        what the page gives it, as a key; `asker`: for whom, who asks for nothing else of this part now."""
        key = (of, *self.values(given).items())
        with self._lock:
            for other, one in self._answers.items():
                if other != key and not one.ended:
                    one.leave(asker)
            making = self._answers.get(key)
            if making is None or (making.left and asker not in making.stoppers):
                making = self._answers[key] = Making(self.made(given), asker)
            done = [other for other, one in self._answers.items() if one.ended and other != key]
            for other in done[: max(0, len(done) + 1 - REMEMBERED)]:
                del self._answers[other]
        try:
            yield from making.watch(asker)
        finally:
            with self._lock:
                if making.ended and not making.lasting and self._answers.get(key) is making:
                    del self._answers[key]

    def go_on(self, of: object, asker: Hashable, /, **given: Any) -> None:
        """Who has stopped it watches it again; where nobody else does, it is begun anew."""
        with self._lock:
            if making := self._answers.get((of, *self.values(given).items())):
                making.stoppers.discard(asker)

    def made(self, given: Mapping[str, Any]) -> Generator[Block, None, None]:
        """The blocks with these values, `Progress` among them."""
        absent = {n: None for n, v in self.parameters.items() if isinstance(v, Shipped)}
        asked = {**absent, **given, **self.values(given)}
        try:
            yield from self.make(**{k: v for k, v in asked.items() if k in self.parameters})
        except ValueError as problem:
            yield Problem(str(problem))


def part(
    title: str, always: bool = False, was: tuple[str, ...] = ()
) -> Callable[[Callable[..., Iterable[Block]]], Part]:
    return lambda make: Part(make, title, always, was)


@dataclass(frozen=True)
class Head(Asking):
    """A choice in the head of a page; `busy` is said while it takes long."""

    busy: Words = ""

    def key(self, lesson: str, name: str) -> str:
        return f"{self.id}.{name}"

    def answer(self, of: Mapping[str, Any]) -> tuple[list[Block], Any]:
        """What it shows, and what it returns: None where a ValueError says why there is nothing."""
        found: list[Block] = []
        making = self.make(**{name: of[name] for name in self.parameters})
        try:
            while True:
                found.append(next(making))
        except StopIteration as end:
            return found, end.value
        except ValueError as problem:
            return [*found, Problem(str(problem))], None


def head(busy: Words = "") -> Callable[[Callable[..., Choosing[Any]]], Head]:
    return lambda make: Head(make, busy)


@dataclass(frozen=True)
class Compared:
    """SHOWN of a page of two to five runs, chosen in its head; they are shown as m0, m1 ...

    first    ids of those that are shown before any is chosen
    fits     whether the page can show a run
    presets  by their words, ids that a button chooses together; id@ is the earliest step kept
    more     runs that lie in no folder
    """

    first: Sequence[str]
    fits: Callable[[Any], bool]
    presets: Mapping[str, Sequence[str]] = field(default_factory=dict)
    more: Callable[[], Sequence[Any]] = tuple

    def before(self, runs: Mapping[str, Any]) -> list[str]:
        """The ids of those that are shown before any is chosen, among all that fit."""
        here = [id for id in self.first if id in runs]
        return here if len(here) > 1 else [*runs][:3]


def show_runs(make: Callable[..., Mapping[str, Any]]) -> Asking:
    """Of a function that returns runs by what the lesson calls them, the first of them first."""
    return Asking(make)
