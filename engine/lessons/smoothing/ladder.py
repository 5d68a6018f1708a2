"""The back-off ladder of one next token: every order's numbers, and each method's formula with them
put in."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from engine.core.trace import Table
from engine.frame.latex import power
from engine.lessons.counting_context import Context
from engine.ngram.smoothed import Smoothed
from engine.ngram.smoothing.base import Smoothing


@dataclass(frozen=True)
class Rung:
    """One order, longest first.  `p` is its own P_m(w | h), `part` what it adds to that of the
    longest.

    count, total   c(hw) and c(h), as the method counts; `distinct` is N1+(h.), different tokens
                   after h
    alpha, gamma   what the n-gram keeps, and what is left to the shorter context
    """

    order: int
    context: tuple[str, ...]
    count: float
    total: float
    distinct: int
    discount: float
    alpha: float
    gamma: float
    weight: float
    part: float
    p: float

    def named(self, word: str) -> str:
        if self.order > 1:
            return f"{' '.join(self.context)} → {word}"
        return word if self.order else "every token equally"


def rungs(model: Smoothed, context: Context, word: int) -> list[Rung]:
    """Longest order first; the last rung is order 0, where the method has one."""
    place_1M = context.places(model)
    weight_1M, gamma_M = model.weights(place_1M), model.backoff(place_1M)[0]
    found = model.ladder(place_1M, weight_1M, np.array([[word]]))
    part_M = found["part"][0, 0]
    count_n, total_n, discount_n = (found[name][0, 0] for name in ("count", "total", "discount"))
    p = 0.0 if model.never == word else model.uniform
    out = list[Rung]()
    if model.uniform:
        out = [Rung(0, (), 0, 0, 0, 0.0, p, 0.0, float(weight_1M[0, 0]), float(part_M[0]), p)]
    for m in range(1, model.order + 1):
        # so many words were not typed: skipped, unless that has a price
        short = len(context.labels) < m - 1
        if short and gamma_M[m] == 1:
            continue
        grams, place = model.counts.orders[m - 1], int(place_1M[0, m - 1])
        count, total, discount = (float(x[m - 1]) for x in (count_n, total_n, discount_n))
        if m == 1:
            alpha, distinct = float(model.alpha[0][word]), int((grams.count_G > 0).sum())
        else:
            alpha = (count - discount) / total if total else 0.0
            distinct = int(np.diff(grams.first_P[place : place + 2])[0]) if place >= 0 else 0
        gamma = float(gamma_M[m])
        if model.method.interpolates:
            p = alpha + gamma * p
        else:
            p = alpha if count > 0 or m == 1 else gamma * p
        labels = context.labels[len(context.labels) - (m - 1) :]
        if short:
            labels = ("…", *context.labels)
        numbers = count, total, distinct, discount, alpha, gamma, float(weight_1M[0, m])
        out.append(Rung(m, labels, *numbers, float(part_M[m]), p))
    return out[::-1]


def table(found: list[Rung], word: str, says: str) -> Table:
    """The rungs as the view `ladder` draws them."""
    numbers = ("order", "count", "total", "discount", "weight", "part", "gamma", "p")
    columns = {name: [getattr(r, name) for r in found] for name in numbers}
    return Table.of("ladder", says, {"rung": [r.named(word) for r in found], **columns})


def number(value: float) -> str:
    """Four significant digits; whole numbers as they are."""
    return str(int(value)) if value == int(value) and abs(value) < 1e9 else power(value)


def formula(model: Smoothed, rung: Rung, below: float) -> str:
    """LaTeX: P_m with its numbers put in; `below` is P of the next shorter context."""
    method, m, n = model.method, rung.order, number
    letter = "P" if method.is_probability else "S"
    head, lower, p = rf"{letter}_{m} = ", n(below), n(rung.p)
    if m == 0:
        return rf"{head}\frac{{1}}{{V}} = \frac{{1}}{{{model.predicted}}} = {p}"
    short = rf"{letter}_{m - 1}"
    factor = r"\gamma(h)" if method.is_probability else "a"
    if not rung.total:
        price = "" if rung.gamma == 1 else rf"{factor}\,"
        return rf"c(h) = 0: \quad {head}{price}{short} = {p}"
    if not method.interpolates and m > 1 and not rung.count:
        return rf"{head}{factor}\,{short} = {n(rung.gamma)} \cdot {lower} = {p}"
    own, is_whole = _own(method, rung, model, below)
    if is_whole or not method.interpolates or not rung.gamma:
        return rf"{head}{own} = {p}"
    return rf"{head}{own} + {n(rung.gamma)} \cdot {lower} = {p}"


def _own(method: Smoothing, r: Rung, model: Smoothed, below: float) -> tuple[str, bool]:
    """What the n-gram has by itself, as the method writes it, and whether that is all of P_m."""
    n, name = number, type(method).__name__
    share = rf"\frac{{{n(r.count)}}}{{{n(r.total)}}}"
    if name in ("AddK", "Laplace"):
        k = n(float(method.k))  # type: ignore[attr-defined]
        if r.alpha or (not r.count and r.gamma < 1):
            divisor = rf"{n(r.total)} + {k} \cdot {model.predicted}"
            return rf"\frac{{{n(r.count)} + {k}}}{{{divisor}}}", True
        return "0", False
    if name == "WittenBell" and abs(r.gamma - r.distinct / (r.total + r.distinct)) < 1e-6:
        seen = rf"{n(r.count)} + {r.distinct} \cdot {n(below)}"
        return rf"\frac{{{seen}}}{{{n(r.total)} + {r.distinct}}}", True
    if name == "JelinekMercer":
        return rf"{n(1 - r.gamma)} \cdot {share}", False
    if not r.count:
        return n(r.alpha) if r.alpha else share, False
    if name == "Katz" and r.order > 1:
        return rf"{n(r.alpha * r.total / r.count)} \cdot {share}", False
    taken = r.count - r.alpha * r.total
    whole = abs(taken) < 1e-6
    return share if whole else rf"\frac{{{n(r.count)} - {n(taken)}}}{{{n(r.total)}}}", False
