"""Carried: what is left of a count that a memory keeps, where layer norm is put into the cell.

What      unit 0 adds 1 at each step (f = i = g = 1), the others keep what they began with:
          plain      c = c' + w;  shown tanh(c)
          output     the same memory; shown N(tanh(c)), and what goes on to the next step is not
                     normalised
          shown      the same memory; shown tanh(N(c))
          carried    c = N(c' + w): what is normalised is carried on
Source    shown: Ba, Kiros & Hinton, Layer Normalization, 2016, supplement, eq. 22; carried: a cell that
          the course notes list
Shapes    T = steps, H = units
Differs   Gates are held, so that nothing but the norm is seen.  N without gain and bias.
"""

from __future__ import annotations

import numpy as np

EPSILON = 1e-5
WAYS = {
    "plain": "no norm",
    "output": "norm of the output",
    "shown": "norm where the memory is shown",
    "carried": "norm of the memory that is carried on",
}


def normalised(x_H: np.ndarray) -> np.ndarray:
    """Mean 0 and variance 1 over the units."""
    far_H = x_H - x_H.mean()
    return np.asarray(far_H / np.sqrt(np.square(far_H).mean() + EPSILON))


def run(
    way: str, others_H: np.ndarray, steps: int, keep: float = 1.0
) -> tuple[np.ndarray, np.ndarray]:
    """The memory and what is shown of it (T + 1, H), from the start on; `others_H` is what the units
    behind the first begin with.  KeyError for a way that is not in WAYS."""
    if way not in WAYS:
        raise KeyError(way)
    c_H = np.concatenate([[0.0], others_H])
    add_H = np.zeros_like(c_H)
    memory, shown = [], []
    for t in range(steps + 1):
        if t:
            add_H[0] = 1.0
            c_H = keep * c_H + add_H
            if way == "carried":
                c_H = normalised(c_H)
        seen_H = np.tanh(normalised(c_H) if way == "shown" else c_H)
        memory.append(c_H)
        shown.append(normalised(seen_H) if way == "output" else seen_H)
    return np.array(memory), np.array(shown)


def told_apart(memory_TH: np.ndarray, least: float = 0.01) -> int:
    """Up to which count one more step still moves the memory, in some unit, by at least this much."""
    moved_T = np.abs(np.diff(memory_TH, axis=0)).max(1)
    small = np.flatnonzero(moved_T < least)
    return int(small[0]) if len(small) else len(moved_T)
