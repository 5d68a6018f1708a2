"""Entropy pruning: the n-grams without which the distributions change least are taken out.

What      leaving hw out changes the row of h only, by the relative entropy
              D = -p(h) { p(w|h) [ln P(w|h') + ln gamma'(h) - ln p(w|h)] + [ln gamma'(h) - ln
              gamma(h)] (1 - sum_listed p(.|h)) }
              gamma'(h) = (1 - sum_listed p(.|h) + p(w|h)) / (1 - sum_listed P(.|h') + P(w|h'))
          hw goes where the perplexity would grow by less than a share of itself: e^D - 1 <
          threshold.  Afterwards gamma is computed anew, so that every row sums to 1.  The orders
          take their turns, the longest first
Source    Stolcke, Entropy-based Pruning of Backoff Language Models, 1998, sec. 3; why p(h) should
          not come from Kneser-Ney's short n-grams: Chelba, Brants, Neveitt & Xu, Study on
          Interaction between Entropy Pruning and Kneser-Ney Smoothing, 2010
Shapes    G = n-grams of one order, P = contexts of one order, N = tokens of a text
Differs   An n-gram stays while a longer one that is listed begins or ends with it, as context or as
          suffix.  Any smoothed model is judged in back-off form, interpolated ones too.  Order 1
          stays whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.backoff import BackOff, listed, shorten, size_bytes
from engine.ngram.counts import Counts, sums
from engine.ngram.smoothed import Smoothed

FULL = 1e-6  # less is a rounding error of 32-bit numbers: every token is listed


@dataclass(frozen=True, slots=True)
class Pruned:
    """A model at one threshold and what it is worth.

    ngrams      how many of each order are left
    perplexity  of the tokens that got a probability; `zeros` got none
    """

    threshold: float
    model: Smoothed
    ngrams: tuple[int, ...]
    size_bytes: int
    perplexity: float
    zeros: int


def prune(model: Smoothed, threshold: float, raw: Counts | None = None) -> Smoothed:
    """The model in back-off form without the n-grams that change its perplexity by less than a
    share `threshold`.

    raw  plain counts to take p(h) from, which list all of the model's n-grams; else it is the
         model's own probability
    """
    counts, p = model.counts, listed(model)
    below = _below(model, p)
    kept = _chosen(model, p, below, threshold, raw)
    left = [np.zeros(1)]  # per order (P,) what is not given to listed n-grams
    for m in range(2, model.order + 1):
        first_P = counts.orders[m - 1].first_P
        left_P = model.gamma[m - 1] * (1 - sums(first_P, below[m - 1]))
        left.append(left_P + sums(first_P, np.where(kept[m - 1], 0, p[m - 1])))
    levels = [(p_G[kept_G], np.zeros(1)) for p_G, kept_G in zip(p, kept, strict=True)]
    pruned = Smoothed(BackOff(), counts.keep(kept), {}, model.never, levels)
    for m in range(2, model.order + 1):
        listed_P = sums(pruned.counts.orders[m - 1].first_P, shorten(pruned, m, levels[m - 2][0]))
        left_P = np.maximum(left[m - 1][kept[m - 2]], 0)
        pruned.gamma[m - 1] = np.divide(
            left_P, 1 - listed_P, out=np.zeros_like(left_P), where=1 - listed_P > FULL
        )
    return pruned


def thin(model: Smoothed, threshold: float, raw: Counts | None = None) -> Smoothed:
    """The model as its method makes it from the counts that `prune` would leave: in whole numbers,
    at a little more perplexity."""
    p = listed(model)
    kept = _chosen(model, p, _below(model, p), threshold, raw)
    return Smoothed(model.method, model.counts.keep(kept), model.learned, model.never)


def _below(model: Smoothed, p: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Per order (G,) what the shorter context says of each n-gram's last token; nothing for order
    1."""
    return [np.zeros(0), *(shorten(model, m, p[m - 2]) for m in range(2, model.order + 1))]


def _chosen(
    model: Smoothed,
    p: Sequence[np.ndarray],
    below: Sequence[np.ndarray],
    threshold: float,
    raw: Counts | None,
) -> list[np.ndarray]:
    """Per order (G,) which n-grams stay."""
    counts, often = model.counts, histories(model, p, raw)
    kept = [np.ones(len(grams), bool) for grams in counts.orders]
    for m in range(model.order, 1, -1):
        grams = counts.orders[m - 1]
        change_G = np.expm1(
            divergence(p[m - 1], below[m - 1], grams.first_P, model.gamma[m - 1], often[m - 1])
        )
        needed_G = np.zeros(len(grams), bool)
        if m < model.order:
            longer = counts.orders[m]
            needed_G[longer.context_G[kept[m]]] = True
            suffix_G = counts.suffix(m + 1)[kept[m]]
            needed_G[suffix_G[suffix_G >= 0]] = True
        kept[m - 1] = (change_G >= threshold) | needed_G
    return kept


def histories(
    model: Smoothed, p: Sequence[np.ndarray], raw: Counts | None = None
) -> list[np.ndarray]:
    """Per order (P,) p(h): how often each context is met; <s> as often as </s>."""
    orders = model.counts.orders
    often, place_G = [np.ones(1)], np.arange(model.counts.size)
    for m, grams in enumerate(orders[:-1], 1):
        if raw is None:
            often.append(np.repeat(often[-1], np.diff(grams.first_P)) * p[m - 1])
            continue
        if m > 1:
            place_G = raw.find(m, place_G[grams.context_G], grams.word_G.astype(np.int64))
        if (place_G < 0).any():
            raise ValueError(
                "the plain counts lack n-grams of the model; give those that it was made from"
            )
        often.append(raw.orders[m].total_P[place_G] / raw.orders[0].count_G.sum())
    return often


def divergence(
    p_G: np.ndarray,
    lower_G: np.ndarray,
    first_P: np.ndarray,
    gamma_P: np.ndarray,
    often_P: np.ndarray,
) -> np.ndarray:
    """(G,) nats: the relative entropy of the model without one n-gram, for each of an order.

    lower_G  P(w | h') of each
    """
    many_P = np.diff(first_P)
    free_P = np.maximum(1 - sums(first_P, lower_G), 0)
    left_G, free_G = np.repeat(gamma_P * free_P, many_P), np.repeat(free_P, many_P)
    # what the shorter context has no probability for has D = infinity
    with np.errstate(divide="ignore", invalid="ignore"):
        gamma_G = (left_G + p_G) / (free_G + lower_G)
        own_G = np.where(p_G > 0, p_G * np.log(lower_G * gamma_G / p_G), 0)
        rest_G = np.where(left_G > 0, left_G * np.log(gamma_G / np.repeat(gamma_P, many_P)), 0)
    return np.maximum(-np.repeat(often_P, many_P) * (own_G + rest_G), 0)


def curve(
    model: Smoothed, thresholds: Sequence[float], stream_N: np.ndarray, raw: Counts | None = None
) -> list[Pruned]:
    """Size against perplexity on a stream of sentences, one point per threshold."""
    points = []
    for threshold in thresholds:
        pruned = prune(model, threshold, raw)
        p_N = pruned.probabilities(stream_N)
        some_N = p_N > 0
        perplexity = float(np.exp(-np.log(p_N[some_N]).mean())) if some_N.any() else np.nan
        ngrams = tuple(len(grams) for grams in pruned.counts.orders)
        points.append(
            Pruned(threshold, pruned, ngrams, size_bytes(pruned), perplexity, int((~some_N).sum()))
        )
    return points
