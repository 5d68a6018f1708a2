"""Sums of a convolutional network, written out on small arrays.

What      y(f, i, j) = b_f + sum over c, m, n of x(c, i s + m - p, j s + n - p) K(f, c, m, n);
          size = floor((n + 2 p - k) / s) + 1;  pooling takes the largest number, or the mean, of
          squares beside each other;  logits = W z + b;  softmax
Source    LeCun, Bottou, Bengio & Haffner, Gradient-Based Learning Applied to Document Recognition,
          1998, sec. II; Dumoulin & Visin, A Guide to Convolution Arithmetic for Deep Learning, 2016
Shapes    C = channels, F = filters, k = side of a kernel, H, W = input, P, Q = output
Differs   The kernel is not flipped: cross-correlation, as in every library.  What is left over at
          the right and at the bottom is not read.
"""

from __future__ import annotations

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from engine.language.message import refusal

POOLINGS = ("max", "average")


def size(n: int, k: int, stride: int = 1, padding: int = 0) -> int:
    """Places of a kernel of k along n cells; ValueError where it does not fit."""
    room = n + 2 * padding - k
    if room < 0 or stride < 1 or k < 1:
        raise refusal(
            "A kernel of {k} × {k} does not fit into {n} cells with {padding} zeros on each side."
            " Make it smaller, or add padding."
        )
    return room // stride + 1


def windows(x: np.ndarray, k: int, stride: int = 1, padding: int = 0) -> np.ndarray:
    """The squares that a kernel sees (..., P, Q, k, k) of x (..., H, W)."""
    around = [(0, 0)] * (x.ndim - 2) + [(padding, padding)] * 2
    found = sliding_window_view(np.pad(x, around), (k, k), (-2, -1))
    return found[..., ::stride, ::stride, :, :]


def convolve(
    x_CHW: np.ndarray,
    kernel_FCKK: np.ndarray,
    bias_F: np.ndarray | float = 0.0,
    stride: int = 1,
    padding: int = 0,
) -> np.ndarray:
    """One map for each filter (..., F, P, Q) of x (..., C, H, W)."""
    seen = windows(x_CHW, kernel_FCKK.shape[-1], stride, padding)
    found: np.ndarray = np.einsum("...cpqmn,fcmn->...fpq", seen, kernel_FCKK)
    return found + np.reshape(np.broadcast_to(bias_F, len(kernel_FCKK)), (-1, 1, 1))


def pool(x: np.ndarray, side: int, kind: str = "max", stride: int | None = None) -> np.ndarray:
    """The largest number or the mean of squares of x (..., H, W), beside each other unless a stride
    is given."""
    seen = windows(x, side, stride or side)
    found: np.ndarray = seen.max((-2, -1)) if kind == "max" else seen.mean((-2, -1))
    return found


def softmax(logit: np.ndarray) -> np.ndarray:
    """Along the last axis; the largest is taken away first, so that nothing overflows."""
    power = np.exp(logit - logit.max(-1, keepdims=True))
    found: np.ndarray = power / power.sum(-1, keepdims=True)
    return found


def learned(k: int, channels: int, filters: int) -> int:
    """Numbers that a convolution learns: the kernels and a bias for each filter."""
    return filters * (channels * k * k + 1)


def learned_dense(inputs: int, outputs: int) -> int:
    """Numbers that a dense layer learns between as many inputs and outputs."""
    return outputs * (inputs + 1)


def learned_local(k: int, channels: int, filters: int, places: int) -> int:
    """The same kernels with others at every place: nothing is shared."""
    return places * learned(k, channels, filters)
