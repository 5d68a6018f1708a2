"""A batch of word2vec: a stretch of text cut into groups of words that follow each other, with the
windows around them.

What      A group is B centres and the B + 2 windows words around them: all pairs of a centre with a
          word of its window are then entries of one B x C matrix
Source    window drawn anew for each word: Mikolov, Chen, Corrado & Dean, Efficient Estimation of
          Word Representations, 2013, sec. 3.2
Shapes    M = words of the stretch, G = groups, B = centres in a group, C = candidates, S = noise
          words of a group
Differs   Windows do not cross the end of a line or of the stretch.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor


@dataclass(frozen=True, slots=True)
class Batch:
    """centre_GB, near_GC, noise_GS  word ids, int64
    pair_GBC     1 where candidate c is inside the window of centre b, else 0, float32
    """

    centre_GB: Tensor
    near_GC: Tensor
    noise_GS: Tensor
    pair_GBC: Tensor

    def to(self, device: torch.device) -> Batch:
        parts = (self.centre_GB, self.near_GC, self.noise_GS, self.pair_GBC)
        return self if device.type == "cpu" else Batch(*(part.to(device) for part in parts))


def spans(line_M: np.ndarray, reach_M: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """First and last position (M,) of the window of each word: `reach` each side, never past the
    ends of its line."""
    at_M = np.arange(len(line_M))
    start_M = np.searchsorted(line_M, line_M, "left")
    stop_M = np.searchsorted(line_M, line_M, "right") - 1
    return np.maximum(at_M - reach_M, start_M), np.minimum(at_M + reach_M, stop_M)


def batch(
    word_M: np.ndarray, line_M: np.ndarray, reach_M: np.ndarray, noise_GS: np.ndarray, window: int
) -> Batch:
    """Lay M words out in G groups of B = M / G, rounded up.  `line_M` ascends: a window stays
    within one value of it."""
    g, m = len(noise_GS), len(word_M)
    b = -(-m // g)
    near_N = np.zeros(g * b + 2 * window, np.int64)
    near_N[window : window + m] = word_M
    near_GC = np.lib.stride_tricks.sliding_window_view(near_N, b + 2 * window)[::b]
    reach_2GB = np.zeros((2, g * b), np.int64)
    # the filling at the end has an empty window: its first position lies behind its last
    reach_2GB[0] = g * b
    reach_2GB[:, :m] = spans(line_M, reach_M)
    # the position in the text of a group's first candidate
    origin_G1 = np.arange(g)[:, None] * b - window
    low_GB1, high_GB1 = (reach_2GB.reshape(2, g, b) - origin_G1).astype(np.int32)[..., None]
    c_C = np.arange(b + 2 * window, dtype=np.int32)
    inside_GBC = (c_C >= low_GB1) & (c_C <= high_GB1)
    inside_GBC[:, np.arange(b), np.arange(b) + window] = False  # a word is not its own neighbour
    return Batch(
        torch.from_numpy(near_N[window : window + g * b].reshape(g, b)),
        torch.from_numpy(near_GC.copy()),
        torch.from_numpy(noise_GS),
        torch.from_numpy(inside_GBC).float(),
    )
