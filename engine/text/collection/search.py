"""Search: every place of some words in a text, each with what stands around it, a page at a time.

What      matches are those of the words as they are typed, one after the other, never overlapping
Source    keyword in context: Luhn, Key Word-in-Context Index for Technical Literature, 1960
Differs   Counting stops at MOST matches, and then it is said that there are more.  Case is that of
          single letters: "straße" does not find STRASSE.  What is looked for does not go over a
          line's end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from engine.language.message import refusal
from engine.text.paged import Paged
from engine.text.segmentation import in_word

MOST = 100_000
CONTEXT = 80  # characters on each side
PER_PAGE = 20
STRETCH = 1 << 18  # characters that are looked through at a time
LONGEST = 200  # characters of what is looked for


@dataclass(frozen=True, slots=True)
class Match:
    """text[start:stop] is the match; `line` counts from 1; `before` and `after` stop at the line's
    ends."""

    start: int
    stop: int
    line: int
    before: str
    text: str
    after: str


@dataclass(frozen=True, slots=True)
class Found:
    """Page `page` (from 0) of `pages`, of `total` matches; `more`: counting stopped there."""

    total: int
    more: bool
    page: int
    pages: int
    matches: tuple[Match, ...]


def search(
    text: str | Paged,
    words: str,
    *,
    ignore_case: bool = True,
    whole_words: bool = False,
    page: int = 0,
    per_page: int = PER_PAGE,
    context: int = CONTEXT,
) -> Found:
    """ValueError with one sentence when there is nothing to look for, or too much."""
    if not words.strip():
        raise ValueError("there is nothing to search for; type some letters")
    if len(words) > LONGEST:
        raise refusal("at most {LONGEST} characters can be searched for; use fewer words")
    places = list(islice(_places(text, words, ignore_case, whole_words), MOST + 1))
    more = len(places) > MOST
    places = places[:MOST]
    pages = max(-(-len(places) // per_page), 1)
    page = min(max(page, 0), pages - 1)
    matches, line, at = [], 1, 0
    for start, stop in places[page * per_page : (page + 1) * per_page]:
        line += text.lines(at, start) if isinstance(text, Paged) else text.count("\n", at, start)
        at = start
        before, after = text[max(start - context, 0) : start], text[stop : stop + context]
        matches.append(
            Match(
                start,
                stop,
                line,
                before.rpartition("\n")[2],
                text[start:stop],
                after.partition("\n")[0],
            )
        )
    return Found(len(places), more, page, pages, tuple(matches))


def _places(
    text: str | Paged, words: str, ignore_case: bool, whole_words: bool
) -> Iterator[tuple[int, int]]:
    """A stretch of the text after the other, in small letters where case does not count."""
    wanted = words.lower() if ignore_case else words
    at = 0
    while at < len(text):
        stretch = text[at : at + STRETCH + len(words) - 1]
        low = stretch.lower() if ignore_case else stretch
        if len(low) == len(stretch) and len(wanted) == len(words):
            spans = _spans(low, wanted)
        else:  # small letters that are longer than the capital: İ
            spans = (
                found.span() for found in re.finditer(re.escape(words), stretch, re.IGNORECASE)
            )
        stop = at + STRETCH
        for first, last in spans:
            start, end = at + first, at + last
            if whole_words and (
                _in_word(text, start - 1, words[0]) or _in_word(text, end, words[-1])
            ):
                continue
            yield start, end
            stop = max(stop, end)
        at = stop


def _spans(text: str, words: str) -> Iterator[tuple[int, int]]:
    at = text.find(words)
    while at >= 0:
        yield at, at + len(words)
        at = text.find(words, at + len(words))


def _in_word(text: str | Paged, at: int, edge: str) -> bool:
    """Whether the sign at `at` goes on with a word that `edge` is in."""
    return (
        0 <= at < len(text)
        and (in_word(edge) or edge == "_")
        and (in_word(text[at]) or text[at] == "_")
    )


def extract(text: str | Paged, at: int, characters: int = 3000) -> tuple[int, int]:
    """(start, stop) of what a reader shows from character `at` on: it begins where the line does
    and ends at a line's end, if one is near."""
    at = min(max(at, 0), max(len(text) - 1, 0))
    before = text[max(at - characters, 0) : at]
    start = at - len(before.rpartition("\n")[2])
    after = text[start + characters : start + 2 * characters].find("\n")
    return start, (
        min(start + characters, len(text)) if after < 0 else start + characters + after + 1
    )
