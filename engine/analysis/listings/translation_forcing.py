"""Forcing that goes on when the model is in use."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence

from engine.analysis.listings.base import Listing, Program

TARGET = [9, 1, 2, 3, 4, 5, 6, 7]
Step = Callable[[int], int]


def faulty(
    step: Step, target: Sequence[int], training: bool, coin: Callable[[], float]
) -> Sequence[int]:
    written = [target[0]]
    for right in target[1:]:
        forced = coin() < 0.5
        written.append(step(right if forced else written[-1]))
    return written


def repaired(
    step: Step, target: Sequence[int], training: bool, coin: Callable[[], float]
) -> Sequence[int]:
    written = [target[0]]
    for right in target[1:]:
        forced = training and coin() < 0.5
        written.append(step(right if forced else written[-1]))
    return written


def measured(program: Program) -> Mapping[str, float]:
    def use(seed: int) -> Sequence[int]:
        found: Sequence[int] = program(
            lambda token: (token * 7 + 3) % 10, TARGET, False, random.Random(seed).random
        )
        return found

    return {"words, of 7, that differ between two readings": sum(map(int.__ne__, use(0), use(1)))}


LISTING = Listing(
    "Answers given away in use",
    "Half of the time the right word is read in place of the word written. That is a way to train;"
    " but nothing switches it off, so that in use too the model is helped by a translation that"
    " nobody has, and two readings of one sentence differ by the coin.",
    faulty,
    repaired,
    measured,
)
