"""Axes of one's own: each runs from one word, or sum of words, to another, and every word stands
where it falls on them.

What      axis = (b - a) / |b - a| of two unit vectors a and b;  place(x) = x . axis, where x has
          length 1
Source    Smilkov et al., Embedding Projector: Interactive Visualization and Interpretation of
          Embeddings, 2016 (custom axes);
          Bolukbasi et al., Man is to Computer Programmer as Woman is to Homemaker?, 2016 (direction
          of two words)
Shapes    V = points, D = their dimensions, K = axes
Differs   The axes are not made to stand at right angles; the angle between them is said instead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, Self, final

import numpy as np

from engine.analysis.projection.base import Given, Map, Projection, check
from engine.language.message import _, refusal

MOST = 12  # words of one sum


@final
class Axes(Projection):
    title: ClassVar[str] = "Axes of your own"
    rank = 40
    source: ClassVar[str] = "Smilkov et al., Embedding Projector, 2016"

    def __init__(self, direction_KD: np.ndarray, map: Map) -> None:
        self.directions, self.map = direction_KD, map

    @classmethod
    def drawn(cls, given: Given, dims: int = 2) -> Self:
        """Among what is given are the `ends` (K, 2, D) of the axes."""
        return cls.fit(given["points"], [(a, b) for a, b in given["ends"]])

    @classmethod
    def fit(cls, points: np.ndarray, ends: Sequence[tuple[np.ndarray, np.ndarray]]) -> Self:
        """ends  per axis the two vectors (D,) that it runs between.  ValueError when they are the
        same, or not finite."""
        point_VD = check(points, len(ends))
        direction_KD = np.stack([_unit(_unit(b) - _unit(a)) for a, b in ends])
        total = point_VD.var(0).sum()
        placed_VK = point_VD @ direction_KD.T
        share_K = placed_VK.var(0) / total if total > 0 else np.zeros(len(ends))
        lost = _(
            "Along these axes lie {s} of the variance; all else is not shown.",
            s=" and ".join(f"{100 * s:.1f} %" for s in share_K),
        )
        if len(ends) > 1:
            angle = np.degrees(np.arccos(np.clip(abs(direction_KD[0] @ direction_KD[1]), 0, 1)))
            lost += _(
                " The first two stand at {angle:.0f}° to each other, though they are drawn at 90°.",
                angle=angle,
            )
        return cls(direction_KD, Map(placed_VK, lost, share_K))

    def transform(self, points: np.ndarray) -> np.ndarray:
        """Other points (Q, D) -> (Q, K) float32 on the same axes."""
        point_QD = np.asarray(points, np.float64)
        if point_QD.shape[-1] != self.directions.shape[1]:
            raise refusal(
                "this map was made of points with {shape} dimensions, not {shape_2}",
                shape=self.directions.shape[1],
                shape_2=point_QD.shape[-1],
            )
        placed: np.ndarray = (point_QD @ self.directions.T).astype(np.float32)
        return placed


def total(written: str, vector_of: Callable[[str], np.ndarray | None]) -> np.ndarray:
    """The vector of a word or of a sum like "king - man + woman", each word taken with length 1.

    ValueError with a sentence when nothing is written, a word is not known, or the sum is zero.
    """
    parts, sign = [], 1.0
    for token in written.replace("−", "-").split():
        if token[0] in "+-":
            sign, token = (-1.0 if token[0] == "-" else 1.0), token[1:]
        if token:
            parts.append((sign, token))
            sign = 1.0
    if not parts:
        raise ValueError("Write a word at each end of an axis.")
    if len(parts) > MOST:
        raise refusal("A sum here has {MOST} words at most, not {parts}.", parts=len(parts))
    found = np.zeros(0)
    for sign, word in parts:
        vector_D = vector_of(word)
        if vector_D is None:
            raise refusal("“{word}” has no vector in this model.", word=word[:40])
        found = (found if len(found) else np.zeros(len(vector_D))) + sign * _unit(
            np.asarray(vector_D, np.float64)
        )
    return found


def _unit(vector_D: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vector_D)
    if not np.isfinite(length) or length < 1e-9:
        raise ValueError("An axis needs two ends that differ.")
    unit_D: np.ndarray = vector_D / length
    return unit_D


PROJECTION = Axes
