"""Self- and cross-attention: which text queries, keys and values come from, and the shapes that
follow."""

from __future__ import annotations

import streamlit as st

from engine.analysis.qkv.wiring import wire
from engine.core.trace import Field, Kind
from engine.runs.store import Run
from pages.ui import plate, rows
from pages.ui.plate import Plate

KINDS = {
    "self": "self-attention: one text",
    "cross": "cross-attention: queries from one text, keys and values from another",
    "swapped": "wrongly wired: queries and keys from the encoder, values from the decoder",
}
# whose tokens look, and whose are looked at
LOOK = {"self": ("token", "token"), "cross": ("dec", "enc"), "swapped": ("enc", "enc")}


def show(run: Run) -> None:
    st.markdown(
        "In self-attention, queries, keys and values come from one text, so the weight matrix"
        " is square. In a translator the queries come from the text being written (decoder),"
        " the keys and values from the text to translate (encoder). The weight matrix is then a"
        " rectangle: one row for each written word, one column for each word to translate."
    )
    kind = st.radio(
        "Wiring", list(KINDS), format_func=lambda id: KINDS[id], key="cross.kind", index=1
    )
    a, b, c, d = st.columns(4)
    n = a.slider("n, tokens that look", 1, 12, 3, key="cross.n")
    m = b.slider("m, tokens looked at", 1, 12, 7, key="cross.m", disabled=kind == "self")
    wide = c.select_slider("d, width of a token", (8, 16, 32, 64, 128), 64, key="cross.d")
    v = d.select_slider("width of a value", (8, 16, 32, 64, 128), 32, key="cross.v")
    found = wire(kind, n, m, wide, 64, v)
    left, right = st.columns(2, gap="medium")
    shapes = [{"": name, "made of": how, "shape": f"{n} × {m}"} for name, how, (n, m) in found.rows]
    rows.show(shapes, "cross.shapes", where=left)
    if found.problem:
        left.error(f"weights × V fails: {found.problem}")
    left.markdown(said(kind, n, m, v, bool(found.problem)))
    look, key = LOOK[kind]
    down, across = found.weight.shape
    weights = Field.of(
        "attention",
        Kind.ATTENTION,
        {
            "query": (f"{look}{i + 1}" for i in range(down)),
            "key": (f"{key}{i + 1}" for i in range(across)),
        },
        found.weight,
        f"The weights: {down} × {across}, every row adds up to 1",
        "α",
    )
    plate.show(Plate("wiring", "heatmap", (weights,), "toy", "Random matrices, seed 0"), right)


def said(kind: str, n: int, m: int, v: int, fails: bool) -> str:
    if kind == "self":
        return (
            f"n × n, whatever the widths. The output has {n} rows, one for each token, and {v}"
            " columns, those of a value: the shape of Q only where a value is as wide as a query."
        )
    if kind == "cross":
        return (
            f"There is one output for each of the {n} tokens that look; the sum runs over the"
            f" {m} tokens looked at. Queries and keys need the same width; values may have"
            f" another ({v})."
        )
    if fails:
        return (
            f"The weights say how to mix {m} rows, but V has {n}. Values have to come from the"
            " same text as the keys."
        )
    return (
        f"With n = m = {n} the shapes fit and no error warns you, but the encoder's words mix the"
        " decoder's values: the wrong thing is computed."
    )
