"""Contexts: where in the text a unit is highest or lowest, with what stands around it.

What      positions by falling activation; one is left out when its surroundings overlap with those
          of a stronger one
Source    Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2015
Shapes    N = positions
Differs   Surroundings end where the piece of text ends that the model read at once.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, slots=True)
class Context:
    """Positions `start` to `stop` around `peak`."""

    peak: int
    start: int
    stop: int


def strongest(
    value_N: np.ndarray, piece_N: np.ndarray, count: int, before: int, after: int
) -> list[Context]:
    """The `count` highest; give -value_N for the lowest.  Positions that are not finite are no
    peaks."""
    free_N = np.isfinite(value_N)
    found: list[Context] = []
    for peak in np.argsort(-np.where(free_N, value_N, -np.inf), kind="stable").tolist():
        if len(found) == count:
            break
        context = around(peak, peak + 1, piece_N, before, after)
        if free_N[peak] and free_N[context.start : context.stop].all():
            free_N[context.start : context.stop] = False
            found.append(context)
    return found


def around(start: int, stop: int, piece_N: np.ndarray, before: int, after: int) -> Context:
    """Positions `start` to `stop` with their surroundings in the same piece."""
    first, last = np.searchsorted(piece_N, [piece_N[start], piece_N[start] + 1]).tolist()
    return Context(start, max(first, start - before), min(last, stop + after))
