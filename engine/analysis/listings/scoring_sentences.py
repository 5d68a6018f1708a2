"""Perplexity from the loss per sentence."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engine.analysis.listings.base import Listing, Program

BITS = (2.0, 3.0, 1.0, 2.0, 2.0)  # of each token of a sentence


def faulty(bits: Sequence[Sequence[float]]) -> float:
    loss = sum(map(sum, bits)) / len(bits)
    return float(2**loss)


def repaired(bits: Sequence[Sequence[float]]) -> float:
    loss = sum(map(sum, bits)) / sum(map(len, bits))
    return float(2**loss)


def measured(program: Program) -> Mapping[str, float]:
    return {
        "two sentences of 5 tokens": program([BITS, BITS]),
        "the same tokens as one sentence": program([[*BITS, *BITS]]),
    }


LISTING = Listing(
    "Divided by sentences",
    "Each token costs two bits on average: the model hesitates as if between 4 tokens. Per"
    " sentence the bits of five tokens, or ten, stand in the exponent. The result depends on how"
    " long the sentences are, and two texts cannot be compared.",
    faulty,
    repaired,
    measured,
)
