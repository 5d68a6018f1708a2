"""N-gram model: the next token is what followed the last few tokens in the training text, with a little kept for the unseen.

What      counts of runs of 1 to n tokens, smoothed by interpolated modified Kneser-Ney (engine/ngram/kneser_ney.py)
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer Speech & Language 13, 1999
Shapes    T = tokens, V = vocabulary, M = orders 0 (uniform) to n, K = next tokens listed
Differs   Tokens outside the vocabulary are counted as <unk>, an ordinary word.  Rare n-grams of three tokens and more can be
          cut off.  A line of the text is a sentence.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Self, final

import numpy as np

from engine.models.base import Card, Model, Progress, Weights
from engine.ngram.counts import Counts, count
from engine.ngram.kneser_ney import KneserNey, mix, weigh
from engine.registry import tokenizers
from engine.tap import Tap
from engine.text.base import Tokenizer, Tokens, passages, split
from engine.text.words import START, Words
from engine.trace import FieldSpec, Kind, TableSpec

MOST = 7
LISTED = 20


@dataclass(frozen=True, slots=True)
class Config:
    order: int = field(default=4, metadata={"min": 1, "max": MOST, "says": "tokens in the longest run that is counted"})
    tokenizer: str = field(default="words", metadata={"says": "how the text is cut: words, whitespace, chars, bpe"})
    vocabulary: int = field(default=20_000, metadata={"min": 16, "max": 100_000, "says": "the most tokens to know"})
    min_count: int = field(default=1, metadata={"min": 1, "max": 100, "says": "drop longer runs (3 and up) seen less often"})
    lowercase: bool = field(default=False, metadata={"says": "read capital letters as small ones (words and whitespace only)"})


@final
class Ngram(Model[Config]):
    card = Card(
        "ngram", "N-gram counts", 1999,
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer Speech & Language 13", True,
    )  # fmt: skip
    config_type = Config

    def __init__(self, config: Config, tokenizer: Tokenizer, smoothed: KneserNey) -> None:
        self.config, self.tokenizer, self.smoothed = config, tokenizer, smoothed
        orders = ("uniform", *(str(m) for m in range(1, config.order + 1)))
        self._labels = {"next": tokenizer.vocab, "order": orders}
        self._start, self._label = _start(tokenizer)

    @classmethod
    def fit(
        cls, text: str, config: Config, *, seed: int, device: str = "cpu", resume: Weights | None = None
    ) -> Iterator[Progress]:
        """Counting cannot be resumed and needs no device."""
        if not 1 <= config.order <= MOST:
            raise ValueError(f"order is the length of the longest run counted, 1 to {MOST}; {config.order} was given")
        lines, held_out = split(passages(text), seed)
        if not lines:
            raise ValueError("there is nothing to learn from: the text has no line that is not blank")
        tokenizer = _fitted(config, lines)
        size, total = len(tokenizer.vocab), config.order + 2
        stream_N = tokenizer.stream(lines)
        yield Progress(1, total, {"tokens": len(stream_N) - 1, "vocabulary": size})
        orders = []
        for m, grams in enumerate(count(stream_N, size, config.order, tokenizer.boundary), 1):
            orders.append(grams)
            yield Progress(m + 1, total, {f"ngrams_{m}": int((grams.count_G > 0).sum())})
        least = (1, 1) + (config.min_count,) * (MOST - 2)
        smoothed = KneserNey.estimate(Counts(orders, tokenizer.boundary), _never(tokenizer), least)
        metrics = {f"kept_{m}": float(len(grams)) for m, grams in enumerate(smoothed.counts.orders, 1) if m > 2}
        if held_out:
            p_N = smoothed.probabilities(tokenizer.stream(held_out))
            nats, characters = float(-np.log(p_N).sum()), sum(len(line) + 1 for line in held_out)
            metrics |= {"held_out_nats": nats / len(p_N), "held_out_bits_per_character": nats / math.log(2) / characters}
        yield Progress(total, total, metrics, cls(config, tokenizer, smoothed))

    def tokens(self, text: str) -> Tokens:
        return self.tokenizer.encode(text).after(self._start, self._label)

    def labels(self, tokens: Tokens) -> Mapping[str, tuple[str, ...]]:
        return self._labels | {"token": tokens.labels}

    def lead(self, start: int) -> int:
        return max(0, start - max(1, self.config.order - 1))

    def spec(self) -> tuple[FieldSpec | TableSpec, ...]:
        order = ("token", "order")
        numbers = (f"{name}_{m}" for m in range(1, self.config.order + 1) for name in ("count", "total", "discount"))
        parts = (f"part_{m}" for m in range(self.config.order + 1))
        columns = ("position", "rank", "next", "probability", *parts, *numbers)
        return (
            FieldSpec(
                "backoff", Kind.GATE, order, "How much each order leaves to the next shorter one after this token: "
                "all of it, 1, where it has never seen these last tokens.", "gamma",
            ),
            FieldSpec("mass", Kind.PROBABILITY, order, "How much of what is expected next comes from each order.", "m"),
            FieldSpec(
                "part", Kind.GATE, order, "What each order added to the probability of this token; "
                "together they are that probability.", "P_m",
            ),
            FieldSpec(
                "matched", Kind.COUNT, ("token",), "The longest run ending in this token that is known from the training text.",
                "k", "tokens",
            ),
            FieldSpec("probability", Kind.PROBABILITY, ("token", "next"), "What the model expects after each token.", "P"),
            TableSpec(
                "ladder", columns, f"The {LISTED} likeliest next tokens after each token, with the counts they come from, "
                "order by order.",
            ),
        )  # fmt: skip

    def run(self, tokens: Tokens, tap: Tap) -> None:
        model, order = self.smoothed, ("token", "order")
        place_TM = model.counts.places(np.where(tokens.ids == self._start, self.tokenizer.boundary, tokens.ids))
        gamma_TM = model.backoff(place_TM)
        mass_TM = tap("mass", mix(gamma_TM, tap("backoff", gamma_TM, order)), order)
        weight_TM = weigh(gamma_TM, mass_TM)
        part_TM = np.zeros_like(weight_TM)  # nothing predicts the first token
        part_TM[1:] = model.parts(place_TM[1:], weight_TM[:-1])
        tap("part", part_TM, order)
        matched_T = model.matched(place_TM)
        matched_T[0] = 0
        tap("matched", matched_T, ("token",))
        needed = any(tap.wants(name) for name in ("probability", "ladder"))
        shape = (len(tokens), len(self.tokenizer.vocab))
        p_TV = model.distributions(place_TM, weight_TM) if needed else np.broadcast_to(np.float32(0), shape)
        p_TV = tap("probability", p_TV, ("token", "next"))
        tap.table("ladder", lambda: self._ladder(place_TM, weight_TM, p_TV))

    def _ladder(self, place_TM: np.ndarray, weight_TM: np.ndarray, p_TV: np.ndarray) -> dict[str, np.ndarray]:
        t, k = len(p_TV), min(LISTED, p_TV.shape[1] - (_never(self.tokenizer) is not None))
        top_TK = np.stack([_top(p_V, k) for p_V in p_TV])
        found = self.smoothed.ladder(place_TM, weight_TM, top_TK)
        orders = range(self.config.order + 1)
        return {
            "position": np.repeat(np.arange(t), k),
            "rank": np.tile(np.arange(1, k + 1), t),
            "next": np.array([self.tokenizer.vocab[i] for i in top_TK.ravel().tolist()], dtype=object),
            "probability": np.take_along_axis(p_TV, top_TK, 1).ravel(),
            **{f"part_{m}": found["part"][..., m].ravel() for m in orders},
            **{f"{name}_{m}": found[name][..., m - 1].ravel() for m in orders[1:] for name in ("count", "total", "discount")},
        }  # fmt: skip

    def weights(self) -> dict[str, np.ndarray]:
        return self.smoothed.arrays() | {"tokenizer": np.frombuffer(self.tokenizer.state(), np.uint8)}

    @classmethod
    def from_weights(cls, config: Config, weights: Weights) -> Self:
        tokenizer: Tokenizer = tokenizers.get(config.tokenizer).from_state(np.asarray(weights["tokenizer"]).tobytes())
        return cls(config, tokenizer, KneserNey.from_arrays(weights, tokenizer.boundary, _never(tokenizer)))


def _top(p_V: np.ndarray, k: int) -> np.ndarray:
    """(k,) ids of the k largest, largest first.

    Of V // 64 groups, k have a maximum of at least the k-th largest maximum, so whatever is below it can be left out.
    """
    groups = len(p_V) // 64
    if groups < k:
        return np.argsort(-p_V, kind="stable")[:k]
    largest = p_V[: groups * 64].reshape(64, groups).max(0)
    left = np.flatnonzero(p_V >= np.partition(largest, -k)[-k])
    top: np.ndarray = left[np.argsort(-p_V[left], kind="stable")[:k]]
    return top


def _fitted(config: Config, lines: list[str]) -> Tokenizer:
    kind: Any = tokenizers.get(config.tokenizer)
    if config.lowercase and not issubclass(kind, Words):
        raise ValueError(f"lowercase needs the tokenizer words or whitespace, not {config.tokenizer}")
    fitted: Tokenizer = kind.fit(lines, config.vocabulary, **({"lowercase": True} if config.lowercase else {}))
    return fitted


def _start(tokenizer: Tokenizer) -> tuple[int, str]:
    """(id, label) of the start mark: <s> where there is one, else the line end."""
    id = tokenizer.vocab.index(START) if isinstance(tokenizer, Words) else tokenizer.boundary
    return id, tokenizer.vocab[id]


def _never(tokenizer: Tokenizer) -> int | None:
    """The id that is never predicted."""
    start, _ = _start(tokenizer)
    return None if start == tokenizer.boundary else start


MODEL = Ngram
