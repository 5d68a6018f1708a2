"""Windows: a text that is longer than a model's window, read in overlapping pieces.

What      a window takes `body` tokens and begins `stride` behind the one before: (0, body), (stride, stride + body)
          and so on; overlap = body - stride.  The last one is the first that reaches the end of the text.
Source    Devlin et al., BERT, 2019, and its program for SQuAD (a sliding window with a stride over long passages)
Shapes    T = tokens
Differs   A usual loop goes on while a window begins before the end; then the last one may lie inside the one before
          (`to_the_end`).  Marks at both ends of a window are not counted here.
"""

from __future__ import annotations

import numpy as np

Window = tuple[int, int]  # first token, and the one behind the last


def windows(length: int, body: int, stride: int, to_the_end: bool = False) -> list[Window]:
    """ValueError where a window or a step has no token."""
    if body < 1 or stride < 1:
        raise ValueError("a window and its stride take at least one token")
    if length <= body:
        return [(0, length)] if length > 0 else []
    last = length if to_the_end else min(length, length - body + stride)
    return [(at, min(at + body, length)) for at in range(0, last, stride)]


def find_inside(found: list[Window]) -> list[bool]:
    """Whether each window lies in the one before, so that it reads nothing new."""
    return [
        n > 0 and found[n - 1][0] <= start and stop <= found[n - 1][1]
        for n, (start, stop) in enumerate(found)
    ]


def coverage(found: list[Window], length: int) -> np.ndarray:
    """(T,) how many windows read each token; 0 in a gap."""
    change = np.zeros(length + 1, np.int64)
    for start, stop in found:
        change[start] += 1
        change[stop] -= 1
    return np.asarray(change[:-1].cumsum())
