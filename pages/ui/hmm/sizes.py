"""How many numbers a hidden Markov model needs, beside the table of all texts and n-grams."""

from __future__ import annotations

import streamlit as st

from engine.hmm import counts
from engine.views.base import SUPERSCRIPT, number
from pages.ui import ask, plate, rows
from pages.ui.plate import Plate

LONGEST = 12


def show() -> None:
    st.markdown(
        "A table of all texts of N words has a number for each text: $K^N - 1$ free ones, N in the"
        " exponent. A hidden Markov model has $S^2 + SK - S - 1$, whatever N is: the states carry"
        " what it needs to know of the past."
    )
    left, right = st.columns((2, 3))
    with left:
        s = ask.slider("States S", "s", 1, 100, 17, 1)
        k = ask.slider("Words of the vocabulary K", "k", 2, 10_000, 5_000, 1)
        n = ask.slider("Words of a text N", "n", 1, LONGEST, 5, 1)
    mine, joint = counts.hidden(s, k), number(float(counts.joint(k, n)))
    left.markdown(
        f"- hidden Markov model: {s:,}² + {s:,} · {k:,} − {s:,} − 1 = **{mine:,}**\n"
        f"- all texts of {n} words: {k:,}{str(n).translate(SUPERSCRIPT)} − 1 = **{joint}**\n"
        f"- word pairs (one word before): {k:,}² − 1 = **{counts.n_gram(k, 1):,}**\n"
        f"- two words before: {k:,}³ − 1 = **{counts.n_gram(k, 2):,}**"
    )
    plate.show(growth(s, k), right)
    conditional(k, n)


def conditional(k: int, n: int) -> None:
    """The tables behind the number of all texts, one for each word."""
    st.markdown(
        "**Where $K^N - 1$ comes from.** The chain rule gives each word a table: a row for every history, and in each"
        " row K numbers that sum to 1, so that one of them is not free."
    )
    found = counts.tables(k, n)
    rows.show(
        [
            {
                "word": i,
                "table": "P(x₁)"
                if i == 1
                else "P(x₂ | x₁)"
                if i == 2
                else f"P(x{sub(i)} | x₁ … x{sub(i - 1)})",
                "histories": number(float(histories)),
                "free in a row": f"{row:,}",
                "free numbers": number(float(free)),
            }
            for i, (histories, row, free) in enumerate(found, 1)
        ],
        "conditional",
        width=640,
    )
    st.latex(
        r"\sum_{i=1}^{N} K^{i-1} (K - 1) = (K - 1)\,\frac{K^N - 1}{K - 1} = K^N - 1 ="
        rf" {k}^{{{n}}} - 1"
    )
    build()


def build() -> None:
    """One row of four words: three numbers are free."""
    st.markdown(
        "**Build a row** of K = 4 words: three numbers are free, the fourth is what they leave."
    )
    line = ask.line()
    free = [
        ask.slider(f"P({'abc'[n]})", f"row{n}", 0.0, 1.0, first, 0.05, where=line, width=160)
        for n, first in enumerate((0.5, 0.25, 0.1))
    ]
    left = 1 - sum(free)
    if left < -1e-9:
        st.info(
            f"Together they are {sum(free):.2f}, more than 1: that is no row. Make one smaller."
        )
        return
    st.markdown(f"P(d) = 1 − {' − '.join(f'{p:.2f}' for p in free)} = **{abs(left):.2f}**")


def sub(n: int) -> str:
    return str(n).translate(str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"))


def growth(s: int, k: int) -> Plate:
    lengths = range(1, LONGEST + 1)
    constant = {
        "hidden Markov model": counts.hidden(s, k),
        "one word before": counts.n_gram(k, 1),
        "two words before": counts.n_gram(k, 2),
    }
    series = [("all texts", lengths, [float(counts.joint(k, n)) for n in lengths])]
    series += [(name, lengths, [float(x)] * LONGEST) for name, x in constant.items()]
    return plate.lines(
        "sizes",
        "Free numbers against the length of the text",
        series,
        "sizes",
        f"S = {s:,} states, K = {k:,} words",
        x="N, words",
        y="free numbers",
        of_series="",
        log_y=True,
        whole=True,
        tight=True,
        model="hmm",
    )
