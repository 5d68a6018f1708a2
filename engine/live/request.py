"""Request: one message of the browser, read and checked once.

A message comes from a browser of any age, or from anybody who can open a socket: whatever makes
no sense in it counts as not said, and nothing behind this file looks at the raw message again.

The message, as assets/live/live.js sends it under the name `msg`:

text        what stands in the box
seq         number of the message; the reply echoes it
have        hash of the layout that the browser has; null where it has nothing yet
base        the text on its screen, which the reply builds on; null: send everything
base_start  first character of the part of `base` that is shown
base_seq    number of the reply that it came with
start       first character of the part to show; null: the end of the text
next        the word whose place every reply tells; "" for none
whole       the token after which the whole distribution is asked for; null for none
strip       [from, to]: the characters of the overview; null: none is wished
(others)    what the panels of the page ask for, under names of their own
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypedDict

from engine.live.window import Window

LONGEST_WORD = 60  # characters of a word that is looked up
LARGEST = 2**53  # the largest whole number that a browser can write
KNOWN = frozenset(
    ("text", "seq", "have", "base", "base_start", "base_seq", "start", "next", "whole", "strip")
)


class Rows(TypedDict):
    """A table as it is on the screen."""

    columns: list[str]
    rows: list[list[str]]


class Save(TypedDict):
    """The wish for a file: of which panel, in which format, of which text and part of it, with
    what chosen, for a dark page or not.  `id` comes back with the file.

    svg    the picture as the browser drew it, with its `title` and what it `says`; "" where
           numbers are wished for
    table  the table twin of a panel whose numbers are not known here
    """

    id: int | None
    panel: str
    format: str
    text: str
    start: int | None
    selection: dict[str, Any]
    dark: bool
    svg: str
    title: str
    says: str
    table: Rows


@dataclass(frozen=True, slots=True)
class Base:
    """The text on the browser's screen, the first character of the part that is shown, and the number of
    the reply that it came with."""

    text: str
    start: int | None = None
    seq: int | None = None


class Asks(Mapping[str, object]):
    """What the panels of a page ask for, by name; each is read as what it has to be."""

    def __init__(self, said: Mapping[str, object] | None = None) -> None:
        self._said = dict(said or {})

    def __getitem__(self, name: str) -> object:
        return self._said[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._said)

    def __len__(self) -> int:
        return len(self._said)

    def __or__(self, other: Mapping[str, object]) -> Asks:
        return Asks({**self._said, **other})

    def whole(self, name: str) -> int | None:
        """A whole number, or None."""
        return as_int(self._said.get(name))

    def words(self, name: str) -> str:
        """A text; "" where it is none."""
        value = self._said.get(name)
        return value if isinstance(value, str) else ""

    def true(self, name: str) -> bool:
        return self._said.get(name) is True

    def pair(self, name: str) -> tuple[int | None, int | None] | None:
        """Two whole numbers, each None where it is none; None where there are not two."""
        value = self._said.get(name)
        return (
            (as_int(value[0]), as_int(value[1]))
            if isinstance(value, list | tuple) and len(value) == 2
            else None
        )

    def numbers(self, name: str) -> tuple[int, ...]:
        """Whole numbers; none where one of them is none."""
        value = self._said.get(name)
        found = [as_int(x) for x in value] if isinstance(value, list | tuple) else []
        return () if None in found else tuple(x for x in found if x is not None)

    def part(self, name: str) -> Asks | None:
        """A wish with parts of its own, or None."""
        value = self._said.get(name)
        return Asks(value) if isinstance(value, dict) else None


@dataclass(frozen=True, slots=True)
class Request:
    """What the browser wants to be shown.

    strip  the characters of the overview; (0, length of the text) where the wish makes no sense
    asks   of the panels
    link   what the address chose, as long as the browser has nothing yet
    save   a file that is wished for with it
    """

    text: str = ""
    seq: int = 0
    have: str | None = None
    base: Base | None = None
    start: int | None = None
    next: str = ""
    whole: int | None = None
    strip: Window | None = None
    asks: Asks = field(default_factory=Asks)
    link: Asks = field(default_factory=Asks)
    save: Save | None = None

    @classmethod
    def read(cls, message: object, most: int) -> Request:
        """`most`: characters that a text may have; of a longer one the first so many are read."""
        if not isinstance(message, Mapping):
            return cls()
        text, base, have = (message.get(name) for name in ("text", "base", "have"))
        text = text[:most] if isinstance(text, str) else ""
        known = isinstance(base, str) and len(base) <= most
        word = message.get("next")
        return cls(
            text,
            as_int(message.get("seq")) or 0,
            have if isinstance(have, str) and have else None,
            Base(str(base), as_int(message.get("base_start")), as_int(message.get("base_seq")))
            if known
            else None,
            as_int(message.get("start")),
            word[:LONGEST_WORD] if isinstance(word, str) else "",
            as_int(message.get("whole")),
            stretch(message["strip"], len(text)) if message.get("strip") else None,
            Asks({str(name): said for name, said in message.items() if name not in KNOWN}),
        )

    def known(self, stamp: str) -> Request:
        """The same, for a page whose layout has this hash: a browser with another one has nothing
        that a reply could build on."""
        return self if self.have == stamp else replace(self, have=None, base=None)

    @property
    def look(self) -> Asks:
        """What the panels ask for, and behind it what the link chose."""
        return self.link | self.asks


def as_int(value: object) -> int | None:
    """A whole number that a browser can mean, else None."""
    if isinstance(value, float):
        value = int(value) if math.isfinite(value) else None
    fits = isinstance(value, int) and not isinstance(value, bool) and abs(value) <= LARGEST
    return value if fits and isinstance(value, int) else None


def stretch(value: object, length: int) -> Window:
    """The characters (from, to) of a list of two numbers; all where they make no sense."""
    found = [as_int(x) for x in value] if isinstance(value, list | tuple) else []
    if len(found) != 2 or found[0] is None or found[1] is None:
        return 0, length
    return found[0], found[1] if found[1] > found[0] else length


def save(wish: object, most: int) -> Save | None:
    """A wish for a file, with every part of it in order; None where there is none."""
    if not isinstance(wish, Mapping) or not wish:
        return None
    text, chosen = wish.get("text"), wish.get("selection")
    return {
        "id": as_int(wish.get("id")),
        "panel": str(wish.get("panel", "")),
        "format": str(wish.get("format", "")),
        "text": text[:most] if isinstance(text, str) else "",
        "start": as_int(wish.get("start")),
        "selection": dict(chosen) if isinstance(chosen, Mapping) else {},
        "dark": wish.get("dark") is True,
        "svg": _text(wish, "svg"),
        "title": _text(wish, "title"),
        "says": _text(wish, "says"),
        "table": table(wish.get("table")),
    }


def _text(wish: Mapping[str, object], name: str) -> str:
    value = wish.get(name)
    return value if isinstance(value, str) else ""


def table(value: object) -> Rows:
    """Columns and rows of words, as far as there are any."""
    found = value if isinstance(value, Mapping) else {}
    columns, rows = found.get("columns"), found.get("rows")
    return {
        "columns": [str(c) for c in columns] if isinstance(columns, list) else [],
        "rows": [[str(c) for c in row] for row in rows if isinstance(row, list)]
        if isinstance(rows, list)
        else [],
    }
