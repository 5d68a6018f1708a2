"""One sentence by the chain rule: the bars, the factors, and one conditional probability as a ratio
of counts."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Table, TableSpec
from engine.lessons.scoring.latex import finite, plain, power, power_of_two
from engine.live.markdown import escape
from engine.views import theme
from pages.ui import ask, plate, rows
from pages.ui.scoring.methods_compared import BASES, Scored
from pages.ui.show import formula

FACTORS = 14  # written out
PICKED = 200  # sentences to pick from


def bars(s: Scored) -> None:
    """The picture: a bar for each token of all sentences."""
    found = s.mine
    columns = {
        "token": np.array(found.labels[1:], object),
        "bits": found.bits_T[1:] / math.log2(s.base) + 0.0,
        "probability": found.p_T[1:],
        "group": np.where(found.end_T, 1, np.where(found.unknown_T, 2, 0))[1:],
    }
    says = f"Surprisal of each token, −log P, by {s.title}"
    made = Table(TableSpec("surprisal", tuple(columns), says), columns)
    mean = s.measure(found).rest_cross_entropy(s.base)
    options: dict[str, Any] = {"unit": s.unit, **({} if mean is None else {"mean": mean})}
    text = s.lines[0][:200]
    plate.show(s.chosen.plate("surprisal", "surprisal", made, text, s.title, **options))
    zero = int(found.impossible_T.sum())
    line = "" if mean is None else f"The dashed line is the mean, {mean:.4f} {s.unit} per token. "
    st.caption(
        line
        + (
            f"An outline up to the top marks probability 0 ({zero:,}): infinitely many {s.unit}."
            if zero
            else ""
        )
    )


def pick(s: Scored) -> np.ndarray:
    """Positions of the tokens of one sentence."""
    k, n = 1, min(len(s.lines), PICKED)
    if n > 1:
        says = f"Sentences 1 to {n:,}, in the order of the text."
        k = ask.between(st.number_input, "Sentence", "which", 1, n, 1, width=160, help=says)
    return np.flatnonzero(s.mine.sentences_T[1:] == k - 1) + 1


def chain(s: Scored, at: np.ndarray) -> None:
    """The joint probability as a product of conditional ones."""
    found = s.mine
    p = found.p_T[at]
    words = [found.labels[i] for i in at]
    formula(
        r"P(w_1 \ldots w_N) = \prod_{i=1}^{N} P(w_i \mid w_1 \ldots w_{i-1})",
        r"\approx \prod_{i=1}^{N} P(w_i \mid w_{i-n+1} \ldots w_{i-1})",
    )
    said = [
        _fraction(s, i) if s.method == "mle" else power(float(found.p_T[i])) for i in at[:FACTORS]
    ]
    product = r" \cdot ".join(said) + (r" \cdots" if len(at) > FACTORS else "")
    name = "P" if found.is_probability else "S"
    joint = float(np.log2(p[p > 0]).sum()) if (p > 0).all() else None
    end = "0" if joint is None else power_of_two(joint)
    if s.method == "mle" and joint is not None and len(at) <= FACTORS:
        exact = math.prod((Fraction(*_counts(s, i)[:2]) for i in at), start=Fraction(1))
        end = rf"\frac{{{exact.numerator}}}{{{exact.denominator}}} = {end}"
    st.markdown(rf"$\displaystyle {name} = {product} = {end}$")
    if joint is None:
        zero = [w for w, v in zip(words, p, strict=True) if v <= 0]
        st.markdown(
            f"{len(zero)} of {len(p)} factors are 0"
            f" ({', '.join(f'“{escape(theme.visible(w))}”' for w in dict.fromkeys(zero[:6]))}), so"
            " the product is 0."
        )
    else:
        bits = -joint / math.log2(s.base)
        st.markdown(
            rf"$\displaystyle -\log_{{{BASES[s.unit]}}} {name} = {bits:.5f}$ {s.unit} for {len(p)}"
            r" tokens: logarithms add up where probabilities multiply."
        )
    context = ["start" if not c else " ".join(c) for c in (_context(s, i) for i in at)]
    frame = {
        "token": [theme.visible(w) for w in words],
        "after": [theme.visible(c, 40) for c in context],
        "P": [f"{v:.6g}" for v in p],
        s.unit: [finite(v, 4) for v in found.bits_T[at] / math.log2(s.base) + 0.0],
    }
    rows.show(frame, "chain", tallest=420)


def ratio(s: Scored, at: np.ndarray) -> None:
    """P(w | h) = P(h, w) / P(h), both of them counts over the same total."""
    labels = {f"{n}. {theme.visible(s.mine.labels[i])}": int(i) for n, i in enumerate(at[:100], 1)}
    i = labels[ask.pick("Token", list(labels), "factor", [*labels][:2][-1], width=300)]
    count, total, whole = _counts(s, i)
    word = rf"\text{{{plain(s.mine.labels[i])}}}"
    h = rf"\text{{{plain(' '.join(_context(s, i)) or 'anything')}}}"
    if not total:
        st.markdown(
            rf"${h}$ was never a context here, so $\frac{{0}}{{0}}$: the ratio of counts is"
            r" undefined. Maximum likelihood gives 0; the other methods use a shorter context."
        )
        return
    formula(
        rf"P({word} \mid {h}) = \frac{{P({h}, {word})}}{{P({h})}}",
        rf"\vphantom{{\sum_{{i=1}}^{{N}}}} = \frac{{{count} / {whole}}}{{{total} / {whole}}} ="
        rf" \frac{{{count}}}{{{total}}} = {count / total:.6g}",
    )
    m = int(s.mine.context_T[i]) + 1
    ends = _ends(s, i, m)
    st.markdown(
        "The divisor is the count of the context **as a context**: how often any token came"
        " after it, including the sentence end."
    )
    if ends:
        st.markdown(
            f"The sentence ended after it {ends:,} of {total:,} times. If the sentence end"
            " were left out but the divisor kept, the row would sum to"
            f" $\\frac{{{total - ends}}}{{{total}}} = {(total - ends) / total:.4g}$, and"
            f" {ends / total:.3g} of the probability would be lost."
        )
    else:
        st.markdown(
            "No sentence ended right after it, so leaving out the sentence end would lose"
            " nothing here."
        )
    st.markdown(f"{escape(s.title)} gives this token **{s.mine.p_T[i]:.6g}**.")


def _ends(s: Scored, i: int, m: int) -> int:
    """How often the sentence ended after the context of token i."""
    raw, places = s.chosen.study.raw, _places(s, i)
    place = np.array([raw.boundary])
    if m > 1:
        place = raw.find(m, places[-2:-1, m - 1], place)
    return int(raw.orders[m - 1].count_G[place[0]]) if place[0] >= 0 else 0


def _context(s: Scored, i: int) -> tuple[str, ...]:
    before = range(i - int(s.mine.context_T[i]), i)
    return tuple("<s>" if s.mine.end_T[t] else s.mine.labels[t] for t in before)


def _places(s: Scored, i: int) -> np.ndarray:
    """(k, M) places of the n-grams that end in the tokens up to i."""
    return np.asarray(s.chosen.study.raw.places(s.ids[i - int(s.mine.context_T[i]) : i + 1]))


def _counts(s: Scored, i: int) -> tuple[int, int, int]:
    """(c(hw), c(h), all tokens)."""
    raw, places, m = s.chosen.study.raw, _places(s, i), int(s.mine.context_T[i]) + 1
    grams, whole = raw.orders[m - 1], int(raw.orders[0].count_G.sum())
    if m == 1:
        return int(grams.count_G[places[-1, 1]]), whole, whole
    count = int(grams.count_G[places[-1, m]]) if places[-1, m] >= 0 else 0
    total = int(grams.total_P[places[-2, m - 1]]) if places[-2, m - 1] >= 0 and len(grams) else 0
    return count, total, whole


def _fraction(s: Scored, i: int) -> str:
    count, total, _ = _counts(s, i)
    return rf"\frac{{{count}}}{{{total}}}"
