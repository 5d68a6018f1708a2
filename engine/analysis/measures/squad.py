"""Exact match and F1 of words: how an answer is compared with the right one, by the rules of SQuAD.

What      both are lower-cased, punctuation and the articles a, an, the are taken out, white space is one blank;
          EM: whether they are the same then; F1: 2 P R / (P + R) over the words in both, each as often as both have it
Source    Rajpurkar et al., SQuAD: 100,000+ Questions for Machine Comprehension of Text, 2016; the script of version
          2.0, by which two empty answers agree, and an empty one has F1 0 with any other
Differs   Of several references the best counts, as there.  Punctuation is that of ASCII, as there: “ and ” stay.
"""

from __future__ import annotations

import re
import string
from collections.abc import Sequence

import numpy as np

from engine.analysis.measures import ngrams
from engine.analysis.measures.base import Measure, f_score, means

ARTICLES = re.compile(r"\b(a|an|the)\b")
SIGNS = str.maketrans("", "", string.punctuation)


def words(answer: str, articles: bool = False) -> list[str]:
    """`articles`: they stay."""
    bare = answer.lower().translate(SIGNS)
    return (bare if articles else ARTICLES.sub(" ", bare)).split()


def shared(said: str, reference: str) -> tuple[int, int, int]:
    """Words said, words right, and words in both."""
    mine, theirs = words(said), words(reference)
    return len(mine), len(theirs), ngrams.overlap(ngrams.runs(mine, 1), ngrams.runs(theirs, 1))


def f1(said: str, reference: str) -> float:
    made, right, both = shared(said, reference)
    if not made or not right:
        return float(made == right)
    return f_score(both / made, both / right)


def exact_row(said: str, references: Sequence[str]) -> list[float]:
    return [100.0 * any(words(said) == words(one) for one in references), 1.0]


def f1_row(said: str, references: Sequence[str]) -> list[float]:
    return [100.0 * max(f1(said, one) for one in references), 1.0]


def score(total_D2: np.ndarray) -> np.ndarray:
    return means(total_D2)


EXACT = Measure("em", "Exact match", 2, exact_row, score, score)
F1 = Measure("f1", "F1 of words", 2, f1_row, score, score)
