"""Blocks: what a part of a lesson yields, in the order in which it stands on the page.

What      a sentence in Markdown (`str` or `Message`), or one of the classes below.  The page draws
          them, each chart with its table and its files; a test reads them
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from engine.core.registry import views
from engine.core.trace import Field, Kind, Table
from engine.language.message import Message
from engine.views.figure import Figure

Words = str | Message
Series = Mapping[str, tuple[Iterable[float], Iterable[float]]]  # by name: along x, and values
SHARE, WHOLE = "percent", "localized"  # how a column of numbers is written: 12.3 % and 12,345


@dataclass(frozen=True)
class Note:
    """A sentence in small letters, below or above what it is about."""

    words: Words


@dataclass(frozen=True)
class Warn:
    """A sentence that a reader should not miss."""

    words: Words


@dataclass(frozen=True)
class Problem:
    """Why a part ends here: its ValueError, as a sentence."""

    words: str


@dataclass(frozen=True)
class Progress:
    """How far a part is with what takes long, from 0 to 1; it goes when the part goes on."""

    share: float
    words: Words = ""


@dataclass(frozen=True, eq=False)
class Awaited:
    """What is made in the background: its words, and which share of it is done (0 to 1), asked again
    and again; None: it is there, and the page is drawn anew with it.  `stop`: what a button does that
    ends it."""

    words: Words | Callable[[], Words]
    share: Callable[[], float | None]
    stop: Callable[[], None] | None = None


@dataclass(frozen=True)
class Stopped:
    """The reader has stopped it here: a button begins it again."""


@dataclass(frozen=True)
class Formula:
    latex: str


@dataclass(frozen=True)
class Equations:
    """Named results in LaTeX side by side, as many to a line as fit."""

    parts: Sequence[tuple[str, str]]


@dataclass(frozen=True)
class Code:
    """`tall`: at most so many pixels."""

    text: str
    language: str | None = "python"
    tall: int = 0


@dataclass(frozen=True)
class Marked:
    """A text in rows, some of it marked: (piece, how strongly, what is said of it on demand).

    From 0 to 1 it is a colour behind the piece; below 0 the piece is grey: it is not seen.  `tall`: at most so many
    pixels
    """

    pieces: Sequence[tuple[str, float, Words]]
    tall: int = 0


@dataclass(frozen=True)
class Rows:
    """A table: rows as {column: cell}.

    forms   {column: SHARE, WHOLE or a form of printf, such as "%.6f"}; other numbers have three digits
    bars    columns of numbers from 0 to 1, of which each is a bar as well
    width   in pixels; as wide as its place where none is given
    widths  {column: in pixels}
    tall    at most so many pixels
    folds   its words fold wherever there is little room, as on a telephone; for a few rows without bars
    """

    rows: Sequence[Mapping[str, Any]]
    forms: Mapping[str, str] = field(default_factory=dict)
    width: int = 0
    tall: int = 0
    bars: Sequence[str] = ()
    widths: Mapping[str, int] = field(default_factory=dict)
    folds: bool = False


@dataclass(frozen=True, eq=False)
class Chart:
    """A view of engine/views over numbers that are made here.

    name     tells it from the other charts of the part, and begins the names of its files
    note     below its title: whose numbers they are
    text     the words that they are of, where they are of any
    source   the run whose numbers they are, where that is not the one that the page shows
    square   it keeps its own width, where a circle has to be one
    fluid    laid out in pixels, it takes the width that there is, a narrow one too
    """

    name: str
    title: Words
    view: str
    entries: tuple[Field | Table, ...]
    note: Words = ""
    text: str = ""
    source: str = ""
    square: bool = False
    fluid: bool = False
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
class Line:
    """Controls, buttons and links in one line, as many as fit."""

    blocks: Sequence[Block]


@dataclass(frozen=True)
class Section:
    """Blocks that a link can name: `?panel=part-a-title`."""

    title: str
    blocks: Sequence[Block]


@dataclass(frozen=True)
class Controls:
    """The place of controls that do not stand at the top of their part, by the names of their
    parameters.

    button  they stand behind a button with these words
    down    one below the other
    note    above them
    """

    names: Sequence[str]
    button: Words = ""
    down: bool = False
    note: Words = ""


@dataclass(frozen=True)
class Behind:
    """Blocks behind a button with these words."""

    words: Words
    blocks: Sequence[Block]
    help: Words = ""


@dataclass(frozen=True)
class Presets:
    """Buttons that set several controls at once, {words: {name of a parameter: value}}, behind a
    button with the label; `open`: side by side, below it."""

    label: Words
    choices: Mapping[str, Mapping[str, Any]]
    open: bool = False


@dataclass(frozen=True, eq=False)
class Board:
    """A picture that the browser computes from what it is sent, and on which a mouse may draw.

    script  its module below assets/live, and its style sheets
    sets    what it may change: {as the board calls it: the name of a control's parameter}
    """

    script: str
    data: Mapping[str, Any]
    sets: Mapping[str, str] = field(default_factory=dict)
    sheets: Sequence[str] = ()


@dataclass(frozen=True)
class Train:
    """A link to the training room with these settings in its form; `start`: a run that it goes on from."""

    settings: Mapping[str, Any]
    model: str = "lstm"
    text: str = ""
    words: Words = "Train with this"
    start: str = ""


@dataclass(frozen=True, eq=False)
class Download:
    """A button that saves a file of this name, which is made when it is pressed."""

    words: Words
    name: str
    make: Callable[[], bytes]


@dataclass(frozen=True)
class Link:
    """To another lesson, by its id, with what the address there chooses."""

    lesson: str
    words: Words
    query: Mapping[str, str] = field(default_factory=dict)


Block = (
    str
    | Message
    | Note
    | Warn
    | Problem
    | Progress
    | Awaited
    | Stopped
    | Formula
    | Equations
    | Code
    | Marked
    | Rows
    | Chart
    | Beside
    | Line
    | Section
    | Behind
    | Controls
    | Presets
    | Board
    | Train
    | Download
    | Link
)


def blocks_in(blocks: Iterable[Block]) -> Iterator[Block]:
    """Those inside others, too."""
    for block in blocks:
        yield block
        match block:
            case Beside(columns):
                yield from blocks_in(inner for column in columns for inner in column)
            case Line(inner) | Section(_, inner) | Behind(_, inner):
                yield from blocks_in(inner)


def table(heads: Sequence[str], rows: Iterable[Sequence[Any]], **more: Any) -> Rows:
    """Of rows without the names of their columns; `more` are fields of Rows."""
    plain = (
        [cell.item() if isinstance(cell, np.generic) else cell for cell in row] for row in rows
    )
    return Rows([dict(zip(heads, row, strict=True)) for row in plain], **more)


def curves(
    name: str,
    title: Words,
    series: Series,
    x: str,
    y: str,
    note: Words = "",
    text: str = "",
    source: str = "",
    **options: Any,
) -> Chart:
    """Curves over one axis; what is not finite is left out.

    x, y     words for the axes
    options  of the view `curve`: log_x, log_y, whole, tight ...; with `every`, what is not finite is
             written below the curves
    """
    every = options.pop("every", False)
    rows = [
        (of, at, value)
        for of, (xs, ys) in series.items()
        for at, value in zip(xs, ys, strict=True)
        if every or np.isfinite(value)
    ]
    made = Table.of_rows(name, str(title), ("series", "x", "value"), rows)
    options = {"x": x, "y": y, "of_series": "", "tight": True, **options}
    return Chart(name, title, "curve", (made,), note, text, source, options=options)


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
    source: str = "",
    fluid: bool = False,
    **options: Any,
) -> Chart:
    """A number for each row and column, as a colour; of either side the name of its axis and its
    labels."""
    axes = dict((rows, columns))
    made = Field.of(name, kind, axes, values, str(title), symbol)
    return Chart(name, title, "heatmap", (made,), note, text, source, fluid=fluid, options=options)


def bars(
    name: str,
    title: Words,
    values: np.ndarray,
    labels: tuple[str, Iterable[object]],
    kind: Kind = Kind.PROBABILITY,
    note: Words = "",
    text: str = "",
    source: str = "",
    **options: Any,
) -> Chart:
    """A number for each label of an axis, the largest first; `options` of the view `bars`."""
    made = Field.of(name, kind, dict([labels]), values, str(title))
    return Chart(name, title, "bars", (made,), note, text, source, fluid=True, options=options)
