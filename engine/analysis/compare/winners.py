"""Winners: who saw it coming; which model gave the largest share to what came, segment by segment.

What      winner of a segment = the model with the fewest bits for it; margin = bits of the second
          best - bits of the best, so 2^margin is how many times as likely the winner held what
          came; spread = most bits - fewest
Shapes    M = models, S = segments
Differs   Nobody wins where the two best say the same number of bits, or where fewer than two know
          all words.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.compare.alignment import Segments

NOBODY = -1
SAME = 1e-9  # bits


@dataclass(frozen=True, slots=True)
class Winners:
    """winner_S: the model's number, or NOBODY; margin_S and spread_S in bits, nan where fewer than
    two models can be compared."""

    winner_S: np.ndarray
    margin_S: np.ndarray
    spread_S: np.ndarray

    def counts(self, models: int) -> list[int]:
        return [int((self.winner_S == m).sum()) for m in range(models)]


def winners(found: Segments) -> Winners:
    bits_SM = np.where(found.unknown_SM, np.nan, found.bits_SM)
    winner_S = np.full(len(found), NOBODY)
    margin_S, spread_S = np.full(len(found), np.nan), np.full(len(found), np.nan)
    for s, bits_M in enumerate(bits_SM):
        known = np.flatnonzero(~np.isnan(bits_M))
        order = known[np.argsort(bits_M[known], kind="stable")]
        if len(order) < 2 or not np.isfinite(bits_M[order[0]]):
            continue
        margin_S[s] = bits_M[order[1]] - bits_M[order[0]]
        spread_S[s] = bits_M[order[-1]] - bits_M[order[0]]
        if margin_S[s] > SAME:
            winner_S[s] = order[0]
    return Winners(winner_S, margin_S, spread_S)
