"""word2vec: what skip-gram and CBOW share, their settings and their training.

What      Vectors of words are the input rows of a network with one hidden layer and no bias; its
          output layer is a full softmax, a sigmoid for each word against words drawn as noise, or a
          path of sigmoids down a Huffman tree
Source    Mikolov, Chen, Corrado & Dean, Efficient Estimation of Word Representations in Vector
          Space, 2013;
          Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and
          Phrases, 2013
Shapes    N = words of the text, V = vocabulary
Differs   Words are lower-cased.  A step takes `batch` words at once (see nn/word2vec: shared noise
          words, a limit on how far one row moves in a step); windows do not cross the end of a line
          or of a step.  Words outside the vocabulary are left out before windows are laid, as the
          original program does.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import ClassVar

import numpy as np
import torch

from engine.core.setting import setting
from engine.models.base import Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.wordspace import MARKS, WordSpace, learn, words_of
from engine.nn.word2vec import training
from engine.nn.word2vec.bags import Bags
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words


@dataclass(frozen=True, slots=True)
class Config:
    width: int = setting(100, "size of a word's vector", min=2, max=512)
    window: int = setting(5, "window: most words on each side", min=1, max=20)
    output: str = setting(
        "negative",
        "output layer: negative (noise words), softmax (all words), hierarchical (a tree)",
    )
    negatives: int = setting(5, "noise words per pair, with output negative", min=1, max=50)
    sample: float = setting(
        1e-3,
        "subsampling: words with a larger share of the text are thinned out; 0: none",
        min=0.0,
        max=1.0,
    )
    vocabulary: int = setting(20_000, "largest vocabulary", min=16, max=100_000)
    min_count: int = setting(1, "smallest count of a word in the vocabulary", min=1, max=1000)
    epochs: int = setting(5, "passes over the whole text", min=1, max=500)
    steps: int = setting(0, "training steps; 0: as many as the epochs take", min=0, max=1_000_000)
    batch: int = setting(2048, "most words of the text per step", min=16, max=65_536)
    rate: float = setting(0.05, "initial learning rate; it falls linearly", min=1e-4, max=0.5)
    tokenizer: str = setting("words", "how the text is cut: words, whitespace")


class Word2Vec(WordSpace[Config]):
    config_type = Config
    stepwise = True
    cbow: ClassVar[bool]

    @classmethod
    def bags(cls, tokenizer: Words, config: Config) -> Bags | None:
        """The rows that make up each word's vector; None: one row each."""
        return None

    @classmethod
    def cost(cls, config: Config, found: Cut) -> Cost:
        """Two tables with a row for each word."""
        return Cost(2 * found.vocabulary * config.width, stepwise=True)

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
        all_V = np.bincount(stream_N, minlength=len(tokenizer.vocab))
        count_V = np.where(np.arange(len(all_V)) < MARKS, 0, all_V)
        if count_V.sum() < 2:
            raise ValueError("nothing to learn from: the text has no two known words")
        bags = cls.bags(tokenizer, config)
        in_VD, out_VD = training.start(bags.rows if bags else len(count_V), config.width, seed)
        out_VD = out_VD[: len(count_V)]
        first = 0
        if resume:
            first = int(resume["step"][0])
            in_VD, out_VD = (
                torch.from_numpy(np.array(resume[name], np.float32)) for name in ("in", "out")
            )
        in_VD[:MARKS] = 0
        tables = in_VD.to(device), out_VD.to(device)
        plan = training.Plan(
            cbow=cls.cbow,
            output=config.output,
            window=config.window,
            negatives=config.negatives,
            sample=config.sample,
            epochs=config.epochs,
            steps=config.steps,
            batch=config.batch,
            rate=config.rate,
        )
        state: dict[str, np.ndarray] = {
            "tokenizer": np.frombuffer(tokenizer.state(), np.uint8),
            "counts": all_V,
        }

        def copies() -> tuple[np.ndarray, ...]:
            return tuple(table_VD.cpu().numpy().copy() for table_VD in tables)

        def checkpoint(step: int) -> Weights:
            return (
                dict(zip(("in", "out"), copies(), strict=True))
                | {"step": np.array([step], np.int64)}
                | state
            )

        def now() -> Word2Vec:
            return cls.finished(config, tokenizer, copies()[0], all_V, held_out)

        for step, total, metrics in training.train(
            stream_N, Words.boundary, count_V, tables, plan, seed, first, bags=bags
        ):
            yield Progress(
                step,
                total,
                metrics,
                now() if step == total else None,
                partial(checkpoint, step),
                now,
            )
