"""Top-p, or nucleus: the fewest tokens, likeliest first, that hold the share p of the mass.

What      keep the smallest set with sum of p_i >= p
Source    Holtzman et al., The Curious Case of Neural Text Degeneration, 2020, sec. 3.1
Shapes    V = vocabulary
"""

from __future__ import annotations

import numpy as np

from engine.analysis.decode.choice import Choice, keep, ranked, reaching
from engine.language.message import refusal


def top_p(p_V: np.ndarray, p: float) -> Choice:
    """The fewest, likeliest first, whose probabilities add up to at least p.  ValueError outside
    (0, 1]."""
    if not 0 < p <= 1:
        raise refusal("top-p lies above 0 and is at most 1, not {p}")
    return keep(p_V, reaching(p_V, ranked(p_V), p))
