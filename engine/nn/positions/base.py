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

from torch import Tensor, nn


@dataclass(frozen=True, slots=True)
class Frame:
    """What a kind has to know of its model."""

    width: int
    heads: int
    dim: int  # width of one head
    context: int  # the most places there are
    base: float = 10_000.0
    both_ways: bool = False  # whether a token looks ahead too


class Position(nn.Module):
    rows: int | None = None  # the places it has numbers for; None means any
    gain: float = 1.0  # what embeddings are multiplied by before anything is added

    def __init__(self, frame: Frame) -> None:
        super().__init__()
        self.frame = frame

    def embed(self, place_T: Tensor) -> Tensor | None:
        """(T, D), added to the embeddings; None adds nothing."""
        return None

    def turn(self, x_BNTK: Tensor, place_T: Tensor) -> Tensor:
        """Queries or keys as they are compared."""
        return x_BNTK

    def bias(self, q_BNTK: Tensor, query_T: Tensor, key_S: Tensor) -> Tensor | None:
        """(1 or B, N, T, S), added to the scores after their scaling; None adds nothing."""
        return None
