"""Jelinek-Mercer: a fixed mixture of the shares at every order; the weights are given or found on
held-out text.

What      P(w | h) = sum_m lambda_m c_m(w) / c_m; orders whose context was never seen take no part,
          the others in
          proportion.  Weights by expectation maximisation on a held-out text:
              lambda_m <- mean over its tokens of lambda_m P_m / sum_j lambda_j P_j
Source    Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data,
          1980;
          Chen & Goodman 1999, sec. 2.3
Shapes    N = tokens of the held-out text, M = orders 0 (uniform) to n
Differs   One weight per order, not per class of contexts.  A context that begins with <s> is as
          long as any can be there:
          the weights of longer orders are its own.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from engine.core.setting import setting
from engine.language.message import refusal
from engine.ngram.counts import Counts
from engine.ngram.smoothing.base import Level, Smoothing

STEPS = 30
LEAST = 1e-4  # for the uniform order, so that a token never counted is not impossible


@final
@dataclass(frozen=True, slots=True)
class JelinekMercer(Smoothing):
    title = "Jelinek-Mercer"
    rank = 40
    idea = "Mix the proportions of all orders with fixed weights."
    source = (
        "Jelinek & Mercer, Interpolated Estimation of Markov Source Parameters from Sparse Data,"
        " 1980"
    )
    formula = r"P(w \mid h) = \sum_m \lambda_m \frac{c_m(w)}{c_m}, \quad \sum_m \lambda_m = 1"

    lambdas: str = setting(
        "",
        "Jelinek-Mercer: weights, longest order first, as 0.5,0.3,0.2; empty: fitted to lines set aside",
    )

    @property
    def tunes(self) -> bool:
        return not self.lambdas.strip()

    def tuned(self, counts: Counts, apart_N: np.ndarray, predicted: int) -> Smoothing:
        lambda_M = fit(counts, apart_N, predicted)
        return replace(self, lambdas=",".join(map(repr, lambda_M[::-1].tolist())))

    def learn(self, counts: Counts, held_out: np.ndarray | None) -> dict[str, np.ndarray]:
        """`lambda` (M,), uniform first."""
        orders = len(counts.orders)
        given = self.weights(orders)
        if given is not None:
            return {"lambda": given}
        if held_out is None or len(held_out) < 2:
            return {"lambda": np.full(orders + 1, 1 / (orders + 1))}
        return {"lambda": fit(counts, held_out, counts.size)}

    def weights(self, orders: int) -> np.ndarray | None:
        """(M,) the weights given, uniform first; None where none are.  ValueError when they are not
        one per order."""
        if not self.lambdas.strip():
            return None
        try:
            found = [float(part) for part in self.lambdas.replace(";", ",").split(",")]
        except ValueError:
            raise refusal(
                "lambdas are numbers with commas between, longest order first; {self.lambdas!r}"
                " was given"
            ) from None
        if (
            len(found) not in (orders, orders + 1)
            or min(found) < 0
            or not np.isfinite(found).all()
            or sum(found) <= 0
        ):
            raise refusal(
                "lambdas are {orders} numbers from 0 up, longest order first (one more for"
                " uniform); {self.lambdas!r} was given"
            )
        lambda_M = np.array([0.0] * (orders + 1 - len(found)) + found[::-1])
        return lambda_M / lambda_M.sum()

    def kept(self, level: Level) -> np.ndarray:
        lambda_M = level.learned["lambda"].astype(np.float64)
        up_to = lambda_M[: level.order + 1].sum()
        # no weight below: this order is all there is
        own = lambda_M[level.order] / up_to if up_to > 0 else 1.0
        rooted = lambda_M[level.order :].sum()
        return level.share(level.count_G) * level.each(np.where(level.rooted_P, rooted, own))


def fit(counts: Counts, stream_N: np.ndarray, predicted: int) -> np.ndarray:
    """(M,) the weights, uniform first, by expectation maximisation from equal ones."""
    orders = len(counts.orders) + 1
    lambda_M = em(shares(counts, stream_N, predicted), np.full(orders, 1 / orders), STEPS)
    lambda_M[0] = max(lambda_M[0], LEAST)
    return lambda_M / lambda_M.sum()


def shares(counts: Counts, stream_N: np.ndarray, predicted: int) -> np.ndarray:
    """(N - 1, M) the share c_m(w) / c_m of each token of a stream of sentences but the first, at
    every order; 0 after an unseen context."""
    place_NM = counts.places(stream_N)
    share = np.zeros((len(stream_N) - 1, len(counts.orders) + 1))
    share[:, 0] = 1 / predicted
    rooted_N = np.zeros(len(stream_N) - 1, bool)
    for m, grams in enumerate(counts.orders, 1):
        at_N, context_N = place_NM[1:, m], place_NM[:-1, m - 1]
        if len(grams):
            share[:, m] = np.where(
                at_N >= 0, grams.count_G[at_N] / np.maximum(grams.total_P[context_N], 1), 0
            )
        share[:, m] = np.where(rooted_N, share[:, m - 1], share[:, m])
        if m < len(counts.orders) and len(counts.rooted(m)):
            rooted_N |= (context_N >= 0) & counts.rooted(m)[context_N]
    return share


def em(share_NM: np.ndarray, lambda_M: np.ndarray, steps: int) -> np.ndarray:
    """Weights after some steps; each step makes the text no less likely.  Tokens that no order
    knows take no part."""
    for _ in range(steps):
        joint_NM = share_NM * lambda_M
        sum_N = joint_NM.sum(1)
        lambda_M = (joint_NM[sum_N > 0] / sum_N[sum_N > 0, None]).mean(0)
    return lambda_M


SMOOTHING = JelinekMercer
