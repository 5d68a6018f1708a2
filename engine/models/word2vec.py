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
from dataclasses import dataclass, field
from functools import partial
from typing import ClassVar

import numpy as np
import torch

from engine.models.base import Progress, Weights
from engine.models.cost import Cost, Cut
from engine.models.wordspace import MARKS, WordSpace, learn, words_of
from engine.nn.word2vec import training
from engine.nn.word2vec.bags import Bags
from engine.text.tokenizers.base import passages, split
from engine.text.tokenizers.words import Words


@dataclass(frozen=True, slots=True)
class Config:
    width: int = field(
        default=100, metadata={"min": 2, "max": 512, "says": "size of a word's vector"}
    )
    window: int = field(
        default=5, metadata={"min": 1, "max": 20, "says": "window: most words on each side"}
    )
    output: str = field(
        default="negative",
        metadata={
            "says": (
                "output layer: negative (noise words), softmax (all words), hierarchical (a tree)"
            )
        },
    )
    negatives: int = field(
        default=5,
        metadata={"min": 1, "max": 50, "says": "noise words per pair, with output negative"},
    )
    sample: float = field(
        default=1e-3,
        metadata={
            "min": 0.0,
            "max": 1.0,
            "says": "subsampling: words with a larger share of the text are thinned out; 0: none",
        },
    )
    vocabulary: int = field(
        default=20_000, metadata={"min": 16, "max": 100_000, "says": "largest vocabulary"}
    )
    min_count: int = field(
        default=1,
        metadata={"min": 1, "max": 1000, "says": "smallest count of a word in the vocabulary"},
    )
    epochs: int = field(
        default=5, metadata={"min": 1, "max": 500, "says": "passes over the whole text"}
    )
    steps: int = field(
        default=0,
        metadata={
            "min": 0,
            "max": 1_000_000,
            "says": "training steps; 0: as many as the epochs take",
        },
    )
    batch: int = field(
        default=2048,
        metadata={"min": 16, "max": 65_536, "says": "most words of the text per step"},
    )
    rate: float = field(
        default=0.05,
        metadata={
            "min": 1e-4,
            "max": 0.5,
            "says": "initial learning rate; it falls linearly",
        },
    )
    tokenizer: str = field(
        default="words", metadata={"says": "how the text is cut: words, whitespace"}
    )


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
