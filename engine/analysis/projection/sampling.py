"""Which points go on a map, when not all do: drawn at random, or a like number from every band of
frequency.

What      random: every word is as likely as any other; by frequency: bands of counts 1-9, 10-99,
          100-999 ..., each gives the same number of words while it has some, the rest goes to the
          bands that have more
Source    Cochran, Sampling Techniques, 1977, chapters 2 and 5
Shapes    V = words, S = sampled words
Differs   Never the first ones of the list: a list in order of frequency would show the commonest
          words only and hide it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """rows (S,) sorted; `says` how they were drawn, with size and seed."""

    rows: np.ndarray
    says: str


def draw(v: int, size: int, seed: int, counts: np.ndarray | None = None) -> Sample:
    """`size` of `v` words; with their `counts` (V,) by frequency.  ValueError when there is nothing
    to draw from."""
    if v < 1 or size < 1:
        raise ValueError(f"{size} of {v} words can't be drawn")
    if size >= v:
        return Sample(np.arange(v), f"All {v:,} words.")
    rng = np.random.default_rng(seed)
    if counts is None:
        return Sample(
            np.sort(rng.choice(v, size, replace=False)),
            f"{size:,} of {v:,} words, drawn at random with seed {seed}.",
        )
    band_V = np.floor(np.log10(np.maximum(np.asarray(counts, np.float64), 1))).astype(int)
    bands = [np.flatnonzero(band_V == b) for b in np.unique(band_V)]
    taken = shares([len(rows) for rows in bands], size)
    rows = np.concatenate(
        [rng.choice(rows, n, replace=False) for rows, n in zip(bands, taken, strict=True)]
    )
    each = ", ".join(
        f"{n:,} with {_band(b)}" for b, n in zip(np.unique(band_V), taken, strict=True)
    )
    return Sample(
        np.sort(rows),
        f"{size:,} of {v:,} words, drawn by frequency with seed {seed}: {each} occurrences.",
    )


def shares(sizes: list[int], total: int) -> list[int]:
    """How many of each group make `total` together, as alike as the groups allow; the smallest
    groups give all first."""
    left, found = total, [0] * len(sizes)
    for done, group in enumerate(sorted(range(len(sizes)), key=lambda g: sizes[g])):
        found[group] = min(sizes[group], left // (len(sizes) - done))
        left -= found[group]
    return found


def _band(power: int) -> str:
    return f"{10**power:,} to {10 ** (power + 1) - 1:,}"
