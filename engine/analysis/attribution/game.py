"""Game: what an answer is worth when only some tokens of its text are there.

What      f(S), S a set of tokens: log2 P(answer | the tokens of S as they are, a baseline for each of the others);
          asked against another answer, log2 P(answer) - log2 P(other)
Source    Shapley, A Value for n-Person Games, 1953; Lundberg & Lee, A Unified Approach to Interpreting Model
          Predictions, 2017 (a model as such a game)
Shapes    B = sets, T = tokens read, P = players: the tokens that may be left out, V = possible answers
Differs   A start mark is no player; of a long text the last MOST tokens are, and those before stay as they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from engine.text.tokenizers.base import Tokens

MOST = 48  # players
ZERO, MEAN, MARK = "zero", "mean", "mark"
BASELINES = (ZERO, MEAN, MARK)
"""What stands for a token left out: zeros, the mean of all vectors, the vector of the mark that says nothing."""


@dataclass(frozen=True, slots=True)
class Target:
    """Ids: the answer asked for, and the one that it is compared with, if any."""

    word: int
    other: int | None = None


def choose(p_V: np.ndarray, word: int | None = None, against: bool = False) -> Target:
    """The likeliest answer, or the one that is given; `against`: the likeliest compared with the one that is given, or
    the second."""
    first, *others = np.argsort(-p_V, kind="stable")[:2].tolist()
    if not against:
        return Target(first if word is None else word)
    given = word is not None and word != first
    return Target(first, word if given else next(iter(others), None))


class Game(ABC):
    """One answer of one model: `tokens` are all that it read, the answer follows the last of them."""

    tokens: Tokens
    players: np.ndarray
    """(P,) places of the tokens that may be left out."""
    target: Target
    p_V: np.ndarray
    """What the model answers to the whole text."""

    @abstractmethod
    def value(self, here_BP: np.ndarray) -> np.ndarray:
        """f (B,) in bits of each row of players that are there (bool)."""

    @property
    def count(self) -> int:
        return len(self.players)

    @property
    def labels(self) -> tuple[str, ...]:
        """Of the players."""
        return tuple(self.tokens.labels[t] for t in self.players)

    def ends(self) -> tuple[float, float]:
        """f with all players, and with none."""
        whole, none = self.value(np.array([[True] * self.count, [False] * self.count]))
        return float(whole), float(none)


def players_of(tokens: Tokens) -> np.ndarray:
    """The last MOST tokens that stand for some of the text."""
    found = [t for t, (_, stop) in enumerate(tokens.spans) if stop]
    return np.array(found[-MOST:], int)


def bits(p: np.ndarray) -> np.ndarray:
    """log2, of at least what a 32-bit number can say."""
    return np.asarray(np.log2(np.maximum(p, 1e-38)))
