"""Naive Bayes: the class that makes the words of a text likeliest, each word taken by itself.

What      P(c | text) = P(c) * prod P(w | c) / evidence, evidence = the same product summed over the
          classes
          multinomial: P(w | c) = (count of w in c + k) / (all words of c + k V), once for every
          time w stands there
          Bernoulli:   P(w | c) = (texts of c with w + k) / (texts of c + 2 k), and 1 - P(w | c) for
          every absent word
Source    Maron, Automatic Indexing, 1961; McCallum & Nigam, A Comparison of Event Models for Naive
          Bayes Text Classification, 1998
Shapes    C = classes, V = vocabulary; all sums in bits (log2)
Differs   k may be 0: then a word that a class never had makes its product 0, and when that happens
          to every class the posterior is 0/0, which is said and not hidden.  Words outside the
          vocabulary are skipped.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from engine.language.message import refusal
from engine.lessons.bag.counts import Counts

KINDS = ("multinomial", "bernoulli")


@dataclass(frozen=True, eq=False)
class Reading:
    """One text: what every known word adds to every class, in bits."""

    words: tuple[str, ...]
    counts: tuple[int, ...]  # how often each stands in the text
    parts_WC: np.ndarray  # row w: all that this word adds
    rest_C: np.ndarray  # what the absent words add (Bernoulli); else 0
    prior_C: np.ndarray
    skipped: tuple[str, ...]  # words outside the vocabulary

    @property
    def joint_C(self) -> np.ndarray:
        """log2 of prior * likelihood; -inf where a factor is 0, nan where a class was never
        counted."""
        return np.asarray(self.prior_C + self.parts_WC.sum(0) + self.rest_C)

    @property
    def evidence(self) -> float:
        """log2 of what all classes together give this text."""
        return float(np.logaddexp2.reduce(self.joint_C))

    @property
    def posterior_C(self) -> np.ndarray | None:
        """None where it is 0/0: every class gives the text probability 0."""
        return posterior(self.joint_C)


@dataclass(frozen=True, eq=False)
class NaiveBayes:
    """Counts, the smoothing `k` and the priors; `priors` None means the shares of the classes among
    the counted texts."""

    counts: Counts
    k: float = 1.0
    kind: str = "multinomial"
    priors: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        if self.kind not in KINDS:
            raise refusal("kind is one of {KINDS}, not {self.kind!r}")
        if not (np.isfinite(self.k) and self.k >= 0):
            raise refusal("k is 0 or more, not {self.k}")

    @cached_property
    def p_CV(self) -> np.ndarray:
        """P(w | c); nan in the row of a class without any counts at k = 0."""
        n = self.counts
        if self.kind == "multinomial":
            top, below = n.count_CV + self.k, n.total_C + self.k * len(n.vocab)
        else:
            top, below = n.docs_CV + self.k, n.docs_C + 2 * self.k
        with np.errstate(invalid="ignore", divide="ignore"):
            return np.asarray(top / below[:, None])

    @cached_property
    def _absent_CV(self) -> np.ndarray:
        """log2 of 1 - P(w | c)."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(np.log2(1 - self.p_CV))

    @cached_property
    def _all_absent(self) -> tuple[np.ndarray, np.ndarray]:
        """(C,) sums over all words: of the finite numbers, and how many are not finite."""
        never_CV = ~np.isfinite(self._absent_CV)
        return np.where(never_CV, 0, self._absent_CV).sum(1), never_CV.sum(1)

    @cached_property
    def log2_prior_C(self) -> np.ndarray:
        given = self.counts.priors if self.priors is None else np.array(self.priors, float)
        if (
            given.shape != self.counts.docs_C.shape
            or not np.isfinite(given).all()
            or (given < 0).any()
            or given.sum() <= 0
        ):
            raise refusal(
                "priors are {count} numbers of 0 or more, and not all 0",
                count=len(self.counts.classes),
            )
        with np.errstate(divide="ignore"):
            return np.asarray(np.log2(given / given.sum()))

    def read(self, text: str) -> Reading:
        bag, skipped = self.counts.bag(text)
        ids, times = list(bag), np.array(list(bag.values()), np.int64)
        with np.errstate(divide="ignore"):
            bits_WC = np.log2(self.p_CV[:, ids]).T
        if self.kind == "multinomial":
            return Reading(
                self._names(ids),
                tuple(times.tolist()),
                times[:, None] * bits_WC,
                np.zeros(len(self.p_CV)),
                self.log2_prior_C,
                skipped,
            )
        here_CW = self._absent_CV[:, ids]
        never_CW = ~np.isfinite(here_CW)
        finite_C, never_C = self._all_absent
        rest_C = np.where(
            never_C > never_CW.sum(1), -np.inf, finite_C - np.where(never_CW, 0, here_CW).sum(1)
        )
        return Reading(
            self._names(ids), tuple(times.tolist()), bits_WC, rest_C, self.log2_prior_C, skipped
        )

    def _names(self, ids: Sequence[int]) -> tuple[str, ...]:
        return tuple(self.counts.vocab[i] for i in ids)

    def predict(self, text: str) -> str | None:
        """The likeliest class, the first of several; None where the posterior is 0/0."""
        p_C = self.read(text).posterior_C
        return None if p_C is None else self.counts.classes[int(p_C.argmax())]


def posterior(joint_C: np.ndarray) -> np.ndarray | None:
    """The joint probabilities, given as log2, divided by their sum; None for 0/0."""
    high = joint_C.max()
    if not np.isfinite(high):
        return None
    shares_C = np.exp2(joint_C - high)
    return np.asarray(shares_C / shares_C.sum())


def added(counts: Counts, words: Sequence[str], eps: float, renormalise: bool) -> np.ndarray:
    """prior * likelihood per class with `eps` added to every entry of the unsmoothed tables, as the
    notes say it.

    Without renormalising, the entries of a class sum to 1 + eps V.  KeyError for a word outside the
    vocabulary.
    """
    p_CV = NaiveBayes(counts, 0).p_CV + eps
    if renormalise:
        p_CV = p_CV / (1 + eps * len(counts.vocab))
    return np.asarray(counts.priors * p_CV[:, [counts.index[w] for w in words]].prod(1))
