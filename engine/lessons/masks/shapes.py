"""Shapes: a mask of filling laid on scores by broadcasting, rightly and on the wrong axis.

What      scores (B, N, T, S) and a mask of fewer axes: axes are matched from the last one backwards,
          an axis of length 1 is repeated, and anything else has to be as long
Source    the rules of broadcasting of NumPy and torch; attention that unsqueezes axis 1 of what it is
          handed, as in many listings of multi-head attention
Shapes    B = texts, N = heads, T = tokens that look, S = tokens looked at
Differs   Nothing: what torch says is what is shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.language.message import _

PAD = 0
SHAPES = {
    "BS": "(texts, to)",
    "SS": "(from, to)",
    "B1S": "(texts, 1, to)",
    "BSS": "(texts, from, to)",
    "B11S": "(texts, 1, 1, to)",
}


def find_real(ids: Sequence[Sequence[int]]) -> np.ndarray:
    """(B, S): true where a token is more than filling."""
    return np.array(ids) != PAD


@dataclass(frozen=True, eq=False)
class Laid:
    """may_BNTS as it lands on the scores, None where torch refuses, and then its words.

    wrong  (B, N): heads in which some token looks at filling of its own text, or not at a word of it
    """

    given: tuple[int, ...]
    may_BNTS: np.ndarray | None
    problem: str
    wrong_BN: np.ndarray


def lay_mask(real_BS: np.ndarray, heads: int, shape: str, unsqueeze: bool) -> Laid:
    """A mask of filling in one of SHAPES, put before the softmax; with `unsqueeze` through attention
    that adds an axis at 1.  "SS" is the causal triangle.  KeyError for another shape."""
    b, s = real_BS.shape
    mask = torch.from_numpy(np.array(real_BS))
    match shape:
        case "SS":
            mask = torch.ones(s, s).tril().bool()
        case "B1S":
            mask = mask[:, None]
        case "BSS":
            mask = mask[:, None].expand(b, s, s)
        case "B11S":
            mask = mask[:, None, None]
        case "BS":
            pass
        case _:
            raise KeyError(shape)
    want = torch.from_numpy(np.array(real_BS))[:, None, None].expand(b, heads, s, s)
    if shape == "SS":
        want = mask.expand(b, heads, s, s)
    used = mask.unsqueeze(1) if unsqueeze else mask
    score = torch.zeros(b, heads, s, s)
    try:
        hidden = score.masked_fill(~used, -torch.inf)
        if hidden.shape != score.shape:  # more axes than the scores have
            raise RuntimeError(
                _(
                    "the result has shape {shape}, not {shape_2}",
                    shape=tuple(hidden.shape),
                    shape_2=tuple(score.shape),
                )
            )
    except RuntimeError as problem:
        nobody = np.zeros((b, heads), bool)
        return Laid(tuple(used.shape), None, str(problem).splitlines()[0], nobody)
    may = hidden == 0
    return Laid(tuple(used.shape), may.numpy(), "", (may != want).any(-1).any(-1).numpy())
