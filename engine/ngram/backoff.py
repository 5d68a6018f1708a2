"""Back-off form: any smoothed model as the full probabilities of what was counted, with weights for
the rest.

What      P(w | h) = p(hw) where hw is listed, else gamma(h) P(w | h'), with h' = h without its
          first token.
          p(hw) = alpha(hw) + gamma(h) P(w | h') in interpolation, alpha(hw) in back-off; gamma is
          the same in both
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999,
          sec. 2.8
Shapes    G = n-grams of one order, P = contexts of one order, K = some n-grams, M = orders 0 to n
Differs   An n-gram may be listed although its last tokens, all but the first, are not: P(w | h') is
          then backed off to.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from engine.language.message import refusal
from engine.ngram.counts import Counts
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Level, Smoothing


@final
@dataclass(frozen=True, slots=True)
class BackOff(Smoothing):
    """Given probabilities and weights; nothing is estimated."""

    title = "Back-off form"
    source = (
        "Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, 1999,"
        " sec. 2.8"
    )
    formula = r"P(w \mid h) = p(hw) \text{ if listed, else } \gamma(h)\,P(w \mid h')"
    interpolates = False
    uniform = False

    def kept(self, level: Level) -> np.ndarray:
        raise ValueError(
            "a model in back-off form has its probabilities given; they do not come from counts"
        )


def backed_off(model: Smoothed) -> Smoothed:
    """The same distributions in back-off form."""
    return Smoothed(
        BackOff(), model.counts, {}, model.never, list(zip(listed(model), model.gamma, strict=True))
    )


def listed(model: Smoothed) -> list[np.ndarray]:
    """Per order (G,) float64: P(last token | the tokens before it) of each n-gram.

    ValueError where the model gives scores that are no probabilities.
    """
    if not model.method.is_probability:
        raise refusal(
            "{model.method.title} gives scores that do not sum to 1; choose a method that gives"
            " probabilities"
        )
    out: list[np.ndarray] = []
    for m, (grams, alpha_G, gamma_P) in enumerate(
        zip(model.counts.orders, model.alpha, model.gamma, strict=True), 1
    ):
        p_G = alpha_G.astype(np.float64)
        if model.method.interpolates:
            lower_G = np.float64(model.uniform) if m == 1 else shorten(model, m, out[-1])
            p_G += np.repeat(gamma_P, np.diff(grams.first_P)) * lower_G
        if m == 1 and model.never is not None:
            p_G[model.never] = 0
        out.append(np.minimum(p_G, 1))
    return out


def shorten(model: Smoothed, m: int, below_G: np.ndarray) -> np.ndarray:
    """(G,) float64: P(w | h') of the last token of each n-gram of order m; `below_G` is `listed` of
    the order below."""
    suffix_G = model.counts.suffix(m)
    lower_G: np.ndarray = below_G[suffix_G].astype(np.float64)
    missing_K = np.flatnonzero(suffix_G < 0)
    if len(missing_K):
        ids_KL = spelled(model.counts, m, missing_K)[:, 1:]
        context_KM = _ends(model.counts, ids_KL[:, :-1])
        lower_G[missing_K] = model.parts(
            _ends(model.counts, ids_KL), model.weights(context_KM)
        ).sum(1)
    return lower_G


def spelled(counts: Counts, m: int, place_K: np.ndarray) -> np.ndarray:
    """(K, m) the ids of n-grams of order m; the boundary as the first one is <s>."""
    ids_mK = []
    for grams in counts.orders[m - 1 :: -1]:
        ids_mK.append(grams.word_G[place_K])
        place_K = np.searchsorted(grams.first_P, place_K, side="right") - 1
    return np.stack(ids_mK[::-1], 1).astype(np.int64)


def _ends(counts: Counts, ids_KL: np.ndarray) -> np.ndarray:
    """(K, M) the place of the m-gram that ends each row of L ids; -1 where it is not listed."""
    rows, length = ids_KL.shape
    place_KM = np.full((rows, len(counts.orders) + 1), -1, np.int64)
    place_KM[:, 0] = 0
    for m in range(1, length + 1):
        place_K = ids_KL[:, length - m]
        for k in range(2, m + 1):
            place_K = counts.find(k, place_K, ids_KL[:, length - m + k - 1])
        place_KM[:, m] = place_K
    return place_KM


def size_bytes(model: Smoothed, bits: int = 32) -> int:
    """What the model takes in arrays: words in as few bytes as they need, 4 per context to find
    what follows it, `bits` for each probability and weight, but 32 for those of single tokens.
    """
    word = np.min_scalar_type(max(1, model.counts.size - 1)).itemsize
    tokens, *ngrams = (len(grams) for grams in model.counts.orders)
    contexts = sum(ngrams[:-1])
    weights = 4 * tokens if ngrams else 0
    return (
        4 * tokens
        + 2 * weights
        + sum(ngrams) * word
        + 4 * contexts
        + -(-bits * (sum(ngrams) + contexts) // 8)
    )
