"""Passages: the lines of a PDF become paragraphs, and words broken at a line's end whole again.

What      A line goes on in the next one, of the next column or page too, unless it is short and ends a
          sentence, or the next one is set off from it: by its place, its size, a bullet.  Notes and
          what stands aside wait until the passage around them has ended.  A word broken by a hyphen is
          joined; it keeps the hyphen where the rest of the document writes it so, or makes other words
          with that beginning
Differs   No dictionary: each document is the one for itself.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from engine.text.documents.pdf_layout import NOTE, TITLE, Line

SHORT = 0.8  # of the column's width: such a line may end a passage
STOPS = (".", "!", "?", "…", ":", '"', "”", "’", "»", ")", "。", "！", "？", "」")
BULLETS = ("•", "▪", "■", "●", "◦", "‣", "\uf0b7")
SET_OFF = 1.4  # usual distances of lines
MOST_DISTANCE = 1.8  # heights; twice the usual one in print
OTHER_SIZE = 1.1
LEADERS = re.compile(r"(?:\. ?){4,}\s*\S{0,6}$")  # of a table of contents
INDENT, MOST_INDENT = 0.8, 5.0  # heights
LETTERS = r"[^\W\d_]"
WORD = re.compile(rf"{LETTERS}+(?:[-\u2010]{LETTERS}+)*")
HYPHENS = ("-", "\u2010", "\u00ad")
BROKEN = re.compile(r"([^\W_]+(?:[-\u2010][^\W_]+)*)([-\u2010\u00ad])$")
BEGINS = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
INSIDE = re.compile(rf"\b({LETTERS}{{2,40}})[-\u2010] ?({LETTERS}{{2,40}})\b")
OTHERS = ("and", "und", "oder", "bzw")  # after a hyphen that stands for what follows
LONGEST = 80  # letters of a word
DASH = re.compile(r"\w(?:--|\u2014)$")
NO_BLANKS = re.compile(  # scripts that write none
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3000-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uff60]"
)


@dataclass(slots=True)
class Passages:
    """joined, kept: words broken at a line's end, without and with their hyphen; inside: words in
    which a hyphen was left where no line ends any more"""

    found: list[str] = field(default_factory=list)
    joined: int = 0
    kept: int = 0
    inside: int = 0


def passages(pages: Sequence[Sequence[Line]]) -> Passages:
    maker = _Maker(_known(line for page in pages for line in page), _distance(pages))
    for page in pages:
        for line in page:
            if line.aside:
                maker.put_aside(line)
            else:
                maker.add(line)
    maker.end()
    return maker.made


class _Maker:
    def __init__(self, known: Counter[str], distance: float) -> None:
        self.made = Passages()
        self._known, self._distance = known, distance
        self._beginnings = {word.partition("-")[0] for word in known if "-" in word}
        self._waiting: list[str] = []  # of a passage: a table without full stops is one long one
        self._aside: list[list[str]] = []
        self._last: Line | None = None
        self._note: Line | None = None  # the last one that stands aside

    def add(self, line: Line) -> None:
        if self._last is not None and self._ends(self._last, line):
            self.end()
        self._join(self._waiting, line.text)
        self._last = line

    def put_aside(self, line: Line) -> None:
        last = self._note
        if (
            last is None
            or not self._aside
            or last.column != line.column
            or NOTE.match(line.text)
            or self._ends(last, line)
        ):
            self._aside.append([])
        self._join(self._aside[-1], line.text)
        self._note = line

    def end(self) -> None:
        for parts in (self._waiting, *self._aside):
            if text := "".join(parts).strip():
                self.made.found.append(text)
        self._waiting, self._aside = [], []

    def _ends(self, last: Line, line: Line) -> bool:
        """Whether a passage ends between two lines."""
        small = line.text[:1].islower()
        stops = last.text.endswith(STOPS)
        height = max(last.height, line.height)
        if line.text.startswith(BULLETS):
            return True
        if _broken(last.text):
            return False
        if not OTHER_SIZE * min(last.height, line.height) > height and not small:
            return True
        if last.height > TITLE * line.height or LEADERS.search(last.text[-LONGEST:]):
            return True
        short = last.box.x1 < last.left + SHORT * (last.right - last.left)
        indent = (line.box.x0 - line.left) / height
        if stops and (short or INDENT < indent < MOST_INDENT or -MOST_INDENT < indent < -INDENT):
            return True
        if last.column != line.column:
            return False
        if last.cells > 1 or line.cells > 1:  # a row of a table
            return (last.cells > 1 and line.cells > 1) or stops or not small
        if line.box.bottom - last.box.bottom > SET_OFF * self._distance * height:
            return stops or not small
        return short and not small and _had_room(last, line)

    def _join(self, parts: list[str], text: str) -> None:
        text = INSIDE.sub(self._whole, text)
        if not parts:
            parts.append(text)
            return
        last = parts[-1]
        broken, begins = _broken(last), BEGINS.match(text[:LONGEST])
        if not broken or not begins:
            near = NO_BLANKS.match(last[-1:]) and NO_BLANKS.match(text)
            parts.append(text if near or DASH.search(last[-3:]) else f" {text}")
            return
        first, sign, second = broken[1], broken[2], begins[0]
        if sign != "\u00ad" and second in OTHERS and not self._known[(first + second).casefold()]:
            parts.append(f" {text}")
        elif sign != "\u00ad" and self._keeps_hyphen(first, second):
            self.made.kept += 1
            parts.append(text)
        else:
            self.made.joined += 1
            parts[-1] = last[:-1]
            parts.append(text)

    def _keeps_hyphen(self, first: str, second: str) -> bool:
        if first[-1].isdigit() or second[0].isdigit():
            return True
        if second[0].isupper() and not first.isupper():
            return True
        whole = self._known[(first + second).casefold()]
        parted = self._known[f"{first}-{second}".casefold()]
        if whole or parted:
            return parted > whole
        return (
            len(first) < 2
            or "-" in first + second
            or (first.casefold() in self._beginnings and self._known[second.casefold()] > 0)
        )

    def _whole(self, found: re.Match[str]) -> str:
        """Of a hyphen in the middle of a line: no word where only the whole one is known."""
        first, second = found[1], found[2]
        whole = self._known[(first + second).casefold()]
        if (
            not whole
            or not second.islower()
            or whole < self._known[f"{first}-{second}".casefold()]
            or self._known[first.casefold()]
            or self._known[second.casefold()]
        ):
            return found[0]
        self.made.inside += 1
        return first + second


def _broken(text: str) -> re.Match[str] | None:
    """The word at the end of a line, and its hyphen."""
    return BROKEN.search(text[-LONGEST:]) if text.endswith(HYPHENS) else None


def _had_room(last: Line, line: Line) -> bool:
    """Whether the next word would have fitted behind the last one."""
    wide = (last.box.x1 - last.box.x0) / max(len(last.text), 1)
    first = line.text.split(maxsplit=1)[0]
    return last.box.x1 + (len(first) + 2) * wide < last.right


def _distance(pages: Iterable[Sequence[Line]]) -> float:
    """Of lines that follow on each other, in heights."""
    steps = Counter(
        round((line.box.bottom - last.box.bottom) / line.height, 1)
        for page in pages
        for last, line in pairwise(page)
        if last.column == line.column and line.height > 0
    )
    return min(steps.most_common(1)[0][0], MOST_DISTANCE) if steps else MOST_DISTANCE


def _known(lines: Iterable[Line]) -> Counter[str]:
    """How often the document has each word, but for halves of broken ones."""

    def words() -> Iterator[str]:
        broken = False
        for line in lines:
            text = BEGINS.sub("", line.text, count=1) if broken else line.text
            found = _broken(text)
            broken = found is not None
            for word in WORD.findall(text[: -len(found[0])] if found else text):
                yield word.replace("\u2010", "-").casefold()

    return Counter(words())
