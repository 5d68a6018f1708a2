"""Duplicates: passages that a text has more than once, word for word.

What      share = characters of all copies after the first / characters of all passages
Source    Lee et al., Deduplicating Training Data Makes Language Models Better, 2022 (exact
          repetitions)
Shapes    N = passages
Differs   Passages are told apart by 64-bit hashes: that two of ten million different ones share one
          has a chance of 3 in a million.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.text.collection.scan import blocks
from engine.text.paged import Paged
from engine.text.segmentation import first

MOST = 10  # repeated passages that are shown
SHOWN = 200  # characters of each


@dataclass(frozen=True, slots=True)
class Duplicates:
    """`copies`: passages that stood there before; `most`: the commonest of them, each with how
    often it stands in the text."""

    passages: int
    copies: int
    share: float
    most: tuple[tuple[str, int], ...]


def duplicates(text: str | Paged, tell: Callable[[float], None] = lambda share: None) -> Duplicates:
    hashes, sizes, before = array("q"), array("i"), []
    for stop, block in blocks(text):
        rows = _passages(block)
        before.append(len(hashes))
        hashes.extend(map(hash, rows))
        sizes.extend(map(len, rows))
        tell(stop / len(text))
    count = len(hashes)
    if not count:
        return Duplicates(0, 0, 0.0, ())
    size_N = np.frombuffer(sizes, np.int32)
    order = np.argsort(np.frombuffer(hashes, np.int64), kind="stable")
    hash_N = np.frombuffer(hashes, np.int64)[order]
    del hashes  # of 20 million passages each of these takes 160 MB
    new_N = np.append(True, hash_N[1:] != hash_N[:-1])
    del hash_N
    first = order[new_N]
    del order
    times = np.diff(np.flatnonzero(new_N), append=count)
    total = int(size_N.sum())
    often = np.flatnonzero(times > 1)
    often = often[np.argsort(-times[often], kind="stable")[:MOST]]
    shown = _at(text, first[often].tolist(), before)
    most = tuple(
        (shown[at], int(n)) for at, n in zip(first[often].tolist(), times[often], strict=True)
    )
    return Duplicates(count, count - len(first), (total - int(size_N[first].sum())) / total, most)


def _passages(block: str) -> list[str]:
    return [clean for line in block.split("\n") if (clean := line.strip())]


def _at(text: str | Paged, places: list[int], before: list[int]) -> dict[int, str]:
    """The passages with these numbers; `before` is how many stand before each block."""
    wanted = {int(np.searchsorted(before, at, side="right")) - 1 for at in places}
    found: dict[int, str] = {}
    for n, (_, block) in enumerate(blocks(text)):
        if n in wanted:
            rows = _passages(block)
            found |= {
                at: first(rows[at - before[n]], SHOWN)
                for at in places
                if before[n] <= at < before[n] + len(rows)
            }
    return found
