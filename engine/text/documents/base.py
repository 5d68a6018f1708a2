"""Document: a format that files come in, and the bounds within which one is read.

A file of this folder is one format.  It ends in DOCUMENT, which says by what a file is known and
how its text is taken out.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace

from engine.language.message import _, refusal
from engine.text.paged import Paged, Spool
from engine.text.read import CONTROL, MOST_BYTES, whole_words

Tell = Callable[[float, str], None]  # the share done so far and what is being done

MOST_MEMBERS = 5_000  # files in an archive, those in archives inside it included
MOST_DEPTH = 3  # archives in archives
MOST_RATIO = 300  # bytes out of one packed byte; packed texts give 3 to 10, spaces alone 1,000
SMALL = 1_000_000  # so few bytes may be packed as well as they like
MOST_SECONDS = 180.0
MOST_LINES = 20_000_000  # of a table; no text of more is stored
MOST_ROWS = 2_000_000  # of a table of which several columns are taken
LONGEST = 10_000_000  # characters of a row or paragraph: it is cut into its words, fifty bytes each
SHOWN = 120  # characters of a file's name
JOINED = 100_000  # parts of a paragraph that are kept apart before they become one string

_HIDDEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)


@dataclass(frozen=True, slots=True)
class Piece:
    """The text of one file.

    name     as it is shown; a file in an archive has the archive's name in front.  It is not safe
             as a path
    content  one passage a line; a long one stays in a file
    kind     the id of the format, as in the registry `documents`
    notes    what was done to it, one sentence each
    cells    how many a line has, with tabs between them, where more than one column of a table was
             asked for
    """

    name: str
    content: str | Paged
    kind: str
    notes: tuple[str, ...] = ()
    cells: int = 1

    @property
    def pages(self) -> Paged:
        return self.content if isinstance(self.content, Paged) else Spool(self.content).close()

    @property
    def text(self) -> str:
        return self.content if isinstance(self.content, str) else self.content.whole()

    @property
    def rows(self) -> tuple[tuple[str, ...], ...]:
        """The chosen cells, where there are several."""
        if self.cells == 1:
            return ()
        return tuple(tuple(line.rstrip("\n").split("\t")) for line in self.pages.each_line())


@dataclass(frozen=True, slots=True)
class Sheet:
    """The columns of a table.  `first` are some cells of each row; `nested` are the columns whose
    cells are no plain values."""

    names: tuple[str, ...]
    first: tuple[tuple[str, ...], ...]
    nested: tuple[str, ...] = ()


@dataclass(slots=True)
class Bounds:
    """What is left of the bytes, the files and the time that one upload may take.  All files of an
    archive share it."""

    size_bytes: int = MOST_BYTES
    members: int = MOST_MEMBERS
    until: float = field(default_factory=lambda: time.monotonic() + MOST_SECONDS)

    def check_time(self) -> None:
        if time.monotonic() > self.until:
            raise TooMuch(
                _(
                    "reading it takes longer than {most:.0f} seconds; cut it into parts",
                    most=MOST_SECONDS,
                )
            )

    def take(self, size: int) -> None:
        """Count bytes that came out of an archive."""
        self.size_bytes -= size
        if self.size_bytes < 0:
            raise TooMuch(
                _(
                    "unpacked it has more than {most:,.0f} MB; unpack it and give fewer files at a"
                    " time",
                    most=MOST_BYTES / 1000000.0,
                )
            )
        self.check_time()


class Lines:
    """A text that grows line by line; a long one goes to a file, since a string of it takes up to four
    times its bytes."""

    def __init__(self) -> None:
        self.count = 0
        self._text = Spool()

    def add(self, line: str) -> None:
        self._text.write(f"{line}\n")
        self.count += 1

    def text(self) -> Spool:
        return self._text.close()


class Parts:
    """A paragraph that grows part by part.  Ten million short strings take ten times the memory of
    their text, so they are joined on the way.  ValueError where it becomes too long to be read."""

    def __init__(self) -> None:
        self.size = 0
        self._parts: list[str] = []

    def add(self, text: str) -> None:
        self._parts.append(text)
        self.size += len(text)
        if self.size > LONGEST:
            raise refusal(
                "a paragraph of it has more than {longest:,.0f} million characters; cut it into"
                " smaller ones",
                longest=LONGEST / 1000000.0,
            )
        if len(self._parts) >= JOINED:
            self._parts[:] = ["".join(self._parts)]

    def take(self) -> str:
        """All of it; what is added next begins anew."""
        text = "".join(self._parts)
        self._parts.clear()
        self.size = 0
        return text


class TooMuch(ValueError):
    """A bound of the whole upload is reached: no other file of the archive is tried."""


@dataclass(frozen=True, slots=True)
class Source:
    """One file to read: what it is called, its bytes, and what the caller asked for."""

    name: str
    raw: bytes
    columns: tuple[str, ...] | None = None
    join: bool = True  # lines of a hard-wrapped paragraph become one
    tell: Tell = lambda share, what: None
    bounds: Bounds = field(default_factory=Bounds)
    depth: int = 0

    def member(self, name: str, raw: bytes) -> Source:
        """A file inside this one."""
        return replace(self, name=name, raw=raw, depth=self.depth + 1)

    @property
    def ending(self) -> str:
        return self.name.lower().rpartition(".")[2] if "." in self.name else ""


@dataclass(frozen=True, slots=True)
class Document:
    """A format.

    title     what a file of it is called, with its article
    endings   of the names of such files, without the dot
    known_by  whether the bytes say that they are such a file, whatever its name; formats without a
              sign say no
    read      the pieces of a file; ValueError with one sentence for the reader
    columns   the columns to choose from, where the format (or a file in it) is a table
    rank      those with a lower one are asked first whether the bytes are theirs
    by_name   whether bytes without any format's sign are read as it where the name says so
    packed    those of the endings whose files have to be unpacked before they can be read
    label     what such files are called in a list, without an article; empty: their endings
    """

    title: str
    endings: tuple[str, ...]
    known_by: Callable[[bytes], bool]
    read: Callable[[Source], list[Piece]]
    columns: Callable[[Source], Sheet | None] = lambda source: None
    rank: int = 0
    by_name: bool = False
    packed: tuple[str, ...] = ()
    label: str = ""


def shorten_name(name: str) -> str:
    """A file's name as one short line, without signs that hide or turn around what stands beside
    them."""
    clean = _HIDDEN.sub("\N{REPLACEMENT CHARACTER}", name.replace("\\", "/"))
    return clean if len(clean) <= SHOWN else f"…{clean[-SHOWN:]}"


def each_line(text: str) -> Iterator[str]:
    """The lines with their ends, one after the other."""
    at = 0
    while at < len(text):
        stop = text.find("\n", at) + 1 or len(text)
        yield text[at:stop]
        at = stop


def one_line(cells: str) -> str:
    """White space of any kind becomes single spaces, so that a cell or paragraph fits on a line;
    control codes go, and signs inside words that cannot be seen."""
    line = " ".join(cells.split())
    if line.isprintable():
        return line
    return " ".join(whole_words(CONTROL.sub("", line))[0].split())
