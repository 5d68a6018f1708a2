"""Saturation: what dividing by sqrt(d) saves, on random vectors and in the heads of a run.

What      q, k with independent numbers of mean 0 and variance 1: var(q . k) = d, so undivided
          scores spread with d, the softmax gives nearly all to one key, and its Jacobian, through
          which the gradient passes, goes to 0
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.1, footnote 4
Shapes    Q = queries, M = keys, L = layers, H = heads, T = tokens
Differs   The footnote argues with the variance alone; here entropy and Jacobian are measured too.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.qkv.attend import entropy, slope, softmax
from engine.language.message import refusal

KEYS, QUERIES = 16, 1_000
BLOCK = 250  # queries whose keys are in memory at once
DIMS = (2, 4, 8, 16, 32, 64, 128, 256, 512)


@dataclass(frozen=True)
class Spread:
    """Of one way to score: variance of the scores, and the means of largest weight, entropy /
    ln(keys) and Jacobian norm."""

    variance: float
    largest: float
    entropy: float
    slope: float


def of_scores(score_QM: np.ndarray) -> Spread:
    """Each row over as many keys as it has; -inf where a key is hidden.  Rows with fewer than two
    keys say nothing and are left out."""
    count_Q = np.isfinite(score_QM).sum(1)
    score_QM, count_Q = score_QM[count_Q > 1], count_Q[count_Q > 1]
    p_QM = softmax(score_QM)
    share = entropy(p_QM) / np.log(count_Q)
    return Spread(
        float(score_QM[np.isfinite(score_QM)].var()),
        float(p_QM.max(1).mean()),
        float(share.mean()),
        float(slope(p_QM).mean()),
    )


def random(
    d: int, keys: int = KEYS, queries: int = QUERIES, seed: int = 0
) -> tuple[Spread, Spread]:
    """(as they are, divided by sqrt(d)) for vectors of d independent normal numbers; every query
    has keys of its own."""
    draw = np.random.default_rng(seed)
    score_QM = np.empty((queries, keys))
    for first in range(0, queries, BLOCK):
        part = score_QM[first : first + BLOCK]
        q_QK, k_QMK = (
            draw.standard_normal((len(part), d), np.float32),
            draw.standard_normal((len(part), keys, d), np.float32),
        )
        part[:] = (k_QMK @ q_QK[:, :, None])[..., 0]
    return of_scores(score_QM), of_scores(score_QM / np.sqrt(d))


def of_heads(
    product_LHTT: np.ndarray, score_LHTT: np.ndarray, keys: int = KEYS
) -> list[list[tuple[Spread, Spread]]]:
    """Per layer and head (of its bare products q . k, of its scores), from the rows that see `keys`
    tokens or more.

    Of such a row only the last `keys` tokens count, so that every head is measured over as many
    keys as the random ones.
    ValueError when no row sees that many.
    """
    seen_TT = np.isfinite(score_LHTT[0, 0])
    rows = np.flatnonzero(seen_TT.sum(1) >= keys)
    if not len(rows):
        raise refusal("no token sees {keys} tokens: the text is too short")
    near = np.array([np.flatnonzero(seen_TT[t])[-keys:] for t in rows])
    heads = [
        [(p_TT, s_TT) for p_TT, s_TT in zip(*pair, strict=True)]
        for pair in zip(product_LHTT, score_LHTT, strict=True)
    ]
    return [
        [
            (of_scores(p_TT[rows[:, None], near]), of_scores(s_TT[rows[:, None], near]))
            for p_TT, s_TT in layer
        ]
        for layer in heads
    ]
