"""Position: the three places where a Transformer can be told the order of its tokens.  A kind
overrides what it uses.

What      embed: a vector added to each token's embedding; turn: queries and keys rotated; bias: a
          number added to each score
Shapes    B = batch, T = tokens that look, S = tokens looked at, D = width, N = heads, K = width of
          a head
Differs   One module serves all layers, with the same numbers in each.  Places may be fractions
          (position interpolation, Chen et al. 2023, eq. 4: p' = p * trained length / new length).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

# cosines and sines (T, K) of the pairs of a head, for both numbers of each pair: what is added to
# the first one is taken away, so there the sine is negative
Angles = tuple[Tensor, Tensor]


@dataclass(frozen=True, slots=True)
class Frame:
    """What a kind has to know of its model."""

    width: int
    heads: int
    dim: int  # width of one head
    context: int  # the most places there are
    base: float = 10_000.0
    both_ways: bool = False  # whether a token looks ahead too
    turned: int = 0  # how many numbers of a head may be turned; 0: all
    scaling: str = ""  # how turns are slowed down, see engine/nn/positions/scaling.py


class Position(nn.Module):
    """
    title, rank   its name and its place in lists
    about         how it works, for the page Positions
    says          what `engine.lessons.positions.encodings.place` shows of it
    where, tells, learned, anywhere, used_by
                  for the table of all kinds: where it acts, what it tells, how many numbers it
                  learns, whether it knows any place, who uses it
    asks          whether its bias depends on the query
    """

    title: ClassVar[str]
    rank: ClassVar[int] = 1000
    about: ClassVar[str] = ""
    says: ClassVar[str] = ""
    where: ClassVar[str] = ""
    tells: ClassVar[str] = ""
    learned: ClassVar[str] = ""
    anywhere: ClassVar[str] = ""
    used_by: ClassVar[str] = ""
    asks: ClassVar[bool] = False
    rows: int | None = None  # the places it has numbers for; None means any
    gain: float = 1.0  # what embeddings are multiplied by before anything is added

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame

    @classmethod
    def adds(cls) -> bool:
        """Whether a vector is added to the embeddings."""
        return cls.embed is not Position.embed

    @classmethod
    def rotates(cls) -> bool:
        """Whether queries and keys are rotated, a pair of numbers at a time."""
        return cls.angles is not Position.angles

    @classmethod
    def biases(cls) -> bool:
        """Whether a number is added to the scores."""
        return cls.bias is not Position.bias

    @property
    def turning(self) -> int:
        """How many numbers stand in pairs whose angle grows with the place, each pair slower than
        the one before; 0 where none do."""
        return 0

    def speeds(self) -> np.ndarray:
        """Radians a place (I,) of each pair that turns."""
        return np.asarray(self.frame.base ** (-np.arange(0, self.turning, 2) / self.turning))

    def embed(self, place_T: Tensor) -> Tensor | None:
        """(T, D), added to the embeddings; None adds nothing."""
        return None

    def angles(self, place_T: Tensor) -> Angles | None:
        """By how much the pairs of a head are turned at each place, found once for all layers; None
        where nothing is turned."""
        return None

    def turn(self, x_BNTK: Tensor, place_T: Tensor) -> Tensor:
        """Queries or keys as they are compared."""
        by = self.angles(place_T)
        return x_BNTK if by is None else turned(x_BNTK, by)

    def bias(self, q_BNTK: Tensor, query_T: Tensor, key_S: Tensor) -> Tensor | None:
        """(1 or B, N, T, S), added to the scores after their scaling; None adds nothing."""
        return None


def turned(x_NTK: Tensor, by: Angles) -> Tensor:
    """Vectors (.., T, K), the pairs of which, dimension i and i + K/2, are turned by the angles of
    their places.  Of angles for fewer numbers only the first ones are turned, with K their
    count."""
    cos_TK, sin_TK = (part.to(x_NTK.dtype) for part in by)
    if (count := cos_TK.shape[-1]) < x_NTK.shape[-1]:
        return torch.cat((turned(x_NTK[..., :count], (cos_TK, sin_TK)), x_NTK[..., count:]), -1)
    return x_NTK * cos_TK + x_NTK.roll(x_NTK.shape[-1] // 2, -1) * sin_TK
