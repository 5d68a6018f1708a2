"""Linear attention: the softmax replaced by a product of features, so that the past fits into one
matrix.

What      weight(q, k) = f(q) . f(k) / sum_k f(q) . f(k), f(x) = elu(x) + 1; causal reading: f(q) S
          / f(q) z with running sums S = sum f(k) v^T and z = sum f(k)
Source    Katharopoulos et al., Transformers are RNNs: Fast Autoregressive Transformers with Linear
          Attention, 2020, eq. 7-12
Shapes    B = batch, N = heads, T = tokens that look, S = tokens looked at, K = width of a head
Differs   The running sums are taken over blocks of tokens, within which the weights are written
          out: the same numbers.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

BLOCK = 64


def features(x_BNTK: Tensor) -> Tensor:
    return F.elu(x_BNTK) + 1


def likeness(q_BNTK: Tensor, k_BNSK: Tensor, may: Tensor | None) -> Tensor:
    """f(q) . f(k) (B, N, T, S), 0 where `may` is false."""
    found = features(q_BNTK) @ features(k_BNSK).transpose(-1, -2)
    return found if may is None else found.masked_fill_(~may, 0.0)


def read(q_BNTK: Tensor, k_BNTK: Tensor, v_BNTK: Tensor, causal: bool) -> Tensor:
    """What every token reads (B, N, T, K), in time that grows with T and not with its square."""
    q_BNTK, k_BNTK = features(q_BNTK), features(k_BNTK)
    if not causal:
        whole_BNKK, whole_BNK = k_BNTK.transpose(-1, -2) @ v_BNTK, k_BNTK.sum(-2)
        return q_BNTK @ whole_BNKK / (q_BNTK @ whole_BNK[..., None])
    b, n, _, d = q_BNTK.shape
    sum_BNKK, sum_BNK = q_BNTK.new_zeros(b, n, d, d), q_BNTK.new_zeros(b, n, d, 1)
    parts: list[Tensor] = []
    for q, k, v in zip(*(x.split(BLOCK, -2) for x in (q_BNTK, k_BNTK, v_BNTK)), strict=True):
        near = (q @ k.transpose(-1, -2)).tril()
        parts.append((near @ v + q @ sum_BNKK) / (near.sum(-1, keepdim=True) + q @ sum_BNK))
        sum_BNKK, sum_BNK = sum_BNKK + k.transpose(-1, -2) @ v, sum_BNK + k.sum(-2)[..., None]
    return torch.cat(parts, -2)
