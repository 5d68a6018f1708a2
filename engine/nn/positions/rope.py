"""Rotary positions (RoPE): queries and keys are turned by an angle that grows with the place, so
scores depend on distance.

What      pair i of a head turns by p * base^(-2i/K); q at p and k at p + d then score the same for
          every p
Source    Su et al., RoFormer: Enhanced Transformer with Rotary Position Embedding, 2021, sec.
          3.2.2, eq. 13-15
Shapes    T = tokens, N = heads, K = width of a head, I = pairs of a head
Differs   Pairs are dimension i and i + K/2, as in Llama, not neighbours as in the paper: the same
          up to the order of dimensions.
          Values and embeddings are not turned.  A part of each head may be left as it is, as in
          GPT-NeoX, and turns may be slowed down, see engine/nn/positions/scaling.py.
"""

from __future__ import annotations

from typing import final

import numpy as np
import torch
from torch import Tensor

from engine.nn.positions.base import Angles, Frame, Position, turned
from engine.nn.positions.scaling import Scaling


def rotate(x_NTK: Tensor, place_T: Tensor, base: float = 10_000.0) -> Tensor:
    """Vectors (.., T, K) turned by their places; K is even."""
    return turned(x_NTK, angles(place_T, x_NTK.shape[-1], base))


def angles(
    place_T: Tensor, dim: int, base: float = 10_000.0, scaling: Scaling | None = None
) -> Angles:
    """Cosine and sine of the angle of each pair at each place, as `turned` takes them, in
    float64."""
    half = dim // 2
    speed_I = base ** (-torch.arange(half, device=place_T.device, dtype=torch.float64) / half)
    if scaling is not None:
        speed_I = scaling.speeds(speed_I, base)
    angle_TI = place_T.double()[:, None] * speed_I
    cos_TI, sin_TI = angle_TI.cos(), angle_TI.sin()
    if scaling is not None and scaling.gain != 1:
        cos_TI, sin_TI = cos_TI * scaling.gain, sin_TI * scaling.gain
    return torch.cat((cos_TI, cos_TI), -1), torch.cat((-sin_TI, sin_TI), -1)


@final
class Rope(Position):
    title, rank = "RoPE", 60
    about = (
        "RoPE: in every layer queries and keys are rotated, pair by pair, by an angle that grows"
        " with the position. The score then depends on the distance."
    )
    says = "How far the turns agree: the mean of cos(angle between the two hands) over all pairs."
    where, tells = "queries and keys, every layer", "the distance, as angles"
    learned, anywhere = "0", "defined"
    used_by = "Llama, Mistral, Qwen, Gemma, Pythia"

    def __init__(self, frame: Frame) -> None:
        super().__init__(frame)
        self.scaling = Scaling.read(frame.scaling)

    @property
    def turning(self) -> int:
        return self.frame.turned or self.frame.dim

    def speeds(self) -> np.ndarray:
        speed_I = super().speeds()
        if self.scaling is None:
            return speed_I
        return self.scaling.speeds(torch.from_numpy(speed_I), self.frame.base).numpy()

    def angles(self, place_T: Tensor) -> Angles:
        return angles(place_T, self.turning, self.frame.base, self.scaling)


POSITION = Rope
