"""Local attention: a step looks at a window of the source alone, at its own place or at one that it
foretells.

What      local-m: p_t = t, no further than S.  local-p: p_t = S sigmoid(v . tanh(W h_t)).
          a_ts = softmax of the scores over the s with |s - p_t| <= D; local-p multiplies it with
          exp(-(s - p_t)^2 / 2 sigma^2), sigma = D / 2, so that p_t can be learned
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation,
          2015, sec. 3.2
Shapes    B = batch, T = target tokens, S = source tokens, counted from 1, H = units; D = half of
          the window, in tokens
Differs   p_t = t stays at the last token where the target is longer.  As in the paper, the weights
          of local-p are not made to sum to 1 again.
"""

from __future__ import annotations

from typing import final

import torch
from torch import Tensor, nn


@final
class Local(nn.Module):
    def __init__(self, h: int, half: int, predicts: bool) -> None:
        super().__init__()
        self.reach, self.predicts = half, predicts
        if predicts:
            self.turn, self.read = nn.Linear(h, h, False), nn.Linear(h, 1, False)

    def centre(self, h_BTH: Tensor, length_B: Tensor, first: int = 0) -> Tensor:
        """p_t (B, T) of states, the first of which is that of target token `first`, from 0."""
        if self.predicts:
            share_BT = torch.sigmoid(self.read(torch.tanh(self.turn(h_BTH)))[..., 0])
            return length_B[:, None] * share_BT
        t_T = torch.arange(first + 1, first + 1 + h_BTH.shape[1], device=h_BTH.device)
        return torch.minimum(t_T[None], length_B[:, None]).to(h_BTH.dtype)

    def inside(self, centre_BT: Tensor, s: int) -> Tensor:
        """Which of the first `s` source tokens the window holds (B, T, S)."""
        return self._away(centre_BT, s).abs() <= self.reach

    def weighed(self, look_BTS: Tensor, centre_BT: Tensor) -> Tensor:
        """What each source token weighs in the context."""
        if not self.predicts:
            return look_BTS
        away_BTS = self._away(centre_BT, look_BTS.shape[-1])
        return look_BTS * torch.exp(-2 * (away_BTS / self.reach).square())

    @staticmethod
    def _away(centre_BT: Tensor, s: int) -> Tensor:
        return torch.arange(1, s + 1, device=centre_BT.device) - centre_BT[..., None]
