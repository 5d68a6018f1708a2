"""Picture and Live: the live part of a lesson, declared.

A picture is a kind of drawing with layers or columns over named fields, and templates for its words;
assets/live/grammar/ draws it.  What stands in a template:

{field}         a number, at what is looked at: three digits; {field:%} per cent, {field:n} whole, {field:plain}
                whole where it is a whole number; {field:power} of bits the probability, as a power of ten;
                {field:state} the label of an axis at it
{field@-1}      one token before; @last: of the last one, @sum: of all together
{field[a=b]}    with place b (a number, or a field) on axis a
{token}         the label of an axis where one looks, {state:called} its long name, {#token} its number
{largest.&by}   &by is what is chosen under that name
{top} {top.p:%} what is expected next, and its probability; {bits} of the token itself
{n|row|rows}    the first word where n is 1
{?test}         nothing; what it stands in falls away unless the test holds: "bent", "!bent",
                "a=b", "a!=b", "a>b", "a<b" of fields and numbers, "token" where there is one
[...]           falls away where something in it is none; \\[ is a bracket

Axes that a model has without saying so: token (a field's query is one, too), key (another token of
the text), source (a token of the text that is read beside it), top (what is expected next, the likeliest
first), reader (of a lesson with several models, all read by one picture: {weight} is of the one that is
chosen under the name of the place `reader`, {weight[reader=2]} of another).  They are looked along where
`Live.places` says so.

Of several sentences the first is said in which nothing is none.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

import numpy as np

from engine.core.trace import FieldSpec, Trace

Derived = Mapping[str, tuple[Sequence[str], Any]]
"""Numbers computed from a trace: {name: (axes, values)}; without axes one number."""

Derive = Callable[[Any, Trace, Mapping[str, object]], Derived]


@dataclass(frozen=True, slots=True)
class If:
    """A sentence, or a name, for where a test holds."""

    test: str
    say: str


Said = str | If | tuple[str | If, ...]
Colour = str  # "accent", "text", "faint", or "line-0" ... of the theme
Colours = tuple[tuple[str, Colour], ...]
"""(test, colour): the first whose test holds; "" always holds."""


@dataclass(frozen=True, slots=True)
class Series:
    """`term` for each place of an axis, joined: {name} in the sentences.  With `most` the largest, whatever
    their sign, by the number `by`, else by the product of the numbers in a term; `rest` is said behind
    them where some are left, {others} of them, {rest} together."""

    over: str
    term: str
    join: str
    most: int = 0
    by: str = ""
    rest: str = ""


# ------------------------------------------------------------------ above a picture


@dataclass(frozen=True, slots=True)
class Choice:
    """Buttons of which one is on; `options` are (value, label)."""

    kind: ClassVar[str] = "choice"
    name: str
    options: tuple[tuple[str, str], ...]
    first: str
    asks: bool = False  # whether `derive` reads it


@dataclass(frozen=True, slots=True)
class Amount:
    """A whole number, moved from `low` to `high`: {name} in the sentences; `says` stands before it."""

    kind: ClassVar[str] = "amount"
    name: str
    low: int
    high: int
    step: int
    first: int
    says: str
    asks: bool = False


@dataclass(frozen=True, slots=True)
class Switch:
    """A button that is on or off; a layer that says `when=name` is drawn where it is on."""

    kind: ClassVar[str] = "switch"
    name: str
    label: str
    first: bool = True


@dataclass(frozen=True, slots=True)
class Pick:
    """A list of the labels of an axis, from place `start` on.  Without `name` it chooses where all pictures
    look along that axis, and that place is asked; `label` stands before it, `aria` is for screen readers."""

    kind: ClassVar[str] = "pick"
    axis: str
    name: str = ""
    label: str = ""
    aria: str = ""
    start: int = 0
    asks: bool = False  # whether `derive` reads it


@dataclass(frozen=True, slots=True)
class Player:
    """The text read step by step; `says` is said of each step."""

    kind: ClassVar[str] = "player"
    title: str
    says: str
    label: str = "Token"


Control = Choice | Amount | Switch | Pick | Player

# ------------------------------------------------------------------ layers


@dataclass(frozen=True, slots=True)
class Dots:
    """A circle at each token and row, its area the number."""

    kind: ClassVar[str] = "dots"
    size: str
    colours: Colours = ()


@dataclass(frozen=True, slots=True)
class Links:
    """A line from each token and row back to a row of the token before, the stronger the darker."""

    kind: ClassVar[str] = "links"
    back: str
    strength: str
    when: str = ""


@dataclass(frozen=True, slots=True)
class Trail:
    """The way back along such links from the row looked at, unless it is that of `but`."""

    kind: ClassVar[str] = "trail"
    back: str
    but: str


@dataclass(frozen=True, slots=True)
class Line:
    """A line through the tokens, at a number or a row for each; it breaks where there is none.  `each`: one
    for each place of an axis, in the colours of the theme."""

    kind: ClassVar[str] = "line"
    value: str
    colour: Colour = "accent"
    label: str = ""
    width: float = 2
    dots: float = 0
    dashes: tuple[int, ...] = ()
    when: str = ""
    each: str = ""


@dataclass(frozen=True, slots=True)
class Cells:
    """At each token and row the number as a colour; of `shade`: see `Live.shades`."""

    kind: ClassVar[str] = "cells"
    value: str
    shade: str = ""


@dataclass(frozen=True, slots=True)
class Band:
    """At each token a frame over the rows, from `half` before `middle` to `half` behind it."""

    kind: ClassVar[str] = "band"
    middle: str
    half: str
    colour: Colour = "accent"


@dataclass(frozen=True, slots=True)
class Arcs:
    """An arc from a token to each other one (axis `key`), as strong as a number from 0 to 1; `all`: from those not
    looked at, too, faint."""

    kind: ClassVar[str] = "arcs"
    strength: str
    colours: Colours = (("", "accent"),)
    all: bool = True


@dataclass(frozen=True, slots=True)
class Bars:
    """A bar at each token, with lines of text over it where `test` holds."""

    kind: ClassVar[str] = "bars"
    value: str
    colours: Colours = ()
    above: tuple[str, ...] = ()
    test: str = ""


@dataclass(frozen=True, slots=True)
class Heads:
    """Lines of text over the columns: (text, colour)."""

    kind: ClassVar[str] = "heads"
    lines: tuple[tuple[str | If, Colour], ...]
    label: tuple[str, Colour] = ("", "")


Layer = Dots | Links | Trail | Line | Cells | Band | Arcs | Bars | Heads

# ------------------------------------------------------------------ kinds


@dataclass(frozen=True, slots=True)
class Fold:
    """Where there are more than `above` places, the `most` of them whose `weight` is largest at the token
    that is chosen, in their order; the one that is open is among them, and with `ends` the first and the
    last.  A button shows all.  In sentences {?folded} holds where not all are drawn, {drawn} are, of
    {places}."""

    weight: str
    most: int
    above: int
    ends: bool = False


@dataclass(frozen=True, slots=True)
class Rows:
    """The labels of an axis, one below another: at most `most`, those whose `weight` is largest at some
    token, those of `always` first; all where there is no `weight`.  Or as `fold` says."""

    axis: str
    most: int = 24
    weight: str = ""
    always: str = ""
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class Bends:
    """A click on a row bends a path of one's own through it, kept under `name`; `path` is the one that is
    bent, `reset` the button that takes all bends back.  A bend holds while its token stays."""

    name: str
    path: str
    reset: str


@dataclass(frozen=True, slots=True)
class Over:
    """Tokens across, or another axis; an axis down, or numbers.

    across  "token", or another axis; with `label`, one of the layers that goes on behind the tokens and
            begins with that word
    scale   of numbers: "share" from 0 to 100 %, "number" from 0 or the smallest to the largest, "log", or
            "none" where nothing is read off
    least   pixels of a column, where rows go down
    now     how the column looked at is shown: "frame" or "rule"; of rows it is shaded
    """

    kind: ClassVar[str] = "over"
    layers: tuple[Layer, ...]
    rows: Rows | None = None
    bends: Bends | None = None
    across: str = "token"
    label: str = ""
    top: int = 12
    high: int = 130
    widest: int = 0
    scale: str = ""
    least: int = 0
    now: str = "frame"


@dataclass(frozen=True, slots=True)
class Matrix:
    """A field over two axes, with its numbers; `frame` is the cell of the place looked at (row, column),
    `click` the axis that a click chooses a place on, and of which side; else it chooses both.

    number  how they are written: "%", or "" for three letters of a share, "two" decimals, or "plain"
    second  another number in the cell; `foot`: lines below each column
    """

    kind: ClassVar[str] = "matrix"
    field: str
    rows: str
    columns: str
    legend: str = ""
    corner: str = ""
    frame: tuple[str, str] | None = None
    click: tuple[str, str] | None = None
    shade: str = ""
    number: str = ""
    second: str = ""
    foot: tuple[str, ...] = ()
    widest: int = 0


@dataclass(frozen=True, slots=True)
class Multiples:
    """A field over two axes, small, once for each place of another axis, or of two; a click opens one.
    `name` stands over each, in place of its labels; `fold`: of many places, which are drawn."""

    kind: ClassVar[str] = "multiples"
    over: tuple[str, ...]
    field: str
    rows: str
    columns: str
    shade: str = ""
    legend: str = ""
    name: str = ""
    fold: Fold | None = None


@dataclass(frozen=True, slots=True)
class Column:
    """`signs`: of these the longest that has room.  `largest`: the longest bar is the largest number,
    which is then written as it is and not in per cent; `log`: bars are as long as log(1 + number); `group`: the
    largest is that of all columns of that name, and bars go to both sides."""

    head: str
    value: str
    signs: tuple[str, ...] = ()
    colour: Colour = "accent"
    faint: bool = False
    largest: bool = False
    log: bool = False
    group: str = ""
    wide: float = 1


@dataclass(frozen=True, slots=True)
class Words:
    """A column of words."""

    kind: ClassVar[str] = "words"
    head: str
    cell: str
    wide: float = 1


@dataclass(frozen=True, slots=True)
class Strip:
    """A column of numbers along another axis as colours; `after`: (name, field) of such rows below all."""

    kind: ClassVar[str] = "strip"
    head: str
    value: str
    over: str
    shade: str = ""
    after: tuple[tuple[str, str], ...] = ()
    signs: tuple[str, ...] = ()
    wide: float = 3


@dataclass(frozen=True, slots=True)
class Columns:
    """A row for each label of an axis, in each column a bar, words or a strip."""

    kind: ClassVar[str] = "columns"
    rows: Rows
    columns: tuple[Column | Words | Strip, ...]


@dataclass(frozen=True, slots=True)
class Lane:
    """A row of words or numbers, one for each token; `mark`: those of which this holds are marked, and not the
    one looked at."""

    head: Said
    cell: str
    strong: bool = False
    when: str = ""
    mark: str = ""


@dataclass(frozen=True, slots=True)
class Lanes:
    """Rows of words or numbers, one for each token from `start` on, or place of another axis, under a
    sentence."""

    kind: ClassVar[str] = "lanes"
    lanes: tuple[Lane, ...]
    total: Said = ()
    start: int = 0
    along: str = "token"


@dataclass(frozen=True, slots=True)
class Spots:
    """Points, one for each place of an axis; `place` is a field over it and the axis `coordinate` (2).

    size    a number from 0 to 1; without it they are small squares, in the colours of the field `shade`
    pulls   a point that each is joined to, by a line as wide as its size
    label   its name, a template; it is written where there is room
    joined  one with the next
    """

    axis: str
    place: str
    size: str = ""
    pulls: str = ""
    label: str = ""
    joined: bool = False
    shade: str = ""


@dataclass(frozen=True, slots=True)
class Points:
    """Points in a plane; `zoom`: the number that says how many times as large they lie, around that of
    the first set that is looked at."""

    kind: ClassVar[str] = "points"
    sets: tuple[Spots, ...]
    zoom: str = ""
    legend: str = ""


@dataclass(frozen=True, slots=True)
class Box:
    """`x` and `y` are its middle, as shares of the width and the height; `lines` stand in it."""

    id: str
    x: float
    y: float
    lines: tuple[Said, ...]
    strong: bool = False
    when: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """From one box to another, at the height `by` where something stands between; `strength`: a number from -1 to
    1, as wide as which it is, and in another colour below 0."""

    start: str
    end: str
    by: float = 0
    dashed: bool = False
    strength: str = ""


@dataclass(frozen=True, slots=True)
class Boxes:
    """How something is wired; a box is `wide`, as a share of the width.  Arrows with a strength are drawn where it
    is at least the number `least`, in per cent."""

    kind: ClassVar[str] = "boxes"
    boxes: tuple[Box, ...]
    arrows: tuple[Arrow, ...]
    high: int = 210
    wide: float = 0.16
    least: str = ""


@dataclass(frozen=True, slots=True)
class Listed:
    """Words with a number each, largest first: those that `Once.lists` has at a place of an axis.
    {count} and {sum} in the sentences are how many, and their sum."""

    kind: ClassVar[str] = "list"
    items: str
    axis: str
    heads: tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class Drawn:
    """A kind of its own, drawn by hand in assets/live/panels/; `options` of a model."""

    kind: str
    options: Callable[[Any], Mapping[str, Any]] = lambda model: {}


Drawing = Over | Matrix | Multiples | Columns | Lanes | Points | Boxes | Listed | Drawn


@dataclass(frozen=True, slots=True)
class Table:
    """The picture as a table: a row for each place on these axes; (head, cell) for each column."""

    over: tuple[str, ...]
    columns: tuple[tuple[str, str], ...]


def table(over: str, columns: str) -> Table:
    """table("token state", "token: {token} | filtered: {filter:%} | ..."): axes, and heads with cells."""
    cells = (column.partition(": ") for column in columns.split(" | "))
    return Table(tuple(over.split()), tuple((head, cell) for head, _, cell in cells))


@dataclass(frozen=True, slots=True)
class Saves:
    """What is saved as numbers: fields of the model, cut at what is looked at along `at`; `view` draws
    them outside the page.  `each`: of every model, where several are shown."""

    fields: tuple[str, ...]
    at: tuple[str, ...] = ()
    view: str = ""
    options: Mapping[str, Any] = field(default_factory=dict)
    each: bool = False


@dataclass(frozen=True, slots=True)
class Picture:
    """A live picture.

    blank  its title as long as `title` has a number that is none
    says   how to read it, below
    tell   what is seen of the place looked at, under it
    alt    its words for screen readers, behind title and `tell`
    side   "left" or "right", beside its neighbour
    late   a number that is read of one token in a moment of rest, not with every key; as long as it is
           none, the picture of the token before stands there, pale
    """

    id: str
    drawing: Drawing
    blank: str
    title: Said = ()
    says: Said = ()
    tell: Said = ()
    alt: str = ""
    side: str = ""
    late: str = ""
    controls: tuple[Control, ...] = ()
    parts: Mapping[str, Series] = field(default_factory=dict)
    table: Table | None = None
    saves: Saves | None = None


# ------------------------------------------------------------------ the live part


@dataclass(frozen=True, slots=True)
class Place:
    """Where one looks along an axis: what the page keeps under `name`; where nothing is kept, the
    number of the field `follows` at the token; where that is none, `first`, or nowhere with -1."""

    name: str
    follows: str = ""
    first: int = 0


@dataclass(frozen=True, slots=True)
class Once:
    """What the browser is told of a model once.

    labels  of axes; `called` are long names, where they differ
    tables  parameters, which pictures and templates read like fields
    lists   for each place of an axis [label, number], largest first
    """

    labels: Mapping[str, Sequence[str]]
    called: Mapping[str, Sequence[str]] = field(default_factory=dict)
    tables: tuple[tuple[FieldSpec, np.ndarray], ...] = ()
    lists: Mapping[str, Sequence[Sequence[tuple[str, float]]]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Live:
    """What a page reads with every key, and the pictures that show it.

    sends   fields that the browser gets, of those that the model has; `also`: asked of it for `derive`
    derive  (model, trace, asks) -> more numbers, computed with every key; `asks` are the chosen values
            of the controls that say so
    shades  colours by the name that pictures use: the field that is drawn so
    called  what each of several models is called, by what the lesson calls its run
    numbers whether `derive` reads more of the trace than its tokens; else, of a model that looks back a few
            tokens only, no more is computed with a key than those that are new
    derives the kind of model that `derive` is for; of others it derives nothing
    words   whether `derive` reads the words of the tokens, too, which may change where their ids do not
    unit    of a model: what its tokens are called
    places  by axis: where one looks along it; `vertical` is the one that the up and down keys go along
    named   axes whose places are tokens of the text, such as its different words: the field over it
            that says which; where one looks along it is what its `Place` follows
    most    characters shown at once
    """

    sends: tuple[str, ...]
    pictures: tuple[Picture, ...]
    once: Callable[[Any], Once] = lambda model: Once({})
    derive: Derive | None = None
    also: tuple[str, ...] = ()
    shades: Mapping[str, FieldSpec] = field(default_factory=dict)
    called: Callable[[str], str] | None = None
    numbers: bool = True
    derives: type = object
    words: bool = True
    unit: Callable[[Any], str] = lambda model: "tokens"
    places: Mapping[str, Place] = field(default_factory=dict)
    named: Mapping[str, str] = field(default_factory=dict)
    vertical: str = ""
    top: str = "probability"
    listed: int = 12
    most: int = 512


def plain(value: object) -> Any:
    """A declaration as JSON; what is not set is left out."""
    if is_dataclass(value) and not isinstance(value, type):
        kind = getattr(value, "kind", None)
        found = {one.name: plain(getattr(value, one.name)) for one in fields(value)}
        found = {name: part for name, part in found.items() if part not in ("", None, (), [], {})}
        return {"kind": kind, **found} if kind else found
    if isinstance(value, Mapping):
        return {name: plain(part) for name, part in value.items()}
    return [plain(part) for part in value] if isinstance(value, tuple | list) else value
