"""Laplace's formula with the end of the sentence predicted, but not counted in V."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise

from engine.analysis.listings.base import Listing, Program

LINES = (
    "the cat saw a dog",
    "a dog sat on the cat",
    "the dog saw the cat",
    "the cat sat on the mat",
)


def faulty(pairs: Counter[tuple[str, str]], words: Sequence[str], v: str, w: str) -> float:
    size = len(words)
    total = sum(n for (first, _), n in pairs.items() if first == v)
    return (pairs[v, w] + 1) / (total + size)


def repaired(pairs: Counter[tuple[str, str]], words: Sequence[str], v: str, w: str) -> float:
    size = len([*words, "</s>"])
    total = sum(n for (first, _), n in pairs.items() if first == v)
    return (pairs[v, w] + 1) / (total + size)


def measured(program: Program) -> Mapping[str, float]:
    read = [["<s>", *line.split(), "</s>"] for line in LINES]
    pairs = Counter(pair for line in read for pair in pairwise(line))
    words = sorted({word for line in read for word in line[1:-1]})
    row = [program(pairs, words, "the", w) for w in [*words, "</s>"]]
    return {
        "P of “cat” after “the”": row[words.index("cat")],
        "sum of the row after “the”": sum(row),
    }


LISTING = Listing(
    "V without the end of the sentence",
    "V is the number of tokens that can come next, and a sentence can end. With eight words and"
    " the end nine counts are raised by 1, but only 8 is added below the line: the row sums to"
    " 15/14.",
    faulty,
    repaired,
    measured,
)
