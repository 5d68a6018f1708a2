"""Heads on an external memory: where a slot is written or read is a distribution over all slots,
found by content and then moved by location.

What      c = softmax(beta cos(k, M_n)); w^g = g c + (1 - g) w'; w^s_n = sum over j of s_j w^g_(n-j),
          j = -1, 0, 1 on a ring; w_n = (w^s_n)^gamma / sum;
          M_n = M'_n o (1 - w_n e) + w_n a;  r = sum over n of w_n M_n
Source    Graves, Wayne & Danihelka, Neural Turing Machines, 2014, sec. 3.1 to 3.3
Shapes    B = batch, N = slots, D = numbers in a slot, H = units of the controller, S = 3 shifts
Differs   gamma = 1 + softplus, beta = softplus; powers are taken of logarithms, of at least 1e-8, so
          that no gradient of a slot without weight is infinite.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional as F

SHIFTS = (-1, 0, 1)
LEAST = 1e-8

See = Callable[[str, Any], Any]
"""Shows a number under its name, and returns it, or what an edit makes of it."""


class Head(nn.Module):
    """From the state of the controller to a place in the memory."""

    def __init__(self, h: int, d: int) -> None:
        super().__init__()
        self.d = d
        self.says = nn.Linear(h, d + 3 + len(SHIFTS))

    def forward(self, h_BH: Tensor, memory_BND: Tensor, last_BN: Tensor, see: See) -> Tensor:
        """The address (B, N), from the one of the step before."""
        key_BD, strength_B1, gate_B1, shift_BS, sharp_B1 = self.says(h_BH).split(
            (self.d, 1, 1, len(SHIFTS), 1), -1
        )
        key_BD = see("key", key_BD)
        strength_B1 = see("strength", F.softplus(strength_B1))
        content_BN = see("content", by_content(key_BD, strength_B1, memory_BND))
        gate_B1 = see("gate", gate_B1.sigmoid())
        mixed_BN = see("mixed", gate_B1 * content_BN + (1 - gate_B1) * last_BN)
        shift_BS = see("shift", shift_BS.softmax(-1))
        moved_BN = see("moved", moved(mixed_BN, shift_BS))
        sharp_B1 = see("sharp", 1 + F.softplus(sharp_B1))
        address_BN: Tensor = see("address", sharpened(moved_BN, sharp_B1))
        return address_BN


def by_content(key_BD: Tensor, strength_B1: Tensor, memory_BND: Tensor) -> Tensor:
    """Weights (B, N): most where a slot points where the key points."""
    cosine_BN = F.cosine_similarity(memory_BND, key_BD[:, None], dim=-1, eps=1e-6)
    return (strength_B1 * cosine_BN).softmax(-1)


def moved(w_BN: Tensor, shift_BS: Tensor) -> Tensor:
    """The weights (B, N) moved along the ring of slots, each step as far as its share says."""
    return sum(
        (shift_BS[:, i : i + 1] * w_BN.roll(by, -1) for i, by in enumerate(SHIFTS)),
        start=torch.zeros_like(w_BN),
    )


def sharpened(w_BN: Tensor, sharp_B1: Tensor) -> Tensor:
    """Each weight (B, N) to this power, divided by their sum."""
    return (sharp_B1 * w_BN.clamp_min(LEAST).log()).softmax(-1)


def written(memory_BND: Tensor, address_BN: Tensor, erase_BD: Tensor, add_BD: Tensor) -> Tensor:
    """The memory (B, N, D) after a step: first what is erased, then what is added."""
    w_BN1 = address_BN[..., None]
    return memory_BND * (1 - w_BN1 * erase_BD[:, None]) + w_BN1 * add_BD[:, None]


def read(memory_BND: Tensor, address_BN: Tensor) -> Tensor:
    """The mean of the slots (B, D), each as heavy as its weight."""
    return (address_BN[:, None] @ memory_BND)[:, 0]
