"""Smoothed: counts of n-grams with one smoothing method are a model of the next token.

What      P_m(w | h) from alpha(hw) and gamma(h) of every order (smoothing/base.py).  The
          distribution after a context is
          one pass over the vocabulary: the unigrams, weighted, and into them the slices of what
          followed the context
          and its endings, shortest first; added in interpolation, written over in back-off.
Source    the two forms: Chen & Goodman 1999, sec. 2.8; slices: Pauls & Klein, ACL 2011, sec. 3
Shapes    T = tokens, V = token ids, G = n-grams of one order, P = contexts of one order, M = orders
          0 (uniform) to n
Differs   A context that was never seen is skipped (in stupid back-off at the price of a step).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Self

import numpy as np

from engine.ngram.counts import Counts, Grams, copy_others, sums
from engine.ngram.smoothing.base import NONE, Level, Smoothing


class Smoothed:
    """Distributions over the next token.  `place_TM` is what `counts.places` gives: row t is the
    context after token t.

    alpha   per order (G,) float32, what an n-gram gets by itself
    gamma   per order (P,) what a context leaves to the next shorter one
    """

    unspoken = 0  # tokens that are never predicted, besides `never`

    def __init__(
        self,
        method: Smoothing,
        counts: Counts,
        learned: Mapping[str, np.ndarray],
        never: int | None = None,
        levels: Sequence[tuple[np.ndarray, np.ndarray]] | None = None,
    ) -> None:
        """Of counts as the method reads them, perhaps cut.

        never   the id of a start mark that has an id but is never predicted
        levels  alpha and gamma of each order, where they are known
        """
        self.method, self.counts, self.learned, self.never = method, counts, learned, never
        self.order = len(counts.orders)
        self.predicted = counts.size - (never is not None) - self.unspoken
        self.uniform = 1 / self.predicted if method.uniform else 0.0
        self.alpha: list[np.ndarray] = []
        self.gamma: list[np.ndarray] = []
        listed_G: np.ndarray | None = None
        for m, grams in enumerate(counts.orders, 1):
            if levels is not None:
                alpha_G, gamma_P = levels[m - 1]
            else:
                alpha_G, gamma_P, listed_G = self._level(m, grams, listed_G)
            self.alpha.append(alpha_G.astype(np.float32, copy=False))
            self.gamma.append(gamma_P)

    def _level(
        self, m: int, grams: Grams, below_G: np.ndarray | None
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
        """(alpha, gamma, in back-off the probability of each n-gram of the order) from those of the
        order below."""
        level = self.level(m, grams)
        alpha_G = self.method.kept(level)
        if self.method.interpolates:
            return alpha_G, self.method.left(level, alpha_G, None), None
        if m == 1:
            return (alpha_G := self._all(alpha_G, grams)), np.zeros(1), alpha_G
        assert below_G is not None
        lower_G = below_G[self.counts.suffix(m)]
        gamma_P = self.method.left(level, alpha_G, lower_G)
        if self.method.is_probability:  # where every token was seen nothing is left to back off to
            sum_P = sums(grams.first_P, alpha_G)
            full_P = gamma_P == 0
            alpha_G = alpha_G / level.each(np.where(full_P & (sum_P > 0), sum_P, 1))
            alpha_G = np.where(level.each(full_P & (sum_P == 0)), lower_G, alpha_G)
        return alpha_G, gamma_P, alpha_G

    def _all(self, alpha_V: np.ndarray, grams: Grams) -> np.ndarray:
        """Unigrams to back off to: tokens that were never counted share what the others do not
        keep."""
        if not self.method.is_probability:
            return alpha_V
        unseen_V = grams.count_G == 0
        if self.never is not None:
            unseen_V[self.never] = False
        left = 1 - float(alpha_V.sum())
        left = left if left > NONE else 0.0
        return (
            np.where(unseen_V, left / unseen_V.sum(), alpha_V)
            if unseen_V.any()
            else alpha_V / (1 - left)
        )

    def level(self, m: int, grams: Grams) -> Level:
        """The n-grams of order m as a smoothing method sees them."""
        return Level(
            m,
            self.order,
            grams.count_G,
            grams.first_P,
            grams.total_P,
            self.counts.rooted(m),
            self.predicted,
            self.learned,
        )

    @classmethod
    def estimate(
        cls,
        method: Smoothing,
        raw: Counts,
        never: int | None = None,
        minimum: Sequence[int] = (),
        held_out: np.ndarray | None = None,
    ) -> Self:
        """From plain counts.

        minimum   `minimum[k - 1]`: n-grams of order k that occur less often are cut off (not for
                  order 1), longer ones no less strictly, as an n-gram needs its shorter ones
        held_out  (N,) a stream of sentences that were not counted, for methods that learn from one
        """
        counts = raw.adjusted() if method.adjusted else raw
        learned = method.learn(counts, held_out)
        least = np.maximum.accumulate([0, *minimum[1:]] + [0] * len(raw.orders)).tolist()
        if any(low > 1 for low in least):
            counts = counts.keep(
                [g.count_G >= low for g, low in zip(raw.orders, least, strict=False)]
            )
        return cls(method, counts, learned, never)

    def backoff(self, place_TM: np.ndarray) -> np.ndarray:
        """(T, M) the share that each order leaves to the next shorter one; all where the context
        was not seen, 0 for uniform."""
        gamma_TM = np.full(place_TM.shape, self.method.skipped)
        gamma_TM[:, 0] = 0
        for m, gamma_P in enumerate(self.gamma, 1):
            context_T = place_TM[:, m - 1]
            if len(gamma_P):
                gamma_TM[:, m] = np.where(context_T >= 0, gamma_P[context_T], self.method.skipped)
        if self.method.skipped != 1:  # but behind <s> no longer context could have been seen
            begun_T = np.zeros(len(place_TM), bool)
            for m, rooted_P in enumerate(self._rooted, 2):
                context_T = place_TM[:, m - 1]
                gamma_TM[begun_T, m] = 1
                begun_T |= (context_T >= 0) & (rooted_P[context_T] if len(rooted_P) else False)
        return gamma_TM

    @cached_property
    def _rooted(self) -> list[np.ndarray]:
        """Per order from 2 up, which contexts begin with <s>."""
        return [self.counts.rooted(m) for m in range(2, self.order + 1)]

    def weights(self, place_TM: np.ndarray) -> np.ndarray:
        """(T, M) what the `alpha` of each order is multiplied by: all that the longer ones
        leave."""
        return handed_down(self.backoff(place_TM))

    def distributions(
        self, place_TM: np.ndarray, weight_TM: np.ndarray | None = None
    ) -> np.ndarray:
        """(T, V) float32: the distribution of the token after each token; with other weights of the
        orders, if given."""
        if weight_TM is None:
            weight_TM = self.weights(place_TM)
        p_TV = np.empty((len(place_TM), self.counts.size), np.float32)
        adds = self.method.interpolates
        for p_V, place_M, weight_M in zip(p_TV, place_TM.tolist(), weight_TM.tolist(), strict=True):
            np.multiply(self.alpha[0], weight_M[1], out=p_V)
            if self.uniform:
                p_V += weight_M[0] * self.uniform
            if self.never is not None:
                p_V[self.never] = 0
            for m, word_G, alpha_G in self._slices(place_M):
                if adds:
                    p_V[word_G] += alpha_G * weight_M[m]
                else:
                    p_V[word_G] = alpha_G * weight_M[m]
        return p_TV

    def _slices(self, place_M: list[int]) -> list[tuple[int, np.ndarray, np.ndarray]]:
        """(order, tokens, their alpha) of what followed a context and its endings, orders 2 and
        up."""
        out = []
        for m in range(2, self.order + 1):
            if place_M[m - 1] >= 0:
                grams = self.counts.orders[m - 1]
                a, b = grams.first_P[place_M[m - 1] : place_M[m - 1] + 2].tolist()
                if a < b:
                    out.append((m, grams.word_G[a:b], self.alpha[m - 1][a:b]))
        return out

    def mass(self, place_TM: np.ndarray, gamma_TM: np.ndarray) -> np.ndarray:
        """(T, M) how much of each distribution comes from each order; `gamma_TM` is `backoff`, or
        an edited one."""
        if self.method.interpolates:
            mass_TM = mix(self.backoff(place_TM), gamma_TM)
            mass_TM[:, 0] *= self.method.uniform
            return mass_TM
        mass_TM, weight_TM = np.zeros(place_TM.shape), handed_down(gamma_TM)
        for mass_M, place_M, weight_M in zip(
            mass_TM, place_TM.tolist(), weight_TM.tolist(), strict=True
        ):
            mass_M[1] = self.alpha[0].sum(dtype=np.float64) * weight_M[1]
            before = 1, self.alpha[0]
            # what is written over is taken from the order it was from
            for m, word_G, alpha_G in self._slices(place_M):
                below, values = before
                mass_M[below] -= float(values[word_G].sum(dtype=np.float64)) * weight_M[below]
                mass_M[m] = float(alpha_G.sum(dtype=np.float64)) * weight_M[m]
                spread_V = np.zeros(self.counts.size, np.float32)
                spread_V[word_G] = alpha_G
                before = m, spread_V
        return np.maximum(mass_TM, 0)

    def reweigh(
        self, place_TM: np.ndarray, gamma_TM: np.ndarray, own_TM: np.ndarray, mass_TM: np.ndarray
    ) -> np.ndarray:
        """(T, M) weights of the orders under which they have the masses `mass_TM`; `own_TM` is what
        `mass` gave."""
        if self.method.interpolates:
            return weigh(self.backoff(place_TM), mass_TM)
        return handed_down(gamma_TM) * np.divide(
            mass_TM, own_TM, out=np.ones_like(own_TM), where=own_TM > 0
        )

    def parts(self, place_KM: np.ndarray, weight_KM: np.ndarray) -> np.ndarray:
        """(K, M) what each order adds to the probability of K tokens; a row sums to that
        probability.

        place_KM   where the m-grams that end in each token are (-1: nowhere)
        weight_KM  the weights of the context before it
        """
        part_KM = np.zeros(place_KM.shape)
        part_KM[:, 0] = weight_KM[:, 0] * self.uniform
        for m, alpha_G in enumerate(self.alpha, 1):
            if len(alpha_G):
                part_KM[:, m] = np.where(
                    place_KM[:, m] >= 0, alpha_G[place_KM[:, m]] * weight_KM[:, m], 0
                )
                if not self.method.interpolates:
                    part_KM[:, :m] *= (place_KM[:, m] < 0)[:, None]
        return part_KM

    def matched(self, place_TM: np.ndarray) -> np.ndarray:
        """(T,) the longest order whose n-gram that ends in a token was counted; 0 for a token that
        never was."""
        seen_TM = place_TM >= 0
        seen_TM[:, 1] = self.counts.orders[0].count_G[place_TM[:, 1]] > 0
        longest_T: np.ndarray = (seen_TM * np.arange(self.order + 1)).max(1)
        return longest_T

    def probabilities(self, stream_T: np.ndarray) -> np.ndarray:
        """(T - 1,) float64: the probability of each token of a stream of sentences given those
        before it, without the first."""
        place_TM = self.counts.places(stream_T)
        p_T: np.ndarray = self.parts(place_TM[1:], self.weights(place_TM[:-1])).sum(1)
        return p_T

    def ladder(
        self, place_TM: np.ndarray, weight_TM: np.ndarray, word_TK: np.ndarray
    ) -> dict[str, np.ndarray]:
        """For K next tokens after each of T: `part` (T, K, M), and `count`, `total`, `discount` (T,
        K, n) of orders 1 to n.

        `discount` is what the method took from the count.
        """
        t, k = word_TK.shape
        at_FM = np.full((t * k, self.order + 1), -1, np.int64)
        at_FM[:, 0], at_FM[:, 1] = 0, word_TK.ravel()
        out = {name: np.zeros((t * k, self.order)) for name in ("count", "total", "discount")}
        for m, grams in enumerate(self.counts.orders, 1):
            context_F = np.repeat(place_TM[:, m - 1], k)
            if m > 1:
                at_FM[:, m] = self.counts.find(m, context_F, at_FM[:, 1])
            if len(grams):
                count_F = np.where(at_FM[:, m] >= 0, grams.count_G[at_FM[:, m]], 0)
                total_F = np.where(context_F >= 0, grams.total_P[context_F], 0)
                out["count"][:, m - 1], out["total"][:, m - 1] = count_F, total_F
                out["discount"][:, m - 1] = np.where(
                    count_F > 0, count_F - self.alpha[m - 1][at_FM[:, m]] * total_F, 0
                )
        part_FM = self.parts(at_FM, np.repeat(weight_TM, k, 0))
        return {"part": part_FM.reshape(t, k, -1)} | {
            name: v.reshape(t, k, -1) for name, v in out.items()
        }

    def arrays(self, compact: bool = False) -> dict[str, np.ndarray]:
        """All that was learned.  `compact`: whole numbers only, a third of the bytes, from which
        the rest is computed again."""
        if compact:
            return self.counts.arrays() | dict(self.learned)
        out = {f"learned.{name}": value for name, value in self.learned.items()}
        for m, (grams, alpha_G, gamma_P) in enumerate(
            zip(self.counts.orders, self.alpha, self.gamma, strict=True), 1
        ):
            small = np.int32 if len(grams) < 2**31 else np.int64
            out |= {
                f"level{m}.word": grams.word_G.astype(np.int32),
                f"level{m}.count": grams.count_G.astype(np.int32),
                f"level{m}.first": grams.first_P.astype(small),
                f"level{m}.total": grams.total_P.astype(np.int64),
                f"level{m}.alpha": alpha_G,
                f"level{m}.gamma": gamma_P.astype(np.float64),
            }
        return out

    @classmethod
    def from_arrays(
        cls,
        method: Smoothing,
        arrays: Mapping[str, np.ndarray],
        boundary: int,
        never: int | None = None,
    ) -> Self:
        if "level1.word" not in arrays:
            return cls(method, Counts.from_arrays(arrays, boundary), copy_others(arrays), never)
        orders: list[Grams] = []
        levels: list[tuple[np.ndarray, np.ndarray]] = []
        size = len(arrays["level1.word"])
        while (name := f"level{len(orders) + 1}") + ".word" in arrays:
            word_G, count_G, first_P, total_P = (
                arrays[f"{name}.{part}"] for part in ("word", "count", "first", "total")
            )
            orders.append(Grams(size, word_G, count_G, first_P, None, total_P))
            levels.append((arrays[f"{name}.alpha"], arrays[f"{name}.gamma"]))
        learned = {
            name.removeprefix("learned."): arrays[name]
            for name in arrays
            if name.startswith("learned.")
        }
        return cls(method, Counts(orders, boundary), learned, never, levels)


def handed_down(gamma_TM: np.ndarray) -> np.ndarray:
    """(T, M) the product of the gamma of all longer orders."""
    above_TM = np.ones_like(gamma_TM)
    above_TM[:, :-1] = gamma_TM[:, :0:-1].cumprod(1)[:, ::-1]
    return above_TM


def mix(own_TM: np.ndarray, gamma_TM: np.ndarray) -> np.ndarray:
    """(T, M) how much of each distribution comes from each order: 1 - gamma of what the longer ones
    left.

    own_TM    the model's `backoff`
    gamma_TM  the same or an edited one, which counts where the model has seen the context
    """
    gamma_TM = np.where(own_TM < 1, np.clip(gamma_TM, 0, 1), 1)
    gamma_TM[:, 0] = 0  # below uniform there is nothing to leave it to
    return (1 - gamma_TM) * handed_down(gamma_TM)


def weigh(own_TM: np.ndarray, mass_TM: np.ndarray) -> np.ndarray:
    """(T, M) what the `alpha` of each order is multiplied by, so that the orders have these masses
    in the distribution.

    own_TM   the model's `backoff`
    mass_TM  of `mix`, or an edited one: then in proportion, as a distribution sums to 1, and where
             there is none uniform
    """
    seen_TM = own_TM < 1
    mass_TM = np.where(seen_TM, np.maximum(mass_TM, 0), 0)
    sum_T1 = mass_TM.sum(1, keepdims=True)
    mass_TM[sum_T1[:, 0] == 0, 0] = 1
    return np.divide(
        mass_TM / np.where(sum_T1 > 0, sum_T1, 1),
        1 - own_TM,
        out=np.zeros_like(own_TM),
        where=seen_TM,
    )
