"""ROUGE: how much of a summary stands in the right one: single words, pairs, and the longest common subsequence.

What      1 and 2: runs of one and two words in both, each as often as both have it; L: the longest list of words
          that stands in both in this order, with gaps; Lsum: of each sentence of the reference all words that lie
          on its subsequence with some sentence of the summary.  F = 2 P R / (P + R), times 100
Source    Lin, ROUGE: A Package for Automatic Evaluation of Summaries, 2004; as in rouge-score 0.1.2: lower-cased,
          nothing but a-z and 0-9 counts; a sentence of Lsum is a line; the mean over all texts
Differs   Of several references the best F counts, as there (`score_multi`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache, partial

import numpy as np
from rapidfuzz.distance import LCSseq

from engine.analysis.measures import ngrams
from engine.analysis.measures.base import Measure, f_score, means

WORD = re.compile(r"[a-z0-9]+")
ALL = re.compile(r"^[a-z0-9]+$")
SHORT = 3  # letters of a word that is not stemmed
Prf = tuple[float, float, float]
"""Precision, recall and F, from 0 to 1."""


@lru_cache(1 << 16)
def stem(word: str) -> str:
    """By Porter's rules, as nltk has them."""
    return str(_stemmer().stem(word))


@lru_cache(1)
def _stemmer():  # type: ignore[no-untyped-def]
    from nltk.stem.porter import PorterStemmer

    return PorterStemmer()


def words(text: str, stems: bool = False) -> list[str]:
    found = WORD.findall(text.lower())
    if not stems:
        return found
    return [s for w in found if ALL.match(s := stem(w) if len(w) > SHORT else w)]


def of_runs(said: str, reference: str, n: int, stems: bool = False) -> Prf:
    mine, theirs = (ngrams.runs(words(one, stems), n) for one in (said, reference))
    both = ngrams.overlap(mine, theirs)
    precision, recall = both / max(1, mine.total()), both / max(1, theirs.total())
    return precision, recall, f_score(precision, recall)


def longest(said: str, reference: str, stems: bool = False) -> Prf:
    mine, theirs = words(said, stems), words(reference, stems)
    if not mine or not theirs:
        return 0.0, 0.0, 0.0
    both = LCSseq.similarity(mine, theirs)
    precision, recall = both / len(mine), both / len(theirs)
    return precision, recall, f_score(precision, recall)


def subsequence(said: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """The places in both of a longest common subsequence; from the end the word said is skipped only where that
    alone keeps it as long."""
    long = np.zeros((len(right) + 1, len(said) + 1), int).tolist()
    for i, word in enumerate(right, 1):
        above, now = long[i - 1], long[i]
        for j, other in enumerate(said, 1):
            now[j] = above[j - 1] + 1 if word == other else max(above[j], now[j - 1])
    i, j, found = len(right), len(said), []
    while i and j:
        if right[i - 1] == said[j - 1]:
            i, j = i - 1, j - 1
            found.append((j, i))
        elif long[i][j - 1] > long[i - 1][j]:
            j -= 1
        else:
            i -= 1
    return found[::-1]


def by_sentence(said: str, reference: str, stems: bool = False) -> Prf:
    """Lsum: a line is a sentence."""
    mine, theirs = (
        [words(line, stems) for line in one.split("\n") if line] for one in (said, reference)
    )
    made, right = sum(map(len, mine)), sum(map(len, theirs))
    if not made or not right:
        return 0.0, 0.0, 0.0
    left_mine, left_theirs = (Counter(w for line in one for w in line) for one in (mine, theirs))
    both = 0
    for line in theirs:
        on = {i for other in mine for _, i in subsequence(other, line)}
        for i in sorted(on):
            if left_mine[line[i]] > 0 and left_theirs[line[i]] > 0:
                both += 1
                left_mine[line[i]] -= 1
                left_theirs[line[i]] -= 1
    precision, recall = both / made, both / right
    return precision, recall, f_score(precision, recall)


def run_row(said: str, references: Sequence[str], n: int) -> list[float]:
    return [100 * max(of_runs(said, one, n)[2] for one in references), 1.0]


def longest_row(said: str, references: Sequence[str]) -> list[float]:
    return [100 * max(longest(said, one)[2] for one in references), 1.0]


ROUGE_1 = Measure("rouge1", "ROUGE-1", 2, partial(run_row, n=1), means, means)
ROUGE_2 = Measure("rouge2", "ROUGE-2", 2, partial(run_row, n=2), means, means)
ROUGE_L = Measure("rougeL", "ROUGE-L", 2, longest_row, means, means)
