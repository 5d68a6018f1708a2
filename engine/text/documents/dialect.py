"""Dialect: how a table of lines writes its cells, measured, and the rows of it.

What      of all ways to read the first rows (mark between cells, quotation marks or none, doubled or
          behind a backslash, blanks behind the mark) the one wins in which the rows have alike
          numbers of cells, the cells look like cells, and no quotation mark stands where none can
Source    van den Burg, Nazábal & Sutton, Wrangling Messy CSV Files by Detecting Row and Type
          Patterns, 2019; RFC 4180, Common Format and MIME Type for CSV Files; cut by Python's csv
Differs   Their pattern score is the share of rows with the commonest number of cells, so that a cell
          with line ends in it is as good as any.  Behind the first rows too, a line whose quotation
          marks do not match is read alone and as it stands, and swallows nothing.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from engine.language.message import _
from engine.text.documents.base import LONGEST, TooMuch
from engine.text.paged import each_line

MARKS = (",", ";", "\t", "|")
NAMES = {"\t": "tabs", ",": "commas", ";": "semicolons", "|": "bars"}
NONE = "\x1f"  # no mark: text files do not have it
LOOK = 200  # rows of which the cells are looked at
SOME = 1 << 16  # characters by which the mark between cells is found, before the marks around them
MOST_CELLS = 100_000  # of a row
ALIKE = 0.5  # of the rows have as many cells, where a mark is one
SEPARATOR = re.compile(r'"?sep=([^\w\s"]|\t)"?[ \t]*\Z', re.IGNORECASE)
_ODD = re.compile(r"[,;\t|](?! )")
_NUMBER = re.compile(r"[-+]?[\d.,]*\d%?")
_ESCAPED = re.compile(r"\\(.)", re.DOTALL)
_LETTERS = {"n": " ", "r": " ", "t": " ", "N": ""}  # line end, tab and NULL of a database


@dataclass(frozen=True, slots=True)
class Dialect:
    """quote: "" where no mark is one; backslash: what stands behind one is no mark; blank: blanks
    behind a mark belong to it."""

    mark: str = ","
    quote: str = '"'
    backslash: bool = False
    blank: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """A dialect, with the commonest number of cells, how many lines there are before the rows, and
    what is not as in every such file."""

    dialect: Dialect
    width: int
    skip: int = 0
    notes: tuple[str, ...] = ()


def find(text: str, whole: bool, usual: str = ",") -> Found:
    """By the beginning of a text.

    whole  whether that is all of it; else its last row may be cut off
    usual  the mark that is taken where others are as good
    """
    first, __, rest = text.partition("\n")
    if said := SEPARATOR.match(first):
        found = measured(rest, whole, said[1], usual)
        name = NAMES.get(said[1], said[1])
        said_so = _("its cells are parted by {name}, as its first line says", name=name)
        return Found(found.dialect, found.width, 1, (said_so, *_quotes(found.dialect)))
    found, notes, skip = measured(text, whole, "", usual), list[str](), 0
    comments = list(takewhile(lambda line: line.startswith("#"), each_line((text[:SOME],))))
    if comments:
        table = measured(text[sum(map(len, comments)) :], whole, "", usual)
        cells = [len(_plainly(line, table.dialect)) for line in comments]
        if cells[-1] == table.width and comments[-1][1:2] not in " #":
            cells.pop()  # the names of the columns
        if table.width > 1 and any(n != table.width for n in cells):
            found, skip = table, len(cells)
            notes.append(_("{skip:,} comment {skip|line|lines} left out", skip=skip))
    if found.dialect.mark not in (usual, NONE):
        notes.insert(0, _("its cells are parted by {names}", names=NAMES[found.dialect.mark]))
    return Found(found.dialect, found.width, skip, (*notes, *_quotes(found.dialect)))


def _quotes(dialect: Dialect) -> list[str]:
    found = []
    if not dialect.quote:
        found.append("quotation marks were read as ordinary signs, because they do not match")
    if dialect.quote == "'":
        found.append("single quotation marks around its cells were taken off")
    if dialect.backslash:
        found.append("a backslash was taken off before the sign that it stands for")
    return found


class Lines:
    """Lines for Python's csv, and those of the present row kept.  What is too much is known before
    it is cut."""

    def __init__(self, lines: Iterable[str], dialect: Dialect) -> None:
        self._lines, self._dialect = iter(lines), dialect
        self._unescape = "\\" if dialect.backslash else "\0"
        self.back: list[str] = []  # read again, the last one first
        self.row: list[str] = []
        self.size = 0

    def __iter__(self) -> Lines:
        return self

    def __next__(self) -> str:
        line = self.back.pop() if self.back else next(self._lines)
        self.row.append(line)
        self.size += len(line)
        if self.size > MOST_CELLS:
            self._check()
        return _ESCAPED.sub(_unescaped, line) if self._unescape in line else line

    def _check(self) -> None:
        mark, quote = self._dialect.mark, self._dialect.quote
        cells = sum(line.count(mark) for line in self.row)
        if cells > MOST_CELLS and quote:
            cells = sum(part.count(mark) for part in "".join(self.row).split(quote)[::2])
        if cells > MOST_CELLS:
            raise TooMuch(
                _(
                    "a row of it has more than {most:,} cells; is it a table of texts?",
                    most=MOST_CELLS,
                )
            )
        if self.size > LONGEST:
            if len(self.row) > 1 and _alike(self.row[:LOOK], self._dialect):
                raise csv.Error  # one quotation mark too many, and no second one
            raise TooMuch(too_long())


class Rows:
    """The rows of lines, once; blank lines are left out.

    width  the commonest number of cells, where it is known
    odd    lines that were read as they stand, because their quotation marks do not match
    """

    def __init__(self, lines: Iterable[str], dialect: Dialect, width: int = 0) -> None:
        self._lines, self._dialect, self.odd = Lines(lines, dialect), dialect, 0
        self._width = width if dialect.mark == "\t" else 0

    def __iter__(self) -> Iterator[list[str]]:
        how, lines = self._dialect, self._lines
        rows = csv.reader(
            lines,
            delimiter=how.mark,
            quotechar=how.quote or '"',
            quoting=csv.QUOTE_MINIMAL if how.quote else csv.QUOTE_NONE,
            escapechar="\\" if how.backslash else None,
            skipinitialspace=how.blank,
            strict=True,
        )
        # Python's own is 131,072, less than a chapter
        usual = csv.field_size_limit(2 * LONGEST)
        try:
            while True:
                try:
                    for row in rows:
                        taken = lines.row
                        if self._width > 1 and len(taken) > 1 and _alike(taken, how, self._width):
                            row = self._alone()  # no text has tabs: each line is a row
                        if row:
                            yield row
                        lines.row.clear()
                        lines.size = 0
                    return
                except csv.Error:
                    yield self._alone()
                    lines.row.clear()
                    lines.size = 0
        finally:
            csv.field_size_limit(usual)

    def _alone(self) -> list[str]:
        """The first line of this row as it stands; the others are read again."""
        first, *rest = self._lines.row
        self._lines.back += reversed(rest)
        self.odd += 1
        return _plainly(first, self._dialect)


def too_long() -> str:
    return _(
        "a row of this table has more than {longest:,} characters, or its quotation"
        " marks do not match",
        longest=LONGEST,
    )


def _alike(lines: Sequence[str], dialect: Dialect, width: int = 0) -> bool:
    """Whether each of them is a row alone: with as many cells as the first one has, if not said."""
    width = width or len(_plainly(lines[0], dialect))
    return width > 1 and all(len(_plainly(line, dialect)) == width for line in lines)


def _plainly(line: str, dialect: Dialect) -> list[str]:
    cells = line.rstrip("\n").split(dialect.mark)
    return [cell.strip(" ") for cell in cells] if dialect.blank else cells


def _unescaped(found: re.Match[str]) -> str:
    """As databases write it; a backslash before another letter is one."""
    sign = found[1]
    if sign in _LETTERS:
        return _LETTERS[sign]
    return rf"\\{sign}" if sign.isalnum() else found[0]


@dataclass(frozen=True, slots=True)
class Measured:
    """How well a dialect fits: `alike` is the share of rows with `width` cells."""

    dialect: Dialect
    width: int = 0
    alike: float = 0.0
    worth: tuple[float, int] = (0.0, 0)


def measured(text: str, whole: bool, mark: str = "", usual: str = ",") -> Measured:
    """As `find`; `mark` stands between the cells, where it is known."""
    marks = (mark,) if mark else sorted(MARKS, key=lambda m: m != usual)
    best = max((_best(text[:SOME], m, whole and len(text) <= SOME) for m in marks), key=_worth)
    if not mark and (best.alike <= ALIKE or best.width < 2):
        return _best(text, NONE, whole)
    return _best(text, best.dialect.mark, whole)


def _worth(one: Measured) -> tuple[float, int]:
    return one.worth


def _best(text: str, mark: str, whole: bool) -> Measured:
    """Of one mark; of those that are as good the first."""
    quotes = ('"', *([""] if '"' in text else []), *(["'"] if "'" in text else []))
    return max(
        (
            _measure(text, Dialect(mark, quote, backslash, blank), whole)
            for quote in quotes
            for backslash in ((False, True) if "\\" in text else (False,))
            for blank in ((False, True) if quote and f"{mark} {quote}" in text else (False,))
        ),
        key=_worth,
    )


def _measure(text: str, dialect: Dialect, whole: bool) -> Measured:
    found = Rows(each_line((text,)), dialect)
    try:
        rows = list(found)
    except TooMuch:
        return Measured(dialect)
    if not whole and len(rows) > 1:
        rows.pop()
    if not rows:
        return Measured(dialect)
    sizes = Counter(map(len, rows))
    width = max(sizes, key=lambda n: (sizes[n], n))
    alike = sizes[width] / len(rows)
    cells = [cell for row in rows[:LOOK] for cell in row]
    clean = sum(
        dialect.mark in cell  # it stood in quotation marks
        or not _ODD.search(cell)
        or _NUMBER.fullmatch(cell) is not None
        for cell in cells
    )
    signs = {'"', "'"} - {dialect.quote}
    left = sum(any(_quoted(row, sign) for sign in signs) for row in rows)
    worth = (
        alike * (1 + clean / max(len(cells), 1)) / 2 if width > 1 or dialect.mark == NONE else 0.0
    )
    worth -= (found.odd + left) / len(rows)
    return Measured(dialect, width, alike, (round(worth, 6), width))


def _quoted(row: Sequence[str], sign: str) -> bool:
    """Whether there are quotation marks left around a cell, or around several that are one."""
    begun = False
    for cell in row:
        cell = cell.strip()
        if cell.startswith(sign):
            begun = True
            cell = cell[1:]
        if begun and cell.endswith(sign):
            return True
    return any('\\"' in cell for cell in row)
