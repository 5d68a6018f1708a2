"""PPMI + SVD: a word is known by the words it stands near more often than chance; no gradient, one
factorisation.

What      counts in a window, positive pointwise mutual information, and the directions with the
          largest singular values
Source    Levy & Goldberg, Neural Word Embedding as Implicit Matrix Factorization, NeurIPS 27, 2014;
          Levy, Goldberg & Dagan, Improving Distributional Similarity with Lessons Learned from Word
          Embeddings, 2015
Shapes    N = words of the text, V = vocabulary
Differs   Words are lower-cased.  Three steps (count, compare with chance, factorise), none of which
          can be resumed.  Needs no seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from engine.core.setting import setting
from engine.language.message import refusal
from engine.models.base import Card, Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.wordspace import WordSpace, learn
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words
from engine.vectors import cooccurrence
from engine.vectors import ppmi as arithmetic


@dataclass(frozen=True, slots=True)
class Config:
    width: int = setting(100, "largest size of a word's vector", min=2, max=512)
    window: int = setting(5, "window: words on each side", min=1, max=50)
    weighting: str = setting("flat", "weight of a word in the window: flat (1), distance (1/d)")
    shift: float = setting(
        1.0, "shift k: ln k is subtracted from every PMI; 1 subtracts nothing", min=1.0, max=100.0
    )
    alpha: float = setting(
        0.75,
        "power on context counts, which reduces the effect of rare contexts",
        min=0.01,
        max=1.0,
    )
    power: float = setting(
        0.5, "power of the singular value that weights each direction", min=0.0, max=1.0
    )
    vocabulary: int = setting(20_000, "largest vocabulary", min=16, max=100_000)
    min_count: int = setting(1, "smallest count of a word in the vocabulary", min=1, max=1000)
    tokenizer: str = setting("words", "how the text is cut: words, whitespace")


@final
class Ppmi(WordSpace[Config]):
    card = Card(
        "ppmi",
        "PPMI and SVD word vectors",
        2014,
        "Levy & Goldberg, Neural Word Embedding as Implicit Matrix Factorization, NeurIPS 27",
    )
    config_type = Config

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        """One table is kept, found in one go."""
        return Cost(found.vocabulary * config.width)

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
        if config.weighting not in cooccurrence.WEIGHTINGS:
            raise refusal(
                "a word in the window counts flat or by distance; {config.weighting!r} was given"
            )
        lines, held_out = split(passages(text), seed)
        tokenizer, stream_N = learn(lines, config)
        v = len(tokenizer.vocab)
        all_V = np.bincount(stream_N, minlength=v)
        word_M, line_M = cooccurrence.lines_of(stream_N, Words.boundary, Words.unknown)
        count_VV = cooccurrence.count(word_M, line_M, v, config.window, weighting=config.weighting)  # type: ignore[arg-type]
        if count_VV.nnz == 0:
            raise ValueError("nothing to learn from: no line of the text has two known words")
        yield Progress(1, 3, {"pairs": float(count_VV.nnz)})
        table_VV = arithmetic.ppmi(count_VV, config.shift, config.alpha)
        yield Progress(2, 3, {"positive": float(table_VV.nnz)})
        u_VD, s_D, _ = arithmetic.svd(table_VV, config.width)
        kept = float(np.sum(s_D**2) / max(1e-30, float((table_VV.data**2).sum())))
        made_VD = arithmetic.vectors(u_VD, s_D, config.power)
        yield Progress(
            3, 3, {"squares_kept": kept}, cls.finished(config, tokenizer, made_VD, all_V, held_out)
        )


MODEL = Ppmi
