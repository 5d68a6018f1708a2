"""Quantised: the numbers of a run in fewer bits, for a smaller file.

What      int8: each row of a table is round(x / s) with one s a row, s = max |x| / 127, so that x
          is off by s / 2 at most;
          the array "x" lies in the file as "x#int8" and "x#scale".  int6, int4: the same with 31
          and 7 in place of 127, several
          numbers to a byte; s is the one of some that leaves the smallest squares, and numbers
          beyond 31 s or 7 s are cut.
          float16: half the digits of float32.  Long rows of bytes, such as the words of a
          tokenizer, are compressed: "x#xz"
Source    Jacob et al., Quantization and Training of Neural Networks for Efficient
          Integer-Arithmetic-Only Inference, 2018, eq. 1;
          one scale a row, no zero point, cut where it pays: Krishnamoorthi, Quantizing Deep
          Convolutional Networks for Efficient Inference, 2018, sec. 2.2; Banner, Nahshan & Soudry,
          Post Training 4-bit Quantization of Convolutional Networks, 2019
Shapes    a row is the last axis; s has all axes but that
Differs   Only what is stored: a model computes with float32.  Biases and narrow tables, of little
          weight, stay in float16; rows that do not fill whole bytes are stored as int8.
"""

from __future__ import annotations

import lzma
from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.language.message import refusal
from engine.storage.arrays import read_arrays

Arrays = Mapping[str, np.ndarray]
BITS = {"int8": 8, "int6": 6, "int4": 4}
NUMBERS = ("float32", "float16", *BITS)
SCALE, XZ = "#scale", "#xz"
NARROW = 16  # numbers in a row; where there are fewer, the scale weighs too much
WHOLE = {"int8": 1, "int6": 4, "int4": 2}  # numbers that fill whole bytes together
LONG = 4096  # bytes that are worth compressing
MEMORY = 2**26  # bytes that a compressed row may become, and take on the way; more is no tokenizer
# shares of the largest number that are tried as the largest one stored
CUTS = np.linspace(0.6, 1, 17, dtype=np.float32)
LARGEST = np.float32(np.finfo(np.float16).max)
TINY, HUGE = np.finfo(np.float32).tiny, np.finfo(np.float32).max


def stored(arrays: Arrays, numbers: str) -> dict[str, np.ndarray]:
    """As they are to lie in a file; what is not float32 stays as it is.  ValueError where a table
    holds what no integer can."""
    if numbers == "float32":
        return dict(arrays)
    return (
        pack(arrays, numbers) if numbers in BITS else {name: _half(x) for name, x in arrays.items()}
    )


def pack(arrays: Arrays, numbers: str = "int8") -> dict[str, np.ndarray]:
    """ValueError with one sentence where a number is infinite or none."""
    found: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        if x.dtype == np.uint8 and x.ndim == 1 and x.size >= LONG:
            found[name + XZ] = np.frombuffer(lzma.compress(x.tobytes()), np.uint8)
            continue
        kind = kind_of(x.shape, numbers) if x.dtype == np.float32 else "float16"
        if kind == "float16":
            found[name] = _half(x)
            continue
        if not np.isfinite(x).all():
            raise refusal(
                "{name} holds a number that is infinite or none at all, which can't be stored in"
                " {bits} bits",
                bits=BITS[numbers],
            )
        found[name + SCALE], whole = rounded(
            x, most_of(BITS[kind]), CUTS if kind != "int8" else CUTS[-1:]
        )
        found[f"{name}#{kind}"] = _squeezed(whole, BITS[kind])
    return found


def unpack(arrays: Arrays) -> dict[str, np.ndarray]:
    """What `pack` was given, about; other arrays as they are, not copied.

    ValueError with one sentence where an array has not the scale that belongs to it, or was not
    compressed by `pack`.
    """
    found: dict[str, np.ndarray] = {}
    scales = {name.rpartition("#")[0] + SCALE for name in arrays if name.rpartition("#")[2] in BITS}
    for name, x in arrays.items():
        own, _, kind = name.rpartition("#")
        if own and kind in BITS:
            scale = arrays.get(own + SCALE)
            right = np.int8 if kind == "int8" else np.uint8
            broken = not x.ndim or (kind == "int6" and x.shape[-1] % 3)
            if (
                broken
                or scale is None
                or x.dtype != right
                or scale.dtype != np.float32
                or scale.shape != x.shape[:-1]
            ):
                raise refusal("{name} is without the scale of its rows")
            found[own] = np.multiply(_spread(x, BITS[kind]), scale[..., None], dtype=np.float32)
        elif name.endswith(XZ):
            found[name.removesuffix(XZ)] = _expanded(name, x)
        elif name not in scales:
            found[name] = x
    return found


def _expanded(name: str, x: np.ndarray) -> np.ndarray:
    reader = lzma.LZMADecompressor(memlimit=MEMORY)
    try:
        found = reader.decompress(x.tobytes(), MEMORY)
    except lzma.LZMAError as error:
        raise refusal("{name} can't be expanded: {said}", said=error) from error
    if not reader.eof or reader.unused_data:
        raise refusal("{name} can't be expanded: it is cut short, or far too long")
    return np.frombuffer(found, np.uint8)


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file of `stored` ones: those in few bits in memory, the others left in the
    file until they are looked at.

    ValueError when the file is damaged.
    """
    return unpack(read_arrays(path))


def kind_of(shape: tuple[int, ...], numbers: str) -> str:
    """How an array of float32 of this shape is stored where few bits, such as "int6", are asked
    for."""
    if len(shape) < 2 or shape[-1] < NARROW:
        return "float16"
    return numbers if shape[-1] % WHOLE[numbers] == 0 else "int8"


def most_of(bits: int) -> int:
    return 2 ** (bits - 1) - 1


def rounded(x: np.ndarray, most: int, cuts: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(scale, int8): of the scales that let `cuts` of the largest number through, for each row the
    one that leaves the smallest squares."""
    top = np.abs(x).max(-1)
    best = np.full(top.shape, np.inf), np.zeros(top.shape, np.float32), np.zeros(x.shape, np.int8)
    for cut in cuts[::-1]:
        scale = np.clip(
            top * (cut / np.float32(most)),
            TINY,
            np.nextafter(HUGE / np.float32(most), np.float32(0)),
        )
        whole = np.clip(np.rint(x / scale[..., None]), -most, most).astype(np.int8)
        off = (
            np.square(whole * scale[..., None].astype(np.float64) - x).sum(-1)
            if len(cuts) > 1
            else np.zeros(top.shape)
        )
        better = off < best[0]
        best = (
            np.where(better, off, best[0]),
            np.where(better, scale, best[1]),
            np.where(better[..., None], whole, best[2]),
        )
    return best[1], best[2]


def _squeezed(whole: np.ndarray, bits: int) -> np.ndarray:
    """int4: two numbers to a byte, the first one low.  int6: four to three bytes, each with two
    bits of the fourth on top."""
    if bits == 8:
        return whole
    u = (
        (whole + most_of(bits) + 1)
        .astype(np.uint8)
        .reshape(*whole.shape[:-1], -1, WHOLE[f"int{bits}"])
    )
    if bits == 4:
        return u[..., 0] | u[..., 1] << 4
    return np.stack([u[..., i] | (u[..., 3] >> 2 * i & 3) << 6 for i in range(3)], -1).reshape(
        *whole.shape[:-1], -1
    )


def _spread(x: np.ndarray, bits: int) -> np.ndarray:
    """The int8 that `_squeezed` was given."""
    if bits == 8:
        return x
    if bits == 4:
        u = np.stack([x & 15, x >> 4], -1)
    else:
        three = x.reshape(*x.shape[:-1], -1, 3)
        u = np.concatenate(
            [
                three & 63,
                (three[..., :1] >> 6) | (three[..., 1:2] >> 6) << 2 | (three[..., 2:] >> 6) << 4,
            ],
            -1,
        )
    return u.reshape(*x.shape[:-1], -1).astype(np.int8) - np.int8(most_of(bits) + 1)


def _half(x: np.ndarray) -> np.ndarray:
    """In float16, where all of them have a place there."""
    return (
        x.astype(np.float16) if x.dtype == np.float32 and np.abs(x).max(initial=0) <= LARGEST else x
    )
