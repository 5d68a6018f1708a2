"""BPE: the most frequent pair of neighbours becomes one token, again and again; a new text replays
the merges in order.

What      merge argmax over (a, b) of count(a, b); with characters or with bytes as the first
          symbols
Source    Gage, A New Algorithm for Data Compression, 1994; Sennrich, Haddow & Birch, 2016,
          algorithm 1;
          over bytes: Radford et al., Language Models are Unsupervised Multitask Learners, 2019,
          sec. 2.2
Shapes    V = vocabulary: first symbols, then one token a merge
Differs   The sources leave ties open.  Here a rule is chosen: "letters", the lexicographically
          smallest pair; "ids", the pair of the smallest numbers, as the `tokenizers` library has
          it; "seen", the pair that stands first in the text.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from engine.text.subword.pairs import Pair, Pairs
from engine.text.subword.words import Word

TIES = ("letters", "ids", "seen")


@dataclass(frozen=True, slots=True)
class Merge:
    """The pair (a, b) became the symbol `id` at a moment when it stood `count` times in the
    text."""

    pair: Pair
    id: int
    count: int


def train(pairs: Pairs, size: int, ties: str = "letters", least: int = 2) -> Iterator[Merge]:
    """Merge by merge, until the vocabulary has `size` tokens or no pair stands `least` times in the
    text.

    `pairs` changes with each step: between two steps it holds the text, the counts and the
    vocabulary of that moment.
    """
    if ties == "seen":
        yield from _first_seen(pairs, size, least)
        return
    vocab, counts = pairs.vocab, pairs.counts

    def entry(pair: Pair) -> tuple[int, Any, Pair]:
        return -counts[pair], (vocab[pair[0]], vocab[pair[1]]) if ties == "letters" else pair, pair

    queue = [entry(pair) for pair in counts]
    heapq.heapify(queue)
    while queue and len(vocab) < size:
        count, _, pair = heapq.heappop(queue)
        now = counts.get(pair, 0)
        if now != -count:  # it has become rarer since it was put in the queue
            if now >= least:
                heapq.heappush(queue, entry(pair))
            continue
        if now < least:
            return
        id, more = pairs.merge(pair)
        for changed in more:
            if counts[changed] >= least:
                heapq.heappush(queue, entry(changed))
        yield Merge(pair, id, now)


def _first_seen(pairs: Pairs, size: int, least: int) -> Iterator[Merge]:
    while len(pairs.vocab) < size:
        best = max(pairs.counts.values(), default=0)
        if best < least:
            return
        pair = pairs.first_seen(pair for pair, count in pairs.counts.items() if count == best)
        yield Merge(pair, pairs.merge(pair)[0], best)


class Merges:
    """What was learned: merges in order, to cut any word with.

    ranks  per pair of numbers its place in the order and the number of what it becomes
    """

    def __init__(
        self, id: Mapping[str, int], merges: Sequence[tuple[str, str]], prefix: str = ""
    ) -> None:
        self.id = id
        self.ranks: dict[Pair, tuple[int, int]] = {}
        for rank, (a, b) in enumerate(merges):
            self.ranks.setdefault((id[a], id[b]), (rank, id[a + b.removeprefix(prefix)]))

    def encode(self, word: Word | str) -> list[int]:
        """Numbers of a word's tokens.  KeyError for a symbol that is not in the vocabulary."""
        symbols = [self.id[symbol] for symbol in word]
        for _ in self.replay(symbols):
            pass
        return symbols

    def replay(self, symbols: list[int]) -> Iterator[tuple[int, int]]:
        """Change `symbols` merge by merge, the earliest merge first, then the leftmost place;
        yields (order, place)."""
        rank = self.ranks.get
        while len(symbols) > 1:
            found = list(map(rank, pairwise(symbols)))
            best = min(filter(None, found), default=None)
            if best is None:
                return
            at = found.index(best)
            symbols[at : at + 2] = [best[1]]
            yield best[0], at
