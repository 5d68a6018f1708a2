"""Measure: how surprised a model is.  Needs only the field `probability`, so it is the same for every model.

Shapes    T = tokens, V = vocabulary
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.base import Model
from engine.text.base import passages
from engine.trace import Trace


@dataclass(frozen=True, slots=True)
class Score:
    """How well a model predicts a text.  Every line is read alone, and its end is predicted too."""

    tokens: int
    characters: int
    oov: int
    bits: float
    bits_oov: float

    @property
    def bits_per_token(self) -> float:
        return self.bits / self.tokens if self.tokens else math.nan

    @property
    def bits_per_char(self) -> float:
        return self.bits / self.characters if self.characters else math.nan

    @property
    def perplexity(self) -> float:
        return _power(self.bits_per_token)

    @property
    def perplexity_without_oov(self) -> float:
        left = self.tokens - self.oov
        return _power((self.bits - self.bits_oov) / left) if left else math.nan

    def as_dict(self) -> dict[str, float]:
        names = ("tokens", "characters", "oov", "bits_per_token", "bits_per_char", "perplexity", "perplexity_without_oov")
        return {name: getattr(self, name) for name in names}


def _power(bits: float) -> float:
    """2 to the power of `bits`; infinite, not an error, beyond what a float holds."""
    return 2.0**bits if not bits >= 1024 else math.inf


def surprisal(trace: Trace) -> np.ndarray:
    """Bits (T,) of each token given those before it in this trace, float64; nan for the first, which nothing predicts."""
    bits_T = np.full(len(trace.tokens), np.nan)
    if len(bits_T) > 1:
        p_TV = trace.field("probability").values
        with np.errstate(divide="ignore"):
            bits_T[1:] = -np.log2(p_TV[np.arange(len(bits_T) - 1), trace.ids[1:]].astype(np.float64))
    return bits_T


def surprisals(model: Model[Any], text: str) -> np.ndarray:
    """Bits (T,) of every token of a text of any length; a model that sees at most C tokens reads in steps of C / 2."""
    total = len(model.tokens(text))
    if model.context is None or total <= model.context:
        return surprisal(model.trace(text, fields=("probability",), window=(0, total)))
    bits_T = np.full(total, np.nan)
    half = max(1, model.context // 2)
    for stop in range(model.context, total + half, half):
        stop = min(stop, total)
        start = max(0, stop - model.context)
        part = surprisal(model.trace(text, fields=("probability",), window=(start, stop)))
        fresh = np.isnan(bits_T[start:stop]) & ~np.isnan(part)
        bits_T[start:stop][fresh] = part[fresh]
    return bits_T


def score(model: Model[Any], text: str) -> Score:
    """Bits over all lines of a text that are not blank."""
    tokens = characters = oov = 0
    bits = bits_oov = 0.0
    for line in passages(text):
        whole = line + "\n"
        bits_T = surprisals(model, whole)
        unknown = list(model.tokens(whole).unknown)
        tokens += len(bits_T) - 1
        characters += len(whole)
        oov += len(unknown)
        bits += float(np.nansum(bits_T))
        bits_oov += float(np.nansum(bits_T[unknown]))
    return Score(tokens, characters, oov, bits, bits_oov)
