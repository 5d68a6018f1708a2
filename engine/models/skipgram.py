"""Skip-gram: a word is known by the words around it; one vector each, learned by telling neighbours from noise.

What      s(h . o) should be near 1 for a word and a word beside it, near 0 for a word drawn at random; h is its vector
Source    Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, 2013, sec. 2.2-2.3;
          window drawn anew for each word: Mikolov et al., Efficient Estimation of Word Representations, 2013, sec. 3.2
Shapes    N = words of the text, V = vocabulary, D = width, T = typed words, U = typed words without repetition
Differs   Words are lower-cased.  A step takes `batch` words at once (see nn/skipgram.py: shared noise words, a limit on
          how far one row moves in a step); windows do not cross the end of a line or of a step.  Words outside the
          vocabulary are left out before windows are laid, as the original program does.  Skip-gram says which words
          are alike, not which comes next: `probability` is a prediction made from likeness alone (nn/wordmean.py).
          Trains and runs on the processor.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Self, final

import numpy as np
import torch

from engine.models.base import Card, Model, Progress, Weights
from engine.nn import skipgram as arithmetic
from engine.nn import wordmean
from engine.registry import tokenizers
from engine.tap import Tap
from engine.text.base import Tokens, passages, split
from engine.text.words import START, Words
from engine.trace import FieldSpec, Kind, TableSpec

MARKS = 3  # <unk>, <s>, </s>: they have a row and never a vector
NEIGHBOURS = 12
ROWS = 128  # words compared with the vocabulary at a time: 10 MB at 20,000 words
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
class Skipgram(Model[Config]):
    card = Card(
        "skipgram",
        "Skip-gram",
        2013,
        "Mikolov, Sutskever, Chen, Corrado & Dean, Distributed Representations of Words and Phrases, NeurIPS",
        True,
    )
    config_type = Config

    def __init__(self, config: Config, tokenizer: Words, in_VD: np.ndarray, count_V: np.ndarray, beta: float) -> None:
        """`in_VD` float32, the input vectors as trained; `count_V` how often each word and mark stood in the training text."""
        self.config, self.tokenizer, self.in_VD, self.counts, self.beta = config, tokenizer, in_VD, count_V, beta
        self._labels = {"word": tokenizer.vocab, "next": tokenizer.vocab}
        self._share_V = _shares(count_V)

    @property
    def vocab(self) -> tuple[str, ...]:
        """V words; the first three are marks without a vector."""
        return self.tokenizer.vocab

    @cached_property
    def vectors(self) -> np.ndarray:
        """(V, D) float32, each of length 1; zeros for the marks.  Read-only."""
        unit_VD = self._unit_VD.view()
        unit_VD.setflags(write=False)
        return unit_VD

    @cached_property
    def _unit_VD(self) -> np.ndarray:
        return _unit(self.in_VD)

    @classmethod
    def fit(
        cls, text: str, config: Config, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        lines, held_out = split(passages(text), seed)
        if resume:
            tokenizer = _words(config).from_state(np.asarray(resume["tokenizer"]).tobytes())
            stream_N = tokenizer.stream(lines).astype(np.int32)
        else:
            tokenizer, stream_N = _learn(lines, config)
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
                beta = wordmean.find_beta(_unit(tables[0].numpy()), _shares(all_V), tokenizer.ids(held_out))
                done = cls(config, tokenizer, tables[0].numpy(), all_V, beta)
            yield Progress(step, total, metrics, done, kept)

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text).after(1, START)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels, "query": tokens.labels, "key": tokens.labels}

    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        return (
            FieldSpec(
                "vector",
                Kind.STATE,
                ("token", "dim"),
                "The vector of each word; zeros where it is not known.",
                "h",
                domain=(-1, 1),
            ),
            FieldSpec(
                "cosine",
                Kind.COSINE,
                ("query", "key"),
                "How alike two words of the text are: 1 same direction, 0 unrelated.",
                "cos",
            ),
            FieldSpec(
                "nearness", Kind.COSINE, ("token", "word"), "How alike each word is to every word of the vocabulary.", "cos"
            ),
            FieldSpec("context", Kind.STATE, ("token", "dim"), "The direction in which the last words point together.", "m"),
            FieldSpec(
                "probability", Kind.PROBABILITY, ("token", "next"), "What the likeness of words alone makes expect next.", "P"
            ),
            TableSpec(
                "neighbours",
                ("position", "rank", "word", "cosine"),
                f"The {NEIGHBOURS} nearest words of each word, itself left out.",
            ),
        )

    def lead(self, start: int) -> int:
        return max(0, start - wordmean.MEMORY + 1)

    def run(self, tokens: Tokens, tap: Tap) -> None:
        vector_TD = tap("vector", self.in_VD[tokens.ids], ("token", "dim"))
        if tap.edits("vector", "nearness"):
            first_U = row_T = np.arange(len(tokens))
        else:  # a long text repeats its words: each is compared once
            _, first_U, row_T = np.unique(tokens.ids, return_index=True, return_inverse=True)
        unit_UD = _unit(vector_TD[first_U])
        if tap.wants("cosine"):
            tap("cosine", _cosine(unit_UD, unit_UD)[row_T][:, row_T], ("query", "key"))
        else:
            tap("cosine", np.broadcast_to(np.float32(0), (len(tokens), len(tokens))), ("query", "key"))
        context_TD = tap("context", wordmean.contexts(_unit(vector_TD), self._share_V[tokens.ids]), ("token", "dim"))
        nearness_TV = np.broadcast_to(np.float32(0), (len(tokens), len(self.vocab)))
        expected_TV = nearness_TV
        if tap.wants("probability"):
            expected_TV = wordmean.expect(context_TD, self._unit_VD, self._share_V, self.beta)
        tap("probability", expected_TV, ("token", "next"))
        whole = tap.wants("nearness") or tap.edits("nearness")
        if whole:
            nearness_TV = _cosine(unit_UD, self._unit_VD)[row_T]
        nearness_TV = tap("nearness", nearness_TV, ("token", "word"))
        if whole:
            unit_UD, first_U, row_T = unit_UD[row_T], np.arange(len(tokens)), np.arange(len(tokens))
        tap.table("neighbours", lambda: self._neighbours(tokens.ids[first_U], row_T, unit_UD, nearness_TV if whole else None))

    def _neighbours(
        self, id_U: np.ndarray, row_T: np.ndarray, unit_UD: np.ndarray, nearness_UV: np.ndarray | None
    ) -> dict[str, np.ndarray]:
        """Per word of the text its nearest ones.  `nearness_UV` is computed here, a few rows at a time, when it is None."""
        most = max(0, min(NEIGHBOURS, len(self.vocab) - MARKS - 1))
        near_UK, cosine_UK = np.zeros((len(id_U), most), np.int64), np.zeros((len(id_U), most), np.float32)
        for rows in (slice(i, i + ROWS) for i in range(0, len(id_U) if most else 0, ROWS)):
            near_UV = _cosine(unit_UD[rows], self._unit_VD) if nearness_UV is None else np.array(nearness_UV[rows])
            near_UV[:, :MARKS] = -np.inf
            near_UV[np.arange(len(near_UV)), id_U[rows]] = -np.inf
            value_UK, top_UK = (part.numpy() for part in torch.topk(torch.from_numpy(near_UV), most))
            order_UK = np.lexsort((top_UK, -value_UK))  # equal cosines: the commoner word first
            near_UK[rows], cosine_UK[rows] = np.take_along_axis(top_UK, order_UK, 1), np.take_along_axis(value_UK, order_UK, 1)
        position_P = np.flatnonzero(np.any(unit_UD != 0, axis=1)[row_T])  # words without a vector have no neighbours
        row_P = row_T[position_P]
        return {
            "position": np.repeat(position_P, most),
            "rank": np.tile(np.arange(1, most + 1), len(position_P)),
            "word": self._word_V[near_UK[row_P].ravel()],
            "cosine": cosine_UK[row_P].ravel(),
        }

    @cached_property
    def _word_V(self) -> np.ndarray:
        return np.array(self.vocab, dtype=object)

    def nearest(self, vector_D: np.ndarray, most: int = NEIGHBOURS, without: tuple[str, ...] = ()) -> list[tuple[str, float]]:
        """The words nearest to any vector, with their cosine; for word sums: king - man + woman."""
        cosine_V = self.vectors @ _unit(np.asarray(vector_D, np.float32)[None])[0]
        cosine_V[:MARKS] = -np.inf
        ids = self.tokenizer.encode(" ".join(without)).ids
        cosine_V[ids] = -np.inf
        best = np.lexsort((np.arange(len(cosine_V)), -cosine_V))[:most]
        return [(self.vocab[i], float(cosine_V[i])) for i in best if np.isfinite(cosine_V[i])]

    def weights(self) -> dict[str, np.ndarray]:
        state = np.frombuffer(self.tokenizer.state(), np.uint8)
        return {"vectors": self.in_VD, "counts": self.counts, "beta": np.array([self.beta], np.float64), "tokenizer": state}

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer = _words(config).from_state(np.asarray(weights["tokenizer"]).tobytes())
        vectors_VD, count_V = np.asarray(weights["vectors"], np.float32), np.asarray(weights["counts"], np.int64)
        return cls(config, tokenizer, vectors_VD, count_V, float(weights["beta"][0]))


def _unit(vector_VD: np.ndarray) -> np.ndarray:
    length_V1 = np.linalg.norm(vector_VD, axis=-1, keepdims=True)
    unit_VD: np.ndarray = vector_VD / np.where(length_V1 > 0, length_V1, 1)
    return unit_VD


def _cosine(unit_UD: np.ndarray, unit_VD: np.ndarray) -> np.ndarray:
    """Products (U, V), by torch: on one thread it is several times faster here than numpy, which wakes its own."""
    product_UV: np.ndarray = (torch.from_numpy(unit_UD) @ torch.from_numpy(unit_VD).T).clamp_(-1, 1).numpy()
    return product_UV


def _shares(count_V: np.ndarray) -> np.ndarray:
    """Share of each word and mark in the text, float32, one occurrence added to each; the start mark never comes next."""
    share_V = count_V + 1.0
    share_V[1] = 0
    found: np.ndarray = (share_V / share_V.sum()).astype(np.float32)
    return found


def _words(config: Config) -> type[Words]:
    found: type[Words] = tokenizers.get(config.tokenizer)
    if not issubclass(found, Words):
        raise ValueError(f"skip-gram reads words: set tokenizer to words or whitespace, not {config.tokenizer}")
    return found


def _learn(lines: list[str], config: Config) -> tuple[Words, np.ndarray]:
    """The vocabulary of a text and the text as ids (N,), int32."""
    kind = _words(config)
    tokenizer = kind.fit(lines, config.vocabulary, lowercase=True)
    stream_N = tokenizer.stream(lines).astype(np.int32)
    if config.min_count > 1:  # commonest first, so the rare words are the last ones
        kept = int((_counts(stream_N, len(tokenizer.vocab)) >= config.min_count).sum())
        tokenizer = kind(tokenizer.vocab[MARKS : MARKS + kept], lowercase=True)
        stream_N[stream_N >= MARKS + kept] = 0
    return tokenizer, stream_N


def _counts(stream_N: np.ndarray, v: int) -> np.ndarray:
    count_V = np.bincount(stream_N, minlength=v)
    count_V[:MARKS] = 0
    return count_V


MODEL = Skipgram
