"""Shared: the n-grams that words have in common, and those that a vocabulary has ever seen.

What      overlap(a, b) = |G_a & G_b| / |G_a | G_b| over the different n-grams of two words
          (Jaccard);
          seen(w) = n-grams of w that occur in a word of the vocabulary: only their rows were ever
          trained
Source    Jaccard, The Distribution of the Flora in the Alpine Zone, 1912; n-grams: Bojanowski et
          al., 2017, sec. 3.2
Shapes    V = words of the vocabulary
Differs   An n-gram that was never seen still has a row, that of its bucket: random, or another
          n-gram's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from engine.vectors.grams import LONGEST, gram_hash, grams


@dataclass(frozen=True)
class Overlap:
    """N-grams of the first word, of the second, and of both; each once, in the order of the
    word."""

    first: tuple[str, ...]
    second: tuple[str, ...]
    both: tuple[str, ...]

    @property
    def jaccard(self) -> float:
        return len(self.both) / max(1, len({*self.first, *self.second}))


def different(word: str, least: int, most: int) -> tuple[str, ...]:
    """The n-grams of a word, shortest first, each once."""
    return tuple(sorted(dict.fromkeys(grams(word[:LONGEST], least, most)), key=len))


def overlap(a: str, b: str, least: int, most: int) -> Overlap:
    first, second = different(a, least, most), different(b, least, most)
    return Overlap(first, second, tuple(g for g in first if g in second))


def vocabulary_grams(words: Iterable[str], least: int, most: int) -> Counter[str]:
    """In how many words each n-gram occurs."""
    return Counter(gram for word in words for gram in {*grams(word[:LONGEST], least, most)})


def bucket_loads(seen: Iterable[str], buckets: int) -> Counter[int]:
    """How many different n-grams fell into each bucket that is in use."""
    return Counter(gram_hash(gram) % buckets for gram in seen)
