"""Layout of pages: segments with places -> lines in the order in which a person reads them.

What      Rows at the edge of a page that come again on others, or count its number, are running heads
          and go.  What is left is cut where a strip without letters stands between two columns of
          running text: above it, left of it, right of it, below it, and each part in the same way.
          Smaller lines at the foot of a column are footnotes
Source    Nagy, Seth, Viswanathan, A prototype document image analysis system for technical journals,
          1992 (cutting along white strips); Dejean, Meunier, A system for converting PDF documents into
          structured XML format, 2006 (running heads by what comes again)
Differs   A table has white strips too: it is cut only where its sides are as long and dense as text, or
          were drawn one after the other.  A page that is written from right to left is cut from there.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from engine.text.documents.pdf_letters import TOUCHING, Box, Segment

EDGE = 3  # rows at either edge that may be heads
LONGEST_HEAD = 150  # letters
STAYS = 4.0  # points by which a head may move from page to page
MOST_SHARE = (0.1, 0.5)  # of a page's letters in heads that one other page has, that several have
SET_OFF = 1.25  # usual distances of rows: so far is a head from the text
GUTTER = 0.6  # heights between columns
LEAST_ROWS, LEAST_LETTERS = 3, 16  # of a column; letters in a row, on average
LEAST_ALONE = 4  # letters in a row of a column, however it lies
LEAST_DENSE = 0.5  # of the rows of its neighbour
LEAST_GOING_ON = 0.25  # of the rows of a column begin with a small letter
CELLS = 1.5  # heights between those of a table, and between a row and a note beside it
MOST_CUTS, MOST_EDGES = 12, 12  # cuts in cuts; places where a column may begin
TITLE = 1.2  # of the text's height: no head
SMALL_HEAD = 0.92  # of the text's height: a head, however near
SMALLER, LEAST_USUAL = 0.88, 0.3  # of the text's height: a note; letters of it on a page with notes
OTHER_HEIGHT = 1.15  # of a column's text: what stands on the margin
NUMBER = re.compile(r"\d+")
ROMAN = re.compile(r"\b[ivxlc]+\b")
NOTE = re.compile(r"[\d*†‡§¶]|\([\da-z*]\)|\[\d")
Rows = Sequence[Sequence[Segment]]
RIGHT_TO_LEFT = re.compile("[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a column.

    left, right  where most of the column's rows begin, and where they end at the latest
    column       counted through the document
    cells        parts of it that stand far from each other
    aside        whether it belongs to no sentence around it
    """

    text: str
    box: Box
    left: float
    right: float
    column: int
    cells: int = 1
    aside: bool = False

    @property
    def height(self) -> float:
        return self.box.height


def lines(pages: Sequence[Sequence[Segment]]) -> tuple[list[list[Line]], int]:
    """(the lines of each page, how many rows were heads)."""
    turns = [_prevailing(page) for page in pages]
    upright = [
        _mirrored([one for one in page if one.turn == turn])
        for page, turn in zip(pages, turns, strict=True)
    ]
    rows = [list(_rows(page)) for page in upright]
    body = _usual_height(one for page in upright for one in page)
    heads = _heads(rows, body)
    found: list[list[Line]] = []
    column = 0
    for n, (top, low) in enumerate(heads):
        gone = {id(one) for row in (*rows[n][:top], *rows[n][len(rows[n]) - low :]) for one in row}
        kept = [one for one in upright[n] if id(one) not in gone]
        made: list[Line] = []
        box = _around(kept) if kept else Box(0, 0, 0, 0)
        for part in _parts(kept, box.x0, box.x1):
            column += 1
            made += _column(part, column)
        found.append(_small_ones_aside(made, body))
        other = [one for one in pages[n] if one.turn != turns[n]]  # beside the text, or over it
        for turn in sorted({one.turn for one in other}):
            some = [one for one in other if one.turn == turn]
            column += 1
            box = _around(some)
            made = _column(_Part(some, box.x0, box.x1), column)
            found[-1] += [replace(line, aside=True) for line in made]
    return found, sum(top + low for top, low in heads)


def _prevailing(page: Sequence[Segment]) -> int:
    turns: Counter[int] = Counter()
    for one in page:
        turns[one.turn] += len(one.text)
    return turns.most_common(1)[0][0] if turns else 0


def _mirrored(page: list[Segment]) -> list[Segment]:
    """A page that is written from right to left, as in a mirror."""
    letters = sum(len(one.text) for one in page)
    if sum(len(RIGHT_TO_LEFT.findall(one.text)) for one in page) * 3 <= letters:
        return page
    boxes = [Box(-one.box.x1, -one.box.x0, one.box.top, one.box.bottom) for one in page]
    return [replace(one, box=box) for one, box in zip(page, boxes, strict=True)]


def _around(page: Iterable[Segment]) -> Box:
    boxes = [one.box for one in page]
    return Box(
        min(box.x0 for box in boxes),
        max(box.x1 for box in boxes),
        min(box.top for box in boxes),
        max(box.bottom for box in boxes),
    )


def _usual_height(page: Iterable[Segment]) -> float:
    heights: Counter[float] = Counter()
    for one in page:
        heights[round(one.box.height, 1)] += len(one.text)
    return heights.most_common(1)[0][0] if heights else 0.0


def _rows(page: Iterable[Segment]) -> Iterator[list[Segment]]:
    """From top to bottom, each from left to right."""
    row: list[Segment] = []
    tall = Box(0, 0, 0, 0)
    for one in sorted(page, key=lambda one: one.box.top + one.box.bottom):
        if row and not tall.beside(one.box):
            yield sorted(row, key=lambda one: one.box.x0)
            row = []
        if not row or one.box.height > tall.height:
            tall = one.box
        row.append(one)
    if row:
        yield sorted(row, key=lambda one: one.box.x0)


# Running heads


@dataclass(frozen=True, slots=True)
class _Edge:
    """A row near an edge of a page: what stays the same in it, its numbers, its place, its distance to
    the next row inwards, and its share of the page's letters."""

    key: str
    numbers: tuple[int, ...]
    at: float
    inwards: float
    share: float

    @property
    def about(self) -> int:
        return round(self.at / STAYS)

    def said(self, page: int) -> list[str | int]:
        """What other pages may have too: its words, and where its numbers began to count."""
        return [self.key, *(number - page for number in self.numbers)]


def _heads(pages: Sequence[Rows], body: float) -> list[tuple[int, int]]:
    """How many rows at the top and at the bottom of each page are heads."""
    pitch = _pitch(pages)
    tops = _heads_of([list(_edges(page, pitch, body)) for page in pages])
    lows = _heads_of([list(_edges(page[::-1], pitch, body)) for page in pages])
    return [
        (top, min(low, len(page) - top)) for page, top, low in zip(pages, tops, lows, strict=True)
    ]


def _pitch(pages: Sequence[Rows]) -> float:
    """The usual distance of rows."""
    steps = [
        round(other[0].box.bottom - one[0].box.bottom, 1)
        for page in pages
        for one, other in pairwise(page)
    ]
    return Counter(steps).most_common(1)[0][0] if steps else 0.0


def _edges(rows: Rows, pitch: float, body: float) -> Iterator[_Edge]:
    letters = sum(len(one.text) for row in rows for one in row)
    for n, row in enumerate(rows[:EDGE]):
        if row[0].box.height > TITLE * body:  # the title of a chapter or a slide
            return
        if sum(len(one.text) for one in row) > LONGEST_HEAD:
            return
        text = unicodedata.normalize("NFKC", " ".join(one.text for one in row)).casefold()
        inwards = (
            abs(rows[n + 1][0].box.bottom - row[0].box.bottom) / pitch
            if n + 1 < len(rows) and pitch > 0
            else 0.0
        )
        if n + 1 < len(rows) and row[0].box.height < SMALL_HEAD * body:
            inwards = max(inwards, SET_OFF)
        numbers = tuple(int(one[:9]) for one in NUMBER.findall(text)[:4])
        key = ROMAN.sub("#", NUMBER.sub("#", text))
        share = len(text) / letters
        yield _Edge(" ".join(key.split()), numbers, row[0].box.bottom, inwards, share)


def _heads_of(pages: Sequence[Sequence[_Edge]]) -> list[int]:
    """How many rows from the edge inwards are heads, of each page."""
    pages_of: Counter[tuple[str | int, int]] = Counter()  # on how many pages, and about where
    for page, edges in enumerate(pages):
        pages_of.update({(what, edge.about) for edge in edges for what in edge.said(page)})

    def others(what: str | int, edge: _Edge) -> int:
        return sum(pages_of[what, edge.about + step] for step in (-1, 0, 1)) - 1

    found = []
    for page, edges in enumerate(pages):
        most, share = 0, 0.0
        for n, edge in enumerate(edges):
            share += edge.share
            numbered = share <= MOST_SHARE[-1] and any(
                others(number, edge) >= 2 for number in edge.said(page)[1:]
            )
            alone = n == 0 and edge.key == "#" and bool(edge.numbers)
            alike = others(edge.key, edge)
            repeated = alike and share <= MOST_SHARE[min(alike, len(MOST_SHARE)) - 1]
            if not (alone or numbered or repeated):
                break
            if edge.inwards >= SET_OFF or (n == 0 and (alone or numbered)):
                most = n + 1
        found.append(most)
    return found


# Columns


@dataclass(frozen=True, slots=True)
class _Part:
    segments: list[Segment]
    x0: float
    x1: float


def _parts(page: list[Segment], x0: float, x1: float, cuts: int = 0) -> Iterator[_Part]:
    """The columns of a page, one after the other."""
    cut = _cut(page) if cuts < MOST_CUTS and len(page) >= 2 * LEAST_ROWS else None
    if cut is None:
        if page:
            yield _Part(page, x0, x1)
        return
    yield from _parts(cut.above, x0, x1, cuts + 1)
    yield from _parts(cut.left, x0, cut.gutter, cuts + 1)
    yield from _parts(cut.right, cut.edge, x1, cuts + 1)
    yield from _parts(cut.below, x0, x1, cuts + 1)


@dataclass(frozen=True, slots=True)
class _Cut:
    """A strip from `gutter` to `edge`, and what lies around it."""

    above: list[Segment]
    left: list[Segment]
    right: list[Segment]
    below: list[Segment]
    gutter: float
    edge: float


def _cut(page: list[Segment]) -> _Cut | None:
    """The strip that parts most of the page."""
    order = {id(one): n for n, one in enumerate(page)}
    down = sorted(page, key=lambda one: one.box.top)
    first = min(one.box.x0 for one in page)
    starts = Counter(round(one.box.x0) for one in page if one.box.x0 > first + 1)
    near = {x: starts[x - 1] + starts[x] + starts[x + 1] for x in starts}
    usual = _usual_height(page)
    titles = {  # alone in their rows: over all columns, however short
        id(row[0]) for row in _rows(page) if len(row) == 1 and row[0].box.height > TITLE * usual
    }
    best: _Cut | None = None
    most = 0
    for x in sorted(near, key=lambda x: -near[x])[:MOST_EDGES]:
        edge = min(one.box.x0 for one in page if abs(round(one.box.x0) - x) <= 1)
        begin = 0
        for n in range(len(down) + 1):
            if n < len(down) and id(down[n]) not in titles and not _crosses(down[n], edge):
                continue
            if n - begin > most:
                some = sorted(down[begin:n], key=lambda one: order[id(one)])
                left = [one for one in some if one.box.x0 < edge - 0.1]
                right = [one for one in some if one.box.x0 >= edge - 0.1]
                if _are_columns(left, right, order):
                    gutter = max(one.box.x1 for one in left)
                    above = sorted(down[:begin], key=lambda one: order[id(one)])
                    below = sorted(down[n:], key=lambda one: order[id(one)])
                    best, most = _Cut(above, left, right, below, gutter, edge), n - begin
            begin = n + 1
    return best


def _crosses(one: Segment, edge: float) -> bool:
    return one.box.x0 < edge - 0.1 and one.box.x1 > edge - GUTTER * one.box.height


def _are_columns(left: list[Segment], right: list[Segment], order: dict[int, int]) -> bool:
    """Whether two sides are columns of text, and not of a table."""
    if len(left) < 2 or len(right) < 2:
        return False
    sides = [list(_rows(side)) for side in (left, right)]
    counts = [len(side) for side in sides]
    if min(counts) < 2:
        return False
    boxes = [_around(left), _around(right)]
    both = min(box.bottom for box in boxes) - max(box.top for box in boxes)
    if both < 1.5 * min(left[0].box.height, right[0].box.height):
        return False
    letters = [sum(len(one.text) for row in side for one in row) / len(side) for side in sides]
    if min(letters) < LEAST_ALONE:  # the signs of a list
        return False
    places = [[order[id(one)] for one in side] for side in (left, right)]
    if max(places[0]) < min(places[1]):  # drawn one after the other
        return min(letters) >= LEAST_LETTERS or not _aligned(*sides)
    heights = sorted(_usual_height(side) for side in (left, right))
    if heights[1] > OTHER_HEIGHT * heights[0]:  # notes on the margin
        return True
    if min(counts) < LEAST_ROWS or min(counts) < LEAST_DENSE * max(counts):
        return False
    return min(letters) >= LEAST_LETTERS and all(map(_goes_on, sides))


def _aligned(left: Rows, right: Rows) -> bool:
    """Whether rows stand beside rows, as in a table."""
    beside = {round(row[0].box.bottom) for row in right}
    heights = [round(row[0].box.bottom) for row in left]
    return sum(bool({at - 1, at, at + 1} & beside) for at in heights) * 2 > len(heights)


def _goes_on(side: Rows) -> bool:
    """Whether rows begin in the middle of a sentence, where a script tells that by small letters."""
    begins = [row[0].text[:1] for row in side]
    cased = [sign for sign in begins if sign.isupper() or sign.islower()]
    small = sum(map(str.islower, cased))
    return len(cased) * 2 <= len(begins) or small >= LEAST_GOING_ON * len(cased)


def _column(part: _Part, number: int) -> list[Line]:
    rows = list(_rows(part.segments))
    left, right = part.x0, part.x1
    if len(rows) > 3:  # where most begin, and where the longest end: not a wide title among them
        left = Counter(round(row[0].box.x0, 1) for row in rows).most_common(1)[0][0]
        right = sorted(max(one.box.x1 for one in row) for row in rows)[(len(rows) - 1) * 9 // 10]
    found: list[Line] = []
    for row in rows:
        parts = [[row[0]]]
        for one, other in pairwise(row):
            if one.box.gap(other.box) > CELLS * other.box.height:
                parts.append([])
            parts[-1].append(other)
        tall = max(one.box.height for one in row)
        small = [max(one.box.height for one in part) <= SMALLER * tall for part in parts]
        beside = [part for part, is_small in zip(parts, small, strict=True) if is_small]
        inside = [part for part, is_small in zip(parts, small, strict=True) if not is_small]
        found.append(_line(inside, left, right, number))
        found += [replace(_line([part], left, right, number), aside=True) for part in beside]
    return found


def _line(parts: list[list[Segment]], left: float, right: float, number: int) -> Line:
    row = [one for part in parts for one in part]
    text = row[0].text
    for one, other in pairwise(row):
        gap = one.box.gap(other.box) / other.box.height
        text += f"{'' if abs(gap) < TOUCHING else ' '}{other.text}"
    tall = max((one.box for one in row), key=lambda box: box.height)
    box = Box(row[0].box.x0, max(one.box.x1 for one in row), tall.top, tall.bottom)
    return Line(text, box, left, right, number, len(parts))


def _small_ones_aside(page: list[Line], body: float) -> list[Line]:
    """Notes, captions and the like on a page that has text of the usual height too."""
    small = [line.height <= SMALLER * body for line in page]
    usual = sum(len(line.text) for line, is_small in zip(page, small, strict=True) if not is_small)
    if usual < LEAST_USUAL * sum(len(line.text) for line in page):
        return page
    return [
        replace(line, aside=True) if is_small else line
        for line, is_small in zip(page, small, strict=True)
    ]
