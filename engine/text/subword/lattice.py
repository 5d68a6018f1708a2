"""Lattice: all ways to cut a word into known pieces at once; each piece is an edge from where it
begins to where it ends.

What      p(cut) = product of p(piece); the likeliest cut by Viterbi; the share of a piece = sum of
          p(cut) over the cuts that use it / sum over all cuts, by one sum forwards and one
          backwards
Source    Viterbi, 1967; Kudo, Subword Regularization, 2018, sec. 3.2-3.3; Forney, The Viterbi
          Algorithm, 1973
Shapes    T = characters of the word; edges lead from place 0 to place T
Differs   Probabilities stand as natural logarithms: a product of many is too small for a computer's
          number.
"""

from __future__ import annotations

import heapq
import math
import random
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

UNKNOWN_COSTS = (
    10.0  # nats by which an unknown character is less likely than the least likely piece
)


@dataclass(frozen=True, slots=True)
class Edge:
    start: int
    stop: int
    piece: str
    score: float  # log p


class Lattice:
    """`ending[i]`: the edges that end at place i.  A character that is no piece is an edge of score
    `unknown`."""

    def __init__(
        self, word: str, scores: Mapping[str, float], longest: int, unknown: float
    ) -> None:
        self.word, self.places = word, len(word) + 1
        self.ending: list[list[Edge]] = [[] for _ in range(self.places)]
        for start in range(len(word)):
            if word[start] not in scores:
                self.ending[start + 1].append(Edge(start, start + 1, word[start], unknown))
            for stop in range(start + 1, min(len(word), start + longest) + 1):
                score = scores.get(word[start:stop])
                if score is not None:
                    self.ending[stop].append(Edge(start, stop, word[start:stop], score))

    @property
    def edges(self) -> list[Edge]:
        return [edge for edges in self.ending for edge in edges]

    def best(self) -> list[Edge]:
        """The likeliest cut.  Of equally likely ones that with the longest last piece."""
        score = [0.0] * self.places
        back: list[Edge | None] = [None] * self.places
        for stop in range(1, self.places):
            score[stop] = -math.inf
            for edge in self.ending[stop]:
                if score[edge.start] + edge.score > score[stop]:
                    score[stop], back[stop] = score[edge.start] + edge.score, edge
        path: list[Edge] = []
        last = back[-1]
        while last:
            path.append(last)
            last = back[last.start]
        return path[::-1]

    def several(self, most: int) -> list[tuple[float, list[Edge]]]:
        """The `most` likeliest cuts with their scores, likeliest first: Viterbi that keeps as many
        at each place."""
        kept: list[list[tuple[float, list[Edge]]]] = [[(0.0, [])]]
        for stop in range(1, self.places):
            ways = (
                (score + edge.score, [*path, edge])
                for edge in self.ending[stop]
                for score, path in kept[edge.start]
            )
            kept.append(heapq.nlargest(most, ways, key=lambda way: way[0]))
        return kept[-1]

    def total(self) -> float:
        """Logarithm of the sum over all cuts."""
        return self._forwards()[-1]

    def count(self) -> int:
        """How many cuts there are."""
        ways = [1]
        for stop in range(1, self.places):
            ways.append(sum(ways[edge.start] for edge in self.ending[stop]))
        return ways[-1]

    def shares(self) -> list[tuple[Edge, float]]:
        """Per edge the share of the probability that goes through it."""
        before = self._forwards()
        after = [-math.inf] * (self.places - 1) + [0.0]
        leaving: list[list[Edge]] = [[] for _ in range(self.places)]
        for edge in self.edges:
            leaving[edge.start].append(edge)
        for place in range(self.places - 2, -1, -1):
            after[place] = added(edge.score + after[edge.stop] for edge in leaving[place])
        return [
            (edge, math.exp(before[edge.start] + edge.score + after[edge.stop] - before[-1]))
            for edge in self.edges
        ]

    def sample(self, rng: random.Random, sharpness: float = 1.0) -> list[Edge]:
        """A cut drawn with its probability to the power of `sharpness`: 0 draws all alike, a large
        one the likeliest."""
        before = self._forwards(sharpness)
        path: list[Edge] = []
        place = self.places - 1
        while place:
            edges = self.ending[place]
            weights = [
                math.exp(before[edge.start] + sharpness * edge.score - before[place])
                for edge in edges
            ]
            path.append(rng.choices(edges, weights)[0])
            place = path[-1].start
        return path[::-1]

    def _forwards(self, sharpness: float = 1.0) -> list[float]:
        before = [0.0]
        for stop in range(1, self.places):
            before.append(
                added(before[edge.start] + sharpness * edge.score for edge in self.ending[stop])
            )
        return before


def added(logs: Iterable[float]) -> float:
    """log(sum of exp), without leaving the range of a float."""
    found = list(logs)
    top = max(found, default=-math.inf)
    return top if top == -math.inf else top + math.log(sum(math.exp(x - top) for x in found))
