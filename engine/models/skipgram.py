"""Skip-gram: a word is known by the words around it; one vector each, learned by telling neighbours from noise.

What      s(h . o) should be near 1 for a word and a word beside it, near 0 for a word drawn at random; h is its vector
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, 2013, sec. 2.2-2.3;
          window drawn anew for each word: Mikolov et al., Efficient Estimation of Word Representations, 2013, sec. 3.2
Shapes    N = words of the text, V = vocabulary
Differs   Words are lower-cased.  A step takes `batch` words at once (see nn/skipgram.py: shared noise words, a limit on
          how far one row moves in a step); windows do not cross the end of a line or of a step.  Words outside the
          vocabulary are left out before windows are laid, as the original program does.  Trains and runs on the processor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import final

import numpy as np
import torch

from engine.models.base import Card, Progress, Weights
from engine.models.wordspace import MARKS, WordSpace, learn, words_of
from engine.nn import skipgram as arithmetic
from engine.text.base import passages, split
from engine.text.words import Words

CHECKPOINT_EVERY = 10  # reports from training to one checkpoint


@dataclass(frozen=True, slots=True)
class Config:
    width: int = field(default=100, metadata={"min": 2, "max": 512, "says": "numbers that stand for one word"})
    window: int = field(default=5, metadata={"min": 1, "max": 20, "says": "words to look at on each side, at most"})
    negatives: int = field(default=5, metadata={"min": 1, "max": 50, "says": "noise words for each pair"})
    sample: float = field(
        default=1e-3, metadata={"min": 0.0, "max": 1.0, "says": "words with a larger share of the text are thinned out; 0: none"}
    )
    vocabulary: int = field(default=20_000, metadata={"min": 16, "max": 100_000, "says": "the most words to know"})
    min_count: int = field(default=1, metadata={"min": 1, "max": 1000, "says": "how often a word must occur to be known"})
    epochs: int = field(default=5, metadata={"min": 1, "max": 500, "says": "times to read the whole text"})
    steps: int = field(default=0, metadata={"min": 0, "max": 1_000_000, "says": "training steps; 0: as many as the epochs take"})
    batch: int = field(default=2048, metadata={"min": 16, "max": 65_536, "says": "words of the text in one step, at most"})
    rate: float = field(
        default=0.05, metadata={"min": 1e-4, "max": 0.5, "says": "learning rate at the start; it falls in a line"}
    )
    tokenizer: str = field(default="words", metadata={"says": "how the text is cut: words, whitespace"})


@final
class Skipgram(WordSpace[Config]):
    card = Card(
        "skipgram",
        "Skip-gram",
        2013,
        "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, NeurIPS",
        True,
    )
    config_type = Config

    @classmethod
    def fit(
        cls, text: str, config: Config, *, seed: int, device: str = "cpu", resume: Weights | None = None
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
            raise ValueError("there is nothing to learn from: the text has no two known words")
        tables = arithmetic.start(len(count_V), config.width, seed)
        first = 0
        if resume:
            first = int(resume["step"][0])
            for table_VD, kept_VD in zip(tables, (resume["in"], resume["out"]), strict=True):
                table_VD.copy_(torch.from_numpy(np.array(kept_VD, np.float32)))
        tables[0][:MARKS] = 0
        plan = arithmetic.Plan(
            window=config.window, negatives=config.negatives, sample=config.sample, epochs=config.epochs,
            steps=config.steps, batch=config.batch, rate=config.rate,
        )  # fmt: skip
        state: dict[str, np.ndarray] = {"tokenizer": np.frombuffer(tokenizer.state(), np.uint8), "counts": all_V}
        for step, total, metrics in arithmetic.train(stream_N, Words.boundary, count_V, tables, plan, seed, first):
            last, kept = step == total, None
            if last or step % (arithmetic.every(total) * CHECKPOINT_EVERY) == 0:
                arrays = {"in": tables[0].numpy().copy(), "out": tables[1].numpy().copy(), "step": np.array([step], np.int64)}
                kept = arrays | state
            done = None
            if last:
                done = cls.finished(config, tokenizer, tables[0].numpy(), all_V, held_out)
            yield Progress(step, total, metrics, done, kept, lambda: {"vectors": tables[0].numpy().copy()})


MODEL = Skipgram
