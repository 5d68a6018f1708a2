"""N-grams: how often runs of n items stand in a text, and which of them another text has.

What      a run counts as found at most as often as the other text has it (clipped); the first ones do
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Literal

State = Literal["found", "clipped", "missing"]


def runs(items: Sequence[Hashable], n: int) -> Counter[Hashable]:
    """Of a text its slices, of a list of words tuples of them."""
    if n == 1:
        return Counter(items)
    if isinstance(items, str):
        return Counter([items[i : i + n] for i in range(len(items) - n + 1)])
    return Counter(zip(*(items[i:] for i in range(n)), strict=False))


def overlap(one: Counter[Hashable], other: Counter[Hashable]) -> int:
    """How many runs of one the other has, each at most as often as it stands there."""
    return sum([min(count, other[run]) for run, count in one.items() if run in other])


def most(every: Sequence[Counter[Hashable]]) -> Counter[Hashable]:
    """Each run as often as it stands in the text that has it most."""
    found = Counter(every[0])
    for counts in every[1:]:
        found |= counts
    return found


def states(items: Sequence[Hashable], n: int, other: Counter[Hashable]) -> list[tuple[int, State]]:
    """Where each run begins, and whether the other text has it: not at all, or not so often."""
    left, found = Counter(other), list[tuple[int, State]]()
    for i in range(len(items) - n + 1):
        run = items[i : i + n] if isinstance(items, str) else tuple(items[i : i + n])
        key = run[0] if n == 1 else run
        if left[key] > 0:
            left[key] -= 1
            found.append((i, "found"))
        else:
            found.append((i, "clipped" if key in other else "missing"))
    return found
