"""Gram vectors: a word is made of its character n-grams, so a word that was never seen has a vector
too.

What      v(w) = mean of the rows of the word: its own, where `whole`, and one for each of its
          n-grams, found by a hash
Source    Bojanowski, Grave, Joulin & Mikolov, Enriching Word Vectors with Subword Information,
          2017;
          Hashimoto, Xiong, Tsuruoka & Socher, A Joint Many-Task Model, 2017, sec. 2.1 (n-grams
          alone)
Shapes    V = vocabulary, B = buckets, R = V + B rows of the input table, D = width
Differs   Trained as word2vec is (models/word2vec.py).  Words are lower-cased.  N-grams that share a
          bucket share a row.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
import torch

from engine.core.setting import setting
from engine.language.message import refusal
from engine.models import word2vec
from engine.models.base import Weights
from engine.models.cost import Cost, Cut
from engine.models.word2vec import Word2Vec
from engine.models.wordspace import MARKS
from engine.nn.word2vec.bags import Bags
from engine.text.tokenizers.words import Words
from engine.vectors.grams import LONGEST, Grams, gram_hash, grams


@dataclass(frozen=True, slots=True)
class Config(word2vec.Config):
    least: int = setting(3, "characters of the shortest n-gram", min=1, max=12)
    most: int = setting(6, "characters of the longest n-gram", min=1, max=12)
    buckets: int = setting(
        50_000,
        "rows for n-grams; if there are more n-grams, they share rows",
        min=16,
        max=2_000_000,
    )

    def __post_init__(self) -> None:
        if self.least > self.most:
            raise refusal(
                "the shortest n-gram can't be longer than the longest: least={self.least},"
                " most={self.most}"
            )


class GramVectors(Word2Vec):
    config: Config
    config_type: ClassVar[type[word2vec.Config]] = Config
    by_id = False
    cbow: ClassVar[bool] = False
    whole: ClassVar[bool]  # whether a known word has a row of its own besides
    unique: ClassVar[bool]  # whether an n-gram that occurs twice in a word counts once
    grams: Grams

    @classmethod
    def cost(cls, config: Any, found: Cut) -> Cost:
        """Rows of n-grams besides."""
        words = super().cost(config, found)
        return replace(words, parameters=words.parameters + config.buckets * config.width)

    @classmethod
    def members(cls, word: str, config: Any) -> list[int]:
        """Buckets of the n-grams of a word."""
        found = grams(word[:LONGEST], config.least, config.most)
        return [
            gram_hash(gram) % config.buckets
            for gram in (dict.fromkeys(found) if cls.unique else found)
        ]

    @classmethod
    def bags(cls, tokenizer: Words, config: Any) -> Bags:
        v = len(tokenizer.vocab)
        members = []
        for id, word in enumerate(tokenizer.vocab):
            made = [v + bucket for bucket in cls.members(word, config)] if id >= MARKS else []
            members.append([id, *made] if cls.whole or not made else made)
        return Bags(members, v + config.buckets)

    @classmethod
    def finished(
        cls,
        config: Any,
        tokenizer: Words,
        in_VD: np.ndarray,
        count_V: np.ndarray,
        held_out: list[str],
    ) -> Self:
        bags = cls.bags(tokenizer, config)
        v = bags.rows - config.buckets
        vector_VD = bags.read(torch.arange(v), torch.from_numpy(in_VD)).numpy()
        vector_VD[:MARKS] = 0
        made = super().finished(config, tokenizer, vector_VD, count_V, held_out)
        made.grams = Grams(in_VD[v:], config.least, config.most, cls.unique)
        return made

    def compose(self, word: str) -> np.ndarray | None:
        return self.grams.compose(word.lower())

    def weights(self) -> dict[str, np.ndarray]:
        return super().weights() | {"buckets": np.asarray(self.grams.buckets)}

    @classmethod
    def from_weights(cls, config: Any, weights: Weights) -> Self:
        made = super().from_weights(config, weights)
        made.grams = Grams(weights["buckets"], config.least, config.most, cls.unique)
        return made
