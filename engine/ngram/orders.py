"""Orders: one smoothing method at orders 1 to n over the same counts.

What      an order is cut off by leaving out the n-grams that are longer
Source    Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 3: one text, unigrams to
          4-grams side by side
Shapes    M = orders 0 (uniform) to n
Differs   Jelinek-Mercer's given weights: those of the orders that are left, in proportion.
"""

from __future__ import annotations

from dataclasses import replace

from engine.ngram.counts import Counts
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing
from engine.ngram.smoothing.jelinek_mercer import JelinekMercer


def up_to(raw: Counts, order: int) -> Counts:
    """Only the n-grams of at most so many tokens."""
    return Counts(raw.orders[:order], raw.boundary)


def at_order(method: Smoothing, raw: Counts, order: int, never: int | None = None) -> Smoothed:
    """The model of one order, 1 to that of the counts; `never` as in `Smoothed.estimate`."""
    if isinstance(method, JelinekMercer) and method.lambdas.strip() and order < len(raw.orders):
        lambda_M = method.weights(len(raw.orders))
        assert lambda_M is not None
        left_M = lambda_M[order::-1]
        method = replace(
            method, lambdas=",".join(map(repr, left_M.tolist())) if left_M.sum() > 0 else ""
        )
    return Smoothed.estimate(method, up_to(raw, order), never)
