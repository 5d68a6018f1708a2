"""Choice: a distribution to draw from, and what was cut away to get it.

What      a cut keeps some tokens, sets the others to 0, and makes what is left sum to 1 again
Source    Devroye, Non-Uniform Random Variate Generation, 1986, sec. III.2 (drawing by the
          cumulative sum)
Shapes    V = vocabulary (all of it, no cut before)
Differs   Ties go to the smaller id, so that the same seed gives the same text everywhere.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

ROUNDING = 1e-12  # a whisker of room: 0.1 + 0.2 + 0.7 must count as 1, as it would on paper


@dataclass(frozen=True, slots=True)
class Cut:
    """One rule's part: the share of the whole mass (after the temperature) that it cut, and how
    many tokens it left."""

    rule: str
    mass: float
    left: int


@dataclass(frozen=True, slots=True)
class Choice:
    """A distribution to draw from, p_V float64, the share of the mass that was cut away to get it,
    and by which rule."""

    p_V: np.ndarray
    cut: float
    cuts: tuple[Cut, ...] = ()


def ranked(p_V: np.ndarray) -> np.ndarray:
    """Ids, likeliest first."""
    return np.argsort(-np.asarray(p_V, np.float64), kind="stable")


def reaching(p_V: np.ndarray, order_V: np.ndarray, share: float) -> np.ndarray:
    """The fewest ids, from the front of `order_V`, that hold at least this share of the mass."""
    reached_V = np.cumsum(np.asarray(p_V, np.float64)[order_V])
    return order_V[: int(np.searchsorted(reached_V, share * reached_V[-1] - ROUNDING)) + 1]


def keep(p_V: np.ndarray, ids: np.ndarray) -> Choice:
    """Only these ids."""
    p_V = np.asarray(p_V, np.float64)
    total = p_V.sum()
    kept_V = np.zeros_like(p_V)
    kept_V[ids] = p_V[ids]
    mass = kept_V.sum()
    return Choice(kept_V / mass, max(0.0, float(1 - mass / total)))


def draw(p_V: np.ndarray, rng: np.random.Generator) -> int:
    """One id; never one of probability 0."""
    upto_V = np.cumsum(p_V, dtype=np.float64)
    return int(np.searchsorted(upto_V, rng.random() * upto_V[-1], side="right"))
