"""Sinusoidal positions with the number of the dimension where that of its pair belongs."""

from __future__ import annotations

import math
from collections.abc import Mapping

from engine.analysis.listings.base import Listing, Program
from engine.language.message import _

WIDTH, PLACE = 6, 1


def faulty(p: int, d: int) -> list[float]:
    row = []
    for i in range(d):
        angle = p / 10_000 ** (2 * i / d)
        row.append(math.cos(angle) if i % 2 else math.sin(angle))
    return row


def repaired(p: int, d: int) -> list[float]:
    row = []
    for i in range(d // 2):
        angle = p / 10_000 ** (2 * i / d)
        row += [math.sin(angle), math.cos(angle)]
    return row


def measured(program: Program) -> Mapping[str, float]:
    row = program(PLACE, WIDTH)
    return {_("place {place}, dimension {n}", place=PLACE, n=n): x for n, x in enumerate(row)}


LISTING = Listing(
    "The pair, not the dimension",
    "In the formula 2i and 2i + 1 are dimensions, and i counts their pairs; a sine and a cosine share"
    " one angle. With i as the dimension no two of them do: they are no hand of a clock any more,"
    " and the distance of two places cannot be read off as a rotation. The waves also slow down"
    " twice as fast as they should.",
    faulty,
    repaired,
    measured,
)
