"""Deletion and insertion: does the answer fall when the tokens go that a method puts first, and rise when they come?

What      P(answer) after 0, 1, ... all tokens have gone, the first in the method's order first; or have come.  The
          area is the mean over the curve by the trapezoid rule: of deletion the less the better, of insertion the more
Source    Samek et al., Evaluating the Visualization of What a Deep Neural Network Has Learned, 2017; Petsiuk, Das &
          Saenko, RISE, 2018
Shapes    M = methods, P = players
Differs   A token that is gone is what the game says: its baseline.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.analysis.attribution.game import Game


@dataclass(frozen=True, slots=True)
class Curves:
    """deletion, insertion: (M, P + 1) probabilities; of two answers that are compared the share of the first"""

    deletion: np.ndarray
    insertion: np.ndarray

    @property
    def gain(self) -> np.ndarray:
        """(M,) the area of insertion less that of deletion."""
        return area(self.insertion) - area(self.deletion)


def area(curve_MK: np.ndarray) -> np.ndarray:
    if curve_MK.shape[1] < 2:
        return curve_MK[:, 0]
    return np.asarray((curve_MK[:, 1:] + curve_MK[:, :-1]).mean(1) / 2)


def curves(game: Game, worth_MP: np.ndarray) -> Curves:
    """Of equal ones the later token goes first."""
    count, methods = game.count, len(worth_MP)
    place_MP = count - 1 - np.argsort(-worth_MP[:, ::-1], axis=1, kind="stable")
    rank_MP = np.argsort(place_MP, axis=1)
    came_MKP = rank_MP[:, None] < np.arange(count + 1)[:, None]
    f_BK = game.value(np.concatenate([~came_MKP, came_MKP]).reshape(-1, count))
    found = (_share if game.target.other is not None else np.exp2)(f_BK)
    both_2MK = found.reshape(2, methods, count + 1)
    return Curves(*both_2MK)


def _share(bits_B: np.ndarray) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp2(-bits_B)))


def by_chance(game: Game, orders: int = 16, seed: int = 0) -> Curves:
    """Mean curves (1, P + 1) of orders drawn by chance."""
    rng = np.random.default_rng(seed)
    worth_NP = np.stack([rng.permutation(game.count) for _ in range(orders)]).astype(float)
    found = curves(game, worth_NP)
    return Curves(found.deletion.mean(0)[None], found.insertion.mean(0)[None])
