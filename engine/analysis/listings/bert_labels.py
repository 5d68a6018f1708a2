"""Attention drawn with the tokens of the text, but not with those that were added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from engine.analysis.listings.base import Listing, Program

WORDS = ("the", "bank", "is", "by", "the", "river")
READ = ("[CLS]", *WORDS, "[SEP]")


def faulty(weight: np.ndarray, words: Sequence[str], read: Sequence[str]) -> list[str]:
    return [words[row.argmax()] for row in weight[: len(words)]]


def repaired(weight: np.ndarray, words: Sequence[str], read: Sequence[str]) -> list[str]:
    return [read[row.argmax()] for row in weight[1 : 1 + len(words)]]


def measured(program: Program) -> Mapping[str, float]:
    """Every token looks at "bank"."""
    weight = np.zeros((len(READ), len(READ)))
    weight[:, READ.index("bank")] = 1
    looks = program(weight, WORDS, READ)
    return {"words, of 6, shown to look at “bank”": looks.count("bank")}


LISTING = Listing(
    "Names beside the wrong rows",
    "The names are those of the cut text; the weights are of what the model read, with [CLS] in"
    " front and [SEP] behind. There are two more rows and columns than names, and every name stands"
    " one place too early. Every token of this head looks at “bank”; the drawing says “is”.",
    faulty,
    repaired,
    measured,
)
