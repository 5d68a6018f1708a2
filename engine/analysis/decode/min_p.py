"""Min-p: all that are at least m times as likely as the likeliest.

What      keep p_i >= m max_j p_j
Source    Nguyen et al., Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs,
          2024, sec. 3
Shapes    V = vocabulary
"""

from __future__ import annotations

import numpy as np

from engine.analysis.decode.choice import Choice, keep
from engine.language.message import refusal


def min_p(p_V: np.ndarray, m: float) -> Choice:
    """All whose probability is at least m times the highest.  ValueError outside [0, 1]."""
    if not 0 <= m <= 1:
        raise refusal("min-p lies between 0 and 1, not {m}")
    p_V = np.asarray(p_V, np.float64)
    return keep(p_V, np.flatnonzero(p_V >= m * p_V.max()))
