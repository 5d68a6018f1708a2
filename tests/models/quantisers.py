"""Weights in few bits as the formats define them, written number by number: what the readers in
engine/pretrained/quantised are held against.  That the libraries write and read the same is in
tests/models/golden (tests/models/golden/make.py)."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

NF4 = np.array(
    [
        *(-1.0, -0.6961928009986877, -0.5250730514526367, -0.39491748809814453),
        *(-0.28444138169288635, -0.18477343022823334, -0.09105003625154495, 0.0),
        *(0.07958029955625534, 0.16093020141124725, 0.24611230194568634, 0.33791524171829224),
        *(0.44070982933044434, 0.5626170039176941, 0.7229568362236023, 1.0),
    ],
    np.float32,
)
# sign, two bits of exponent, one of mantissa, over 12
FP4 = np.array([s * x / 12 for s in (1, -1) for x in (0, 0.0625, 8, 12, 4, 6, 2, 3)], np.float32)


@dataclass(frozen=True)
class Small:
    """tensors: by the ends of their names; values: the numbers that they stand for, (out, in)."""

    tensors: dict[str, Tensor]
    values: Tensor


Quantiser = Callable[[Tensor], Small]


def words(codes: np.ndarray, bits: int) -> np.ndarray:
    """Rows of whole numbers as one string of bits each, the first in the lowest, in words of 32."""
    size = -(-codes.shape[1] * bits // 32)
    found = np.zeros((len(codes), size), np.uint32)
    for i, row in enumerate(codes):
        whole = sum(int(code) << (bits * j) for j, code in enumerate(row))
        found[i] = [(whole >> (32 * w)) & 0xFFFFFFFF for w in range(size)]
    return found.view(np.int32)


def float8(block: tuple[int, int] | None, kind: torch.dtype = torch.float32) -> Quantiser:
    """One scale for each block, or for all."""

    def make(weight: Tensor) -> Small:
        rows, columns = block or weight.shape
        q = torch.empty_like(weight, dtype=torch.float8_e4m3fn)
        values = torch.empty_like(weight)
        scales = torch.empty(-(-len(weight) // rows), -(-weight.shape[1] // columns))
        for i in range(scales.shape[0]):
            for j in range(scales.shape[1]):
                at = slice(i * rows, (i + 1) * rows), slice(j * columns, (j + 1) * columns)
                s = weight[at].abs().max() / 448
                if kind in (torch.uint8, torch.float8_e8m0fnu):  # powers of two
                    s = 2.0 ** torch.ceil(torch.log2(s))
                else:
                    s = s.to(kind).float()
                q[at] = (weight[at] / s).to(torch.float8_e4m3fn)
                values[at], scales[i, j] = q[at].float() * s, s
        kept = scales.log2().add(127).to(torch.uint8) if kind == torch.uint8 else scales.to(kind)
        return Small({"weight": q, "weight_scale_inv": kept if block else kept[0, 0]}, values)

    return make


def under(name: str, make: Quantiser) -> Quantiser:
    """Scales under another name, a single one in a row."""

    def renamed(weight: Tensor) -> Small:
        small = make(weight)
        scale = small.tensors["weight_scale_inv"]
        tensors = {"weight": small.tensors["weight"], name: scale if scale.ndim else scale[None]}
        return Small(tensors, small.values)

    return renamed


def rowwise(weight: Tensor) -> Small:
    """FBGEMM's."""
    s = weight.abs().amax(1, keepdim=True) / 448
    q = (weight / s).to(torch.float8_e4m3fn)
    return Small({"weight": q, "weight_scale": s}, q.float() * s)


def eight(weight: Tensor) -> Small:
    """LLM.int8()'s."""
    most = weight.abs().amax(1)
    q = (weight / most[:, None] * 127).round().to(torch.int8)
    about = {"weight": q, "SCB": most, "weight_format": torch.tensor(0, dtype=torch.uint8)}
    return Small(about, q.float() * most[:, None] / 127)


def four(table: str, nested: bool = False, kind: str = "float32") -> Quantiser:
    """QLoRA's, blocks of 64 numbers and, doubly quantised, of 256 scales."""

    def make(weight: Tensor) -> Small:
        points = NF4 if table == "nf4" else FP4
        flat = weight.flatten().numpy()
        blocks = [flat[i : i + 64] for i in range(0, len(flat), 64)]
        most = np.array([np.abs(block).max() for block in blocks], np.float32)
        tensors: dict[str, Tensor] = {}
        about: dict[str, Any] = {"quant_type": table, "blocksize": 64, "dtype": kind}
        about["shape"] = list(weight.shape)
        if nested:
            offset = float(most.mean())
            grid = np.linspace(-1, 1, 256).astype(np.float32)
            spans = [most[i : i + 256] for i in range(0, len(most), 256)]
            coarse = np.array([np.abs(span - offset).max() for span in spans], np.float32)
            share = [(m - offset) / coarse[i // 256] for i, m in enumerate(most)]
            found = np.array([np.abs(grid - x).argmin() for x in share])
            most = np.array([grid[c] * coarse[i // 256] + offset for i, c in enumerate(found)])
            tensors["weight.nested_absmax"] = torch.from_numpy(coarse)
            tensors["weight.nested_quant_map"] = torch.from_numpy(grid)
            about |= {"nested_blocksize": 256, "nested_dtype": "float32", "nested_offset": offset}
            tensors["weight.absmax"] = torch.from_numpy(found.astype(np.uint8))
        else:
            tensors["weight.absmax"] = torch.from_numpy(most.copy())
        of = enumerate(flat.tolist())
        codes = [int(np.abs(points - x / most[i // 64]).argmin()) for i, x in of]
        pairs = [(high << 4) | low for high, low in zip(codes[::2], codes[1::2], strict=True)]
        tensors["weight"] = torch.tensor(pairs, dtype=torch.uint8)[:, None]
        tensors["weight.quant_map"] = torch.from_numpy(points)
        said = torch.tensor(list(json.dumps(about).encode()), dtype=torch.uint8)
        tensors[f"weight.quant_state.bitsandbytes__{table}"] = said
        values = [points[c] * most[i // 64] for i, c in enumerate(codes)]
        made = torch.tensor(np.array(values, np.float32)).reshape(weight.shape)
        return Small(tensors, made.to(getattr(torch, kind)).float())

    return make


def grouped(weight: Tensor, bits: int, group: np.ndarray) -> tuple[Any, Any, Any, Tensor]:
    """Codes (out, in), zeros and scales (out, groups) with float16's digits, by the columns' groups;
    and the numbers."""
    w, most = weight.numpy(), 2**bits - 1
    out, groups = len(w), group.max() + 1
    codes = np.zeros(w.shape, np.int64)
    zeros, scales = np.zeros((out, groups), np.int64), np.zeros((out, groups), np.float32)
    values = np.zeros(w.shape, np.float32)
    for o in range(out):
        for g in range(groups):
            part = w[o, group == g]
            low, high = min(part.min(), 0.0), max(part.max(), 0.0)
            s = np.float32(np.float16((high - low) / most))
            z = int(np.clip(round(-low / s), 1, most))  # the first format of GPTQ has no zero of 0
            q = np.clip(np.round(part / s) + z, 0, most).astype(np.int64)
            codes[o, group == g], zeros[o, g], scales[o, g] = q, z, s
            values[o, group == g] = (q - z) * s
    return codes, zeros, scales, torch.from_numpy(values)


def gptq(bits: int, size: int, less: bool = True, order: bool = False) -> Quantiser:
    """less: zeros are kept less 1; order: columns of one group do not lie together."""

    def make(weight: Tensor) -> Small:
        group = np.arange(weight.shape[1]) // (size if size > 0 else weight.shape[1])
        if order:
            group = np.random.default_rng(3).permutation(group)
        codes, zeros, scales, values = grouped(weight, bits, group)
        tensors = {
            "qweight": torch.from_numpy(words(codes, bits).T.copy()),
            "qzeros": torch.from_numpy(words(zeros.T - less, bits)),
            "scales": torch.from_numpy(scales.T.copy()).half(),
            "g_idx": torch.from_numpy(group.astype(np.int32)),
        }
        return Small(tensors, values)

    return make


def awq(size: int) -> Quantiser:
    """In each word the numbers of columns 0, 2, 4, 6, 1, 3, 5, 7 of eight."""

    def make(weight: Tensor) -> Small:
        codes, zeros, scales, values = grouped(weight, 4, np.arange(weight.shape[1]) // size)
        at = [8 * (i // 8) + (0, 2, 4, 6, 1, 3, 5, 7)[i % 8] for i in range(len(weight))]
        tensors = {
            "qweight": torch.from_numpy(words(codes.T[:, at], 4)),
            "qzeros": torch.from_numpy(words(zeros.T[:, at], 4)),
            "scales": torch.from_numpy(scales.T.copy()).half(),
        }
        return Small(tensors, values)

    return make


def plain(kind: str, size: int, signed: bool = True) -> Quantiser:
    """compressed-tensors' own bytes: "int" or "float", a scale for each `size` numbers of a row, 0:
    for all of it; not signed: with zeros."""

    def make(weight: Tensor) -> Small:
        width = size or weight.shape[1]
        parts = weight.unflatten(1, (-1, width))
        if kind == "float":
            s, z = parts.abs().amax(-1) / 448, None
            q = (parts / s[..., None]).to(torch.float8_e4m3fn)
            values = q.float() * s[..., None]
        else:
            low, high = parts.amin(-1).clamp(max=0), parts.amax(-1).clamp(min=0)
            s = parts.abs().amax(-1) / 127 if signed else (high - low) / 255
            z = None if signed else (-128 - low / s).round().clamp(-128, 127)
            shift = 0 if z is None else z[..., None]
            q = (parts / s[..., None] + shift).round().clamp(-128, 127).to(torch.int8)
            values = (q.float() - shift) * s[..., None]
        tensors = {"weight": q.flatten(1), "weight_scale": s}
        if z is not None:
            tensors["weight_zero_point"] = z.to(torch.int8)
        return Small(tensors, values.flatten(1))

    return make


def packed(bits: int, size: int, signed: bool = True) -> Quantiser:
    """compressed-tensors' whole numbers in words; zeros are packed along the rows."""

    def make(weight: Tensor) -> Small:
        half, width = 2 ** (bits - 1), size or weight.shape[1]
        parts = weight.unflatten(1, (-1, width))
        low, high = parts.amin(-1).clamp(max=0), parts.amax(-1).clamp(min=0)
        s = parts.abs().amax(-1) / (half - 1 or 1) if signed else (high - low) / (2 * half - 1)
        z = torch.zeros_like(s) if signed else (-half - low / s).round().clamp(-half, half - 1)
        q = (parts / s[..., None] + z[..., None]).round().clamp(-half, half - 1)
        tensors = {
            "weight_packed": torch.from_numpy(words(q.flatten(1).int().numpy() + half, bits)),
            "weight_scale": s,
            "weight_shape": torch.tensor(weight.shape),
        }
        if not signed:
            codes = z.int().numpy().T + half
            tensors["weight_zero_point"] = torch.from_numpy(words(codes, bits).T.copy())
        return Small(tensors, ((q - z[..., None]) * s[..., None]).flatten(1))

    return make
