"""Blocks: what a part of a lesson yields, in the order in which it stands on the page.

What      a sentence in Markdown (`str` or `Message`), or one of the classes below.  The page draws
          them, each chart with its table and its files; a test reads them
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.core.registry import views
from engine.core.trace import Field, Kind, Table
from engine.language.message import Message
from engine.views.figure import Figure

Words = str | Message
SHARE, WHOLE = "percent", "localized"  # how a column of numbers is written: 12.3 % and 12,345


@dataclass(frozen=True)
class Note:
    """A sentence in small letters, below or above what it is about."""

    words: Words


@dataclass(frozen=True)
class Formula:
    latex: str


@dataclass(frozen=True)
class Rows:
    """A table: rows as {column: cell}.

    forms  {column: SHARE, WHOLE or a form of printf, such as "%.6f"}; other numbers have three digits
    width  in pixels; as wide as its place where none is given
    """

    rows: Sequence[Mapping[str, Any]]
    forms: Mapping[str, str] = field(default_factory=dict)
    width: int = 0


@dataclass(frozen=True, eq=False)
class Chart:
    """A view of engine/views over numbers that are made here.

    name     tells it from the other charts of the part, and begins the names of its files
    note     below its title: whose numbers they are
    text     the words that they are of, where they are of any
    square   it keeps its own width, where a circle has to be one
    """

    name: str
    title: Words
    view: str
    entries: tuple[Field | Table, ...]
    note: Words = ""
    text: str = ""
    square: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    def figure(self, dark: bool = False, note: str | None = None) -> Figure:
        of = str(self.note) if note is None else note
        return views.get(self.view).draw(*self.entries, **self.options, of=of, dark=dark)


@dataclass(frozen=True)
class Beside:
    """Blocks side by side, a column each, equally wide or as `widths` says."""

    columns: Sequence[Sequence[Block]]
    widths: Sequence[int] = ()


@dataclass(frozen=True)
class Controls:
    """The place of controls that do not stand at the top of their part, by the names of their
    parameters."""

    names: Sequence[str]


@dataclass(frozen=True)
class Link:
    """To another lesson, by its id, with what the address there chooses."""

    lesson: str
    words: Words
    query: Mapping[str, str] = field(default_factory=dict)


Block = str | Message | Note | Formula | Rows | Chart | Beside | Controls | Link


def curves(
    name: str,
    title: Words,
    series: Mapping[str, tuple[Iterable[float], Iterable[float]]],
    x: str,
    y: str,
    note: Words = "",
    text: str = "",
    **options: Any,
) -> Chart:
    """Curves over one axis: {name: (places along x, values)}; what is not finite is left out.

    x, y     words for the axes
    options  of the view `curve`: log_x, log_y, whole, tight ...
    """
    rows = [
        (of, at, value)
        for of, (xs, ys) in series.items()
        for at, value in zip(xs, ys, strict=True)
        if np.isfinite(value)
    ]
    made = Table.of_rows(name, str(title), ("series", "x", "value"), rows)
    options = {"x": x, "y": y, "of_series": "", "tight": True, **options}
    return Chart(name, title, "curve", (made,), note, text, options=options)


def grid(
    name: str,
    title: Words,
    values: np.ndarray,
    rows: tuple[str, Iterable[object]],
    columns: tuple[str, Iterable[object]],
    kind: Kind = Kind.PROBABILITY,
    note: Words = "",
    text: str = "",
    symbol: str = "",
    **options: Any,
) -> Chart:
    """A number for each row and column, as a colour; of either side the name of its axis and its
    labels."""
    axes = dict((rows, columns))
    made = Field.of(name, kind, axes, values, str(title), symbol)
    return Chart(name, title, "heatmap", (made,), note, text, options=options)
