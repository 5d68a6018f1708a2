"""Places of a text: where a unit is highest, and where the units that are on in a phrase are on together.

What      a unit is on where it is among its highest (or its lowest) values over the text; those
          that are on at every token of the phrase and off beside it, where that is asked for, are
          taken; a match is a longest stretch of positions at which at least so many are on at once
Source    Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015;
          Strobelt, Gehrmann, Pfister & Rush, LSTMVis, 2018
Shapes    U = units, N = positions of the text, T = tokens of the example, D = chosen units with
          their side
Differs   LSTMVis has one threshold for all units; here it is a share of each unit's own values,
          because memories have no common scale.  Chance: the same units, each shifted along the text
          by a distance of its own, so that rates and rhythm stay.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np


def strongest(
    value_N: np.ndarray, piece_N: np.ndarray, count: int, before: int, after: int
) -> list[int]:
    """The `count` highest, whose surroundings do not overlap; give -value_N for the lowest.  Positions
    that are not finite are no peaks."""
    free_N, found = np.isfinite(value_N), list[int]()
    for peak in np.argsort(-np.where(free_N, value_N, -np.inf), kind="stable").tolist():
        if len(found) == count:
            break
        context = widen(peak, peak + 1, piece_N, before, after)
        if free_N[context].all():
            free_N[context] = False
            found.append(peak)
    return found


def widen(start: int, stop: int, piece_N: np.ndarray, before: int, after: int) -> slice:
    """Positions `start` to `stop` with their surroundings in the piece that the model read at once."""
    first, last = np.searchsorted(piece_N, [piece_N[start], piece_N[start] + 1]).tolist()
    return slice(max(first, start - before), min(last, stop + after))


@dataclass(frozen=True, slots=True)
class Switch:
    """A unit and a side: on where `sign` times its value is at least `bound`."""

    row: int
    sign: int
    bound: float

    def on(self, state_UN: np.ndarray) -> np.ndarray:
        found: np.ndarray = self.sign * state_UN[self.row] >= self.bound
        return found


def bounds(state_UN: np.ndarray, share: float) -> tuple[np.ndarray, np.ndarray]:
    """Per unit (U,) the value that its lowest `share` of positions does not exceed, and the one its
    highest reaches."""
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


def matches(
    on_DN: np.ndarray, piece_N: np.ndarray, least: int, length: int
) -> list[tuple[int, int]]:
    """Stretches with at least `least` units on.  First those with many on that are about as long as
    the example: by the product of both."""
    together_N = on_DN.sum(0)

    def likeness(span: tuple[int, int]) -> float:
        size = span[1] - span[0]
        return float(together_N[slice(*span)].mean()) * min(size, length) / max(size, length)

    return sorted(stretches(together_N >= least, piece_N), key=lambda s: (-likeness(s), s[0]))


def by_chance(on_DN: np.ndarray, least: int, repeats: int = 20, seed: int = 0) -> np.ndarray:
    """(repeats,) at how many positions `least` units are on when every unit is shifted by a random
    distance of its own."""
    rng, n = np.random.default_rng(seed), on_DN.shape[1]
    found = []
    for _ in range(repeats):
        total_N = np.zeros(n, np.int32)
        for on_N, shift in zip(on_DN, rng.integers(n, size=len(on_DN)).tolist(), strict=True):
            total_N += np.roll(on_N, shift)
        found.append(int((total_N >= least).sum()))
    return np.array(found, int)
