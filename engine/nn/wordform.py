"""A word as the sum of what it is made of: itself where it is known, its beginnings, its endings
and its shape.

What      x(w) = e(w) + sum of the rows of its pieces; a word that is not known has e(<unk>) and its
          pieces
Source    Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information, 2017
          (sum of pieces, hashing);
          Toutanova, Klein, Manning & Singer, Feature-Rich Part-of-Speech Tagging, 2003 (endings and
          shapes)
Shapes    F = 8 rows of one word, D = width
Differs   Seven pieces of each word and not all its n-grams.  Pieces share a fixed number of rows,
          chosen by a checksum.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterable, Mapping
from functools import lru_cache

import numpy as np

PIECES = 7


def normal(word: str) -> str:
    """A word as the vocabulary has it: small letters, straight apostrophes."""
    return word.lower().replace("\N{RIGHT SINGLE QUOTATION MARK}", "'")


def rows(words: Iterable[str], known: Mapping[str, int], buckets: int) -> np.ndarray:
    """The rows (T, F) of each word: its own (0 where it is not known), then those of its pieces,
    behind all words."""
    found = [
        (known.get(normal(word), 0), *(len(known) + p for p in _pieces(word, buckets)))
        for word in words
    ]
    return np.array(found, np.int64).reshape(-1, 1 + PIECES)


@lru_cache(50_000)
def _pieces(word: str, buckets: int) -> tuple[int, ...]:
    low = normal(word)
    parts = (
        f"<{low[:2]}",
        f"<{low[:3]}",
        f"{low[-1:]}>",
        f"{low[-2:]}>",
        f"{low[-3:]}>",
        f"{low[-4:]}>",
        f"={shape(word)}",
    )
    return tuple(zlib.crc32(part.encode(errors="backslashreplace")) % buckets for part in parts)


def shape(word: str) -> str:
    """Which signs a word has, in order: "X" capitals, "x" small letters, "d" digits; runs of one
    kind are one sign."""
    signs = re.sub(
        r"\d", "d", re.sub(r"[^\W\d_]", lambda m: "X" if m.group().isupper() else "x", word)
    )
    return re.sub(r"(.)\1+", r"\1", signs)
