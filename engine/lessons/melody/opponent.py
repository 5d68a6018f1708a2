"""Opponent: plays rock, paper, scissors by what it has learned of you so far.

What      p_k(x | c) = (n(c, x) + m p_(k-1)(x | c')) / (n(c) + m), where c are the last k rounds (your move and
          its own), c' the last k-1 of them, and p_(-1) = 1/3; it plays what wins most on average against p_k
Source    MacKay & Peto, A Hierarchical Dirichlet Language Model, 1995 (the mixture); Shannon, A Mind-Reading (?)
          Machine, 1953 (the game)
Shapes    3 = moves
Differs   Of moves that are equally good it takes one by chance, known by its seed.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

MOVES = ("rock", "paper", "scissors")
WEIGHT = 1.0  # m: of how many rounds the shorter memory is worth
SAME = 1e-9
# of its move (row) against yours (column)
PAYS_33 = np.array([[0, -1, 1], [1, 0, -1], [-1, 1, 0]])
Round = tuple[int, int]  # your move, and its own


class Opponent:
    def __init__(self, memory: int, seed: int = 0) -> None:
        self.memory, self.rounds = memory, list[Round]()
        self._rng = np.random.default_rng(seed)
        self._count = defaultdict[tuple[Round, ...], np.ndarray](lambda: np.zeros(3))

    def _contexts(self) -> list[tuple[Round, ...]]:
        """The last 0, 1 ... rounds, as many as it remembers."""
        last = len(self.rounds)
        return [tuple(self.rounds[last - k :]) for k in range(min(self.memory, last) + 1)]

    def belief(self) -> np.ndarray:
        """(3,): what it takes your next move to be."""
        p_3 = np.full(3, 1 / 3)
        for context in self._contexts():
            n_3 = self._count[context]
            p_3 = (n_3 + WEIGHT * p_3) / (n_3.sum() + WEIGHT)
        return p_3

    def choose(self) -> int:
        pays_3 = PAYS_33 @ self.belief()
        return int(self._rng.choice(np.flatnonzero(pays_3 >= pays_3.max() - SAME)))

    def learn(self, yours: int, own: int) -> None:
        for context in self._contexts():
            self._count[context][yours] += 1
        self.rounds.append((yours, own))


@dataclass(frozen=True, eq=False)
class Game:
    """rounds: (your move, its own); belief_N3: what it expected before each, and before the next one; right: how
    often what it held likeliest came."""

    rounds: tuple[Round, ...]
    belief_N3: np.ndarray

    @property
    def score(self) -> np.ndarray:
        """(N,): rounds that it has won, less those that you have."""
        return np.cumsum([PAYS_33[own, yours] for yours, own in self.rounds])

    @property
    def right(self) -> int:
        return sum(
            int(p_3[yours] >= p_3.max() - SAME and np.ptp(p_3) > SAME)
            for (yours, _), p_3 in zip(self.rounds, self.belief_N3, strict=False)
        )


Player = Callable[[Sequence[Round], np.random.Generator], int]


def play(player: Player, rounds: int, memory: int, seed: int = 0) -> Game:
    one, rng, beliefs = Opponent(memory, seed), np.random.default_rng((seed, 1)), []
    for _ in range(rounds):
        beliefs.append(one.belief())
        own = one.choose()
        one.learn(player(one.rounds, rng), own)
    return Game(tuple(one.rounds), np.array([*beliefs, one.belief()]))


def replay(moves: Sequence[int], memory: int, seed: int = 0) -> Game:
    """Of these moves of yours, each of which it did not know when it chose."""
    return play(lambda rounds, rng: moves[len(rounds)], len(moves), memory, seed)


def drawn(rounds: Sequence[Round], rng: np.random.Generator) -> int:
    return int(rng.integers(3))


def in_turn(rounds: Sequence[Round], rng: np.random.Generator) -> int:
    return len(rounds) % 3


def rocks(rounds: Sequence[Round], rng: np.random.Generator) -> int:
    """Rock in half of all rounds."""
    return int(rng.choice(3, p=(0.5, 0.25, 0.25)))


def stays_if_it_won(rounds: Sequence[Round], rng: np.random.Generator) -> int:
    """After a win the same again, after a loss the next one, after a draw by chance."""
    if not rounds:
        return drawn(rounds, rng)
    yours, own = rounds[-1]
    pays = PAYS_33[yours, own]
    return yours if pays > 0 else (yours + 1) % 3 if pays < 0 else drawn(rounds, rng)


PLAYERS: dict[str, Player] = {
    "by chance": drawn,
    "in turn": in_turn,
    "rock half of the time": rocks,
    "win, stay; lose, shift": stays_if_it_won,
}
