"""Letters of a PDF's page: where each stands -> words side by side.

What      PDFium tells each letter and its box, in the order in which the page draws them; letters that
          touch are a word, words side by side a segment of a line
Source    ISO 32000-2, Portable Document Format, sec. 9.4 (placing of text) and 9.10 (which letter a sign
          is); PDFium, the reader of Chromium, by pypdfium2
Differs   Coordinates are turned so that a segment reads from left to right and y grows downwards; each
          keeps its quarter turn.  What lies outside the page is not read; what has no colour
          (mode 3) is, since that is how recognised letters lie over a scan, and so is what has the
          colour of its ground, which the text alone does not tell.
"""

from __future__ import annotations

import ctypes
import math
import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import groupby, pairwise
from typing import Any
from unicodedata import bidirectional

BLANKS = frozenset(map(ord, " \t\r\n\0\u00a0\u2002\u2003\u2009\u3000"))
BROKEN = frozenset((0x02, 0xFFFE))  # what PDFium makes of a hyphen at a line's end
LAST = 0x10FFFF  # of Unicode
LETTERS = dict.fromkeys(BROKEN, "-")
TO_LEFT = ("R", "AL")  # classes of letters that run to the left
BESIDE = 0.9  # heights: words so near are of one segment
TOUCHING = 0.12  # heights
TOUCHING_LETTERS = 0.18  # letters of a script that runs to the left, which come one by one
FLAT = 0.1  # points: lower is no letter
SAME_ROW = 0.4  # of the lower one's height
INITIAL, MOST_INITIALS = 1.8, 50  # heights of the line beside it; on a page
SPACED, MOST_UNEVEN = 5, 1.6  # so many letters with alike gaps are one word


@dataclass(slots=True)
class Box:
    x0: float
    x1: float
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.bottom - self.top

    def beside(self, other: Box) -> bool:
        """Whether they stand in one row."""
        low, top = min(self.bottom, other.bottom), max(self.top, other.top)
        lower = min(self.bottom - self.top, other.bottom - other.top)
        return low - top >= SAME_ROW * lower

    def gap(self, other: Box) -> float:
        """The room between them; less than 0 where they overlap."""
        return max(other.x0 - self.x1, self.x0 - other.x1)


@dataclass(slots=True)
class Segment:
    """Words side by side.  `box` is as high as its highest letter, so that what is raised or lowered
    does not move it."""

    text: str
    box: Box
    turn: int = 0
    spaced: int = 0  # words in it whose letters stood apart


@dataclass(slots=True)
class Word:
    """blank: whether one stands before it."""

    text: str
    box: Box
    turn: int
    blank: bool


def segments(page: Any) -> tuple[list[Segment], int]:
    """(what stands on the page, how many letters lie outside of it)."""
    words, outside = _words(page)
    words = _as_read(words)
    found: list[Segment] = []
    row: list[Word] = []
    tall = Box(0, 0, 0, 0)
    for word in words:
        if row and not _go_together(tall, row[-1], word):
            found.append(_segment(row))
            row = []
        if not row or word.box.height > tall.height:
            tall = word.box
        row.append(word)
    if row:
        found.append(_segment(row))
    return _with_initials(found), outside


def _words(page: Any) -> tuple[list[Word], int]:
    """What stands between blanks; PDFium makes some itself, where letters stand apart."""
    from pypdfium2 import raw

    text = page.get_textpage()
    handle, code_of = text.raw, raw.FPDFText_GetUnicode
    codes = [min(code_of(handle, n), LAST) for n in range(text.count_chars())]
    to_left = {code for code in set(codes) if bidirectional(chr(code)) in TO_LEFT}
    rect = raw.FS_RECTF()
    place = ctypes.byref(rect)
    left, low, right, high = page.get_bbox()

    def box(n: int) -> tuple[float, float, float, float]:
        raw.FPDFText_GetLooseCharBox(handle, n, place)
        if rect.top > rect.bottom:
            return rect.left, rect.right, rect.bottom, rect.top
        size = max(raw.FPDFText_GetFontSize(handle, n), 1.0)
        return rect.left, rect.right, rect.bottom, rect.bottom + size

    found: list[Word] = []
    blank, outside = True, 0
    at, stop = 0, len(codes)
    while at < stop:
        if codes[at] in BLANKS:
            # one of PDFium's own may only stand for another height
            blank = blank or not raw.FPDFText_IsGenerated(handle, at)
            at += 1
            continue
        end = at + 1
        while end < stop and codes[end] not in BLANKS and codes[end - 1] not in BROKEN:
            end += 1
        if not to_left.isdisjoint(codes[at:end]):
            end = at + 1  # PDFium tells such letters in the order of their places, or against it
        x0, x1, y0, y1 = box(at)
        if not (left <= (x0 + x1) / 2 <= right and low <= (y0 + y1) / 2 <= high):
            outside += end - at
        else:
            angle = raw.FPDFText_GetCharAngle(handle, at)
            turn = round(angle / (math.pi / 2)) % 4 if angle > 0 else 0
            where = _turned(x0, x1, y0, y1, turn)
            if end > at + 1:
                where = _joined(where, _turned(*box(end - 1), turn))
            where.bottom = max(where.bottom, where.top + FLAT)
            letters = "".join(map(chr, codes[at:end])).translate(LETTERS)
            found.append(Word(letters, where, turn, blank))
        blank, at = False, end
    return found, outside


def _as_read(words: list[Word]) -> list[Word]:
    """Each row of letters that run to the left from the right, but for words in it that do not; such
    rows are drawn from the left."""
    found: list[Word] = []
    row: list[Word] = []
    for word in words:
        if row and not (row[-1].turn == word.turn and row[-1].box.beside(word.box)):
            found += _from_right(row)
            row = []
        row.append(word)
    return found + _from_right(row)


def _from_right(row: list[Word]) -> list[Word]:
    if not _runs_left(row):
        return row

    def runs_right(n: int) -> bool:
        return any(bidirectional(sign) in ("L", "EN", "AN") for sign in row[n].text)

    order: list[int] = []
    by_place = sorted(range(len(row)), key=lambda n: -(row[n].box.x0 + row[n].box.x1))
    for right, places in groupby(by_place, runs_right):
        run = [*places]
        order += run[::-1] if right else run
    blanks = [abs(m - n) == 1 and row[max(m, n)].blank for m, n in pairwise(order)]
    return [replace(row[n], blank=blank) for n, blank in zip(order, (True, *blanks), strict=True)]


def _runs_left(row: list[Word]) -> bool:
    signs = [bidirectional(sign) for word in row for sign in word.text]
    return sum(sign in TO_LEFT for sign in signs) > signs.count("L")


def _turned(x0: float, x1: float, y0: float, y1: float, turn: int) -> Box:
    """A box of a page, whose y grows upwards, as it lies for text that runs `turn` quarters to the
    right."""
    return (
        Box(x0, x1, -y1, -y0),
        Box(-y1, -y0, -x1, -x0),
        Box(-x1, -x0, y0, y1),
        Box(y0, y1, x0, x1),
    )[turn]


def _joined(one: Box, other: Box) -> Box:
    high = one if one.height >= other.height else other
    return Box(min(one.x0, other.x0), max(one.x1, other.x1), high.top, high.bottom)


def _go_together(tall: Box, last: Word, word: Word) -> bool:
    """tall: the highest box of the segment so far."""
    box = word.box
    return (
        last.turn == word.turn
        and tall.beside(box)
        and tall.height < INITIAL * box.height
        and last.box.gap(box) < BESIDE * max(last.box.height, box.height)
    )


def _segment(row: list[Word]) -> Segment:
    gaps = [max(one.box.gap(other.box), 0.0) for one, other in pairwise(row)]
    touching = TOUCHING_LETTERS if _runs_left(row) else TOUCHING
    blanks = [
        other.blank or gap > touching * other.box.height
        for gap, other in zip(gaps, row[1:], strict=True)
    ]
    spaced = 0
    for first, last in _spaced(row):
        usual = statistics.median(gaps[first : last - 1])
        spaced += 1
        for n in range(first, last - 1):
            blanks[n] = gaps[n] > MOST_UNEVEN * usual
    parts = [row[0].text]
    for blank, word in zip(blanks, row[1:], strict=True):
        parts.append(f"{' ' if blank else ''}{word.text}")
    box = row[0].box
    for word in row[1:]:
        box = _joined(box, word.box)
    text = "".join(parts)
    if any("\ud800" <= sign <= "\udfff" for sign in text):  # one letter in two halves
        text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return Segment(text, box, row[0].turn, spaced)


def _spaced(row: list[Word]) -> Iterator[tuple[int, int]]:
    """Where letters stand apart as in a title: from which word to which."""
    first = 0
    for n in range(len(row) + 1):
        if n < len(row) and len(row[n].text) == 1 and row[n].text.isalpha():
            continue
        if n - first >= SPACED:
            gaps = [one.box.gap(other.box) for one, other in pairwise(row[first:n])]
            if min(gaps) > 1.5 * TOUCHING * row[first].box.height:
                yield first, n
        first = n + 1


def _with_initials(found: list[Segment]) -> list[Segment]:
    """A large first letter joins the line that begins beside its head."""
    gone: set[int] = set()
    for tall in [one for one in found if len(one.text) == 1 and one.text.isalpha()][:MOST_INITIALS]:
        for one in found:
            if one.turn == tall.turn and _begins_beside(one.box, tall.box):
                one.text = tall.text + one.text
                one.box = Box(tall.box.x0, one.box.x1, one.box.top, one.box.bottom)
                gone.add(id(tall))
                break
    return [one for one in found if id(one) not in gone]


def _begins_beside(box: Box, tall: Box) -> bool:
    return (
        tall.height > INITIAL * box.height
        and abs(box.top - tall.top) < box.height
        and -0.5 * box.height < box.x0 - tall.x1 < 2 * box.height
    )
