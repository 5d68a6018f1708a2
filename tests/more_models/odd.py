"""A model of somebody else, with fields of axes that no page foresaw: for the tests of Inspect.

What      each number is a plain sum of the ids of the tokens up to it, so that a test can say it
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np

from engine.core.tap import Tap
from engine.core.trace import FieldSpec, Kind, TableSpec
from engine.models.base import Card, Model, Progress, Weights
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.chars import TOKENIZER

STEPS, LAYERS, RANKS, POINTS, LONG = 2, 3, 2, 4, 1300
FIVE = ("step", "layer", "rank", "token", "point")


@dataclass(frozen=True, slots=True)
class Config:
    pass


class Odd(Model[Config]):
    card = Card("odd", "A model nobody foresaw", 2026, "these tests")
    config_type: ClassVar[type] = Config
    config = Config()

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.tokenizer = TOKENIZER(" abcdefghxyz")

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text)

    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        return (
            FieldSpec("share", Kind.GATE, ("token",), "The id as a share of all.", "s"),
            FieldSpec("planes", Kind.STATE, FIVE, "No picture draws more than four axes.", "y"),
            FieldSpec("wide", Kind.STATE, ("token", "point"), "More points than are sent.", "w"),
            FieldSpec("seen", Kind.SCORE, ("query", "key"), "Earlier tokens, the others −∞.", "z"),
            FieldSpec("total", Kind.COUNT, (), "How many tokens there are.", "n", causal=False),
            FieldSpec("language", Kind.PROBABILITY, ("language",), "One axis without tokens.", "l"),
            FieldSpec("probability", Kind.PROBABILITY, ("token", "next"), "What comes next.", "P"),
            TableSpec("notes", ("position", "word", "sum"), "A line for each token."),
        )

    def run(self, tokens: Tokens, tap: Tap) -> None:
        ids_T = tokens.ids.astype(np.float32)
        size = len(self.tokenizer.vocab)
        share_T = tap("share", ids_T / size, ("token",))
        sum_T = np.cumsum(share_T) * self.scale
        for step in range(STEPS):
            for layer in range(LAYERS):
                at_RTP = sum_T[None, :, None] + np.arange(RANKS)[:, None, None]
                at_RTP = at_RTP + 100 * step + 10 * layer + np.arange(POINTS) / 10
                tap.at(step=step, layer=layer)("planes", at_RTP, FIVE[2:])
        tap("wide", sum_T[:, None] + np.arange(LONG), ("token", "point"))
        seen_TT = np.where(np.tri(len(ids_T)) > 0, sum_T[None], -np.inf)
        tap("seen", seen_TT, ("query", "key"))
        tap("total", np.array(float(len(ids_T))), ())
        tap("language", np.array([0.25, 0.75]), ("language",))
        raw_TV = np.exp(-np.abs(np.arange(size)[None] - sum_T[:, None] % size))
        tap("probability", raw_TV / raw_TV.sum(-1, keepdims=True), ("token", "next"))
        words_T = np.array(tokens.labels, object)
        notes = {"position": np.arange(len(ids_T)), "word": words_T, "sum": sum_T}
        tap.table("notes", lambda: notes)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        found = dict.fromkeys(("token", "query", "key"), tokens.labels)
        return found | {"next": tuple(self.tokenizer.vocab), "language": ("this one", "another")}

    @classmethod
    def fit(cls, text: str, config: Config, **_asked: object) -> Iterator[Progress]:
        yield Progress(1, 1, {}, cls(1.0))

    def weights(self) -> dict[str, np.ndarray]:
        return {"scale": np.array([self.scale], np.float32)}

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        return cls(float(weights["scale"][0]))


MODEL = Odd
