"""Sparsity: of all possible n-grams nearly none occur, and of those that do most occur once.

What      distinct n-grams and those seen once, per order, beside the V^n cells of a full table;
          frequency against rank (Zipf's law: f ~ rank^-s); distinct words against words read
          (Heaps' law: V ~ N^b).  s and b: slopes of straight lines through the logarithms, by least
          squares.
Source    Zipf, Human Behavior and the Principle of Least Effort, 1949; Heaps, Information
          Retrieval, 1978;
          Jurafsky & Martin, Speech and Language Processing, 3rd ed., ch. 3
Shapes    N = tokens of a stream, R = ranks, K = points of a curve
Differs   V counts the tokens that occur, </s> among them and <s> not.  Points are spread evenly on
          a logarithmic axis.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.ngram.counts import Counts


@dataclass(frozen=True, slots=True)
class Row:
    """One order.

    tokens    n-grams in the text, each as often as it occurs
    distinct  of them
    once      of those, seen a single time
    possible  V^n: cells of a table of all n-grams
    """

    order: int
    tokens: int
    distinct: int
    once: int
    possible: int

    @property
    def bound(self) -> int:
        """No model that counts can hold more: neither more than there could be nor more than were
        read."""
        return min(self.possible, self.tokens)


def table(counts: Counts) -> list[Row]:
    """Orders 1 to n, of counts that are not adjusted."""
    types = int(np.count_nonzero(counts.orders[0].count_G))
    rows = []
    for order, grams in enumerate(counts.orders, 1):
        count_G = grams.count_G
        distinct, once = int(np.count_nonzero(count_G)), int(np.count_nonzero(count_G == 1))
        rows.append(Row(order, int(count_G.sum(dtype=np.int64)), distinct, once, types**order))
    return rows


@dataclass(frozen=True, slots=True, eq=False)
class Curve:
    """`y` against `x`, K points; `slope` and `level` of the line log y = level + slope log x
    (natural logarithms)."""

    x: np.ndarray
    y: np.ndarray
    slope: float
    level: float

    def line(self) -> np.ndarray:
        """(K,) the line at the same x."""
        return np.exp(self.level + self.slope * np.log(self.x))


def zipf(counts: Counts, order: int = 1, points: int = 300) -> Curve:
    """Frequency against rank of the n-grams of one order; the slope is -s."""
    count_R = -np.sort(-counts.orders[order - 1].count_G.astype(np.int64))
    count_R = count_R[count_R > 0]
    rank = spread(len(count_R), points)
    return _curve(rank, count_R[rank - 1])


def growth(stream_N: np.ndarray, boundary: int, points: int = 100) -> Curve:
    """Distinct tokens against tokens read, boundaries left out; the slope is b."""
    words_N = stream_N[stream_N != boundary]
    first = np.sort(np.unique(words_N, return_index=True)[1])
    read = spread(len(words_N), points)
    return _curve(read, np.searchsorted(first, read))


def spread(last: int, points: int) -> np.ndarray:
    """Distinct whole numbers from 1 to `last`, at most `points`: all, or evenly spread on a
    logarithmic axis."""
    if last <= points:
        return np.arange(1, last + 1)
    return np.unique(np.round(np.geomspace(1, last, points)).astype(np.int64))


def _curve(x: np.ndarray, y: np.ndarray) -> Curve:
    if len(x) < 2:
        return Curve(x, y, 0.0, float(np.log(y[0])) if len(y) else 0.0)
    log_x, log_y = np.log(x), np.log(y)
    slope = float(np.cov(log_x, log_y, bias=True)[0, 1] / log_x.var())
    return Curve(x, y, slope, float(log_y.mean() - slope * log_x.mean()))
