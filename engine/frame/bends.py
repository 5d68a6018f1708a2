"""Bends: places of a path that a reader moved by hand, as the address and the browser say them.

What      "3:7,5:2": at token 3 of the text its place is 7, at token 5 it is 2.  The browser adds the
          label that the token had when it was clicked: the bend holds while the token is still there
"""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np

from engine.core.trace import Trace

ONE = re.compile(r"(\d{1,6}):(\d{1,4})(?:,|$)")


def bent(path_T: np.ndarray, said: object, trace: Trace, size: int) -> np.ndarray:
    """The path through the places that are said and hold (T,); `size` places there are."""
    own_T = path_T.copy()
    for token, place, label in _read(said):
        t = token - trace.offset
        if 0 <= t < len(own_T) and 0 <= place < size and label in (None, trace.tokens[t]):
            own_T[t] = place
    return own_T


def _read(said: object) -> Iterator[tuple[int, int, str | None]]:
    """(token, place, its label); what makes no sense is left out."""
    if isinstance(said, str):
        for token, place in ONE.findall(said):
            yield int(token), int(place), None
    for bend in said if isinstance(said, list | tuple) else ():
        match bend:
            case [int(token), int(place), str() | None as label]:
                yield token, place, label
