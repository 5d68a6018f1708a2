"""Measure: how surprised a model is.  Needs only the field `probability`, so it is the same for
every model.

What      `scores` reads every line alone, `running` all lines as one text, each with those before
          it
Shapes    T = tokens, V = vocabulary
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import astuple, dataclass
from typing import Any, Self

import numpy as np

from engine.analysis.overview import Overview
from engine.core.trace import Trace
from engine.models.base import Model
from engine.text.tokenizers.base import passages

LINES = 1_000  # so many are read at a time by models that need no trace


@dataclass(frozen=True, slots=True)
class Score:
    """How well a model predicts a text.  The end of every line is predicted too.

    bits        of all tokens but the impossible ones
    bits_oov    of those not in the vocabulary
    impossible  tokens with probability 0; they make a perplexity infinite
    lost        places of the text that no token stands for: nobody predicts them
    """

    tokens: int
    characters: int
    oov: int
    bits: float
    bits_oov: float
    impossible: int = 0
    impossible_oov: int = 0
    lost: int = 0

    @classmethod
    def total(cls, parts: Iterable[Score]) -> Self:
        """Of all parts of a text together."""
        return cls(*(sum(column) for column in zip(*map(astuple, parts), strict=True)))

    @property
    def bits_per_token(self) -> float:
        return _mean(self.bits, self.tokens, self.impossible)

    @property
    def bits_per_char(self) -> float:
        return _mean(self.bits, self.characters, self.impossible)

    @property
    def perplexity(self) -> float:
        return _power(self.bits_per_token)

    @property
    def perplexity_without_oov(self) -> float:
        return _power(
            _mean(
                self.bits - self.bits_oov,
                self.tokens - self.oov,
                self.impossible - self.impossible_oov,
            )
        )

    @property
    def perplexity_of_possible(self) -> float:
        return _power(_mean(self.bits, self.tokens - self.impossible, 0))

    def as_dict(self) -> dict[str, float]:
        names = (
            "tokens",
            "characters",
            "oov",
            "bits_per_token",
            "bits_per_char",
            "perplexity",
            "perplexity_without_oov",
        )
        return {name: getattr(self, name) for name in names}


def _mean(bits: float, count: int, impossible: int) -> float:
    if impossible:
        return math.inf
    return bits / count if count else math.nan


def _power(bits: float) -> float:
    """2 to the power of `bits`; infinite, not an error, beyond what a float holds."""
    return 2.0**bits if not bits >= 1024 else math.inf


def surprisal(trace: Trace, first: int = 0) -> np.ndarray:
    """Bits (T,) of each token from `first` on given those before it in this trace, float64; nan for
    the first of the trace, which nothing predicts."""
    bits_T = np.full(len(trace.tokens) - first, np.nan)
    seen = max(1, first)  # the first token that another one stands before
    if len(trace.tokens) > seen:
        p_TV = trace.field("probability").rows(seen - 1, len(trace.tokens) - 1)
        with np.errstate(divide="ignore"):
            bits_T[seen - first :] = -np.log2(
                p_TV[np.arange(len(p_TV)), trace.ids[seen:]].astype(np.float64)
            )
    return bits_T


def read_on(total: int, context: int | None) -> Iterator[tuple[int, int]]:
    """(first token, the one behind the last) of each window in which a model that sees C tokens reads so many: it
    goes on in steps of C / 2, so that each but the first token has C / 2 before it or all that there are."""
    if context is None or total <= context:
        yield 0, total
        return
    half = max(1, context // 2)
    for stop in range(context, total + half, half):
        yield max(0, min(stop, total) - context), min(stop, total)


def surprisals(model: Model[Any], text: str) -> np.ndarray:
    """Bits (T,) of every token of a text of any length; a model that sees at most C tokens reads in
    steps of C / 2."""
    total = len(model.tokens(text))
    bits_T = np.full(total, np.nan)
    for start, stop in read_on(total, model.context):
        part = surprisal(model.trace(text, fields=("probability",), window=(start, stop)))
        fresh = np.isnan(bits_T[start:stop]) & ~np.isnan(part)
        bits_T[start:stop][fresh] = part[fresh]
    return bits_T


def sentences(model: Model[Any], text: str) -> list[str]:
    """The lines to score: those that are not blank; every one where the model takes a text as it
    stands."""
    if model.as_it_stands:
        return text.removesuffix("\n").split("\n")
    return passages(text)


def score(model: Model[Any], text: str) -> Score:
    lines = sentences(model, text) if text.strip() else []
    return Score.total(scores(model, lines)) if lines else Score(0, 0, 0, 0.0, 0.0)


def scores(model: Model[Any], lines: list[str]) -> Iterator[Score]:
    """One for each line."""
    for first in range(0, len(lines), LINES):
        part = lines[first : first + LINES]
        found = model.surprisals(part)
        if found is None:
            for line in part:
                unknown_T = np.zeros(len(bits_T := surprisals(model, line + "\n")), bool)
                tokens = model.tokens(line + "\n")
                unknown_T[list(tokens.unknown)] = True
                yield _of(line, bits_T[1:], unknown_T[1:], len(tokens.lost))
        else:
            for line, bits_T, unknown_T in zip(part, *found, strict=True):
                yield _of(line, bits_T, unknown_T)


class Unkept:
    """A place for blocks that keeps none of them."""

    def get(self, key: Any) -> None:
        return None

    def put(self, key: Any, block: Any) -> None:
        pass


def running(model: Model[Any], lines: list[str]) -> Iterator[Score]:
    """One for each block of the lines read as one text: a recurrent model carries its state on, one
    that sees C tokens at most has at least C / 2 before each token, as far as there are so many.

    ValueError for a model that can't read on.
    """
    text = "\n".join(lines) + "\n"
    reading = Overview(model, text, tokens := model.tokens(text), Unkept(), None)
    unknown_T = np.zeros(len(tokens), bool)
    unknown_T[list(tokens.unknown)] = True
    lost = len(tokens.lost)  # of all blocks, told with the first
    while not reading.done:
        first, before = reading.read, tokens.spans[reading.read - 1][1]
        bits_B = reading.step().astype(np.float64)
        yield _counted(
            bits_B,
            unknown_T[first : reading.read],
            tokens.spans[reading.read - 1][1] - before,
            lost,
        )
        lost = 0


def _of(line: str, bits_T: np.ndarray, unknown_T: np.ndarray, lost: int = 0) -> Score:
    return _counted(bits_T, unknown_T, len(line) + 1, lost)


def _counted(bits_T: np.ndarray, unknown_T: np.ndarray, characters: int, lost: int) -> Score:
    possible_T = np.isfinite(bits_T)
    impossible, impossible_oov = (
        len(bits_T) - int(possible_T.sum()),
        int((unknown_T & ~possible_T).sum()),
    )
    bits, bits_oov = float(bits_T[possible_T].sum()), float(bits_T[possible_T & unknown_T].sum())
    return Score(
        len(bits_T),
        characters,
        int(unknown_T.sum()),
        bits,
        bits_oov,
        impossible,
        impossible_oov,
        lost,
    )
