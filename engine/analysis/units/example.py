"""Find by example: the units that are on all through a phrase and off beside it, and where else
they are on together.

What      a unit is on where it is among its highest (or its lowest) values over the text; those
          that are on at every token of the phrase and off beside it, where that is asked for, are
          taken; a match is a longest stretch of positions at which at least so many of them are on
          at once
Source    Strobelt, Gehrmann, Pfister & Rush, LSTMVis: A Tool for Visual Analysis of Hidden State
          Dynamics, 2018
Shapes    U = units, N = positions of the text, T = tokens of the example, D = chosen units with
          their side
Differs   LSTMVis has one threshold for all units; here it is a share of each unit's own values,
          because memories have no common scale, and low counts as much as high, because signs mean
          nothing by themselves. Chance: the same units, each shifted along the text by a distance
          of its own, so that rates and rhythm stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Switch:
    """A unit and a side: on where `sign` times its value is at least `bound`."""

    row: int
    sign: int
    bound: float

    def on(self, state_UN: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.sign * state_UN[self.row] >= self.bound
        return found


@dataclass(frozen=True, slots=True)
class Match:
    """Positions `start` to `stop`; `together` is how many units are on there, on average."""

    start: int
    stop: int
    together: float


def bounds(state_UN: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Per unit (U,) the value that its lowest `share` of positions does not exceed, and the one its
    highest reaches."""
    if not state_UN.size:
        return np.zeros(len(state_UN)), np.zeros(len(state_UN))
    n = state_UN.shape[1]
    count = min(n, max(1, round(share * n)))
    low_U, high_U = np.empty(len(state_UN)), np.empty(len(state_UN))
    # one at a time: a sorted copy of all would take the memory twice
    for u, state_N in enumerate(state_UN):
        parted_N = np.partition(state_N, (count - 1, n - count))
        low_U[u], high_U[u] = parted_N[count - 1], parted_N[n - count]
    return low_U, high_U


def switches(
    state_UT: np.ndarray,
    span: tuple[int, int],
    low_U: np.ndarray,
    high_U: np.ndarray,
    beside: Sequence[int] = (),
) -> list[Switch]:
    """The units on at all tokens of the span and off at the tokens `beside`, counted from its two
    ends."""
    start, stop = span
    places = [start + b if b < 0 else stop - 1 + b for b in beside]
    places = [t for t in places if 0 <= t < state_UT.shape[1]]
    found = []
    for sign, bound_U in ((1, high_U), (-1, -low_U)):
        on_UT = sign * state_UT >= bound_U[:, None]
        taken_U = (
            on_UT[:, start:stop].all(1)
            & ~on_UT[:, places].any(1)
            & (stop > start)
            & (low_U < high_U)
        )
        found += [Switch(int(u), sign, float(bound_U[u])) for u in np.flatnonzero(taken_U)]
    return sorted(found, key=lambda s: (s.row, -s.sign))


def stretches(mark_N: np.ndarray, piece_N: np.ndarray) -> list[tuple[int, int]]:
    """The longest runs of True within one piece."""
    join_N = mark_N[1:] & mark_N[:-1] & (piece_N[1:] == piece_N[:-1])
    first = np.flatnonzero(mark_N & ~np.concatenate([[False], join_N])[: len(mark_N)])
    last = np.flatnonzero(mark_N & ~np.concatenate([join_N, [False]])[: len(mark_N)])
    return list(zip(first.tolist(), (last + 1).tolist(), strict=True))


def matches(on_DN: np.ndarray, piece_N: np.ndarray, least: int, length: int) -> list[Match]:
    """Stretches with at least `least` units on.  First those with many on that are about as long as
    the example: by the product of both."""
    together_N = on_DN.sum(0)
    found = [
        Match(a, b, float(together_N[a:b].mean()))
        for a, b in stretches(together_N >= least, piece_N)
    ]

    def likeness(match: Match) -> float:
        size = match.stop - match.start
        return match.together * min(size, length) / max(size, length)

    return sorted(found, key=lambda m: (-likeness(m), m.start))


def by_chance(on_DN: np.ndarray, least: int, repeats: int = 20, seed: int = 0) -> np.ndarray:
    """(repeats,) at how many positions `least` units are on when every unit is shifted by a random
    distance of its own."""
    rng, n = np.random.default_rng(seed), on_DN.shape[1]
    found = []
    for _ in range(repeats):
        total_N = np.zeros(n, np.int32)
        for on_N, shift in zip(on_DN, rng.integers(n, size=len(on_DN)).tolist(), strict=True):
            total_N[shift:] += on_N[: n - shift]
            total_N[:shift] += on_N[n - shift :]
        found.append(int((total_N >= least).sum()))
    return np.array(found, int)
