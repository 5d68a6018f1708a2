"""Masks: who may look at whom, and a softmax that keeps to it.

What      a token may look at itself and what stands before it (causal), not at filling (padding),
          not farther than a window
Source    Vaswani et al. 2017, sec. 3.2.3; window: Beltagy, Peters & Cohan, Longformer, 2020, sec.
          3.1
Shapes    B = batch, T = tokens that look, S = tokens looked at, N = heads
Differs   What is forbidden scores minus infinity, not a large number: that is right in every number
          format (-1e9 does not fit into float16, and -1e4 leaks).  A token that may look at nothing
          gets weights of 0 instead of no number.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor


def allowed(
    query_T: Tensor, key_S: Tensor, *, causal: bool, window: int = 0, real_BS: Tensor | None = None
) -> Tensor | None:
    """(T, S) or, with padding, (B, 1, T, S): true where a token may look.  None where everything is
    allowed.

    query_T, key_S  places of the tokens, whole numbers from 0
    window          how many tokens back, itself counted; 0 means any number
    real_BS         false where a token is only filling
    """
    far_TS = query_T[:, None] - key_S[None]
    may: Tensor | None = far_TS >= 0 if causal else None
    if window:
        near_TS = far_TS.abs() < window
        may = near_TS if may is None else may & near_TS
    if real_BS is not None:
        real = real_BS[:, None, None]
        may = real if may is None else may & real
    return may


def soften(score_BNTS: Tensor, *, may: Tensor | None = None, in_place: bool = False) -> Tensor:
    """Softmax over the last axis of scores that are -inf where `may` is false; 0 in rows where
    nothing is allowed.

    Weights of scores in half the digits are float32: with fewer they would not add up to 1.
    """
    if score_BNTS.dtype in (torch.bfloat16, torch.float16):
        weight_BNTS = score_BNTS.softmax(-1, dtype=torch.float32)
    else:
        weight_BNTS = (
            torch.softmax(score_BNTS, -1, out=score_BNTS) if in_place else score_BNTS.softmax(-1)
        )
    if may is not None and may.dim() > 2:  # only padding can forbid a whole row
        weight_BNTS = weight_BNTS.masked_fill(~may.any(-1, keepdim=True), 0.0)
    return weight_BNTS


def forbid(score_BNTS: Tensor, may: Tensor | None) -> Tensor:
    """The scores, in place, -inf where `may` is false."""
    return score_BNTS if may is None else score_BNTS.masked_fill_(~may, -math.inf)
