"""Numbers of half the length: sign, exponent and digits, bit by bit, and which gradients become 0.

What      value = (-1)^sign 2^(e - bias) (1 + m / 2^M); e = 0: 2^(1 - bias) m / 2^M; all ones: inf, nan
          float32 8 and 23 bits, float16 5 and 10, bfloat16 8 and 7
          loss scale S: the gradients of S times the loss are S times as large; below half of the
          smallest number they become 0, above the largest infinite
Source    IEEE 754-2019; Micikevicius et al., Mixed Precision Training, 2018, sec. 3.2; Kalamkar et
          al., A Study of BFLOAT16 for Deep Learning Training, 2019
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import torch


@dataclass(frozen=True, slots=True)
class Format:
    """exponent and digits: bits of each, behind one bit of sign."""

    id: str
    exponent: int
    digits: int

    @property
    def bits(self) -> int:
        return 1 + self.exponent + self.digits

    @property
    def bias(self) -> int:
        return int(2 ** (self.exponent - 1)) - 1

    @property
    def smallest(self) -> float:
        """The smallest number above 0."""
        return math.ldexp(1.0, 1 - self.bias - self.digits)

    @property
    def normal(self) -> float:
        """The smallest with all its digits."""
        return math.ldexp(1.0, 1 - self.bias)

    @property
    def largest(self) -> float:
        return math.ldexp(2 - 2.0**-self.digits, self.bias)

    @property
    def torch(self) -> torch.dtype:
        return {"float32": torch.float32, "float16": torch.float16, "bfloat16": torch.bfloat16}[
            self.id
        ]


FORMATS: Mapping[str, Format] = {
    f.id: f for f in (Format("float32", 8, 23), Format("float16", 5, 10), Format("bfloat16", 8, 7))
}


def pattern(x: float, of: Format) -> int:
    """The bits of the number of this format that is nearest to x."""
    made = torch.tensor([x], dtype=torch.float64).to(of.torch)
    whole = made.view(torch.int32 if of.bits == 32 else torch.int16)
    return int(whole.item()) & (2**of.bits - 1)


def value(bits: int, of: Format) -> float:
    """By the formula."""
    sign = -1.0 if bits >> (of.bits - 1) else 1.0
    e = (bits >> of.digits) & (2**of.exponent - 1)
    m = bits & (2**of.digits - 1)
    if e == 2**of.exponent - 1:
        return math.nan if m else sign * math.inf
    if e == 0:
        return sign * math.ldexp(m, 1 - of.bias - of.digits)
    return sign * math.ldexp(2**of.digits + m, e - of.bias - of.digits)


@dataclass(frozen=True, slots=True)
class Shares:
    """Of gradients that are not 0: the shares that become 0, that lose digits, that overflow."""

    zero: float
    short: float
    over: float


def shares(g: np.ndarray, scale: float, of: Format) -> Shares:
    """After a multiplication by a scale, made by torch's own conversion; g holds float32."""
    real = torch.from_numpy(g[g != 0]).double() * scale
    if not len(real):
        return Shares(0.0, 0.0, 0.0)
    made = real.to(of.torch).double().abs()
    short = (made > 0) & (made < of.normal)
    return Shares(
        (made == 0).double().mean().item(),
        short.double().mean().item(),
        torch.isinf(made).double().mean().item(),
    )


def best(g: np.ndarray, of: Format, powers: Sequence[int] = range(41)) -> int:
    """The power of two, as loss scale, with the fewest numbers at 0 of those that let none
    overflow."""
    return min(powers, key=lambda k: ((s := shares(g, 2.0**k, of)).over > 0, s.zero + s.short, k))
