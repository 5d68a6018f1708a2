"""Patterns of attention: which earlier tokens a token may look at.

What      causal: s <= t; window: t - s < w; strided: a window, and every w-th column; dilated: four
          tokens, w apart; blocks: within t's block; sink: a window, and the first token; random:
          itself and w - 1 earlier tokens; padding: the first w tokens are only filling; below: s < t
Source    Vaswani et al. 2017 (causal); Child et al., Generating Long Sequences with Sparse
          Transformers, 2019, sec. 4.2 (strided); Beltagy et al., Longformer, 2020, sec. 3.1 (window,
          dilated); Zaheer et al., Big Bird, 2020 (random); Xiao et al., Efficient Streaming Language
          Models with Attention Sinks, 2023 (sink)
Shapes    T = tokens that look, S = tokens looked at, as many
Differs   "Random" is a fixed sum of the places, so that the browser draws the same.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from engine.language.message import _

MOST = 64  # the largest size
DILATED = 4  # tokens that a dilated window holds


@dataclass(frozen=True, slots=True)
class Pattern:
    """
    says    one sentence: who may look at whom
    make    (t_T1, s_1S, size) -> true where a token may look
    """

    title: str
    says: str
    make: Callable[[np.ndarray, np.ndarray, int], np.ndarray]


def _random(t: np.ndarray, s: np.ndarray, size: int) -> np.ndarray:
    found = t == s
    for n in range(1, size):
        found = found | (s == (t * 7919 + n * 104_729 + 13) % np.maximum(t, 1)) & (t > 0)
    return found


PATTERNS = {
    "causal": Pattern(
        "Causal",
        "Itself and all before it, as the model was trained.",
        lambda t, s, w: s <= t,
    ),
    "none": Pattern(
        "No mask", "All tokens, those that come later too.", lambda t, s, w: (t >= 0) & (s >= 0)
    ),
    "below": Pattern(
        "Below the diagonal",
        "All before it, but not itself. The first token has nobody.",
        lambda t, s, w: s < t,
    ),
    "padding": Pattern(
        "Padding in front",
        "The first tokens are only filling, which nobody may look at.",
        lambda t, s, w: (s <= t) & (s >= w),
    ),
    "window": Pattern(
        "Window", "Itself and the tokens just before it.", lambda t, s, w: (s <= t) & (t - s < w)
    ),
    "dilated": Pattern(
        "Dilated window",
        _("Itself and {dilated} before it, with gaps between them.", dilated=DILATED - 1),
        lambda t, s, w: (s <= t) & ((t - s) % w == 0) & (t - s < DILATED * w),
    ),
    "sink": Pattern(
        "Window and first token",
        "A window, and the first token for everyone.",
        lambda t, s, w: (s <= t) & ((t - s < w) | (s == 0)),
    ),
    "strided": Pattern(
        "Strided",
        "A window, and every so many tokens one that all may look at.",
        lambda t, s, w: (s <= t) & ((t - s < w) | (s % w == w - 1)),
    ),
    "blocks": Pattern(
        "Blocks",
        "The tokens of its own block, as far as they stand before it.",
        lambda t, s, w: (s <= t) & (t // w == s // w),
    ),
    "random": Pattern("Random", "Itself and a few earlier tokens, drawn by chance.", _random),
    "top": Pattern(
        "Best scores only",
        "Of all before it the few with the largest scores, head by head.",
        lambda t, s, w: s <= t,
    ),
}
SPARSE = ("window", "dilated", "sink", "strided", "blocks", "random")


def may(pattern: str, n: int, size: int) -> np.ndarray:
    """(T, S) bool.  KeyError for an unknown pattern."""
    t_T1, s_1S = np.arange(n)[:, None], np.arange(n)[None]
    return np.broadcast_to(PATTERNS[pattern].make(t_T1, s_1S, max(1, size)), (n, n))


def reach(may_TS: np.ndarray, layers: int) -> np.ndarray:
    """(T, S): after how many layers what stands at s can have come to t, 0 for never within
    `layers`: a way through the mask of that many steps, or fewer (the stream keeps what it has)."""
    n = len(may_TS)
    steps_TS = np.zeros((n, n), int)
    come = np.eye(n, dtype=bool)
    for layer in range(1, layers + 1):
        further = (may_TS.astype(int) @ come.astype(int) > 0) | come
        steps_TS[further & (steps_TS == 0) & ~np.eye(n, dtype=bool)] = layer
        come = further
    steps_TS[np.eye(n, dtype=bool)] = 1
    return steps_TS
