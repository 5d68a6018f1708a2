"""The game of counts: what stands before a token left out is out of sight, as no counted run reaches over it.

Shapes    B = sets, P = players: the tokens that the longest run can reach, D = how many tokens are in
          sight, M = orders, V = vocabulary
"""

from __future__ import annotations

import numpy as np

from engine.analysis.attribution.game import Game, bits, choose
from engine.models.ngram import Ngram
from engine.text.tokenizers.base import Tokens


class CountGame(Game):
    def __init__(
        self, model: Ngram, tokens: Tokens, word: int | None = None, against: bool = False
    ) -> None:
        self.tokens, self._of = tokens, model.smoothed
        reach = max(0, len(tokens) - (model.config.order - 1))
        here = [t for t in range(reach, len(tokens)) if tokens.spans[t][1]]
        self.players = np.array(here, int)
        most = len(tokens) - reach
        place_M = self._of.counts.places(model.counted_as(tokens.ids[-model.config.order :]))[-1]
        self._place_DM = np.repeat(place_M[None], most + 1, 0)
        self._place_DM[np.arange(len(place_M)) > np.arange(most + 1)[:, None]] = -1
        self._weight_DM = self._of.weights(self._place_DM)
        self._p_DV = np.asarray(
            self._of.distributions(self._place_DM, self._weight_DM), np.float64
        )  # from none in sight to all
        self.p_V = self._p_DV[-1]
        self.target = choose(self.p_V, word, against)

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        here_BP = np.asarray(here_BP, bool)
        seen_B = np.full(len(here_BP), len(self._p_DV) - 1)
        for n, place in enumerate(self.players):  # the last one that is out decides
            seen_B[~here_BP[:, n]] = len(self.tokens) - 1 - place
        word, other = self.target.word, self.target.other
        f_D = bits(self._p_DV[:, word]) - (0 if other is None else bits(self._p_DV[:, other]))
        return np.asarray(f_D[seen_B])

    @property
    def unseen(self) -> np.ndarray:
        """P (V,) with no token in sight."""
        return self._p_DV[0]

    def parts(self, word: int) -> np.ndarray:
        """(M,) what each order adds to P of a word, which is their sum: of no token, of one, of two ..."""
        found = self._of.ladder(
            self._place_DM[-1:], self._weight_DM[-1:], np.array([[word]], np.int64)
        )
        return np.asarray(found["part"][0, 0], float)
