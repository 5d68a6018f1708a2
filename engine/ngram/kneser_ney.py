"""Interpolated modified Kneser-Ney: a little is taken from every count and given to the next shorter context.

What      P_m(w | h) = (a(hw) - D_m(a(hw))) / A(h) + gamma(h) P_{m-1}(w | h'),   P_0 = 1 / V'
          a = adjusted count, A(h) = sum of a(hw), h' = h without its first token, gamma(h) = what is left up to 1;
          D_m(j) = j - (j + 1) Y n_{j+1} / n_j for j = 1, 2, 3 and more, with Y = n_1 / (n_1 + 2 n_2), from the n-grams
          of order m with adjusted count 1 to 4.  A context that was never seen is skipped.
Source    Chen & Goodman, An Empirical Study of Smoothing Techniques for Language Modeling, Computer Speech & Language 13,
          1999, sec. 3; adjusted counts of n-grams behind <s>, unigrams and fallback as in
          Heafield et al., Scalable Modified Kneser-Ney Language Model Estimation, ACL 2013, sec. 3.1-3.3
Shapes    T = tokens, V = token ids, G = n-grams of one order, P = contexts of one order, M = orders 0 (uniform) to n
Differs   Where the discounts cannot be computed they are 0.5, 1, 1.5 (lmplz stops unless asked to do so).  N-grams that are
          cut off leave their probability to the shorter context, so every distribution still sums to 1.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np

from engine.ngram.counts import Counts, sums

FALLBACK = (0.0, 0.5, 1.0, 1.5)


def discounts(n_4: Sequence[int] | np.ndarray) -> np.ndarray:
    """(4,) discounts of the counts 0, 1, 2, 3 and more, from how many n-grams were counted 1, 2, 3 and 4 times."""
    n1, n2, n3, n4 = (float(n) for n in n_4)
    if not (n1 and n2 and n3):
        return np.array(FALLBACK)
    y = n1 / (n1 + 2 * n2)
    d = np.array([0.0, 1 - 2 * y * n2 / n1, 2 - 3 * y * n3 / n2, 3 - 4 * y * n4 / n3])
    return d if (d >= 0).all() else np.array(FALLBACK)


class KneserNey:
    """Distributions over the next token.  `place_TM` is what `counts.places` gives: row t is the context after token t."""

    def __init__(self, counts: Counts, count_of_counts: np.ndarray, never: int | None = None) -> None:
        """Of adjusted, perhaps cut, counts.  `never`: the id of a start mark that has an id but is never predicted."""
        self.counts, self.count_of_counts, self.never = counts, count_of_counts, never
        self.order = len(counts.orders)
        self.uniform = 1 / (counts.size - (never is not None))
        self.discount_M4 = np.array([discounts(n) for n in count_of_counts])
        self.alpha: list[np.ndarray] = []  # per order (G,): discounted count by total
        self.gamma: list[np.ndarray] = []  # per order (P,): the share that is left to the shorter context
        for grams, d_4 in zip(counts.orders, self.discount_M4, strict=True):
            total_P = np.maximum(grams.total_P, 1)
            left_G = grams.count_G - d_4[np.minimum(grams.count_G, 3)]
            self.gamma.append(1 - sums(grams.first_P, left_G) / total_P)
            self.alpha.append((left_G / np.repeat(total_P, np.diff(grams.first_P))).astype(np.float32))

    @classmethod
    def estimate(cls, raw: Counts, never: int | None = None, minimum: Sequence[int] = ()) -> Self:
        """From plain counts.  `minimum[k - 1]`: n-grams of order k that occur less often are cut off (not for order 1)."""
        adjusted = raw.adjusted()
        statistic = np.array([np.bincount(g.count_G, minlength=5)[1:5] for g in adjusted.orders], np.uint32)
        least = [0, *minimum[1:]] + [0] * len(raw.orders)
        kept = [g.count_G >= low for g, low in zip(raw.orders, least, strict=False)]
        return cls(adjusted if all(k.all() for k in kept) else adjusted.keep(kept), statistic, never)

    def backoff(self, place_TM: np.ndarray) -> np.ndarray:
        """(T, M) the share that each order leaves to the next shorter one; 1 where the context was not seen, 0 for uniform."""
        gamma_TM = np.ones(place_TM.shape)
        gamma_TM[:, 0] = 0
        for m, gamma_P in enumerate(self.gamma, 1):
            context_T = place_TM[:, m - 1]
            gamma_TM[:, m] = np.where(context_T >= 0, gamma_P[context_T], 1) if len(gamma_P) else 1
        return gamma_TM

    def weights(self, place_TM: np.ndarray) -> np.ndarray:
        """(T, M) what the `alpha` of each order is multiplied by."""
        gamma_TM = self.backoff(place_TM)
        return weigh(gamma_TM, mix(gamma_TM, gamma_TM))

    def distributions(self, place_TM: np.ndarray, weight_TM: np.ndarray | None = None) -> np.ndarray:
        """(T, V) float32: the distribution of the token after each token; with other weights of the orders, if given."""
        if weight_TM is None:
            weight_TM = self.weights(place_TM)
        p_TV = np.empty((len(place_TM), self.counts.size), np.float32)
        for p_V, place_M, weight_M in zip(p_TV, place_TM.tolist(), weight_TM.tolist(), strict=True):
            np.multiply(self.alpha[0], weight_M[1], out=p_V)
            p_V += weight_M[0] * self.uniform
            if self.never is not None:
                p_V[self.never] = 0
            for m in range(2, self.order + 1):
                if place_M[m - 1] >= 0:
                    grams = self.counts.orders[m - 1]
                    a, b = grams.first_P[place_M[m - 1] : place_M[m - 1] + 2].tolist()
                    if a < b:
                        p_V[grams.word_G[a:b]] += self.alpha[m - 1][a:b] * weight_M[m]
        return p_TV

    def parts(self, place_KM: np.ndarray, weight_KM: np.ndarray) -> np.ndarray:
        """(K, M) what each order adds to the probability of K tokens; a row sums to that probability.

        place_KM   where the m-grams that end in each token are (-1: nowhere)
        weight_KM  the weights of the context before it
        """
        part_KM = np.zeros(place_KM.shape)
        part_KM[:, 0] = weight_KM[:, 0] * self.uniform
        for m, alpha_G in enumerate(self.alpha, 1):
            if len(alpha_G):
                part_KM[:, m] = np.where(place_KM[:, m] >= 0, alpha_G[place_KM[:, m]] * weight_KM[:, m], 0)
        return part_KM

    def matched(self, place_TM: np.ndarray) -> np.ndarray:
        """(T,) the longest order whose n-gram that ends in a token was counted; 0 for a token that never was."""
        seen_TM = place_TM >= 0
        seen_TM[:, 1] = self.counts.orders[0].count_G[place_TM[:, 1]] > 0
        longest_T: np.ndarray = (seen_TM * np.arange(self.order + 1)).max(1)
        return longest_T

    def probabilities(self, stream_T: np.ndarray) -> np.ndarray:
        """(T - 1,) float64: the probability of each token of a stream of sentences given those before it, without the first."""
        place_TM = self.counts.places(stream_T)
        p_T: np.ndarray = self.parts(place_TM[1:], self.weights(place_TM[:-1])).sum(1)
        return p_T

    def ladder(self, place_TM: np.ndarray, weight_TM: np.ndarray, word_TK: np.ndarray) -> dict[str, np.ndarray]:
        """For K next tokens after each of T: `part` (T, K, M), and `count`, `total`, `discount` (T, K, n) of orders 1 to n."""
        t, k = word_TK.shape
        at_FM = np.full((t * k, self.order + 1), -1, np.int64)
        at_FM[:, 0], at_FM[:, 1] = 0, word_TK.ravel()
        out = {name: np.zeros((t * k, self.order)) for name in ("count", "total", "discount")}
        for m, grams in enumerate(self.counts.orders, 1):
            context_F = np.repeat(place_TM[:, m - 1], k)
            if m > 1:
                at_FM[:, m] = self.counts.find(m, context_F, at_FM[:, 1])
            if len(grams):
                out["count"][:, m - 1] = np.where(at_FM[:, m] >= 0, grams.count_G[at_FM[:, m]], 0)
                out["total"][:, m - 1] = np.where(context_F >= 0, grams.total_P[context_F], 0)
            out["discount"][:, m - 1] = self.discount_M4[m - 1][np.minimum(out["count"][:, m - 1], 3).astype(int)]
        part_FM = self.parts(at_FM, np.repeat(weight_TM, k, 0))
        return {"part": part_FM.reshape(t, k, -1)} | {name: v.reshape(t, k, -1) for name, v in out.items()}

    def arrays(self) -> dict[str, np.ndarray]:
        """All that was learned, whole numbers only."""
        return self.counts.arrays() | {"count_of_counts": self.count_of_counts}

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, np.ndarray], boundary: int, never: int | None = None) -> Self:
        return cls(Counts.from_arrays(arrays, boundary), arrays["count_of_counts"], never)


def mix(own_TM: np.ndarray, gamma_TM: np.ndarray) -> np.ndarray:
    """(T, M) how much of each distribution comes from each order: 1 - gamma of what the longer ones left.

    own_TM    the model's `backoff`
    gamma_TM  the same or an edited one, which counts where the model has seen the context
    """
    gamma_TM = np.where(own_TM < 1, np.clip(gamma_TM, 0, 1), 1)
    gamma_TM[:, 0] = 0  # below uniform there is nothing to leave it to
    above_TM = np.ones_like(gamma_TM)
    above_TM[:, :-1] = gamma_TM[:, :0:-1].cumprod(1)[:, ::-1]
    return (1 - gamma_TM) * above_TM


def weigh(own_TM: np.ndarray, mass_TM: np.ndarray) -> np.ndarray:
    """(T, M) what the `alpha` of each order is multiplied by, so that the orders have these masses in the distribution.

    own_TM   the model's `backoff`
    mass_TM  of `mix`, or an edited one: then in proportion, as a distribution sums to 1, and where there is none uniform
    """
    seen_TM = own_TM < 1
    mass_TM = np.where(seen_TM, np.maximum(mass_TM, 0), 0)
    sum_T1 = mass_TM.sum(1, keepdims=True)
    mass_TM[sum_T1[:, 0] == 0, 0] = 1
    return np.divide(mass_TM / np.where(sum_T1 > 0, sum_T1, 1), 1 - own_TM, out=np.zeros_like(own_TM), where=seen_TM)
