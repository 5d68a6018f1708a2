"""Top-k: only the k likeliest.

What      keep the k largest p_i
Source    Fan, Lewis & Dauphin, Hierarchical Neural Story Generation, 2018, sec. 5.4
Shapes    V = vocabulary
Differs   Of tokens that are equally likely at place k the one with the smaller id stays;
          `transformers` keeps all of them.
"""

from __future__ import annotations

import numpy as np

from engine.analysis.decode.choice import Choice, keep, ranked
from engine.language.message import refusal


def top_k(p_V: np.ndarray, k: float) -> Choice:
    """The k likeliest.  ValueError below 1."""
    if not k >= 1:
        raise refusal("top-k keeps at least 1, not {k}")
    return keep(p_V, ranked(p_V)[: int(k)])
