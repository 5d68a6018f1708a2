"""Naive Bayes as a product of probabilities."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from engine.analysis.listings.base import Listing, Program
from engine.language.message import _

WORDS = ("good", "plot") * 75
GIVEN = {"praise": {"good": 0.004, "plot": 0.002}, "blame": {"good": 0.003, "plot": 0.0025}}
Given = Mapping[str, Mapping[str, float]]


def faulty(words: Sequence[str], given: Given) -> dict[str, float]:
    joint = {c: math.prod(p[w] for w in words) for c, p in given.items()}
    total = sum(joint.values())
    return {c: x / total for c, x in joint.items()}


def repaired(words: Sequence[str], given: Given) -> dict[str, float]:
    joint = {c: sum(math.log(p[w]) for w in words) for c, p in given.items()}
    most = max(joint.values())
    total = sum(math.exp(x - most) for x in joint.values())
    return {c: math.exp(x - most) / total for c, x in joint.items()}


def measured(program: Program) -> Mapping[str, float]:
    return {_("probability of {c}", c=_(c)): p for c, p in program(WORDS, GIVEN).items()}


LISTING = Listing(
    "A product that becomes 0",
    "The smallest number that a computer writes in 64 bits is about 5 · 10⁻³²⁴. The product of 150"
    " probabilities of some thousandths is smaller in both classes, so both are 0, and so is what"
    " they are divided by. Sums of logarithms stay numbers of ordinary size; the largest is taken"
    " off before they become probabilities again.",
    faulty,
    repaired,
    measured,
)
