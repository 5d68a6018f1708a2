"""Word and character error rate: how many of them are replaced, left out or put in, for each that is right.

What      (S + D + I) / N by the fewest changes; of a text the sums over its lines.  Above 100 % where much
          is put in
Source    Levenshtein, Binary Codes Capable of Correcting Deletions, Insertions and Reversals, 1966; cut as in jiwer:
          words at blanks, everything else as it is; characters with their blanks
Differs   jiwer takes one reference; of several the one that needs the smallest share of changes counts here.
          Against an empty reference the changes themselves are the rate, as there.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from rapidfuzz.distance import Levenshtein

from engine.analysis.measures.base import Measure

BLANKS = re.compile(r"\s\s+")
Op = tuple[str, int, int, int, int]
"""(equal, replace, delete or insert; from and to in the reference; from and to in what was said)"""


def words(line: str) -> list[str]:
    return [word for word in BLANKS.sub(" ", line).strip().split(" ") if word]


def characters(line: str) -> list[str]:
    return list(line.strip())


def nearest(said: str, references: Sequence[str], cut: Callable[[str], list[str]]) -> int:
    """Which reference needs the smallest share of changes."""
    rates = [changes / max(1, right) for changes, right in _rates(said, references, cut)]
    return int(np.argmin(rates))


def _rates(
    said: str, references: Sequence[str], cut: Callable[[str], list[str]]
) -> list[tuple[int, int]]:
    mine = cut(said)
    every = [cut(one) for one in references]
    return [(Levenshtein.distance(one, mine), len(one)) for one in every]


def row(said: str, references: Sequence[str], cut: Callable[[str], list[str]]) -> list[int]:
    """Changes, and what is right; of no words 1."""
    changes, right = min(_rates(said, references, cut), key=lambda one: one[0] / max(1, one[1]))
    return [changes, right]


def changes(said: Sequence[str], right: Sequence[str]) -> list[Op]:
    """The fewest, from left to right, what stays among them."""
    return [
        (op.tag, op.src_start, op.src_end, op.dest_start, op.dest_end)
        for op in Levenshtein.opcodes(right, said)
    ]


def score(total_D2: np.ndarray) -> np.ndarray:
    return np.asarray(100 * total_D2[:, 0] / np.maximum(1, total_D2[:, 1]), float)


WER = Measure("wer", "WER", 2, partial(row, cut=words), score, score, errors=True, many=False)
CER = Measure("cer", "CER", 2, partial(row, cut=characters), score, score, errors=True, many=False)
