"""Chooser: two cells side by side in every training of the contest, at one distance, and which was better by more than
chance.

What      a and b are shares of right answers on n = 400 streams each; one is better where |a - b| is more than
          1.96 sqrt(a (1 - a) / n + b (1 - b) / n), and they are alike otherwise
Source    Agresti, Categorical Data Analysis, 2013, sec. 3.1 (difference of two proportions)
Differs   A stream of the task Copy asks more than once; it counts as one answer here, so its margin is wider than it
          need be.  Each cell was trained once, and the margin says nothing about another start.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import sqrt

from engine.analysis.contest import results
from engine.analysis.contest.entry import SHIPPED, Entry, Result
from engine.analysis.contest.train import TESTED


@dataclass(frozen=True, slots=True)
class Duel:
    """One training of both; `distance` is the measured one that is nearest to what was asked for.  better: 0 or 1, or
    -1 where they are alike."""

    first: Result
    second: Result
    distance: int
    shares: tuple[float, float]

    @property
    def margin(self) -> float:
        return 1.96 * sqrt(sum(p * (1 - p) / TESTED for p in self.shares))

    @property
    def better(self) -> int:
        a, b = self.shares
        return -1 if abs(a - b) <= self.margin else int(b > a)


def duels(first: str, second: str, distance: int, disturbed: bool) -> list[Duel]:
    """Of all trainings that come with the program, as far as both cells were in them."""
    usual = Entry("", "").forget_bias
    every = dict.fromkeys(replace(e, cell="") for e in SHIPPED if e.forget_bias == usual)
    found = []
    for entry in every:
        one, other = (results.find(replace(entry, cell=cell)) for cell in (first, second))
        if one and other:
            a, b = ((r.disturbed if disturbed else r.clean) for r in (one, other))
            near = _nearest(a, distance)
            if near in b:
                found.append(Duel(one, other, near, (a[near], b[near])))
    return found


def _nearest(measured: Mapping[int, float], distance: int) -> int:
    return min(measured, key=lambda d: (abs(d - distance), d))
