"""Examine: what a model makes of held-out lines, in one pass: the bits of every line, how sure it
was, how often right, how fast.

What      every line is read alone, and its end is predicted too, as in engine/analysis/measure.py;
          a model that sees at most C tokens reads a longer line in steps of C / 2
Shapes    T = tokens, V = vocabulary
Differs   A line longer than LONGEST characters is read as several, the same for every model: a
          distribution over a whole vocabulary at each token takes room.
"""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from engine.analysis.measure import read_on
from engine.models.abilities import CountsRuns
from engine.models.base import Model

LONGEST = 500  # characters
PASSES, TIMED = 5, 600  # passes of a speed, and over how many characters


@dataclass(frozen=True, slots=True)
class Line:
    """bits: infinite where something impossible came; confidence_T and hit_T of each token that was
    predicted."""

    characters: int
    words: int
    tokens: int
    unknown: int
    bits: float
    confidence_T: np.ndarray
    hit_T: np.ndarray


def cut_lines(lines: Iterable[str], most_lines: int, most_characters: int) -> tuple[list[str], int]:
    """(lines to measure, how many of the given ones were left out): blank ones go, long ones are
    cut, the rest from the start on."""
    kept: list[str] = []
    total = left_out = 0
    for line in lines:
        if not line.strip():
            continue
        parts = [line[i : i + LONGEST] for i in range(0, len(line), LONGEST)]
        size = sum(len(part) + 1 for part in parts)
        if left_out or len(kept) + len(parts) > most_lines or total + size > most_characters:
            left_out += 1
            continue
        kept += parts
        total += size
    return kept, left_out


def examine(model: Model[Any], line: str) -> Line:
    """One line."""
    text = line + "\n"
    tokens = model.tokens(text)
    total = len(tokens)
    bits_T, confidence_T, hit_T = (
        np.zeros(total),
        np.zeros(total, np.float32),
        np.zeros(total, bool),
    )
    done = 1  # nothing predicts the first token
    for start, stop in read_on(total, model.context):
        trace = model.trace(text, fields=("probability",), window=(start, stop), tokens=tokens)
        p_TV = trace.field("probability").values[done - 1 - start : stop - 1 - start]
        ids_T = tokens.ids[done:stop]
        with np.errstate(divide="ignore"):
            bits_T[done:stop] = -np.log2(p_TV[np.arange(len(ids_T)), ids_T].astype(np.float64))
        confidence_T[done:stop] = p_TV.max(-1)
        hit_T[done:stop] = p_TV.argmax(-1) == ids_T
        done = stop
    unknown = sum(1 for u in tokens.unknown if u) + len(tokens.lost)
    return Line(
        len(text),
        len(line.split()) + 1,
        total - 1,
        unknown,
        float(bits_T.sum()),
        confidence_T[1:],
        hit_T[1:],
    )


def seconds(model: Model[Any], lines: list[str], passes: int = PASSES) -> tuple[float, int]:
    """(median seconds of several passes, characters): how long it reads the first lines, here and
    now."""
    some, size = list[str](), 0
    for line in lines:
        if some and size + len(line) > TIMED:
            break
        some.append(line[:TIMED])
        size += len(some[-1]) + 1
    took = list[float]()
    for _ in range(passes if some else 0):
        start = time.perf_counter()
        for line in some:
            model.trace(line + "\n", fields=("probability",)).field("probability")
        took.append(time.perf_counter() - start)
    return median(took) if took else 0.0, size


def parameters(model: Model[Any]) -> int:
    """How many numbers it has learned, without its tokenizer; of an n-gram model how many n-grams
    it has counted."""
    if isinstance(model, CountsRuns):
        return model.runs()
    return sum(int(values.size) for name, values in model.weights().items() if name != "tokenizer")
