"""Hard attention at one word: what taking each source token alone is worth, and how well each
estimator knows the slope.

What      r_s = log P(y | source token s alone), for every s, so that every mean and scatter is exact:
          a sum over s, none of it drawn; the estimators are those of engine/nn/hard.py
          scatter    E |g - E g|^2 of the slopes g that a draw may give
          best       the baseline, the same for all s, whose scatter is least:
                     sum_s a_s n_s r_s / sum_s a_s n_s, n_s = |1{s} - a|^2
Source    Greensmith, Bartlett & Baxter, Variance Reduction Techniques for Gradient Estimates in
          Reinforcement Learning, 2004 (the best baseline)
Shapes    T = target tokens, S = source tokens, H = units, V = vocabulary, Z = S, the token drawn
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.core.trace import Trace
from engine.models.seq2seq import BEFORE, NONE, Net, Seq2seq


@dataclass(frozen=True, slots=True, eq=False)
class Choices:
    """word_T       the id whose probability counts: the right one, else the likeliest
    reward_TS    its log probability behind each source token alone
    pull_TZS     for each token that may be drawn, the slope of its reward along the context times
                 each key
    """

    word_T: np.ndarray
    reward_TS: np.ndarray
    pull_TZS: np.ndarray


def choices(model: Seq2seq, trace: Trace, right: Sequence[int]) -> Choices:
    """Of a trace with FIELDS; `right` are the ids that follow its tokens, as many as are known.
    ValueError for a model that does not look after its cell."""
    net, config = model.net, model.config
    assert isinstance(net, Net)
    if net.mix is None or config.attention == NONE or config.looks == BEFORE or config.feeds:
        raise ValueError(
            "what a step takes has to change that step alone: attention after the cell, without"
            " input feeding"
        )
    ways = 2 if config.both_ways else 1
    key_SH = torch.tensor(np.concatenate(tuple(trace.field("encoder.hidden").values[-ways:]), -1))
    h_TH = torch.tensor(trace.field("hidden").values[-1])
    look_TS = torch.tensor(trace.field("cross.attention").values[0, 0])
    with torch.enable_grad():
        c_TSH = key_SH.expand(len(h_TH), *key_SH.shape).clone().requires_grad_()
        made_TSH = torch.tanh(net.mix(torch.cat((c_TSH, h_TH[:, None].expand_as(c_TSH)), -1)))
        each_TSV = net.output(made_TSH).log_softmax(-1)
        likeliest_T = (each_TSV.detach().exp() * look_TS[..., None]).sum(1).argmax(-1)
        word_T = likeliest_T.clone()
        known = list(right)[: len(h_TH)]
        word_T[: len(known)] = torch.tensor(known, dtype=torch.long)
        reward_TS = each_TSV.gather(-1, word_T[:, None, None].expand(-1, len(key_SH), 1))[..., 0]
        (slope_TZH,) = torch.autograd.grad(reward_TS.sum(), c_TSH)
    numbers = (word_T, reward_TS.detach(), slope_TZH @ key_SH.T)
    return Choices(*(part.numpy() for part in numbers))


# Each of these takes any number of steps at once: (..., S) or (..., Z, S).


def expected(look_S: np.ndarray, reward_S: np.ndarray) -> np.ndarray:
    """Slope of the mean reward along the scores."""
    found: np.ndarray = look_S * (reward_S - _mean(look_S, reward_S)[..., None])
    return found


def marginal(look_S: np.ndarray, reward_S: np.ndarray) -> np.ndarray:
    """Slope of log sum_s a_s exp(r_s): what the word says of the token, less what was expected."""
    with np.errstate(divide="ignore"):
        joint_S = np.log(look_S) + reward_S
    after_S = np.exp(joint_S - joint_S.max(-1, keepdims=True))
    found: np.ndarray = after_S / after_S.sum(-1, keepdims=True) - look_S
    return found


def reinforced(
    look_S: np.ndarray, reward_S: np.ndarray, share_Z: np.ndarray, baseline: np.ndarray | float
) -> np.ndarray:
    """Mean slope of draws, of which each token is a share."""
    worth_Z = share_Z * (reward_S - np.asarray(baseline)[..., None])
    found: np.ndarray = worth_Z - look_S * worth_Z.sum(-1, keepdims=True)
    return found


def straight(look_S: np.ndarray, pull_ZS: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mean slope (..., S) of the straight-through estimator, and its scatter."""
    along_Z = (pull_ZS @ look_S[..., None])[..., 0]
    drawn_ZS = look_S[..., None, :] * (pull_ZS - along_Z[..., None])
    mean_S = (look_S[..., None, :] @ drawn_ZS)[..., 0, :]
    return mean_S, _mean(look_S, ((drawn_ZS - mean_S[..., None, :]) ** 2).sum(-1))


def scatter(look_S: np.ndarray, reward_S: np.ndarray, baseline: np.ndarray | float) -> np.ndarray:
    """Of `reinforced`, of a draw."""
    square_Z = (reward_S - np.asarray(baseline)[..., None]) ** 2 * _norms(look_S)
    found = _mean(look_S, square_Z) - (expected(look_S, reward_S) ** 2).sum(-1)
    return np.maximum(0.0, found)


def best_baseline(look_S: np.ndarray, reward_S: np.ndarray) -> np.ndarray:
    heavy_S = look_S * _norms(look_S)
    found: np.ndarray = _mean(heavy_S, reward_S) / np.maximum(heavy_S.sum(-1), 1e-30)
    return found


def _mean(look_S: np.ndarray, of_S: np.ndarray) -> np.ndarray:
    found: np.ndarray = (look_S * of_S).sum(-1)
    return found


def _norms(look_S: np.ndarray) -> np.ndarray:
    """|1{z} - a|^2 for each z."""
    found: np.ndarray = 1 - 2 * look_S + (look_S**2).sum(-1, keepdims=True)
    return found
