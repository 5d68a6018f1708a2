"""The game of a hidden Markov model: what a token left out was is summed over, so that no baseline stands for it.

What      f(S) = log2 P(answer | the tokens of S): the forward recursion, whose factor B[s, w_t] is 1 where token t is
          not in S
Source    Rabiner, A Tutorial on Hidden Markov Models, Proceedings of the IEEE, 1989, eq. 19 to 21
Shapes    B = sets, P = players, S = states, V = vocabulary
"""

from __future__ import annotations

import numpy as np

from engine.analysis.attribution.game import Game, bits, choose, players_of
from engine.models.hmm import HiddenMarkov
from engine.text.tokenizers.base import Tokens


class StateGame(Game):
    def __init__(
        self,
        model: HiddenMarkov,
        tokens: Tokens,
        word: int | None = None,
        against: bool = False,
        p_V: np.ndarray | None = None,
    ) -> None:
        """`p_V`: the answer, where somebody knows it."""
        self.tokens, self.players, self._of = tokens, players_of(tokens), model
        self.p_V = self._answers(np.ones((1, self.count), bool))[0] if p_V is None else p_V
        self.target = choose(self.p_V, word, against)

    def _answers(self, here_BP: np.ndarray) -> np.ndarray:
        """P (B, V)"""
        a_SS, out = self._of.a_SS, np.zeros((len(here_BP), len(self.tokens)), bool)
        out[:, self.players] = ~here_BP
        state_BS = np.repeat(self._of.start_S[None], len(here_BP), 0)
        for t, like_S in enumerate(self._of.likely(self.tokens)):
            before_BS = state_BS @ a_SS if t else state_BS
            both_BS = before_BS * like_S
            scale_B1 = both_BS.sum(1, keepdims=True)
            passed_B1 = out[:, t, None] | (
                scale_B1 <= 0
            )  # a token that no state can write says nothing
            state_BS = np.where(passed_B1, before_BS, both_BS / np.where(passed_B1, 1, scale_B1))
        return np.asarray(state_BS @ a_SS @ self._of.b_SV)

    def value(self, here_BP: np.ndarray) -> np.ndarray:
        p_BV = self._answers(np.asarray(here_BP, bool))
        f_B = bits(p_BV[:, self.target.word])
        return f_B if self.target.other is None else f_B - bits(p_BV[:, self.target.other])
