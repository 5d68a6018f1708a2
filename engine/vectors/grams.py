"""Grams: a vector for any word, from the vectors of its character n-grams, as a fastText file keeps
them.

What      v(word) = mean of z[hash(g) mod B] over the n-grams g of <word>, min to max characters
          long
Source    Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information,
          2017, sec. 3.2;
          hash: Fowler, Noll & Vo's FNV-1a, 32 bits, over UTF-8 bytes read as signed, as
          facebookresearch/fastText does
Shapes    B = buckets, D = dimensions
Differs   Different n-grams may share a bucket, as in the original.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

LONGEST = 200  # characters of a word that are looked at


@dataclass(frozen=True, eq=False)
class Grams:
    """`buckets` (B, D); n-grams have `least` to `most` characters; with `unique` one that occurs
    twice in a word counts once."""

    buckets: np.ndarray
    least: int
    most: int
    unique: bool = False

    def compose(self, word: str) -> np.ndarray | None:
        """The vector (D,) float32; None for a word without n-grams of these lengths."""
        made = grams(word[:LONGEST], self.least, self.most)
        rows = [
            gram_hash(gram) % len(self.buckets)
            for gram in (dict.fromkeys(made) if self.unique else made)
        ]
        if not rows:
            return None
        found: np.ndarray = np.asarray(self.buckets[rows], np.float32).mean(0)
        return found


def grams(word: str, least: int, most: int) -> list[str]:
    """The n-grams of <word>, in the order of their first letters; the marks < and > alone are
    none."""
    marked = f"<{word}>"
    found = [
        marked[i : i + n]
        for i in range(len(marked))
        for n in range(max(1, least), most + 1)
        if i + n <= len(marked)
    ]
    return [gram for gram in found if gram not in ("<", ">")] if word else []


def gram_hash(gram: str) -> int:
    value = 2166136261
    for byte in gram.encode("utf-8", "replace"):
        value = ((value ^ (byte if byte < 128 else byte | 0xFFFFFF00)) * 16777619) & 0xFFFFFFFF
    return value
