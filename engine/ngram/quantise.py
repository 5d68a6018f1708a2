"""Quantisation: probabilities and back-off weights as codes of a few bits, each a place in a short
list of values.

What      the logarithms of one order are put in 2^b bins, and each is replaced by the code of its
          bin:
              width        bins as wide as each other; the code is the middle, so the error is at
                           most half a bin
              population   bins with as many values as each other; the code is their mean
          Bins with nothing in them take no code
Source    Whittaker & Raj, Quantization-based Language Model Compression, 2001; bins of one
          population:
          Federico & Bertoldi, How Many Bits Are Needed to Store Probabilities for Phrase-Based
          Translation?, 2006
Shapes    G = values of a list, B = codes, T = tokens of a text
Differs   A value takes the nearest code.  Probability 0 and weight 0 keep a code of their own; a
          context after which nothing is listed has weight 1 and takes no code.  Single tokens keep
          their numbers, as in KenLM: they are few, and the commonest would share a code.  Rows sum
          to 1 only up to the error; `perplexity` divides by their sums.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.language.message import refusal
from engine.ngram.backoff import BackOff, listed, size_bytes
from engine.ngram.smoothed import Smoothed

ROWS = 256  # at a time
BINNINGS = ("width", "population")
MOST_BITS = 16


@dataclass(frozen=True, slots=True)
class Quantised:
    """error: the largest difference of a base-10 logarithm; size_bytes: with the lists of codes, 4
    bytes each."""

    model: Smoothed
    bits: int
    error: float
    size_bytes: int


def quantise(model: Smoothed, bits: int, binning: str = "width") -> Quantised:
    """The model in back-off form with at most 2^bits different probabilities, and weights, per
    order from 2 up."""
    if not 1 <= bits <= MOST_BITS:
        raise refusal("bits is a whole number from 1 to {MOST_BITS}; {bits} was given")
    levels, errors, codes = [], [0.0], 0
    for m, (grams, p_G, gamma_P) in enumerate(
        zip(model.counts.orders, listed(model), model.gamma, strict=True), 1
    ):
        near_P = gamma_P.astype(np.float64)
        followed_P = np.diff(grams.first_P) > 0
        if m > 1:
            p_G, error, used = snapped(p_G, bits, binning)
            errors.append(error)
            codes += used
        if m > 2:
            near_P[followed_P], error, used = snapped(near_P[followed_P], bits, binning)
            errors.append(error)
            codes += used
        levels.append((p_G, near_P))
    near = Smoothed(BackOff(), model.counts, {}, model.never, levels)
    return Quantised(near, bits, max(errors), size_bytes(near, bits) + 4 * codes)


def snapped(
    value_G: np.ndarray, bits: int, binning: str = "width"
) -> tuple[np.ndarray, float, int]:
    """(values with their codes put in, largest error of log10, number of codes)."""
    some_G = value_G > 0
    if not some_G.any():
        return value_G, 0.0, int(len(value_G) > 0)
    log_G = np.log10(value_G[some_G])
    zero = int(not some_G.all())
    code_B = codebook(log_G, max(1, 2**bits - zero), binning)
    near_G = code_B[np.searchsorted((code_B[1:] + code_B[:-1]) / 2, log_G)]
    out_G = np.zeros(len(value_G))
    out_G[some_G] = 10**near_G
    return out_G, float(np.abs(near_G - log_G).max()), len(code_B) + zero


def codebook(value_G: np.ndarray, codes: int, binning: str = "width") -> np.ndarray:
    """(B,) codes in order, at most `codes`.  ValueError for a binning that does not exist."""
    if binning == "width":
        low, width = value_G.min(), (value_G.max() - value_G.min()) / codes
        if width == 0:
            return np.array([low])
        used_B = np.unique(np.minimum((value_G - low) // width, codes - 1))
        return np.asarray(low + (used_B + 0.5) * width)
    if binning == "population":
        return np.unique(
            [part.mean() for part in np.array_split(np.sort(value_G), codes) if len(part)]
        )
    raise refusal("no binning {binning!r}; there are {BINNINGS}")


def perplexity(model: Smoothed, stream_T: np.ndarray) -> tuple[float, float]:
    """(perplexity, mean sum of the rows) of a model whose rows sum to 1 only nearly: each row is
    divided by its sum.

    Infinite where a token has probability 0.
    """
    place_TM, p_T = model.counts.places(stream_T)[:-1], model.probabilities(stream_T)
    sum_T = np.concatenate(
        [
            model.distributions(place_TM[a : a + ROWS]).sum(1, dtype=np.float64)
            for a in range(0, len(place_TM), ROWS)
        ]
    )
    if (p_T == 0).any():
        return np.inf, float(sum_T.mean())
    return float(np.exp(np.log(sum_T / p_T).mean())), float(sum_T.mean())
