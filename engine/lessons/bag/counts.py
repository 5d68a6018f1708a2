"""Counts of labelled texts: how often each class has each word, and in how many of its texts.

Source    Manning, Raghavan & Schuetze, Introduction to Information Retrieval, 2008, sec. 13.2 (what
          both kinds of naive Bayes need)
Shapes    C = classes, V = vocabulary, D = texts: count_CV, docs_CV, docs_C
Differs   Where there are more words than fit, those in the most texts are kept, and how many were
          left out is known.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.lessons.bag.words import words

MOST_ENTRIES = 200_000  # of a table: C * V


@dataclass(frozen=True, eq=False)
class Counts:
    classes: tuple[str, ...]
    vocab: tuple[str, ...]
    count_CV: np.ndarray
    docs_CV: np.ndarray
    docs_C: np.ndarray
    left_out: int = 0  # different words that did not fit

    @cached_property
    def index(self) -> dict[str, int]:
        return {word: v for v, word in enumerate(self.vocab)}

    @cached_property
    def total_C(self) -> np.ndarray:
        """Words counted per class."""
        return np.asarray(self.count_CV.sum(1))

    @property
    def priors(self) -> np.ndarray:
        """The share of each class among the texts."""
        return np.asarray(self.docs_C / self.docs_C.sum())

    def bag(self, text: str) -> tuple[dict[int, int], tuple[str, ...]]:
        """(how often each word of the vocabulary occurs, the other words): in the order in which
        they first come."""
        found = Counter(words(text))
        known = {self.index[w]: n for w, n in found.items() if w in self.index}
        return known, tuple(w for w in found if w not in self.index)


def count(
    labels: Sequence[str],
    texts: Sequence[str],
    most: int = MOST_ENTRIES,
    classes: Sequence[str] = (),
) -> Counts:
    """`classes` says which there are, where a part of the texts may lack one; else those of the
    labels, sorted.

    ValueError where there is no text or no word.
    """
    classes = tuple(classes) or tuple(sorted(set(labels)))
    bags = [Counter(words(text)) for text in texts]
    spread = Counter(word for bag in bags for word in bag)
    if not spread:
        raise ValueError("there is no word in these texts; there is nothing to count")
    room = max(1, most // len(classes))
    kept = sorted(sorted(spread, key=lambda w: (-spread[w], w))[:room])
    index = {word: v for v, word in enumerate(kept)}
    place = {label: c for c, label in enumerate(classes)}
    count_CV, docs_CV = (np.zeros((len(classes), len(kept)), np.int64) for _ in range(2))
    docs_C = np.zeros(len(classes), np.int64)
    for label, bag in zip(labels, bags, strict=True):
        c = place[label]
        docs_C[c] += 1
        ids = [index[w] for w in bag if w in index]
        count_CV[c, ids] += [n for w, n in bag.items() if w in index]
        docs_CV[c, ids] += 1
    return Counts(classes, tuple(kept), count_CV, docs_CV, docs_C, len(spread) - len(kept))
