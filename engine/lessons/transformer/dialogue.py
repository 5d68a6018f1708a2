"""Dialogue: which tokens of the turns so far still fit in a model's window, and what falls out of it.

What      a model has no memory besides its window: each answer is written from the last `room` tokens.  Either the
          oldest tokens go, or the oldest turns as a whole, or these but for the first, which says how to behave
Source    Brown et al., Language Models are Few-Shot Learners, 2020, sec. 2.1 (a window of 2,048 tokens)
Shapes    N = turns
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import Any, Literal

from engine.analysis.measure import surprisal
from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

Way = Literal["tokens", "turns", "first"]


def count_kept(lengths: Sequence[int], room: int, way: Way) -> list[int]:
    """(N,) how many of each turn's last tokens fit.  Of a newest turn that alone is too long the end is kept, of a
    first one that is, the beginning is lost as well."""
    found = [0] * len(lengths)
    if not found:
        return found
    if way == "first":
        found[0] = min(lengths[0], room)
        room -= found[0]
    for n in range(len(lengths) - 1, 0 if way == "first" else -1, -1):
        whole = lengths[n] <= room
        if not whole and way != "tokens" and n < len(lengths) - 1:
            break
        found[n] = min(lengths[n], room)
        room -= found[n]
    return found


def starts(turns: Sequence[str]) -> list[int]:
    """(N,) where each turn begins in the text of all of them, a line each."""
    return [0, *accumulate(len(turn) + 1 for turn in turns[:-1])]


def places(tokens: Tokens, turns: Sequence[str]) -> list[list[int]]:
    """Of each turn its tokens in that text; those that cover nothing, or only the line end, are in none."""
    found: list[list[int]] = [[] for _ in turns]
    begins = starts(turns)
    for t, (start, stop) in enumerate(tokens.spans):
        n = max(0, bisect_right(begins, max(start, stop - 1)) - 1)
        if start < stop and start < begins[n] + len(turns[n]) and stop > begins[n]:
            found[n].append(t)
    return found


def parts(
    tokens: Tokens, turns: Sequence[str], own: Sequence[Sequence[int]], fits: Sequence[int]
) -> list[tuple[str, str]]:
    """Of each turn what has fallen out, and what is still read."""
    found = []
    for turn, begin, mine, count in zip(turns, starts(turns), own, fits, strict=True):
        cut = len(turn) if not count else tokens.spans[mine[-count]][0] - begin
        cut = max(0, cut) if count < len(mine) else 0
        found.append((turn[:cut].rstrip(), turn[cut:].lstrip()))
    return found


def bits(model: Model[Any], before: Sequence[str], turn: str) -> float:
    """Mean surprisal of a turn's tokens behind these turns; nan where it has none."""
    trace = model.trace("\n".join((*before, turn)), fields=("probability",))
    begin = sum(len(one) + 1 for one in before)
    own = [t for t, (start, stop) in enumerate(trace.spans) if start < stop and start >= begin]
    return float(surprisal(trace)[own].mean()) if own else float("nan")
