"""Task: streams of tokens with questions whose only right answer stands `distance` tokens before.

What      a fact is shown, other tokens follow, then the fact is asked for; all streams of one call
          have the same distance
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997, sec. 5 (facts held over a lag full
          of distractors)
Shapes    N = streams, T = tokens of one, ids and targets (N, T); targets are -1 where nothing is
          asked
Differs   The distance is that of the call, so accuracy can be read off distance by distance.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from engine.language.message import refusal

SILENT = -1
Streams = tuple[np.ndarray, np.ndarray]  # ids, targets


class Task(ABC):
    title: ClassVar[str]
    rank: ClassVar[int] = 1000  # its place in lists
    says: ClassVar[str]  # what is shown, what is asked, in one or two sentences
    labels: ClassVar[tuple[str, ...]]  # the vocabulary; ids count through it
    answers: ClassVar[tuple[str, ...]]  # the labels that can be right
    spaced: ClassVar[bool] = False  # whether tokens are words, to be written with spaces between

    @property
    def chance(self) -> float:
        """How often a guess is right."""
        return 1 / len(self.answers)

    def distances(self, most: int) -> list[int]:
        """The distances up to `most` that there are."""
        return list(range(1, most + 1))

    def between(self, shortest: int, longest: int) -> list[int]:
        """The distances from `shortest` to `longest`; the longest that there is where there is
        none."""
        there = self.distances(longest)
        return [d for d in there if d >= shortest] or there[-1:]

    @abstractmethod
    def make(self, n: int, distance: int, seed: int | Sequence[int], noise: float = 0.0) -> Streams:
        """Ids and targets (N, T), int64, the same for the same seed.

        noise  share of the tokens between fact and question that are distractors, 0 to 1; rounded
               to what fits
        ValueError for a distance that there is not, or a share outside 0 to 1.
        """

    def check(self, distance: int, noise: float) -> None:
        if distance not in self.distances(distance):
            raise refusal("{self.title} has no distance {distance}")
        if not 0 <= noise <= 1:
            raise refusal("noise is a share from 0 to 1, not {noise!r}")

    def ids(self, labels: Sequence[str]) -> list[int]:
        return [self.labels.index(label) for label in labels]

    def written(self, ids_T: np.ndarray) -> str:
        """A stream as a reader sees it."""
        return (" " if self.spaced else "").join(self.labels[i] for i in ids_T)


def fill_answers(ids_NT: np.ndarray, targets_NT: np.ndarray) -> np.ndarray:
    """The streams (N, T) with what is right in the place of each question: texts to learn from."""
    return np.where(targets_NT == SILENT, ids_NT, targets_NT)


def scattered(rng: np.random.Generator, n: int, room: int, noise: float) -> np.ndarray:
    """Where the distractors stand (N, room): the rounded share of each row, at random places."""
    many = round(noise * room)
    return np.asarray(rng.random((n, room)).argsort(1) < many)
