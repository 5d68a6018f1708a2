"""chrF: precision and recall of runs of one to six letters; chrF++ has words and pairs of them besides.

What      P and R are means over the orders that both texts have; chrF = 5 P R / (4 P + R), times 100: a letter
          that is missing weighs twice as much as one too many.  White space does not count
Source    Popović, chrF: character n-gram F-score for automatic MT evaluation, 2015; chrF++: words helping
          character n-grams, 2017; as in sacrebleu (nc:6|nw:0|space:no|eff:yes|case:mixed)
Shapes    a row holds, for each order, runs written, runs right and those in both
Differs   Of several references the one with the best score counts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from functools import lru_cache, partial

import numpy as np

from engine.analysis.measures import ngrams
from engine.analysis.measures.base import Measure

LETTERS, WORDS, BETA = 6, 2, 2
Counts = Counter[Hashable]
SIGNS = frozenset("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")


def bare(line: str) -> str:
    """Without white space."""
    return "".join(line.split())


def words(line: str) -> list[str]:
    """At most one punctuation mark of each word apart: the last, or else the first."""
    found = []
    for word in line.split():
        if len(word) > 1 and word[-1] in SIGNS:
            found += [word[:-1], word[-1]]
        elif len(word) > 1 and word[0] in SIGNS:
            found += [word[0], word[1:]]
        else:
            found.append(word)
    return found


def row(said: str, references: Sequence[str], pairs: int = 0) -> list[int]:
    """`pairs`: the longest runs of words that count, 2 for chrF++."""
    mine = _counted(said, pairs)
    best, most = list[int](), -1.0
    for reference in references:
        found = []
        for one, other in zip(mine, _counted(reference, pairs), strict=True):
            right = other.total()
            found += [one.total() if right else 0, right, ngrams.overlap(one, other)]
        if len(references) == 1:
            return found
        if (worth := float(score(np.array([found]))[0])) > most:
            best, most = found, worth
    return best


def _counted(line: str, pairs: int) -> Sequence[Counts]:
    if not pairs:
        return _letters(line)
    cut = words(line)
    return *_letters(line), *(ngrams.runs(cut, n) for n in range(1, pairs + 1))


@lru_cache(1 << 10)
def _letters(line: str) -> tuple[Counts, ...]:
    letters = bare(line)
    return tuple(ngrams.runs(letters, n) for n in range(1, LETTERS + 1))


def parts(total_DK: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The mean precision and recall (D)."""
    total_D3N = np.asarray(total_DK, float).reshape(len(total_DK), -1, 3).transpose(2, 0, 1)
    made_DN, right_DN, both_DN = total_D3N
    used_DN = (made_DN > 0) & (right_DN > 0)
    orders_D = np.maximum(1, used_DN.sum(1))
    precision_DN, recall_DN = (
        np.divide(both_DN, of_DN, out=np.zeros_like(of_DN), where=used_DN)
        for of_DN in (made_DN, right_DN)
    )
    return precision_DN.sum(1) / orders_D, recall_DN.sum(1) / orders_D


def score(total_DK: np.ndarray) -> np.ndarray:
    precision_D, recall_D = parts(total_DK)
    below_D = BETA**2 * precision_D + recall_D
    above_D = 100 * (1 + BETA**2) * precision_D * recall_D
    return np.divide(above_D, below_D, out=np.zeros_like(below_D), where=below_D > 0)


CHRF = Measure("chrf", "chrF", 3 * LETTERS, row, score, score)
CHRF_WORDS = Measure(
    "chrf++", "chrF++", 3 * (LETTERS + WORDS), partial(row, pairs=WORDS), score, score
)
