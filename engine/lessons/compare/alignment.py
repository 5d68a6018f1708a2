"""Alignment: readings of one text that are cut differently, compared between the places where all
of them cut.

What      a token stands for its own characters and for the blanks before it, which readers of words
          do not see;
          a common cut is a place where a token of every reader ends; a segment is the text between
          two common cuts;
          bits(segment) = sum over its tokens of -log2 P(token | tokens before) = -log2 of their
          joint probability; odds of model A against B = bits_B - bits_A, which add up along the text
          to log2 P_A(text) / P_B(text)
Source    Cotterell, Mielke, Eisner & Roark, Are All Languages Equally Hard to Language-Model?,
          2018, sec. 2 (bits per character, because bits per token depend on the tokenizer); Mielke,
          Can You Compare Perplexity across Different Segmentations?, 2019;
          Good, Probability and the Weighing of Evidence, 1950, ch. 6 (odds)
Shapes    M = models, S = segments, T = tokens
Differs   A reader of pieces could write the same characters with other pieces too; only the way its
          tokenizer cuts counts, so its bits are at most too many.  A reader of words gets the
          blanks for nothing, and an unknown word is as cheap as any other unknown word: segments
          with one are marked, and never won.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.analysis.measure import surprisal
from engine.core.trace import Trace
from engine.text.tokenizers.bpe import mend


@dataclass(frozen=True, slots=True)
class Reading:
    """One reader's tokens.  `begin`: where its first token ends, which nothing predicts; then per
    token where it ends, its bits, unknown or not; `lost`: where characters begin that no token
    stands for."""

    begin: int
    stop_T: np.ndarray
    bits_T: np.ndarray
    unknown_T: np.ndarray
    lost: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Segments:
    """start_S, stop_S in characters; bits_SM of each model; unknown_SM: read as an unknown word, at
    least in part."""

    start_S: np.ndarray
    stop_S: np.ndarray
    bits_SM: np.ndarray
    unknown_SM: np.ndarray

    def __len__(self) -> int:
        return len(self.start_S)

    def labels(self, text: str) -> tuple[str, ...]:
        """The text of each; half of a character, which some input methods send alone, as the
        replacement sign."""
        return tuple(
            mend(text[a:b])
            for a, b in zip(self.start_S.tolist(), self.stop_S.tolist(), strict=True)
        )


def reading(trace: Trace) -> Reading:
    """Of a trace with the field `probability`."""
    unknown_T = np.zeros(len(trace.tokens), bool)
    unknown_T[list(trace.unknown)] = True
    stop_T = np.array([stop for _, stop in trace.spans], int)
    begin = int(stop_T[0]) if len(stop_T) else 0
    bits_T = surprisal(trace) if "probability" in trace else np.zeros(0)
    lost = tuple(start for start, _ in trace.lost)
    return Reading(begin, stop_T[1:], bits_T[1:], unknown_T[1:], lost)


def segments(readings: Sequence[Reading], at: Sequence[int] | None = None) -> Segments:
    """Between the common cuts; with `at` only between those of them that it names."""
    common: set[int] = (
        set.intersection(*({r.begin, *r.stop_T.tolist()} for r in readings)) if readings else set()
    )
    common &= common if at is None else set(at)
    first = max((r.begin for r in readings), default=0)
    cuts = sorted(c for c in common if c >= first)
    start_S, stop_S = np.array(cuts[:-1], int), np.array(cuts[1:], int)
    bits_SM = np.zeros((len(start_S), len(readings)))
    unknown_SM = np.zeros(bits_SM.shape, bool)
    for m, r in enumerate(readings if len(start_S) else ()):
        for stop, bits, unknown in zip(
            r.stop_T.tolist(), r.bits_T.tolist(), r.unknown_T.tolist(), strict=True
        ):
            s = bisect_left(cuts, stop) - 1
            if 0 <= s < len(start_S) and stop > cuts[0]:
                bits_SM[s, m] += bits
                unknown_SM[s, m] |= unknown
        for start in r.lost:
            s = bisect_right(cuts, start) - 1
            if 0 <= s < len(start_S):
                unknown_SM[s, m] = True
    return Segments(start_S, stop_S, bits_SM, unknown_SM)


def words(text: str) -> list[int]:
    """The places at which a word, with the signs that stick to it, can be cut off: before white
    space, after a line end, at both ends."""
    return [
        c
        for c in range(len(text) + 1)
        if c in (0, len(text)) or text[c].isspace() or text[c - 1] == "\n"
    ]


def odds(found: Segments) -> np.ndarray:
    """(S,) bits for model 0 against model 1; nan where one of them reads an unknown word, whose
    probability is that of some unknown word."""
    a_S, b_S = found.bits_SM[:, 0], found.bits_SM[:, 1]
    with np.errstate(invalid="ignore"):
        return np.where(found.unknown_SM.any(1), np.nan, b_S - a_S)
