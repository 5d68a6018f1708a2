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
        self,
        model: Ngram,
        tokens: Tokens,
        word: int | None = None,
        against: bool = False,
        p_V: np.ndarray | None = None,
    ) -> None:
        """`p_V`: the answer, where somebody knows it."""
        self.tokens, self._of = tokens, model.smoothed
        reach = max(0, len(tokens) - (model.config.order - 1))
        here = [t for t in range(reach, len(tokens)) if tokens.spans[t][1]]
        self.players = np.array(here, int)
        most = len(tokens) - reach
        place_M = self._of.counts.places(model.counted_as(tokens.ids[-model.config.order :]))[-1]
        self._place_DM = np.repeat(place_M[None], most + 1, 0)  # from none in sight to all
        self._place_DM[np.arange(len(place_M)) > np.arange(most + 1)[:, None]] = -1
        self._weight_DM = self._of.weights(self._place_DM)
        self.p_V = self._answer(-1) if p_V is None else p_V
        self.target = choose(self.p_V, word, against)

    def _answer(self, sight: int) -> np.ndarray:
        place_1M, weight_1M = self._place_DM[sight][None], self._weight_DM[sight][None]
        return np.asarray(self._of.distributions(place_1M, weight_1M)[0], np.float64)

    def _parts(self, word: int) -> np.ndarray:
        """(D, M)"""
        word_D1 = np.full((len(self._place_DM), 1), word)
        found = self._of.ladder(self._place_DM, self._weight_DM, word_D1)["part"]
        return np.asarray(found[:, 0], float)

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        here_BP = np.asarray(here_BP, bool)
        seen_B = np.full(len(here_BP), len(self._place_DM) - 1)
        for n, place in enumerate(self.players):  # the last one that is out decides
            seen_B[~here_BP[:, n]] = len(self.tokens) - 1 - place
        word, other = self.target.word, self.target.other
        f_D = bits(self._parts(word).sum(1))
        if other is not None:
            f_D = f_D - bits(self._parts(other).sum(1))
        return np.asarray(f_D[seen_B])

    @property
    def unseen(self) -> np.ndarray:
        """P (V,) with no token in sight."""
        return self._answer(0)

    def parts(self, word: int) -> np.ndarray:
        """(M,) what each order adds to P of a word, which is their sum: of no token, of one, of two ..."""
        return np.asarray(self._parts(word)[-1])
