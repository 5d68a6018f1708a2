"""Part: a piece of a lesson below its live pictures, as a function that yields blocks.

What      @part("Two states by hand")
          def textbook(signs: str = typed("Words", "1 2 3", 40)) -> Blocks: ...
          The defaults of its parameters are its controls: the page draws them, binds each to the
          address as `lesson.part.name`, and calls the part with what they hold; a test calls it by
          itself.  A parameter without a control is given by the page, by its name: `model`, `run`,
          `runs`, `lesson`
Differs   A ValueError is a sentence for the reader: what was yielded before it stands.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

from engine.frame.blocks import Block, Words

Blocks = Iterator[Block]
REMEMBERED = 16  # answers of a part: a slider goes back and forth
once = lru_cache(maxsize=32)  # for the sums of a part that not each of its controls changes


@dataclass(frozen=True)
class Slider:
    label: Words
    least: float
    most: float
    first: float
    step: float
    width: int = 0

    def accept(self, value: Any, others: Mapping[str, Any]) -> Any:
        """The value, where the control can hold it; else what it begins with."""
        kind = type(self.first)
        try:
            found = kind(value)
        except (TypeError, ValueError, OverflowError):
            return self.first
        return found if self.least <= found <= self.most else self.first


Options = Sequence[Any] | Mapping[Any, Any]


@dataclass(frozen=True)
class Pick:
    """One of several.  Of a mapping the keys are chosen; `words` are what is shown of them.

    options, first  may be functions of what the controls before it hold, by their names
    few             as buttons side by side
    """

    label: Words
    given: Options | Callable[[Mapping[str, Any]], Options]
    begin: Any = None
    words: Callable[[Any], str] = str
    few: bool = False
    width: int = 0

    def options(self, others: Mapping[str, Any]) -> list[Any]:
        return list(self.given(others) if callable(self.given) else self.given)

    def first(self, others: Mapping[str, Any]) -> Any:
        if self.begin is None:
            return self.options(others)[0]
        return self.begin(others) if callable(self.begin) else self.begin

    def accept(self, value: Any, others: Mapping[str, Any]) -> Any:
        for option in self.options(others):
            if value == option or value == self.words(option):
                return option
        return self.first(others)


@dataclass(frozen=True)
class Typed:
    """A line of text of at most so many characters; `hint` stands in it while it is empty."""

    label: Words
    first: str
    most: int
    hint: Words = ""
    width: int = 0

    def accept(self, value: Any, others: Mapping[str, Any]) -> Any:
        if not isinstance(value, str):
            return self.first
        return value[: self.most].encode(errors="ignore").decode()  # without half characters


@dataclass(frozen=True)
class Switch:
    label: Words
    first: bool = False
    width: int = 0

    def accept(self, value: Any, others: Mapping[str, Any]) -> Any:
        return str(value).lower() == "true"


@dataclass(frozen=True)
class Shipped:
    """The opened model of a shipped run, or None where it is not there."""

    run: str


Control = Slider | Pick | Typed | Switch


def slider(
    label: Words, least: float, most: float, first: float, step: float = 1, width: int = 220
) -> Any:
    return Slider(label, least, most, first, step, width)


def pick(
    label: Words,
    options: Options | Callable[[Mapping[str, Any]], Options],
    first: Any = None,
    words: Callable[[Any], str] | None = None,
    few: bool = False,
    width: int = 220,
) -> Any:
    """See `Pick`.  Of a mapping {option: text} the texts are shown."""
    if words is None:
        texts = isinstance(options, Mapping) and all(isinstance(v, str) for v in options.values())
        words = options.__getitem__ if isinstance(options, Mapping) and texts else str
    return Pick(label, options, first, words, few, width)


def typed(label: Words, first: str, most: int, hint: Words = "", width: int = 0) -> Any:
    return Typed(label, first, most, hint, width)


def switch(label: Words, first: bool = False) -> Any:
    return Switch(label, first)


def shipped(run: str) -> Any:
    return Shipped(run)


@dataclass(frozen=True)
class Problem:
    """A ValueError of a part, as its last block."""

    words: str


@dataclass(frozen=True)
class Part:
    """`title` in English stands in links to it."""

    title: str
    make: Callable[..., Iterable[Block]]
    _answers: OrderedDict[Any, list[Block | Problem]] = field(
        default_factory=OrderedDict, compare=False, repr=False
    )

    @property
    def id(self) -> str:
        return self.make.__name__

    @cached_property
    def parameters(self) -> Mapping[str, Any]:
        """{name: its default; None where the page gives it}"""
        found = inspect.signature(self.make).parameters.values()
        return {p.name: None if p.default is p.empty else p.default for p in found}

    @cached_property
    def controls(self) -> dict[str, Control]:
        return {
            name: found
            for name, found in self.parameters.items()
            if isinstance(found, Slider | Pick | Typed | Switch)
        }

    def values(self, held: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """What each control holds: as it is held, where it can be, or else its first value."""
        found: dict[str, Any] = {}
        for name, control in self.controls.items():
            if held and name in held:
                found[name] = control.accept(held[name], found)
            elif isinstance(control, Pick):
                found[name] = control.first(found)
            else:
                found[name] = control.first
        return found

    def blocks(self, **given: Any) -> list[Block | Problem]:
        """With these values, and the first value of every other control."""
        values = self.values(given) | {k: v for k, v in given.items() if k not in self.controls}
        missing = {n: None for n, v in self.parameters.items() if isinstance(v, Shipped)}
        asked = {k: v for k, v in (missing | values).items() if k in self.parameters}
        found: list[Block | Problem] = []
        try:
            for block in self.make(**asked):
                found.append(block)  # noqa: PERF402  what was yielded before a ValueError stands
        except ValueError as problem:
            found.append(Problem(str(problem)))
        return found

    def remembered(self, of: object, **given: Any) -> list[Block | Problem]:
        """The same, computed once for these values; `of`: what the page gives it, as a key."""
        values = self.values(given)
        key = (of, *values.items())
        if (found := self._answers.get(key)) is None:
            found = self._answers[key] = self.blocks(**given)
            while len(self._answers) > REMEMBERED:
                self._answers.popitem(last=False)
        return found


def part(title: str) -> Callable[[Callable[..., Iterable[Block]]], Part]:
    return lambda make: Part(title, make)
