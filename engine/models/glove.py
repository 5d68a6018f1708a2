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
from dataclasses import dataclass
from functools import partial
from typing import Self, final

import numpy as np

from engine.core.setting import setting
from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.wordspace import WordSpace, learn, words_of
from engine.nn import glove as arithmetic
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence


@dataclass(frozen=True, slots=True)
class Config:
    width: int = setting(100, "size of a word's vector", min=2, max=512)
    window: int = setting(
        10, "window: words on each side; a word at distance d counts 1/d", min=1, max=50
    )
    x_max: float = setting(
        10.0, "pairs counted at least this often get weight 1, rarer ones less", min=0.1, max=1e6
    )
    power: float = setting(0.75, "exponent of the weight below that count", min=0.0, max=2.0)
    vocabulary: int = setting(20_000, "largest vocabulary", min=16, max=100_000)
    min_count: int = setting(1, "smallest count of a word in the vocabulary", min=1, max=1000)
    epochs: int = setting(25, "passes over all pairs", min=1, max=5000)
    steps: int = setting(0, "training steps; 0: as many as the epochs take", min=0, max=1_000_000)
    rate: float = setting(0.05, "learning rate of AdaGrad", min=1e-4, max=0.5)
    tokenizer: str = setting("words", "how the text is cut: words, whitespace")


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
