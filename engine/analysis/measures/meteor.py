"""METEOR: words that are aligned one to one, and in how many pieces they lie.

What      aligned are first the same words, then those of one stem, then synonyms; P = m / said, R = m / right,
          F = P R / (0.9 P + 0.1 R); a chunk is a run of aligned words that is one run in both texts, and
          METEOR = F (1 - 0.5 (chunks / m)^3), times 100
Source    Lavie & Agarwal, METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation with Human
          Judgments, 2007; as in nltk.translate.meteor_score; words as nltk's word_tokenize cuts a line
Differs   nltk looks for synonyms in WordNet, which nothing here fetches: without its data (nltk.download("wordnet"))
          the third stage finds nothing.  It looks up what the second left, which are stems: “happi” has no synonym
          there, “happy” has.  Each word said, from the last to the first, takes the last free word of the
          reference: not, as in the paper, the alignment with the fewest crossings.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from engine.analysis.measures.base import Measure, means
from engine.analysis.measures.rouge import stem

ALPHA, BETA, GAMMA = 0.9, 3.0, 0.5
Stage = Literal["exact", "stem", "synonym"]
Synonyms = Callable[[str], Collection[str]]


@dataclass(frozen=True)
class Alignment:
    """`pairs` (word said, word right, stage), in the order of the words said."""

    pairs: tuple[tuple[int, int, Stage], ...]
    said: int
    right: int

    @property
    def chunks(self) -> list[int]:
        """Which chunk each pair lies in, from 1."""
        found = [1] * min(1, len(self.pairs))
        for one, other in pairwise(self.pairs):
            goes_on = other[0] == one[0] + 1 and other[1] == one[1] + 1
            found.append(found[-1] + (not goes_on))
        return found


@lru_cache(1)
def _tokenizer() -> Any:
    from nltk.tokenize import NLTKWordTokenizer

    return NLTKWordTokenizer()


@lru_cache(1 << 12)
def words(line: str) -> tuple[str, ...]:
    return tuple(str(word) for word in _tokenizer().tokenize(line))


@lru_cache(1)
def wordnet() -> Any:
    """nltk's reader of WordNet; None where its data are not on this computer."""
    from nltk.corpus import wordnet as found

    try:
        found.ensure_loaded()
    except LookupError:
        return None
    return found


@lru_cache(1 << 14)
def synonyms(word: str) -> frozenset[str]:
    """Those of one word, or of its stem, as it is given."""
    if (known := wordnet()) is None:
        return frozenset()
    names = (lemma.name() for one in known.synsets(word) for lemma in one.lemmas())
    return frozenset(name for name in names if "_" not in name)


def align(said: Sequence[str], right: Sequence[str], synonyms: Synonyms = synonyms) -> Alignment:
    """Of words, whatever their case."""
    mine, theirs = (dict(enumerate(word.lower() for word in of)) for of in (said, right))
    pairs = list[tuple[int, int, Stage]]()
    stages: tuple[tuple[Stage, Callable[[str], str], Synonyms], ...] = (
        ("exact", _same, _one),
        ("stem", stem, _one),
        ("synonym", stem, lambda word: {word, *synonyms(word)}),
    )
    for name, at, find in stages:
        free = defaultdict[str, list[int]](list)
        for j, word in theirs.items():
            free[at(word)].append(j)
        for i in [*mine][::-1]:
            known = [key for key in find(at(mine[i])) if free.get(key)]
            if known:
                j = free[max(known, key=lambda key: free[key][-1])].pop()
                pairs.append((i, j, name))
                del mine[i], theirs[j]
    return Alignment(tuple(sorted(pairs)), len(said), len(right))


def _same(word: str) -> str:
    return word


def _one(word: str) -> tuple[str]:
    return (word,)


def score(of: Alignment, alpha: float = ALPHA, beta: float = BETA, gamma: float = GAMMA) -> float:
    """From 0 to 1."""
    matched = len(of.pairs)
    if not matched:
        return 0.0
    precision, recall = matched / of.said, matched / of.right
    mean = precision * recall / (alpha * precision + (1 - alpha) * recall)
    return (1 - gamma * (of.chunks[-1] / matched) ** beta) * mean


def best(said: str, references: Sequence[str]) -> tuple[int, Alignment]:
    """The reference with the best score, and the alignment with it."""
    mine = words(said)
    every = [align(mine, words(one)) for one in references]
    at = int(np.argmax([score(one) for one in every]))
    return at, every[at]


def row(said: str, references: Sequence[str]) -> list[float]:
    return [100 * score(best(said, references)[1]), 1.0]


METEOR = Measure("meteor", "METEOR", 2, row, means, means)
