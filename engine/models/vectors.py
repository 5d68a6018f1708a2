"""Loaded word vectors: a table that somebody else trained, shown like our own.

What      vector of a word = its row in the file; of a word without a row, where the file has
          n-grams, what they compose
Source    the file: Mikolov et al., Efficient Estimation of Word Representations, 2013 (word2vec);
          Pennington, Socher & Manning, GloVe, 2014; Bojanowski et al., Enriching Word Vectors with
          Subword Information, 2017 (fastText)
Shapes    V = words of the file and the three marks, B = buckets of n-grams, D = width
Differs   Nothing is trained here.  Most files do not say how often a word occurs: then every word
          counts as equally frequent, and the prediction of the next word rests on likeness alone.
          Case is kept, and a typed word that is not in the file as it is written is looked up in
          small letters.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self, final

import numpy as np

from engine.core.setting import setting
from engine.models.base import Card, Progress, Weights
from engine.models.wordspace import MARKS, WordSpace
from engine.text.tokenizers.base import Tokens
from engine.text.tokenizers.words import Words
from engine.vectors.base import Vectors
from engine.vectors.files import Loaded
from engine.vectors.grams import Grams

BETA = 6.5  # what the shipped skip-gram vectors came to on held-out text


@dataclass(frozen=True, slots=True)
class Config:
    width: int = setting(100, "size of a word's vector", min=1, max=4096)
    vocabulary: int = setting(100_000, "largest vocabulary, marks included", min=4, max=1_000_003)
    min_count: int = setting(1, "smallest count of a word in the vocabulary", min=1, max=1)
    least: int = setting(
        0, "characters of the shortest n-gram; 0: the file has none", min=0, max=50
    )
    most: int = setting(0, "characters of the longest n-gram", min=0, max=50)
    tokenizer: str = setting("words", "how the text is cut: words, whitespace")


@final
class LoadedVectors(WordSpace[Config]):
    card = Card(
        "vectors", "Loaded word vectors", 2013, "unknown: see the source of the loaded file"
    )
    config_type = Config
    by_id = False
    grams: Grams | None = None

    @classmethod
    def of(cls, loaded: Loaded) -> Self:
        """The model that a file holds."""
        space, grams = loaded.space, loaded.grams
        config = Config(space.values.shape[1], len(space) + MARKS)
        count_V = np.zeros(len(space), np.int64) if space.counts is None else space.counts
        made = cls(config, Words(space.words), loaded.table, np.pad(count_V, (MARKS, 0)), BETA)
        if grams is not None:
            made.config, made.grams = replace(config, least=grams.least, most=grams.most), grams
        return made

    @classmethod
    def fit(
        cls,
        text: str,
        config: Config,
        *,
        seed: int,
        device: str = "cpu",
        resume: Weights | None = None,
    ) -> Iterator[Progress]:
        raise ValueError(
            "loaded word vectors are not trained; take a file of them with `python -m engine import"
            " FILE --out DIR`"
        )

    def tokens(self, text: str) -> Tokens:
        found = super().tokens(text)
        known = {
            t: row for t in found.unknown if (row := self.space.row(found.labels[t])) is not None
        }
        if not known:
            return found
        ids = found.ids.copy()
        ids[list(known)] = np.array(list(known.values())) + MARKS
        return replace(found, ids=ids, unknown=tuple(t for t in found.unknown if t not in known))

    @cached_property
    def space(self) -> Vectors:
        counts = self.counts[MARKS:]
        return Vectors(self.vocab[MARKS:], self.in_VD[MARKS:], counts if counts.any() else None)

    def compose(self, word: str) -> np.ndarray | None:
        return self.grams.compose(word) if self.grams else None

    def weights(self) -> dict[str, np.ndarray]:
        return super().weights() | (
            {"buckets": np.asarray(self.grams.buckets, np.float16)} if self.grams else {}
        )

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        made = super().from_weights(config, weights)
        if "buckets" in weights:
            made.grams = Grams(weights["buckets"], config.least, config.most)
        return made


MODEL = LoadedVectors
