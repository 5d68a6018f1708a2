"""Repetition penalty: what was there already becomes less likely.

What      for every token that occurred: z / penalty where its logit z is above 0, z * penalty where
          it is not
Source    Keskar et al., CTRL: A Conditional Transformer Language Model for Controllable Generation,
          2019, sec. 4.1;
          dividing above 0 and multiplying below is how `transformers` made it sound, for z /
          penalty raises a z below 0
Shapes    V = vocabulary
Differs   It depends on where the zero of the logits lies.  A model that gives only probabilities
          has log-probabilities for logits; these are never above 0, so there the probability of a
          token that occurred becomes p^penalty.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.language.message import refusal


def repetition(logit_V: np.ndarray, seen: Iterable[int], penalty: float) -> np.ndarray:
    """Logits (V,) float64, those of the ids in `seen` made smaller; once, however often they
    occurred.  ValueError at 0 and below."""
    if not 0 < penalty < np.inf:
        raise refusal("a repetition penalty is a number above 0, not {penalty}")
    logit_V = np.array(logit_V, np.float64)
    ids = np.unique(np.fromiter(seen, np.int64))
    logit_V[ids] = np.where(logit_V[ids] > 0, logit_V[ids] / penalty, logit_V[ids] * penalty)
    return logit_V
