"""Closed vocabulary: the unknown token is never predicted, so the whole of each distribution goes
to tokens that were counted.

What      as `Smoothed`, but V is one less and a token that was never counted has probability 0
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., sec. 3.3 (closed vocabulary)
Shapes    as in smoothed.py
Differs   nothing
"""

from __future__ import annotations

import numpy as np

from engine.ngram.smoothed import Smoothed


class Closed(Smoothed):
    """Of counts in which every token occurs but the unknown one, and `never` where there is one."""

    unspoken = 1

    def distributions(
        self, place_TM: np.ndarray, weight_TM: np.ndarray | None = None
    ) -> np.ndarray:
        p_TV = super().distributions(place_TM, weight_TM)
        p_TV[:, self.counts.orders[0].count_G == 0] = 0
        return p_TV

    def parts(self, place_KM: np.ndarray, weight_KM: np.ndarray) -> np.ndarray:
        part_KM = super().parts(place_KM, weight_KM)
        part_KM[self.counts.orders[0].count_G[place_KM[:, 1]] == 0] = 0
        return part_KM
