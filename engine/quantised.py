"""Quantised: the numbers of a run in fewer bits, for a smaller file.

What      int8: each row of a table is round(x / s) with one s a row, s = max |x| / 127, so that x is off by s / 2 at most;
          the array "x" lies in the file as "x#int8" and "x#scale".  float16: half the digits of float32
Source    Jacob et al., Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only Inference, 2018, eq. 1;
          one scale a row and no zero point: Krishnamoorthi, Quantizing Deep Convolutional Networks for Efficient Inference, 2018, sec. 2.2
Shapes    a row is the last axis; s has all axes but that
Differs   Only what is stored: a model computes with float32.  Biases and narrow tables, of little weight, stay in float16.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from engine.arrays import read_arrays

Arrays = Mapping[str, np.ndarray]
NUMBERS = ("float32", "float16", "int8")
INT8, SCALE = "#int8", "#scale"
NARROW = 16  # numbers in a row; where there are fewer, the scale weighs too much
MOST = 127
LARGEST = np.float32(np.finfo(np.float16).max)
RANGE = np.finfo(np.float32).tiny, np.nextafter(np.finfo(np.float32).max / np.float32(MOST), np.float32(0))  # of a scale


def stored(arrays: Arrays, numbers: str) -> dict[str, np.ndarray]:
    """As they are to lie in a file; what is not float32 stays as it is.  ValueError where int8 can't hold a number."""
    if numbers == "float32":
        return dict(arrays)
    return pack(arrays) if numbers == "int8" else {name: _half(x) for name, x in arrays.items()}


def pack(arrays: Arrays) -> dict[str, np.ndarray]:
    """ValueError with one sentence where a number is infinite or none."""
    found: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        if x.dtype != np.float32 or x.ndim < 2 or x.shape[-1] < NARROW:
            found[name] = _half(x)
            continue
        most = np.abs(x).max(-1)
        if not np.isfinite(most).all():
            raise ValueError(f"{name} holds a number that is infinite or none at all, which can't be stored in 8 bits")
        found[name + SCALE] = scale = np.clip(most / np.float32(MOST), *RANGE)
        found[name + INT8] = np.clip(np.rint(x / scale[..., None]), -MOST, MOST).astype(np.int8)
    return found


def unpack(arrays: Arrays) -> dict[str, np.ndarray]:
    """What `pack` was given, each number off by half a scale at most; other arrays as they are, not copied.

    ValueError with one sentence where an array has not the scale that belongs to it.
    """
    found: dict[str, np.ndarray] = {}
    for name, x in arrays.items():
        if name.endswith(INT8):
            scale = arrays.get(name.removesuffix(INT8) + SCALE)
            if scale is None or x.dtype != np.int8 or scale.dtype != np.float32 or scale.shape != x.shape[:-1] or not x.ndim:
                raise ValueError(f"{name} is without the scale of its rows")
            found[name.removesuffix(INT8)] = np.multiply(x, scale[..., None], dtype=np.float32)
        elif not (name.endswith(SCALE) and name.removesuffix(SCALE) + INT8 in arrays):
            found[name] = x
    return found


def read(path: Path) -> dict[str, np.ndarray]:
    """The arrays of a file of `stored` ones: those in 8 bits in memory, the others left in the file until they are looked at.

    ValueError when the file is damaged.
    """
    return unpack(read_arrays(path))


def _half(x: np.ndarray) -> np.ndarray:
    """In float16, where all of them have a place there."""
    return x.astype(np.float16) if x.dtype == np.float32 and np.abs(x).max(initial=0) <= LARGEST else x
