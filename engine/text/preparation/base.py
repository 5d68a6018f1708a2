"""Preparation: one step from a text to a text that also says where it changed what, so that a chain
can be traced back.

What      after = before with each change's span replaced by its new text; changes stand in order
          and do not overlap
Source    the usual chain of Manning, Raghavan & Schütze, Introduction to Information Retrieval,
          2008, ch. 2
Shapes    spans are (start, stop) in characters, of the text before or of the text after
Differs   Libraries return the new text alone.  A tokenizer is a step too: it puts a space where two
          tokens touch, and a token is whatever stands between white space at the end of the chain.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from unicodedata import category

Span = tuple[int, int]
Edit = tuple[int, int, str, str]  # start, stop, what stands there now, why
PLACEHOLDER = re.compile(r"<[A-Z]+>")


@dataclass(frozen=True, slots=True)
class Change:
    """`was` at `before` has become `now` at `after`.  Where both are the same it was left alone,
    and `why` says the reason."""

    before: Span
    after: Span
    was: str
    now: str
    why: str

    @property
    def kept(self) -> bool:
        return self.was == self.now


@dataclass(frozen=True, slots=True)
class Prepared:
    """What one step made of a text."""

    before: str
    after: str
    changes: tuple[Change, ...]

    @property
    def count(self) -> int:
        return sum(not change.kept for change in self.changes)

    def back(self, span: Span) -> Span:
        """Where the characters `span` of the text after stood in the text before; a changed part
        counts as a whole."""
        start, stop = span
        return self._of(start)[0], self._of(stop - 1)[1] if stop > start else self._of(start)[0]

    def _of(self, at: int) -> Span:
        """The characters before that character `at` after comes from."""
        shift = 0
        found = bisect_right(self.changes, at, key=_begin) - 1
        # a deletion stands at a place without characters: look further back for the one that holds `at`
        while found >= 0:
            change = self.changes[found]
            if change.after[0] <= at < change.after[1]:
                return change.before
            if change.after[1] <= at:
                shift = change.before[1] - change.after[1]
                break
            found -= 1
        return at + shift, at + shift + 1


def _begin(change: Change) -> int:
    return change.after[0]


def rewrite(text: str, edits: Iterable[Edit], trim: bool = False) -> Prepared:
    """Apply edits, which come in order.  With `trim` the letters that both ends share stand outside
    of a change."""
    changes, pieces, done, length = [], [], 0, 0
    for start, stop, now, why in edits:
        was = text[start:stop]
        if trim and was != now:
            same = next(
                (i for i, (a, b) in enumerate(zip(was, now, strict=False)) if a != b),
                min(len(was), len(now)),
            )
            start, was, now = start + same, was[same:], now[same:]
        pieces += [text[done:start], now]
        length += start - done
        changes.append(Change((start, stop), (length, length + len(now)), was, now, why))
        done, length = stop, length + len(now)
    return Prepared(text, "".join(pieces) + text[done:], tuple(changes))


@dataclass(frozen=True, slots=True)
class Preparation:
    """A kind of step.

    says     one sentence: what it does and what it can lose
    edit     (text, choice) -> edits in order
    choices  what can be chosen: {value: its words}; the first is taken where nothing is
    trim     whether a change begins where the letters begin to differ
    """

    title: str
    says: str
    edit: Callable[[str, str], Iterator[Edit]]
    choices: Mapping[str, str] = field(default_factory=dict)
    trim: bool = False

    def choice(self, asked: str = "") -> str:
        return asked if asked in self.choices else next(iter(self.choices), "")

    def apply(self, text: str, choice: str = "") -> Prepared:
        return rewrite(text, self.edit(text, self.choice(choice)), self.trim)


@cache
def letters() -> str:
    """A pattern of letters and digits, each with the marks that stand on or around it and with what
    joins it to the next.

    Python's own class of word characters leaves out the marks, and would cut é in two where it is
    written as e and an accent.
    """
    marks = [
        c
        for c in map(chr, range(0x300, 0x1F000))
        if category(c) in ("Mn", "Mc") and not 0xFE00 <= ord(c) <= 0xFE0F
    ]
    return rf"\w[\w\u200c\u200d{''.join(marks)}]*"


@cache
def _words() -> re.Pattern[str]:
    return re.compile(rf"<[A-Z]+>|(?!\d){letters()}(?:['’]{letters()})*")


def words(text: str) -> Iterator[re.Match[str]]:
    """The words of a text, with the apostrophes inside them; placeholders such as <NUM> are
    none."""
    return (found for found in _words().finditer(text) if not PLACEHOLDER.fullmatch(found[0]))


def each_word(
    change: Callable[[str, str], str], why: Callable[[str, str, str], str]
) -> Callable[[str, str], Iterator[Edit]]:
    """The edit that replaces every word by change(word, choice)."""

    def edit(text: str, choice: str) -> Iterator[Edit]:
        for found in words(text):
            now = change(found[0], choice)
            if now != found[0]:
                yield found.start(), found.end(), now, why(found[0], now, choice)

    return edit
