"""Hide: the ways to keep a token from being looked at, in each number format, with what really
comes out.

What      fill: a hidden score becomes a large negative number; add: a large negative number is
          added to it; -inf
Source    Vaswani et al., Attention Is All You Need, 2017, sec. 3.2.3 (-inf); BERT's code, 2018
          (adds -10,000)
Shapes    M = scores of one row
Differs   Nothing is repaired: an error or a row without numbers is the result.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

WAYS = {
    "fill −∞": ("fill", -np.inf),
    "fill −1e9": ("fill", -1e9),
    "fill −1e4": ("fill", -1e4),
    "add −1e9": ("add", -1e9),
    "add −1e4": ("add", -1e4),
}
FORMATS = ("float32", "bfloat16", "float16")


@dataclass(frozen=True, eq=False)
class Hidden:
    """Weights (M,), nan where none came out; or torch's own error."""

    weight_M: np.ndarray | None
    problem: str = ""


def hide(score_M: np.ndarray, hidden_M: np.ndarray, way: str, format: str) -> Hidden:
    """KeyError for an unknown way; AttributeError for an unknown format."""
    import torch

    how, much = WAYS[way]
    score = torch.tensor(np.asarray(score_M, np.float32)).to(getattr(torch, format))
    hidden = torch.tensor(np.asarray(hidden_M, bool))
    try:
        seen = (
            score.masked_fill(hidden, much)
            if how == "fill"
            else score + torch.where(hidden, much, 0.0).to(score.dtype)
        )
    except RuntimeError as problem:
        return Hidden(None, str(problem))
    return Hidden(seen.softmax(-1).float().numpy())


def naive(score_M: np.ndarray, format: str = "float32") -> np.ndarray:
    """exp(s) / sum exp(s) as it stands in the book, without taking the largest score away first:
    nan where exp is too large."""
    import torch

    grown = torch.tensor(np.asarray(score_M, np.float32)).to(getattr(torch, format)).exp()
    return np.asarray((grown / grown.sum()).float().numpy())
