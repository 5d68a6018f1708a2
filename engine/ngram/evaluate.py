"""Evaluate: how surprised a smoothed model is by a text, and what was unknown or impossible to it,
one by one.

What      surprisal -log2 P of each token; cross-entropy H, its mean over N tokens; perplexity 2^H.
          Four ways to count:
          all tokens, without </s>, without unknown tokens, without both.  What a model gives
          probability 0 has no surprisal: it is counted and listed, and the rest is measured as well
Source    Jelinek, Mercer, Bahl & Baker, Perplexity, a Measure of the Difficulty of Speech
          Recognition Tasks, JASA 62, 1977;
          Chen & Goodman 1999, sec. 1: cross-entropy, with </s> among the tokens
Shapes    T = tokens of the text, its first mark among them, S = sentences, M = orders 0 to n
Differs   No number is infinite: where a zero forbids one it is None.  A token that is left out
          still stands in the context of those after it, as in KenLM.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.language.message import refusal
from engine.ngram.smoothed import Smoothed


@dataclass(frozen=True, slots=True)
class Measure:
    """Bits of some tokens of a text: `tokens` of them, of which `impossible` have probability 0 and
    no bits."""

    tokens: int
    impossible: int
    bits: float

    def cross_entropy(self, base: float = 2.0) -> float | None:
        """Per token: bits, or nats (base e), or dits (10).  None where a token is impossible or
        there is none."""
        return None if self.impossible else self.rest_cross_entropy(base)

    def rest_cross_entropy(self, base: float = 2.0) -> float | None:
        """The same over the tokens that are possible."""
        left = self.tokens - self.impossible
        return self.bits / left / math.log2(base) if left else None

    @property
    def perplexity(self) -> float | None:
        return None if self.impossible else self.rest_perplexity

    @property
    def rest_perplexity(self) -> float | None:
        bits = self.rest_cross_entropy()
        return 2.0**bits if bits is not None and bits < 1024 else None

    def as_dict(self) -> dict[str, Any]:
        return {
            "tokens": self.tokens,
            "impossible": self.impossible,
            "bits": self.bits,
            "bits_per_token": self.cross_entropy(),
            "perplexity": self.perplexity,
            "rest_bits_per_token": self.rest_cross_entropy(),
            "rest_perplexity": self.rest_perplexity,
        }


@dataclass(frozen=True, slots=True)
class Event:
    """One token that is unknown or impossible.  `context` is what the model looks at; `says` is a
    sentence for the reader."""

    position: int
    sentence: int
    context: tuple[str, ...]
    word: str
    probability: float
    bits: float | None
    says: str

    def as_dict(self) -> dict[str, Any]:
        return {
            "position": self.position,
            "sentence": self.sentence,
            "context": list(self.context),
            "word": self.word,
            "probability": self.probability,
            "bits": self.bits,
            "says": self.says,
        }


@dataclass(frozen=True, slots=True, eq=False)
class Evaluation:
    """What `evaluate` found.  Entry 0 of each row is the mark that the text begins with, which
    nothing predicts.

    labels       T strings
    p_T          float64, probability of each token; nan for the first
    end_T        sentence ends
    unknown_T    tokens that are not in the vocabulary
    matched_T    the longest order whose n-gram that ends here was counted
    counted_T    whether the token was counted at all
    context_T    how many tokens before this one the model looks at
    seen_T       False where the token is impossible and nothing was ever counted after those
    sentences_T  number of the sentence, from 0
    """

    labels: Sequence[str]
    is_probability: bool
    p_T: np.ndarray
    end_T: np.ndarray
    unknown_T: np.ndarray
    matched_T: np.ndarray
    counted_T: np.ndarray
    context_T: np.ndarray
    seen_T: np.ndarray
    sentences_T: np.ndarray

    @property
    def bits_T(self) -> np.ndarray:
        """(T,) float64 surprisal; nan for the first token and for those that are impossible."""
        some_T = self.p_T > 0
        return -np.log2(self.p_T, out=np.full(len(self.p_T), np.nan), where=some_T)

    @property
    def impossible_T(self) -> np.ndarray:
        return self.p_T <= 0

    @property
    def sentence_S(self) -> np.ndarray:
        """(S,) bits of each sentence; nan where a token of it is impossible."""
        return np.bincount(self.sentences_T[1:], self.bits_T[1:])

    @property
    def whole(self) -> Measure:
        return self._measure(np.ones(len(self.p_T), bool))

    @property
    def without_ends(self) -> Measure:
        return self._measure(~self.end_T)

    @property
    def without_unknown(self) -> Measure:
        return self._measure(~self.unknown_T)

    @property
    def without_both(self) -> Measure:
        return self._measure(~(self.end_T | self.unknown_T))

    def _measure(self, taken_T: np.ndarray) -> Measure:
        p_N = self.p_T[1:][taken_T[1:]]
        some_N = p_N[p_N > 0]
        return Measure(len(p_N), len(p_N) - len(some_N), max(0.0, -float(np.log2(some_N).sum())))

    def unknown(self, most: int | None = None) -> list[Event]:
        """Unknown tokens with what was done, in the order of the text; the first `most`, if
        given."""
        at = np.flatnonzero(self.unknown_T[1:])[:most] + 1
        return [self._event(t, self._what_was_done(t)) for t in at.tolist()]

    def impossible(self, most: int | None = None) -> list[Event]:
        """Tokens with probability 0 and why, in the order of the text; the first `most`, if
        given."""
        return [
            self._event(t, self._why(t)) for t in np.flatnonzero(self.impossible_T)[:most].tolist()
        ]

    def _event(self, t: int, says: str) -> Event:
        first = t - int(self.context_T[t])
        context = tuple(
            self.labels[0] if self.end_T[i] else self.labels[i] for i in range(first, t)
        )
        p = float(self.p_T[t])
        return Event(
            t,
            int(self.sentences_T[t]),
            context,
            self.labels[t],
            p,
            -math.log2(p) if p > 0 else None,
            says,
        )

    def _what_was_done(self, t: int) -> str:
        if self.counted_T[t]:
            return (
                "Read as the unknown token, which has counts; the longest known n-gram has"
                f" length {int(self.matched_T[t])}."
            )
        if self.p_T[t] > 0:
            return (
                "Read as the unknown token, which has no counts; it gets a share of the mass"
                " reserved for unseen tokens."
            )
        return "Read as the unknown token, which has no counts; this method keeps nothing for it."

    def _why(self, t: int) -> str:
        if not self.counted_T[t]:
            return "This token was never counted."
        return (
            "This token never follows this context."
            if self.seen_T[t]
            else "This context never occurs."
        )

    def as_dict(self, most: int = 100) -> dict[str, Any]:
        """For JSON: no number is infinite or nan.  Of unknown and impossible tokens the first
        `most` are listed."""
        return {
            "is_probability": self.is_probability,
            "sentences": len(np.unique(self.sentences_T[1:])),
            "whole": self.whole.as_dict(),
            "without_ends": self.without_ends.as_dict(),
            "without_unknown": self.without_unknown.as_dict(),
            "without_both": self.without_both.as_dict(),
            "unknown": [event.as_dict() for event in self.unknown(most)],
            "impossible": [event.as_dict() for event in self.impossible(most)],
            "surprisal": [None if math.isnan(bits) else bits for bits in self.bits_T.tolist()],
        }


def evaluate(
    model: Smoothed,
    text: np.ndarray | Sequence[np.ndarray],
    labels: Sequence[str] | None = None,
    unknown: int | None = None,
) -> Evaluation:
    """Each token of a text but the first, given those before it in its sentence.

    text     ids (T,) with a mark before each sentence (`Tokenizer.stream`, or `Tokens.ids` behind a
             start mark);
             or a list of sentences, each its ids without marks
    labels   T strings, as the reader wrote the tokens (`Tokens.labels`); the ids, where none are
             given
    unknown  the id that words outside the vocabulary are read as
    """
    boundary = model.counts.boundary
    if not isinstance(text, np.ndarray):
        mark = np.array([boundary], np.int64)
        text = np.concatenate(
            [mark, *(part for ids in text for part in (np.asarray(ids, np.int64), mark))]
        )
    ids_T = text if model.never is None else np.where(text == model.never, boundary, text)
    if labels is not None and len(labels) != len(ids_T):
        raise refusal(
            "a label per token: {n} tokens and {many} labels were given",
            n=len(ids_T),
            many=len(labels),
        )
    total, at_T = len(ids_T), np.arange(len(ids_T))
    place_TM = model.counts.places(ids_T)
    p_T = np.full(total, np.nan)
    p_T[1:] = model.parts(place_TM[1:], model.weights(place_TM[:-1])).sum(1)
    end_T = ids_T == boundary
    begin_T = np.maximum.accumulate(np.where(end_T, at_T, 0))  # the last mark up to here
    context_T = np.zeros(total, np.int64)
    context_T[1:] = np.minimum(at_T[1:] - begin_T[:-1], model.order - 1)
    seen_T = np.ones(total, bool)
    for length, grams in enumerate(model.counts.orders):
        some_K = np.flatnonzero((context_T == length) & (p_T <= 0))
        place_K = place_TM[some_K - 1, length]
        seen_T[some_K] = (
            (place_K >= 0) & (grams.total_P[place_K] > 0) if len(grams.total_P) else False
        )
    sentences_T = np.zeros(total, np.int64)
    sentences_T[1:] = end_T.cumsum()[:-1] - end_T[:1]
    return Evaluation(
        labels if labels is not None else [str(i) for i in text.tolist()],
        model.method.is_probability,
        p_T,
        end_T,
        np.zeros(total, bool) if unknown is None else ids_T == unknown,
        model.matched(place_TM),
        model.counts.orders[0].count_G[ids_T] > 0,
        context_T,
        seen_T,
        sentences_T,
    )
