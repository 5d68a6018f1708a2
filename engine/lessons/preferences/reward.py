"""Reward: a number for every token, fitted so that of two replies the better one has more in all.

What      r(reply) = sum over its tokens of theta . f, with f = [h, 1]: h what the stream holds at the token behind a
          layer, centred and of length 1, and a 1, whose weight is what each further token costs or brings
          P(w better than l) = sigma(r(w) - r(l)); theta minimises -sum log P + |theta|^2 / 2, which is convex:
          Newton's steps, each halved until the loss falls
Source    Bradley & Terry, Rank Analysis of Incomplete Block Designs, 1952; Ouyang et al., Training Language Models to
          Follow Instructions with Human Feedback, 2022, eq. 1
Shapes    N = pairs, B = replies, T = tokens, D = width, E = D + 1
Differs   The source trains a whole Transformer with a head on the last token; here the Transformer stays as it is, and
          the reward of a reply is a sum, so that each token's part in it can be read.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

STEPS, SMALL = 50, 1e-9


def features(state_TD: np.ndarray) -> np.ndarray:
    """(T, E) of states: centred, of length 1, and a 1."""
    away_TD = state_TD - state_TD.mean(-1, keepdims=True)
    size_T1 = np.linalg.norm(away_TD, axis=-1, keepdims=True)
    whole_TE: np.ndarray = np.concatenate((away_TD / (size_T1 + 1e-6), np.ones_like(size_T1)), -1)
    return whole_TE


def summed(states: Sequence[np.ndarray]) -> np.ndarray:
    """(B, E) of the states of replies."""
    return np.stack([features(state_TD).sum(0) for state_TD in states]).astype(np.float64)


def nats(theta_E: np.ndarray, away_NE: np.ndarray) -> float:
    """What is minimised: of the differences of pairs, better minus worse."""
    return float(np.logaddexp(0, -away_NE @ theta_E).sum() + theta_E @ theta_E / 2)


def fit(away_NE: np.ndarray) -> np.ndarray:
    """theta (E,)."""
    theta_E = np.zeros(away_NE.shape[1])
    loss = nats(theta_E, away_NE)
    for _step in range(STEPS):
        p_N = 1 / (1 + np.exp(np.clip(away_NE @ theta_E, -500, 500)))  # of the worse one
        slope_E = theta_E - p_N @ away_NE
        bend_EE = (away_NE.T * (p_N * (1 - p_N))) @ away_NE + np.eye(len(theta_E))
        way_E, far = np.linalg.solve(bend_EE, slope_E), 1.0
        while (new := nats(theta_E - far * way_E, away_NE)) > loss and far > SMALL:
            far /= 2
        theta_E, fell = theta_E - far * way_E, loss - new
        loss = new
        if fell < SMALL:
            break
    return theta_E


def agreement(theta_E: np.ndarray, away_NE: np.ndarray) -> float:
    """The share of pairs in which the better reply has more; a tie counts half."""
    gap_N = away_NE @ theta_E
    return float(((gap_N > 0) + (gap_N == 0) / 2).mean()) if len(gap_N) else math.nan


def unseen(away_NE: np.ndarray, prompts: Sequence[str], parts: int = 5) -> float:
    """The same of pairs that were left out of the fit, with all that have their prompt, a part at a time; of one
    prompt, pair by pair."""
    names, of_N = np.unique(prompts, return_inverse=True)
    if len(names) < 2:
        of_N = np.arange(len(away_NE))
    order = np.random.default_rng(0).permutation(of_N.max() + 1)
    found = 0.0
    for some in np.array_split(order, min(parts, len(order))):
        out_N = np.isin(of_N, some)
        found += agreement(fit(away_NE[~out_N]), away_NE[out_N]) * out_N.sum()
    return found / len(away_NE)


def compare(chosen: float, rejected: float) -> tuple[float, float]:
    """Loss in nats, and the probability that the chosen reply is preferred, of two rewards."""
    loss = float(np.logaddexp(0, rejected - chosen))
    return loss, math.exp(-loss)
