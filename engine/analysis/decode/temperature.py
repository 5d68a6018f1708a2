"""Temperature: sharper below 1, flatter above, the likeliest alone at 0.

What      p_i = exp(z_i / T) / sum_j exp(z_j / T), which is p^(1/T), normalised
Source    Ackley, Hinton & Sejnowski, A Learning Algorithm for Boltzmann Machines, Cognitive Science
          9, 1985, eq. 5
Shapes    V = vocabulary; z = logits, or log-probabilities: a constant added to all of them changes
          nothing
"""

from __future__ import annotations

import numpy as np

from engine.language.message import refusal


def softmax(logit_V: np.ndarray, t: float = 1.0) -> np.ndarray:
    """Probabilities (V,) float64 at temperature t.  ValueError below 0, and where every logit is
    -inf: nothing has a chance."""
    if not t >= 0:
        raise refusal("a temperature is 0 or more, not {t}")
    logit_V = np.asarray(logit_V, np.float64)
    highest = logit_V.max()
    if np.isneginf(highest):
        raise ValueError(
            "nothing can follow here: the model never saw these last tokens and gives every token"
            " probability 0"
        )
    if t == 0:
        best_V = np.zeros_like(logit_V)
        best_V[logit_V.argmax()] = 1.0
        return best_V
    with np.errstate(over="ignore"):  # far below the highest at a tiny temperature: that is 0
        weight_V = np.exp((logit_V - highest) / t)
    whole_V: np.ndarray = weight_V / weight_V.sum()
    return whole_V


def temperature(p_V: np.ndarray, t: float) -> np.ndarray:
    """The same of probabilities.  t = 1 changes nothing."""
    with np.errstate(divide="ignore"):
        return softmax(np.log(np.asarray(p_V, np.float64)), t)
