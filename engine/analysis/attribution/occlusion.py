"""Occlusion: what the answer loses when one token is left out, and all others stay.

What      f(all) - f(all but t)
Source    Zeiler & Fergus, Visualizing and Understanding Convolutional Networks, 2014; Li, Monroe & Jurafsky,
          Understanding Neural Networks through Representation Erasure, 2016
Shapes    P = players
"""

from __future__ import annotations

import numpy as np

from engine.analysis.attribution.game import Game


def occlusion(game: Game) -> np.ndarray:
    """(P,) in bits."""
    here_BP = np.vstack([np.ones((1, game.count), bool), ~np.eye(game.count, dtype=bool)])
    f_B = game.value(here_BP)
    return np.asarray(f_B[0] - f_B[1:])
