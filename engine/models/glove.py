"""GloVe: a word is known by how often it stands near each other word, fitted in logarithms.

What      w_i . c_j + b_i + a_j should be ln X_ij, the count of word j near word i; the vector of
          word i is w_i + c_i
Source    Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, EMNLP, 2014
Shapes    N = words of the text, V = vocabulary
Differs   Words are lower-cased.  Trains in tiles of pairs (see nn/glove.py).  x_max is 10: the
          paper's 100 was chosen for texts a thousand times as long.  Trains and runs on the
          processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Self, final

import numpy as np

from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.wordspace import WordSpace, learn, words_of
from engine.nn import glove as arithmetic
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence


@dataclass(frozen=True, slots=True)
class Config:
    width: int = field(
        default=100, metadata={"min": 2, "max": 512, "says": "size of a word's vector"}
    )
    window: int = field(
        default=10,
        metadata={
            "min": 1,
            "max": 50,
            "says": "window: words on each side; a word at distance d counts 1/d",
        },
    )
    x_max: float = field(
        default=10.0,
        metadata={
            "min": 0.1,
            "max": 1e6,
            "says": "pairs counted at least this often get weight 1, rarer ones less",
        },
    )
    power: float = field(
        default=0.75,
        metadata={"min": 0.0, "max": 2.0, "says": "exponent of the weight below that count"},
    )
    vocabulary: int = field(
        default=20_000, metadata={"min": 16, "max": 100_000, "says": "largest vocabulary"}
    )
    min_count: int = field(
        default=1,
        metadata={"min": 1, "max": 1000, "says": "smallest count of a word in the vocabulary"},
    )
    epochs: int = field(
        default=25, metadata={"min": 1, "max": 5000, "says": "passes over all pairs"}
    )
    steps: int = field(
        default=0,
        metadata={
            "min": 0,
            "max": 1_000_000,
            "says": "training steps; 0: as many as the epochs take",
        },
    )
    rate: float = field(
        default=0.05, metadata={"min": 1e-4, "max": 0.5, "says": "learning rate of AdaGrad"}
    )
    tokenizer: str = field(
        default="words", metadata={"says": "how the text is cut: words, whitespace"}
    )


@final
class Glove(WordSpace[Config]):
    card = Card(
        "glove",
        "GloVe word vectors",
        2014,
        "Pennington, Socher & Manning, GloVe: Global Vectors for Word Representation, EMNLP",
    )
    config_type = Config
    stepwise = True

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        """Two tables with a row for each word and one more number in each, its bias."""
        return Cost(2 * found.vocabulary * (config.width + 1), stepwise=True)

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
        lines, held_out = split(passages(text), seed)
        if resume:
            tokenizer = words_of(config).from_state(np.asarray(resume["tokenizer"]).tobytes())
            stream_N = tokenizer.stream(lines).astype(np.int32)
        else:
            tokenizer, stream_N = learn(lines, config)
        v = len(tokenizer.vocab)
        all_V = np.bincount(stream_N, minlength=v)
        word_M, line_M = cooccurrence.lines_of(stream_N, Words.boundary, Words.unknown)
        count_VV = cooccurrence.count(
            word_M, line_M, v, config.window, weighting="distance"
        ).tocoo()
        if count_VV.nnz == 0:
            raise ValueError("nothing to learn from: no line of the text has two known words")
        tables = arithmetic.start(v, config.width, seed)
        first = 0
        if resume:
            first = int(resume["step"][0])
            tables.load({name: np.asarray(resume[name]) for name in tables.arrays()})
        row_N, column_N = count_VV.coords
        found = arithmetic.tiles(
            row_N, column_N, count_VV.data, tables.place_V, config.x_max, config.power
        )
        alone_V = np.asarray(count_VV.sum(1)) == 0
        del count_VV

        def vectors() -> np.ndarray:
            made_VD = tables.vectors()
            made_VD[alone_V] = (
                # marks, and words that never stand near another: nothing moves their random numbers
                0
            )
            return made_VD

        state: dict[str, np.ndarray] = {
            "tokenizer": np.frombuffer(tokenizer.state(), np.uint8),
            "counts": all_V,
        }

        def checkpoint(step: int) -> Weights:
            return tables.arrays() | state | {"step": np.array([step], np.int64)}

        def now() -> Self:
            return cls.finished(config, tokenizer, vectors(), all_V, held_out)

        for step, total, metrics in arithmetic.train(
            found, tables, config.epochs, config.steps, config.rate, seed, first
        ):
            yield Progress(
                step,
                total,
                metrics,
                now() if step == total else None,
                partial(checkpoint, step),
                now,
            )


MODEL = Glove
