"""Packed: a table of weights that a run stored in few bits, multiplied in the bits that it needs.

What      x W^T for a few rows of x, a token or two of a text.  Such a product takes as long as it takes
          to read W.  W = s q with one s a row and small integers q (engine/storage/quantised.py), and
          every such q is a number of float16: (x q^T) s reads half as many bytes, in one pass, and in
          float32 it is the same product up to rounding
Source    Khudia et al., FBGEMM: Enabling High-Performance Low-Precision Deep Learning Inference, 2021,
          sec. 3 (matrices in float16, products and sums in float32); torch has it as
          `quantized.linear_dynamic_fp16`
Shapes    N = rows of x, E = rows of W, D = numbers in a row
Differs   Nothing is rounded: a table that is not s q to the last bit, or in float16, is multiplied as it is.
          So is one that was changed since, that gradients are wanted of, or that lies on a GPU.
"""

from __future__ import annotations

import math
import warnings
from typing import Any

import torch
from torch import Tensor, nn

from engine.nn import small_matmul
from engine.storage.quantised import BITS, most_of

FEWEST = 1 << 17  # numbers of a table that is worth it; smaller ones stay in the processor's cache
MOST_ROWS = 16  # of x; more of them are faster as they are
FIRST = 2  # rows that show that a table is of more bits
SOME = 32  # rows that are tried before all
PACKED = "packed"  # of a table, as an attribute


class Packed:
    """A table, and what is multiplied in its place, made when it is asked for first.

    size_bytes  that it takes besides the table
    """

    __slots__ = ("_made", "_of", "_scale_E", "size_bytes")

    def __init__(self, w_ED: Tensor) -> None:
        self.size_bytes = 2 * w_ED.numel()
        self._of: tuple[int, int] | None = None  # of which numbers it was made
        self._made: Any = None
        self._scale_E: Tensor | None = None

    def product(self, x_ND: Tensor, w_ED: Tensor, bias_E: Tensor | None) -> Tensor:
        """x W^T + b (N, E)."""
        of = w_ED.data_ptr(), 0 if w_ED.is_inference() else w_ED._version
        if self._of != of:
            self._of, (self._made, self._scale_E) = of, pack(w_ED)
        if self._made is None:
            return small_matmul.times(x_ND, w_ED, bias_E)
        found: Tensor = torch.ops.quantized.linear_dynamic_fp16.default(x_ND, self._made)
        if self._scale_E is None:
            return found if bias_E is None else found.add_(bias_E)
        return (
            found.mul_(self._scale_E)
            if bias_E is None
            else torch.addcmul(bias_E, found, self._scale_E, out=found)
        )


def pack(w_ED: Tensor) -> tuple[Any, Tensor | None]:
    """What torch multiplies by, and what the products (.., E) are multiplied by then, where they are;
    (None, None) where the table has numbers that float16 has not, or this processor no such product."""
    w_ED = w_ED.detach()
    scale_E = None
    if all(torch.equal(part.half().float(), part) for part in (w_ED[:SOME], w_ED)):
        whole_ED = w_ED
    elif (found := wholes(w_ED)) is not None:
        scale_E, whole_ED = found
    else:
        return None, None
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return torch.ops.quantized.linear_prepack_fp16(whole_ED, None), scale_E
        except (AttributeError, RuntimeError):
            return None, None


def wholes(w_ED: Tensor) -> tuple[Tensor, Tensor] | None:
    """(s, q) with W = s q, s (E,) and q (E, D) integers; None where there are none of few bits.  A row
    is cut at its largest integer, so that is the largest of so many bits: 7, 31 or 127."""
    if len(w_ED) > FIRST and wholes(w_ED[:FIRST]) is None:
        return None  # most tables are not of so few bits: it shows at once
    top_E = w_ED.abs().amax(1)
    scale_E, whole_ED = torch.ones_like(top_E), torch.zeros_like(w_ED)
    left_L = top_E.nonzero()[:, 0]  # rows without an answer yet
    for most in sorted(map(most_of, BITS.values())):
        for ulp in (0.0, -math.inf, math.inf):  # of the division that gives s
            s_L = top_E[left_L] / most
            s_L = s_L if ulp == 0 else s_L.nextafter(torch.full_like(s_L, ulp))
            few = left_L[:SOME]
            if len(left_L) > SOME and not _right(w_ED[few], s_L[:SOME])[1].any():
                continue
            q_LD, right_L = _right(w_ED[left_L], s_L)
            found = left_L[right_L]
            scale_E[found], whole_ED[found] = s_L[right_L], q_LD[right_L]
            left_L = left_L[~right_L]
            if not len(left_L):
                return scale_E, whole_ED
    return None


def _right(w_LD: Tensor, s_L: Tensor) -> tuple[Tensor, Tensor]:
    """(q, whether s q is the row)."""
    q_LD = (w_LD / s_L[:, None]).round_()
    return q_LD, (q_LD * s_L[:, None] == w_LD).all(1)


def offer(net: nn.Module) -> None:
    """Of a net that is read and trained no more: its large tables may be multiplied packed."""
    for w in net.parameters():
        offer_table(w)


def offer_table(w_ED: Tensor) -> None:
    """Of one table, where it is large."""
    if w_ED.dim() == 2 and w_ED.numel() >= FEWEST and w_ED.dtype is torch.float32:
        setattr(w_ED, PACKED, Packed(w_ED))


def packed_of(w_ED: Tensor) -> Packed | None:
    """Of a table that was offered."""
    found: Packed | None = getattr(w_ED, PACKED, None)
    return found


def product(x_D: Tensor, w_ED: Tensor, bias_E: Tensor | None = None) -> Tensor:
    """x W^T + b (.., E) of x (.., D)."""
    if not torch.is_grad_enabled() and x_D.device.type == "cpu":
        packed = packed_of(w_ED)
        if packed is not None and x_D.numel() <= MOST_ROWS * x_D.shape[-1]:
            return packed.product(x_D, w_ED, bias_E)
    return small_matmul.times(x_D, w_ED, bias_E)


class Linear(nn.Linear):
    """As torch's."""

    def forward(self, x_D: Tensor) -> Tensor:
        return product(x_D, self.weight, self.bias)
