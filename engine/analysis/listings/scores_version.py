"""Versions of a library compared as text."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations, combinations_with_replacement

from engine.analysis.listings.base import Listing, Program

RELEASED = ("1.8.0", "1.9.0", "1.10.0", "1.13.1", "2.0.0", "2.9.1", "2.10.0")  # in this order


def faulty(installed: str, needed: str) -> bool:
    return installed >= needed


def repaired(installed: str, needed: str) -> bool:
    def numbers(version: str) -> list[int]:
        return [int(part) for part in version.partition("+")[0].split(".")]

    return numbers(installed) >= numbers(needed)


def measured(program: Program) -> Mapping[str, float]:
    pairs = [*combinations_with_replacement(RELEASED, 2)]
    older = [*combinations(RELEASED, 2)]
    return {
        f"new enough and refused, of {len(pairs)}": sum(not program(b, a) for a, b in pairs),
        f"too old and let through, of {len(older)}": sum(program(a, b) for a, b in older),
    }


LISTING = Listing(
    "Versions compared letter by letter",
    "Before it starts, a program asks whether its library is new enough. As text “1.10.0” comes"
    " before “1.8.0”, since 1 comes before 8: the newer one is refused, and an older one can be let"
    " through. Torch's own version object compares numbers; a version that was read from a file is"
    " text.",
    faulty,
    repaired,
    measured,
)
