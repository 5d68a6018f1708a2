"""How large a map gets, and how many numbers are learned: a convolution beside layers that share
nothing."""

from __future__ import annotations

import streamlit as st

from engine.analysis.digits import sums
from pages.ui import ask, rows


def show() -> None:
    row = ask.line()
    n = int(ask.between(row.number_input, "Cells a side n", "n", 1, 512, 28, step=1, width=120))
    k = int(ask.between(row.number_input, "Kernel k", "k", 1, 15, 3, step=1, width=100))
    stride = int(ask.between(row.number_input, "Stride s", "s", 1, 8, 1, step=1, width=100))
    padding = int(ask.between(row.number_input, "Padding p", "p", 0, 8, 0, step=1, width=100))
    channels = int(ask.between(row.number_input, "Channels C", "c", 1, 512, 1, step=1, width=110))
    filters = int(ask.between(row.number_input, "Filters F", "f", 1, 512, 32, step=1, width=110))
    try:
        side = sums.size(n, k, stride, padding)
    except ValueError:
        st.info(
            f"A kernel of {k} × {k} does not fit into {n} cells with {padding} zeros on each side. Make it"
            " smaller, or add padding."
        )
        return
    exact = n + 2 * padding - k
    st.latex(
        rf"\left\lfloor \frac{{n + 2p - k}}{{s}} \right\rfloor + 1 = \left\lfloor"
        rf" \frac{{{n} + 2 \cdot {padding} - {k}}}{{{stride}}} \right\rfloor + 1 = {side}"
    )
    left = exact % stride
    if left:
        st.markdown(
            f"The steps do not come out even: the last **{left}** of {n + 2 * padding} rows and columns"
            " are never read."
        )
    inputs, outputs = channels * n * n, filters * side * side
    counts = {
        "the convolution": sums.learned(k, channels, filters),
        "the same kernels, not shared": sums.learned_local(k, channels, filters, side * side),
        "a dense layer": sums.learned_dense(inputs, outputs),
    }
    shared = counts["the convolution"]
    st.markdown(
        f"From {channels:,} × {n} × {n} to {filters:,} × {side} × {side} numbers: a convolution learns"
        f" F (C k² + 1) = **{shared:,}**, a dense layer **{counts['a dense layer']:,}**,"
        f" {counts['a dense layer'] / shared:,.0f} times as many. Both take sums of the same inputs; the"
        " convolution has zeros wherever the kernel does not reach, and the same weights at every"
        " place."
    )
    rows.show(
        [
            {"layer": name, "learned numbers": count, "times as many": round(count / shared)}
            for name, count in counts.items()
        ],
        forms={"learned numbers": rows.WHOLE, "times as many": rows.WHOLE},
    )
