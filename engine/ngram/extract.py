"""Extract: the n-grams of a line, one that ends at each of its tokens and one at its end mark; the commonest of a text.

Differs   Near the start of a line they are shorter, as engine/ngram/counts.py counts them: one <s>, never two.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypeVar

import numpy as np

from engine.ngram.counts import Counts

T = TypeVar("T")


def extracted(line: Sequence[T], order: int) -> Iterator[tuple[T, ...]]:
    """`line` with its marks at both ends."""
    for stop in range(2, len(line) + 1):
        yield tuple(line[max(0, stop - order) : stop])


def commonest(counts: Counts, most: int) -> list[tuple[tuple[int, ...], int]]:
    """(ids, count) of the n-grams of the longest order that were counted most often."""
    count_G = counts.orders[-1].count_G
    best = np.argsort(-count_G, kind="stable")[:most]
    return [(_spelled(counts, g), int(count_G[g])) for g in best.tolist() if count_G[g]]


def _spelled(counts: Counts, place: int) -> tuple[int, ...]:
    ids: list[int] = []
    for grams in reversed(counts.orders):
        ids.append(int(grams.word_G[place]))
        place = int(np.searchsorted(grams.first_P, place, side="right")) - 1
    return tuple(reversed(ids))
