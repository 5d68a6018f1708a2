"""Typical: the tokens that are about as surprising as this place is on average, until they hold the
share y of the mass.

What      entropy H = -sum p_i ln p_i; order by |-ln p_i - H|, nearest first; keep the fewest with
          sum of p_i >= y
Source    Meister, Pimentel, Wiher & Cotterell, Locally Typical Sampling, TACL 11, 2023, sec. 4, eq.
          9 to 10
Shapes    V = vocabulary
Differs   It can cut the likeliest token: where that is far less surprising than the average, it is
          not typical.
"""

from __future__ import annotations

import numpy as np

from engine.analysis.decode.choice import Choice, keep, ranked, reaching
from engine.language.message import refusal


def typical(p_V: np.ndarray, y: float) -> Choice:
    """The fewest, nearest to the entropy first, whose probabilities add up to at least y.
    ValueError outside (0, 1].

    Of two that are equally near, the likelier one comes first.
    """
    if not 0 < y <= 1:
        raise refusal("a typical mass lies above 0 and is at most 1, not {y}")
    p_V = np.asarray(p_V, np.float64)
    p_V = p_V / p_V.sum()
    order_V = ranked(p_V)
    order_V = order_V[p_V[order_V] > 0]
    nats_V = -np.log(p_V[order_V])
    entropy = float(p_V[order_V] @ nats_V)
    return keep(p_V, reaching(p_V, order_V[np.argsort(np.abs(nats_V - entropy), kind="stable")], y))
