"""Hard attention: a step takes one source token whole; how a net learns what to take.

What      r_s = log P(y_t | source token s).  What is climbed is E[r] = sum_s a_s r_s, or
          log sum_s a_s exp(r_s) (marginal); their slopes along the scores before softmax:
          expected    a_s (r_s - sum_u a_u r_u), over all s
          reinforce   (r_z - b) (1{s = z} - a_s) for one z drawn from a; b, the baseline, moves no
                      mean, only the scatter
          straight    as if the drawn token's weight were a_z: a_s (g . e_s - sum_u a_u g . e_u),
                      g the slope of r_z along the context
          marginal    P(s | y_t) - a_s, over all s
Source    Xu et al., Show, Attend and Tell: Neural Image Caption Generation with Visual Attention,
          2015, sec. 4.1; reinforce: Williams, Simple Statistical Gradient-Following Algorithms for
          Connectionist Reinforcement Learning, 1992; straight: Bengio, Leonard & Courville,
          Estimating or Propagating Gradients Through Stochastic Neurons, 2013; marginal: Deng et
          al., Latent Alignment and Variational Attention, 2018, sec. 3
Shapes    B = batch, T = target tokens, S = source tokens, V = vocabulary, H = units
Differs   The baseline in training is the log probability that the mean context gives, as the moving
          average of Xu et al. would not be the same after a pause.  Their temperature and entropy
          are left out.
"""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional as F

MARGINAL, REINFORCE, STRAIGHT = "marginal", "reinforce", "straight"
ESTIMATORS = (MARGINAL, REINFORCE, STRAIGHT)


def draw_tokens(look_BTS: Tensor) -> Tensor:
    """One token per step, with the chance that the weights give it: (B, T)."""
    flat_NS = look_BTS.detach().flatten(0, -2)
    return torch.multinomial(flat_NS, 1)[:, 0].view(look_BTS.shape[:-1])


def make_one_hot(taken_BT: Tensor, s: int) -> Tensor:
    """Weights (B, T, S) that are 1 at the token taken."""
    return (taken_BT[..., None] == torch.arange(s, device=taken_BT.device)).float()


def pass_gradient(look_BTS: Tensor, taken_BT: Tensor) -> Tensor:
    """The same numbers, but on the way back those of `look_BTS`."""
    one_BTS = make_one_hot(taken_BT, look_BTS.shape[-1]).to(look_BTS.dtype)
    return one_BTS + look_BTS - look_BTS.detach()


def reward(found_BTX: Tensor, y_BT: Tensor, whole_BT: Tensor, smoothing: float = 0.0) -> Tensor:
    """Loss of `reinforce`, in nats per token: cross-entropy of the first V of X = 2 V + 1 numbers,
    the logits after the token taken; behind them the logits after the mean context, and the log
    chance of the token taken."""
    v = (found_BTX.shape[-1] - 1) // 2
    logit_NV, mean_NV = (part.float().flatten(0, 1) for part in found_BTX[..., :-1].split(v, -1))
    y_N = y_BT.flatten()
    nats_N = F.cross_entropy(logit_NV, y_N, label_smoothing=smoothing, reduction="none")
    with torch.no_grad():
        advantage_N = F.cross_entropy(mean_NV, y_N, reduction="none") - F.cross_entropy(
            logit_NV, y_N, reduction="none"
        )
    chance_N = found_BTX[..., -1].float().flatten()
    # its value is that of the cross-entropy alone
    learned_N = advantage_N * (chance_N - chance_N.detach())
    return (nats_N - learned_N).sum() / (whole_BT >= 0).sum().clamp(min=1)
