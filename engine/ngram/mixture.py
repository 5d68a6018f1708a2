"""Mixture: two or more models together, n-gram with n-gram or n-gram with a neural one.

What      linear       P(w) = sum_k lambda_k P_k(w): a token is likely if one of them finds it
          likely
          log-linear   P(w) = prod_k P_k(w)^lambda_k / Z: a token is likely if none finds it
                       unlikely
          Linear weights by expectation maximisation on held-out text, as in
          smoothing/jelinek_mercer.py.
Source    Jelinek & Mercer 1980 (linear, and its weights); Klakow, Log-linear Interpolation of
          Language Models, ICSLP 1998
Shapes    T = tokens, V = ids of the vocabulary that counts, U = ids of the other one, K = models, N
          = held-out tokens
Differs   Models read different vocabularies only through `align`, which says what becomes of words
          that one does not know.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.ngram.smoothing.jelinek_mercer import em


def linear(p: np.ndarray, q: np.ndarray, weight: float) -> np.ndarray:
    """weight p + (1 - weight) q, for rows of any shape, or for the probabilities of the tokens of a
    text."""
    return weight * p + (1 - weight) * q


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Weights found by expectation maximisation.

    weights  (steps + 1, K), the first row is where it began
    bits     (steps + 1,) bits per token of the held-out text under each row; inf where some token
             is impossible
    """

    weights: np.ndarray
    bits: np.ndarray

    @property
    def best(self) -> np.ndarray:
        """(K,)"""
        last: np.ndarray = self.weights[-1]
        return last


def fit(p_NK: np.ndarray, start: Sequence[float] | None = None, steps: int = 30) -> Fit:
    """From the probability that each of K models gives each of N held-out tokens
    (`Smoothed.probabilities`, stacked)."""
    if p_NK.ndim != 2 or not p_NK.size:
        raise ValueError(
            "weights need held-out tokens, and the probabilities of at least one model"
        )
    lambda_K = (
        np.full(p_NK.shape[1], 1 / p_NK.shape[1]) if start is None else np.asarray(start, float)
    )
    known = bool((p_NK > 0).any())
    trail = [lambda_K / lambda_K.sum()]
    for _ in range(steps if known else 0):
        trail.append(em(p_NK, trail[-1], 1))
    with np.errstate(divide="ignore"):
        bits = [float(-np.log2(p_NK @ lambda_K).mean()) for lambda_K in trail]
    return Fit(np.stack(trail), np.array(bits))


def align(
    p_TU: np.ndarray,
    source: Sequence[str],
    target: Sequence[str],
    unknown: str = "<unk>",
    never: int | None = None,
) -> np.ndarray:
    """(T, V) distributions over one vocabulary as distributions over another; the texts must be cut
    alike.

    Tokens with the same spelling are the same token.  What goes to tokens that the target lacks
    goes to its <unk>.  What goes to the source's <unk> is shared alike by the target's <unk> and
    the target's tokens that the source lacks (but for `never`).  Where there is nobody to give it
    to, the rest is scaled to what the row had.
    """
    place = {token: id for id, token in enumerate(target)}
    known = set(source)
    to_U = np.array([place.get(token, -1) for token in source], np.int64)
    new = [id for id, token in enumerate(target) if token not in known and id != never]
    here = place.get(unknown)
    spread_U = to_U < 0
    out_TV = np.zeros((len(p_TU), len(target)))
    if unknown in known:
        own = list(source).index(unknown)
        receivers = sorted({*new, *([here] if here is not None else [])})
        spread_U[own] = False
        if receivers:
            out_TV[:, receivers] += p_TU[:, [own]] / len(receivers)
        to_U[own] = -1
    kept = np.flatnonzero(to_U >= 0)
    out_TV[:, to_U[kept]] += p_TU[:, kept]
    if here is not None:
        out_TV[:, here] += p_TU[:, spread_U].sum(1)
    sum_T1 = out_TV.sum(1, keepdims=True)
    total_T1 = p_TU.sum(1, keepdims=True)
    return out_TV * np.divide(total_T1, sum_T1, out=np.ones_like(sum_T1), where=sum_T1 > 0)
