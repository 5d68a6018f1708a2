"""Pairs counted within a sentence, divided by the count of the word: a row without its end."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from engine.analysis.listings.base import Listing, Program
from engine.language.message import _

LINES = (
    "the cat saw a dog",
    "a dog sat on the cat",
    "the dog saw the cat",
    "the cat sat on the mat",
)
Given = Callable[[str, str], float]


def faulty(lines: Sequence[str]) -> Given:
    pairs: Counter[tuple[str, str]] = Counter()
    words: Counter[str] = Counter()
    for line in lines:
        read = line.split()
        words.update(read)
        pairs.update(pairwise(read))
    return lambda v, w: pairs[v, w] / words[v]


def repaired(lines: Sequence[str]) -> Given:
    pairs: Counter[tuple[str, str]] = Counter()
    words: Counter[str] = Counter()
    for line in lines:
        read = ["<s>", *line.split(), "</s>"]
        words.update(read[:-1])
        pairs.update(pairwise(read))
    return lambda v, w: pairs[v, w] / words[v]


def measured(program: Program) -> Mapping[str, float]:
    given = program(LINES)
    after = [*sorted({word for line in LINES for word in line.split()}), "</s>"]
    return {
        _("sum of the row after “{v}”", v=v): sum(given(v, w) for w in after)
        for v in ("cat", "mat")
    }


LISTING = Listing(
    "A row that does not sum to 1",
    "The count of a word is the right divisor only if something is counted behind each of its"
    " places. At the end of a sentence nothing is, so part of the probability is lost: half of it"
    " after “cat”, all of it after “mat”. With marks around every sentence each place has a next"
    " token, and the mark of the end is one of them.",
    faulty,
    repaired,
    measured,
)
