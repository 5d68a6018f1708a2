"""Curves: perplexity on held-out text against the order, and against how much text was counted.

What      2^(bits per token) of the lines that a study held out, end marks included.  Tokens of
          probability 0 would make it infinite: they are counted apart, and the perplexity is that
          of the rest.
Source    Goodman, A Bit of Progress in Language Modeling, 2001: both curves, for several methods
Shapes    T = tokens of the held-out text
Differs   The vocabulary is that of the whole study at every size, so that the numbers compare;
          words not yet counted are known but new.
          Stupid back-off has scores: its number is not a perplexity (`is_probability` is False).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from engine.analysis.study import Study
from engine.ngram.counts import Counts, count
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.tuning import tuned
from engine.text.tokenizers.words import never_of

MOST = 20_000  # tokens
SHARES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0)


@dataclass(frozen=True, slots=True)
class Point:
    """One model on the held-out text.

    share       of the lines that were counted, `lines` of them, `tokens` tokens (end marks too)
    events      held-out tokens, `zeros` of them of probability 0
    perplexity  of the others; nan where all are zeros
    counted     the perplexity of the first MOST tokens that were counted, where all were
    """

    method: str
    order: int
    share: float
    lines: int
    tokens: int
    events: int
    zeros: int
    perplexity: float
    is_probability: bool
    counted: float = float("nan")


def by_order(study: Study, methods: Mapping[str, Smoothing]) -> Iterator[Point]:
    """Every method (by its name for the reader) at orders 1 to that of the study.  ValueError where
    nothing was held out."""
    held = _held(study)
    for order in range(1, study.order + 1):
        for name, method in methods.items():
            model = study.at_order(method, order)
            point = _point(name, model, 1.0, len(study.lines), len(study.stream) - 1, held)
            p_T = model.probabilities(study.stream[: MOST + 1])
            yield replace(point, counted=_perplexity(p_T))


def by_size(
    study: Study,
    methods: Mapping[str, Smoothing],
    shares: Sequence[float] = SHARES,
    order: int | None = None,
    seed: int = 0,
) -> Iterator[Point]:
    """Every method on growing shares of the lines, chosen at random; a larger share contains the
    smaller ones."""
    held = _held(study)
    boundary, order = study.tokenizer.boundary, order or study.order
    # the boundary before a line is the line's
    line_N = np.cumsum(study.stream[:-1] == boundary) - 1
    turn_L = np.random.default_rng(seed).permutation(len(study.lines))
    for share in shares:
        lines = min(len(turn_L), max(1, round(share * len(turn_L))))
        some = np.flatnonzero(turn_L < lines).tolist()
        stream_N = np.append(study.stream[:-1][turn_L[line_N] < lines], boundary)
        raw = Counts(list(count(stream_N, len(study.vocab), order, boundary)), boundary)
        for name, method in methods.items():
            ready = tuned(method, [study.lines[i] for i in some], study.tokenizer, order)
            model = Smoothed.estimate(ready, raw, never_of(study.tokenizer))
            yield _point(name, model, share, lines, len(stream_N) - 1, held)


def _held(study: Study) -> np.ndarray:
    if study.held_stream is None or len(study.held_stream) < 2:
        raise ValueError("there is no held-out text to measure on: the text has a single line")
    return study.held_stream


def _point(
    name: str, model: Smoothed, share: float, lines: int, tokens: int, held: np.ndarray
) -> Point:
    p_T = model.probabilities(held)
    zeros = int((p_T <= 0).sum())
    return Point(
        name,
        model.order,
        share,
        lines,
        tokens,
        len(p_T),
        zeros,
        _perplexity(p_T[p_T > 0]),
        model.method.is_probability,
    )


def _perplexity(p_T: np.ndarray) -> float:
    return float(2 ** -np.log2(p_T).mean()) if len(p_T) else float("nan")
