"""Control: what a reader can choose in a part, as the default of one of its parameters.

What      slider, number, pick, several, typed, switch, start, cells, noted: each says its label, its range
          and its first value; `accept` makes any value that stands in an address, or was held
          before, one that the control can hold
Differs   Ends, options and first values may be functions of what the page gives and of what the
          controls before it hold, by their names: {"surface": "valley"}.  Where a first value
          changes, the control begins with it again
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from engine.frame.blocks import Words

Others = Mapping[str, Any]
Matrix = tuple[tuple[float, ...], ...]
WANTED = "Every cell needs a number of at most a million."
Options = Sequence[Any] | Mapping[Any, Any]


def _now(value: Any, others: Others) -> Any:
    return value(others) if callable(value) else value


@dataclass(frozen=True)
class Control:
    """width   in pixels; as it likes where none is given
    help    what is said of it on demand
    shared  all parts of the lesson that have one of this name hold the same
    """

    label: Words
    width: int = 0
    help: Words = field(default="", kw_only=True)
    shared: bool = field(default=False, kw_only=True)

    def first(self, others: Others) -> Any:
        """What it begins with."""
        raise NotImplementedError

    def accept(self, value: Any, others: Others) -> Any:
        """The value, where the control can hold it; else the nearest, or what it begins with."""
        raise NotImplementedError


@dataclass(frozen=True)
class Number(Control):
    """A slider, or a box to type a number into."""

    least: Any = 0
    most: Any = 1
    begin: Any = 0
    step: float = 1
    box: bool = False
    form: str = ""  # of printf

    def ends(self, others: Others) -> tuple[Any, Any]:
        return _now(self.least, others), _now(self.most, others)

    def first(self, others: Others) -> Any:
        return _now(self.begin, others)

    def accept(self, value: Any, others: Others) -> Any:
        first, (least, most) = self.first(others), self.ends(others)
        try:
            found = type(first)(value)
        except (TypeError, ValueError, OverflowError):
            return first
        return min(max(found, least), most) if math.isfinite(found) else first


@dataclass(frozen=True)
class Pick(Control):
    """One of several; `words` are what is shown of an option.

    few    as buttons side by side; `slide`: as the stops of a slider
    free   another may be typed, of at most so many characters
    """

    given: Options | Callable[[Others], Options] = ()
    begin: Any = None
    words: Callable[[Any], str] = str
    few: bool = False
    slide: bool = False
    free: int = 0

    def options(self, others: Others) -> list[Any]:
        return list(_now(self.given, others))

    def called(self, others: Others) -> Callable[[Any], str]:
        """What is shown of an option: its text, of a mapping {option: text}."""
        given = _now(self.given, others)
        texts = isinstance(given, Mapping) and all(isinstance(v, str) for v in given.values())
        if isinstance(given, Mapping) and texts:
            return lambda option: given.get(option, str(option))  # what is a text already stays
        return self.words

    def first(self, others: Others) -> Any:
        found = _now(self.begin, others)
        return self.options(others)[0] if found is None else found

    def accept(self, value: Any, others: Others) -> Any:
        called = self.called(others)
        for option in self.options(others):
            if _same(value, option) or value in (called(option), str(option)):
                return option
        if self.free and isinstance(value, str) and value:
            return value[: self.free].encode(errors="ignore").decode()
        return self.first(others)


@dataclass(frozen=True)
class Several(Pick):
    """Some of several, in the order in which they are listed."""

    def first(self, others: Others) -> Any:
        return tuple(_now(self.begin, others) or ())

    def accept(self, value: Any, others: Others) -> Any:
        asked = value if isinstance(value, list | tuple) else [value]
        called = self.called(others)
        found = [
            o for o in self.options(others) if any(_same(a, o) or a == called(o) for a in asked)
        ]
        return tuple(found) if found or not asked else self.first(others)


@dataclass(frozen=True)
class Typed(Control):
    """A line of text of at most so many characters; `hint` stands in it while it is empty.

    live   it is answered while somebody types
    along  it goes along to the other pages, as what is typed into the box of a live one does
    tall   so many pixels: several lines; where `most` is large, they are not kept in the address
    """

    begin: Any = ""
    most: int = 200
    hint: Words = ""
    live: bool = False
    along: bool = False
    tall: int = 0

    def first(self, others: Others) -> Any:
        return _now(self.begin, others)

    def accept(self, value: Any, others: Others) -> Any:
        if not isinstance(value, str):
            return self.first(others)
        return value[: self.most].encode(errors="ignore").decode()  # without half characters


@dataclass(frozen=True)
class Switch(Control):
    begin: bool = False

    def first(self, others: Others) -> Any:
        return self.begin

    def accept(self, value: Any, others: Others) -> Any:
        return str(value).lower() == "true"


@dataclass(frozen=True)
class Start(Control):
    """A button without which something that takes long is not begun; no link begins it.

    of     controls before it: for another value of theirs it is to be pressed again
    ready  whether it can be pressed
    """

    of: Sequence[str] = ()
    ready: Callable[[Others], bool] = lambda others: True

    def first(self, others: Others) -> Any:
        return False

    def pressed(self, others: Others) -> Any:
        """What it holds from then on."""
        return tuple(others[name] for name in self.of) or True

    def accept(self, value: Any, others: Others) -> Any:
        return value is True or (bool(self.of) and value == self.pressed(others))


@dataclass(frozen=True)
class Again(Control):
    """A button to measure once more; it holds how often it was pressed."""

    def first(self, others: Others) -> Any:
        return 0

    def accept(self, value: Any, others: Others) -> Any:
        return value if type(value) is int and value >= 0 else 0


@dataclass(frozen=True)
class Noted(Control):
    """Buttons, each of which adds something to a list of texts, which is kept in the session alone.

    choices  what is added, and the words of its button, of what the controls before it hold; a button
             that adds nothing takes the last back
    """

    choices: Callable[[Others], Sequence[tuple[tuple[str, ...], Words]]] = lambda others: ()
    most: int = 1_000

    def first(self, others: Others) -> Any:
        return ()

    def accept(self, value: Any, others: Others) -> Any:
        if not isinstance(value, tuple | list) or not all(isinstance(one, str) for one in value):
            return ()
        return tuple(value)[-self.most :]

    def pressed(self, held: Sequence[str], added: tuple[str, ...]) -> list[str]:
        """What it holds from then on."""
        return [*held, *added] if added else [*held][:-1]


@dataclass(frozen=True)
class Upload(Control):
    """A file of the reader's, as its name and its bytes; None until there is one."""

    kinds: Sequence[str] = ()
    megabytes: int = 50

    def first(self, others: Others) -> Any:
        return None

    def accept(self, value: Any, others: Others) -> Any:
        return value if isinstance(value, tuple) and len(value) == 2 else None


@dataclass(frozen=True)
class Cells(Control):
    """A matrix to type into, as a tuple of rows; a cell that is emptied, or beyond `most`, is NaN.

    begin  its first numbers, with one row or more of equal length
    """

    begin: Any = ()
    rows: Sequence[str] = ()
    columns: Sequence[str] = ()
    most: float = 1e6

    def first(self, others: Others) -> Any:
        return tuple(tuple(map(float, row)) for row in np.atleast_2d(_now(self.begin, others)))

    def accept(self, value: Any, others: Others) -> Any:
        first = self.first(others)
        try:
            found = np.array(value, float)
        except (TypeError, ValueError):
            return first
        if found.shape != np.shape(first):
            return first
        found = np.where(np.abs(found) <= self.most, found, np.nan)
        return tuple(map(tuple, found.tolist()))


def array(cells: Matrix) -> np.ndarray:
    """What Cells hold; ValueError where one holds no number."""
    found = np.array(cells, float)
    if not np.isfinite(found).all():
        raise ValueError(WANTED)
    return found


def _same(value: Any, option: Any) -> bool:
    return type(value) is type(option) and bool(value == option)


# As defaults of parameters, whose types are those of the values that they hold.


def slider(
    label: Words, least: Any, most: Any, first: Any, step: float = 1, width: int = 220
) -> Any:
    return Number(label, width, least, most, first, step)


def number(
    label: Words,
    least: Any,
    most: Any,
    first: Any,
    step: float = 1,
    form: str = "",
    width: int = 160,
) -> Any:
    return Number(label, width, least, most, first, step, box=True, form=form)


def pick(
    label: Words,
    options: Options | Callable[[Others], Options],
    first: Any = None,
    words: Callable[[Any], str] = str,
    few: bool = False,
    width: int = 220,
    slide: bool = False,
    free: int = 0,
    help: Words = "",
) -> Any:
    return Pick(label, width, options, first, words, few, slide, free, help=help)


def several(
    label: Words,
    options: Options | Callable[[Others], Options],
    first: Iterable[Any] | Callable[[Others], Iterable[Any]],
    words: Callable[[Any], str] = str,
    width: int = 520,
) -> Any:
    return Several(label, width, options, first if callable(first) else tuple(first), words)


def typed(
    label: Words,
    first: Any,
    most: int,
    hint: Words = "",
    width: int = 0,
    live: bool = False,
    along: bool = False,
    tall: int = 0,
) -> Any:
    return Typed(label, width, first, most, hint, live, along, tall)


def switch(label: Words, first: bool = False, help: Words = "") -> Any:
    return Switch(label, 0, first, help=help)


def again(label: Words) -> Any:
    return Again(label)


def upload(label: Words, kinds: Sequence[str]) -> Any:
    return Upload(label, 0, kinds)


def noted(
    label: Words, choices: Callable[[Others], Sequence[tuple[tuple[str, ...], Words]]]
) -> Any:
    return Noted(label, 0, choices)


def shared(control: Any, help: Words = "") -> Any:
    return replace(control, shared=True, help=help or control.help)


def start(
    label: Words,
    of: Sequence[str] = (),
    ready: Callable[[Others], bool] = lambda others: True,
    help: Words = "",
) -> Any:
    return Start(label, 0, of, ready, help=help)


def cells(
    label: Words,
    first: Sequence[Sequence[float]],
    rows: str | Sequence[str],
    columns: Sequence[str] = (),
    width: int = 0,
) -> Any:
    """`rows`: one word for all, which are numbered then, as columns without words are."""
    down, across = np.shape(first)
    if isinstance(rows, str):
        rows = [f"{rows} {n + 1}" for n in range(down)] if down > 1 else [rows]
    columns = tuple(columns) or tuple(f"{n + 1}" for n in range(across))
    return Cells(label, width or 80 + 80 * across, first, tuple(rows), columns)
