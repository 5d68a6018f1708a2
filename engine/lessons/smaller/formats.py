"""Formats: weights through a number format of few bits and back.

What      of each block of weights its levels l and for every weight the code q of one; back it is l[q].
          absmax: l = s q, s = max |w| / 127 (int8), 7 (int4), 3, 1;  zero point: l = s (q - z), s = (max - min) / 15;
          NF4: l = max |w| times 16 quantiles of the normal distribution, at equal steps of probability: 8 from d to
          1/2, 9 from 1/2 to 1 - d, one 0 of the two, divided by the largest; d = (1/30 + 1/32) / 2
          Q4_0: l = d (q - 8), d = the largest weight / -8;  Q4_1: l = d q + m, m = min;  Q8_0: l = d q
          Q4_K: l = d a q - e b; d, e of 256 weights, a, b whole numbers of 32;  Q6_K: l = d a q, a of 16
          FP8: l = s times a number of 8 bits, 4 or 5 of them the exponent, s = max |w| / the largest of these
Source    absmax, zero point: Jacob et al., 2018, and Dettmers et al., LLM.int8(), 2022, sec. 2; NF4: Dettmers et al.,
          QLoRA, 2023, sec. 3 and appendix E; Q...: ggml-quants.c of llama.cpp (Gerganov et al.), as
          `quantize_row_*_ref`; FP8: Micikevicius et al., FP8 Formats for Deep Learning, 2022
Shapes    N = blocks, B = weights of one, K = levels
Differs   Equation 4 of QLoRA takes means of neighbouring quantiles; the levels printed in appendix E are the
          quantiles themselves, as here, and its scales are quantised once more.  Blocks run on from one row of a
          matrix to the next; in llama.cpp a row that holds no whole number of blocks gets another format.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cache
from statistics import NormalDist
from typing import Any

import numpy as np

Laid = tuple[np.ndarray, np.ndarray]
"""levels (N, K), the lowest first or last, and codes (N, B)"""
TINY = np.float32(1e-30)
TOGETHER = 1 << 16  # weights that are rounded at once, in the processor's cache
SEARCHED, STEPS = np.arange(21), np.r_[np.arange(-9, 0), np.arange(1, 10)]


@dataclass(frozen=True, slots=True)
class Format:
    """bits: of a code; block: weights that share levels, 0 for a row; aside: bits that a block takes besides.
    `lay`: its levels and codes; None where there are too many levels to list, and `cast` gives what comes back."""

    bits: int
    says: str
    block: int = 0
    aside: int = 0
    lay: Callable[[np.ndarray], Laid] | None = None
    cast: Callable[[np.ndarray], np.ndarray] = np.asarray

    def each(self, row: int) -> float:
        """Bits of a weight with its share of what belongs to the block, in a matrix with rows so long."""
        return self.bits + self.aside / (self.block or row)


def _half(x: np.ndarray) -> np.ndarray:
    return np.asarray(x.astype(np.float16).astype(np.float32))


def _over(x: np.ndarray, by: np.ndarray) -> np.ndarray:
    """x / by, 0 where it is divided by 0."""
    return np.divide(x, by, out=np.zeros(np.broadcast(x, by).shape, x.dtype), where=by != 0)


def _nearest(x: np.ndarray) -> np.ndarray:
    return np.floor(x + np.float32(0.5))


def absmax(bits: int) -> Callable[[np.ndarray], Laid]:
    most = 2 ** (bits - 1) - 1

    def lay(x_NB: np.ndarray) -> Laid:
        s_N1 = np.abs(x_NB).max(1, keepdims=True) / np.float32(most)
        code_NB = np.clip(np.rint(_over(x_NB, s_N1)), -most, most)
        return s_N1 * np.arange(-most, most + 1, dtype=np.float32), code_NB + most

    return lay


def zero_point(bits: int) -> Callable[[np.ndarray], Laid]:
    most = 2**bits - 1

    def lay(x_NB: np.ndarray) -> Laid:
        low, high = x_NB.min(1, keepdims=True), x_NB.max(1, keepdims=True)
        low, high = np.minimum(low, 0), np.maximum(high, 0)
        s_N1 = (high - low) / np.float32(most)
        z_N1 = np.rint(_over(-low, s_N1))
        code_NB = np.clip(np.rint(_over(x_NB, s_N1)) + z_N1, 0, most)
        return s_N1 * (np.arange(most + 1, dtype=np.float32) - z_N1), code_NB

    return lay


@cache
def quantiles() -> np.ndarray:
    """(16,) levels of NF4 from -1 to 1, the lowest first."""
    d, quantile = (1 / 30 + 1 / 32) / 2, NormalDist().inv_cdf
    below = [quantile(p) for p in np.linspace(d, 0.5, 8)[:-1].tolist()]
    above = [quantile(p) for p in np.linspace(0.5, 1 - d, 9).tolist()]
    found = np.array(below + above) / above[-1]
    found.setflags(write=False)
    return found


def nf4(x_NB: np.ndarray) -> Laid:
    levels = quantiles().astype(np.float32)
    top_N1 = np.abs(x_NB).max(1, keepdims=True)
    code_NB = np.searchsorted((levels[1:] + levels[:-1]) / 2, _over(x_NB, top_N1))
    return top_N1 * levels, code_NB


def q8_0(x_NB: np.ndarray) -> Laid:
    d_N1 = np.abs(x_NB).max(1, keepdims=True) / np.float32(127)
    code_NB = np.clip(np.rint(_over(x_NB, d_N1)), -127, 127)
    return _half(d_N1) * np.arange(-127, 128, dtype=np.float32), code_NB + 127


def q4_0(x_NB: np.ndarray) -> Laid:
    at = np.abs(x_NB).argmax(1)[:, None]
    d_N1 = np.take_along_axis(x_NB, at, 1) / np.float32(-8)
    code_NB = np.clip(np.trunc(_over(x_NB, d_N1) + np.float32(8.5)), 0, 15)
    return _half(d_N1) * (np.arange(16, dtype=np.float32) - 8), code_NB


def q4_1(x_NB: np.ndarray) -> Laid:
    low, high = x_NB.min(1, keepdims=True), x_NB.max(1, keepdims=True)
    d_N1 = (high - low) / np.float32(15)
    code_NB = np.clip(np.trunc(_over(x_NB - low, d_N1) + np.float32(0.5)), 0, 15)
    return _half(d_N1) * np.arange(16, dtype=np.float32) + _half(low), code_NB


def find_scale_and_least(x_NB: np.ndarray, most: int) -> tuple[np.ndarray, np.ndarray]:
    """(scale, least) of each block (N, 1), scale q + least nearest to its weights, large ones counting more: of 21
    tries of how far apart levels lie, each with the line of least squares through what falls on them."""
    w_NB = np.sqrt(np.square(x_NB).mean(1, keepdims=True)) + np.abs(x_NB)
    low, high = np.minimum(x_NB.min(1), 0), x_NB.max(1)
    above_NB, wx_NB, wide = x_NB - low[:, None], w_NB * x_NB, high - low
    one, x, x2 = _sum(w_NB), _sum(wx_NB), _sum(wx_NB, x_NB)
    q_NB, wq_NB = np.empty_like(x_NB), np.empty_like(x_NB)

    def sums(apart: np.ndarray) -> tuple[np.ndarray, ...]:
        """Of q, its square, and with x, where levels lie so far apart."""
        np.multiply(above_NB, apart[:, None], out=q_NB)
        np.clip(np.rint(q_NB, out=q_NB), 0, most, out=q_NB)
        np.multiply(w_NB, q_NB, out=wq_NB)
        return _sum(wq_NB), _sum(wq_NB, q_NB), _sum(wq_NB, x_NB)

    def off(s: np.ndarray, m: np.ndarray, q: np.ndarray, q2: np.ndarray, qx: np.ndarray) -> Any:
        """Sum w (s q + m - x)^2."""
        return s * s * q2 + m * m * one + x2 + 2 * (s * m * q - s * qx - m * x)

    scale, least = (wide / np.float32(most)).astype(float), low.astype(float)
    best = off(scale, least, *sums(_over(np.full_like(wide, most), wide)))
    for step in SEARCHED.tolist():
        q, q2, qx = sums(_over(np.full_like(wide, most - 1 + 0.1 * step), wide))
        d = one * q2 - q**2
        this, from_ = _over(one * qx - x * q, d), _over(q2 * x - q * qx, d)
        this, from_ = np.where(from_ > 0, _over(qx, q2), this), np.minimum(from_, 0)
        now = off(this, from_, q, q2, qx)
        better = (d > 0) & (now < best)
        best = np.where(better, now, best)
        scale, least = np.where(better, this, scale), np.where(better, from_, least)
    return scale.astype(np.float32)[:, None], least.astype(np.float32)[:, None]


def _sum(*of: np.ndarray) -> np.ndarray:
    """Over the product of these (N, B), in float64 (N,)."""
    return np.asarray(np.einsum(",".join(["nb"] * len(of)) + "->n", *of), np.float64)


def q4_k(x_NB: np.ndarray) -> Laid:
    """Levels of 32 weights each: (8 N, 16)."""
    x_MS = x_NB.reshape(-1, 32)
    scale, least = (a.reshape(-1, 8) for a in find_scale_and_least(x_MS, 15))
    d_N1, e_N1 = ((a.max(1, keepdims=True)) / np.float32(63) for a in (scale, -least))
    a_N8, b_N8 = (
        np.clip(np.rint(_over(a, unit)), 0, 63) for a, unit in ((scale, d_N1), (-least, e_N1))
    )
    s_M1 = (_half(d_N1) * a_N8).reshape(-1, 1)
    m_M1 = (_half(e_N1) * b_N8).reshape(-1, 1)
    code_MS = np.clip(np.rint(_over(x_MS + m_M1, s_M1)), 0, 15)
    return s_M1 * np.arange(16, dtype=np.float32) - m_M1, code_MS


def q6_k(x_NB: np.ndarray) -> Laid:
    """Levels of 16 weights each: (16 N, 64)."""
    x_MS = x_NB.reshape(-1, 16)
    top_M1 = np.take_along_axis(x_MS, np.abs(x_MS).argmax(1)[:, None], 1)
    of_top_MS, w_MS = _over(x_MS, top_M1), x_MS**2
    q_MS, wq_MS = np.empty_like(x_MS), np.empty_like(x_MS)
    scale, best = np.zeros(len(x_MS)), np.zeros(len(x_MS))
    for step in (0, *STEPS.tolist()):
        np.multiply(of_top_MS, np.float32(-32 - 0.1 * step), out=q_MS)
        np.clip(np.rint(q_MS, out=q_MS), -32, 31, out=q_MS)
        np.multiply(w_MS, q_MS, out=wq_MS)
        both, square = _sum(wq_MS, x_MS), _sum(wq_MS, q_MS)
        this = _over(both, square)
        better = this * both > best
        scale, best = np.where(better, this, scale), np.where(better, this * both, best)
    scale_NG = scale.astype(np.float32).reshape(-1, 16)
    top_N1 = np.take_along_axis(scale_NG, np.abs(scale_NG).argmax(1)[:, None], 1)
    d_N1 = top_N1 / np.float32(-128)
    a_NG = np.minimum(np.rint(_over(scale_NG, d_N1)), 127)
    s_M1 = (_half(d_N1) * a_NG).reshape(-1, 1)
    code_MS = np.clip(np.rint(_over(x_MS, s_M1)), -32, 31)
    return s_M1 * (np.arange(64, dtype=np.float32) - 32), code_MS + 32


@cache
def small_floats(kind: str) -> np.ndarray:
    """Every finite number of 8 bits of torch's type, the lowest first."""
    import torch

    every = torch.arange(256).to(torch.uint8).view(getattr(torch, kind)).float().numpy()
    found = np.unique(every[np.isfinite(every)])
    found.setflags(write=False)
    return found


def fp8(kind: str) -> Callable[[np.ndarray], Laid]:
    def lay(x_NB: np.ndarray) -> Laid:
        import torch

        levels = small_floats(kind)
        s_N1 = np.abs(x_NB).max(1, keepdims=True) / levels[-1]
        near_NB = torch.from_numpy(np.clip(_over(x_NB, s_N1), levels[0], levels[-1]))
        near_NB = near_NB.to(getattr(torch, kind)).float()
        return s_N1 * levels, np.searchsorted(levels, near_NB.numpy())

    return lay


def _bfloat16(x: np.ndarray) -> np.ndarray:
    import torch

    return np.asarray(torch.from_numpy(x).to(torch.bfloat16).float().numpy())


FORMATS: Mapping[str, Format] = {
    "bfloat16": Format(16, "8 bits of exponent, 7 of digits", cast=_bfloat16),
    "float16": Format(16, "5 bits of exponent, 10 of digits", cast=_half),
    "Q8_0": Format(8, "32 weights share a scale", 32, 16, q8_0),
    "int8 absmax": Format(8, "a row shares a scale", 0, 32, absmax(8)),
    "int8 affine": Format(8, "a row shares a scale and a zero", 0, 40, zero_point(8)),
    "FP8 E4M3": Format(8, "4 bits of exponent, 3 of digits", 0, 32, fp8("float8_e4m3fn")),
    "FP8 E5M2": Format(8, "5 bits of exponent, 2 of digits", 0, 32, fp8("float8_e5m2")),
    "Q6_K": Format(6, "16 weights share a scale, 256 its unit", 256, 144, q6_k),
    "Q4_1": Format(4, "32 weights share a scale and a least number", 32, 32, q4_1),
    "Q4_K": Format(4, "32 weights share both, 256 their units", 256, 128, q4_k),
    "NF4": Format(4, "64 weights share a scale; levels as a bell curve", 64, 32, nf4),
    "Q4_0": Format(4, "32 weights share a scale", 32, 16, q4_0),
    "int4 absmax": Format(4, "64 weights share a scale", 64, 32, absmax(4)),
    "int4 affine": Format(4, "64 weights share a scale and a zero", 64, 36, zero_point(4)),
    "int3 absmax": Format(3, "64 weights share a scale", 64, 32, absmax(3)),
    "int2 absmax": Format(2, "64 weights share a scale: 3 levels", 64, 32, absmax(2)),
}


def fill_blocks(w: np.ndarray, block: int) -> np.ndarray:
    """Weights (..., B) as blocks (N, B), the last one filled up with 0; block 0: rows."""
    flat = np.ascontiguousarray(w, np.float32)
    if not block:
        return flat.reshape(-1, flat.shape[-1])
    flat = flat.ravel()
    return np.pad(flat, (0, -flat.size % block)).reshape(-1, block)


def send_back(w: np.ndarray, kind: str) -> np.ndarray:
    """Finite weights through the format and back, of the same shape."""
    of = FORMATS[kind]
    lay = of.lay
    if lay is None:
        return of.cast(np.ascontiguousarray(w, np.float32))
    x_NB = fill_blocks(w, of.block)
    step = max(1, TOGETHER // x_NB.shape[1])
    some = [x_NB[n : n + step] for n in range(0, len(x_NB), step)]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = list((pool.map if len(some) > 1 else map)(lambda x: _read(*lay(x)).ravel(), some))
    return np.concatenate(found)[: w.size].reshape(w.shape)


def _read(levels_NK: np.ndarray, code_NB: np.ndarray) -> np.ndarray:
    return np.take_along_axis(levels_NK, code_NB.astype(np.intp), 1)
