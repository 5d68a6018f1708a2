"""Data augmentation by replaced tokens: by a usual listing, and as the training here does it.

What      listing   with probability p a token becomes any id of the vocabulary: it changes with
                    p (1 - 1/V), as it may be drawn again; marks are struck and drawn like words
          training  with probability p a word becomes another word; marks stay
Source    the same idea: Xie et al., Data Noising as Smoothing in Neural Network Language Models, 2017
Shapes    N = tokens, V = vocabulary, the first `marks` ids of it marks
Differs   The second is the engine's own, engine/nn/windows.py.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from engine.nn import windows

RULES = {"listing": "any id of the vocabulary", "training": "another word"}


@dataclass(frozen=True, slots=True)
class Counted:
    """Shares of all tokens: those that changed, by formula and as drawn, words that became a mark,
    and marks that were struck."""

    formula: float
    changed: float
    to_marks: float
    marks_struck: float


def replaced(
    rule: str, ids_N: np.ndarray, p: float, vocabulary: int, marks: int, seed: int
) -> np.ndarray:
    """(N,) the ids that are read."""
    if rule == "training":
        known_V = torch.arange(marks, vocabulary)
        x = torch.from_numpy(np.asarray(ids_N, np.int64))[None]
        return np.asarray(windows.replaced((x, x), known_V, p, seed, 0)[0][0].numpy())
    draw = np.random.default_rng(seed)
    hit_N = draw.random(len(ids_N)) < p
    return np.where(hit_N, draw.integers(0, vocabulary, len(ids_N)), ids_N)


def counted(rule: str, p: float, vocabulary: int, marks: int, tokens: int, seed: int) -> Counted:
    """Over so many tokens, each id of the vocabulary as likely."""
    ids_N = np.random.default_rng(seed + 1).integers(0, vocabulary, tokens)
    found_N = replaced(rule, ids_N, p, vocabulary, marks, seed)
    changed_N, mark_N = found_N != ids_N, ids_N < marks
    words = vocabulary - marks
    formula = p * (1 - 1 / vocabulary) if rule == "listing" else p * words / vocabulary
    return Counted(
        formula,
        float(changed_N.mean()),
        float((changed_N & ~mark_N & (found_N < marks)).mean()),
        float((changed_N & mark_N).mean()),
    )
