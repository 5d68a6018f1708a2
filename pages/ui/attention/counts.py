"""What one attention layer holds, learns and multiplies, part by part."""

from __future__ import annotations

import streamlit as st

from engine.analysis.qkv.counts import links, parts, totals
from engine.core.trace import Table
from engine.live import cache
from engine.models.abilities import Attends
from engine.runs.store import Run
from pages.ui import plate, rows
from pages.ui.plate import Plate

COUNTED = ("numbers held", "parameters", "multiplications")
LENGTHS = (10, 50, 100, 200, 500, 1_000, 2_000, 5_000)


def show(run: Run) -> None:
    st.markdown(
        "For 10 tokens of 64 numbers, attention holds exactly 4,040 numbers. These are"
        " activations for this text, not units that learn: all tokens share the same four"
        " matrices of 64 × 64. With d = 512, 8 heads and biases the matrices have 1,050,624"
        " parameters, whatever N is."
    )
    a, b, c, d = st.columns(4, vertical_alignment="bottom")
    n = int(a.number_input("N, tokens", 1, 100_000, 10, key="counts.n"))
    wide = int(b.number_input("d, width", 1, 16_384, 64, key="counts.d"))
    heads = int(c.number_input("h, heads", 1, 128, 1, key="counts.heads"))
    bias = d.toggle("with biases", key="counts.bias")
    try:
        found = parts(n, wide, heads, bias)
    except ValueError as problem:
        st.warning(f"{problem}.")
        return
    held, *_ = counts = totals(found)
    labels = ("Numbers held", "Parameters", "Multiplications")
    for column, label, count in zip(st.columns(3), labels, counts, strict=True):
        column.metric(label, f"{count:,}")
    st.latex(
        rf"6Nd + 2hN^2 = 6\cdot {n}\cdot {wide} + 2\cdot {heads}\cdot {n}^2 = {held:,}".replace(
            ",", r"{,}"
        )
    )
    table = {
        "part": [p.name for p in found],
        "shape": [p.shape for p in found],
        "numbers held": [p.numbers for p in found],
        "parameters": [p.parameters for p in found],
        "multiplications": [p.multiplications for p in found],
    }
    rows.show(table, "counts.parts", dict.fromkeys(COUNTED, rows.WHOLE))
    st.markdown(said(n, wide, heads, run))
    plate.show(growth(wide, heads))
    st.caption(
        "W_O is one matrix of d × d used for every token. Read as a dense layer from all N·d"
        f" numbers to all N·d numbers it would have (N·d)² weights, here {(n * wide) ** 2:,}"
        f" instead of {wide * wide:,}."
    )
    flow(n, wide, heads)


def flow(n: int, d: int, heads: int) -> None:
    st.markdown(
        f"**The way of one token.** Each of its {d:,} numbers goes into all {d:,} of its query, of"
        f" its key and of its value: 3 · {d:,} = **{3 * d:,} links** from one number, and {d:,} ·"
        f" {3 * d:,} = **{3 * d * d:,}** from the token. From there on it meets the others: its"
        f" query meets {n:,} keys, its own among them, which makes {n:,} scores"
        f"{f' in each of {heads} heads' if heads > 1 else ''}, and as many weights mix {n:,} values."
    )
    found = links(n, d, heads)
    made = Table.of_rows(
        "links", "Links of one token", ("from", "to", "start", "stop", "value"), found
    )
    of = f"{n:,} tokens of {d:,} numbers; a band is as wide as it has links"
    options = {"unit": "links"}
    plate.show(Plate("links", "sankey", (made,), "counts", of, options=options, fluid=True))
    st.caption(
        "A link is a number that a number of the next step is made of. Only the links into query, key"
        f" and value and out of the mixed values are weights, 4 · {d:,}² of them, the same for every"
        " token; between scores and mixed values nothing is learned."
    )


def said(n: int, d: int, heads: int, run: Run) -> str:
    scores = 2 * heads * n * n
    tower = cache.model(run, Attends).tower
    mine = sum(p.numel() for p in tower.block(0).attention.parameters())
    more = (
        "more numbers than"
        if scores > 6 * n * d
        else "as many numbers as"
        if scores == 6 * n * d
        else "fewer numbers than"
    )
    even = (
        f"The {2 * heads} N × N matrices hold {more} all the others; from N = {3 * d / heads:g}"
        " tokens on they hold more."
    )
    one = (
        f"More heads cost no parameters: {heads} of {d // heads} numbers each have as many "
        f"as one of {d}."
        if heads > 1
        else "More heads would cost no parameters: the heads share the width."
    )
    layer = (
        f"One attention layer of the model above (d = {tower.design.width},"
        f" {tower.design.heads} heads) learns {mine:,} numbers."
    )
    return " ".join((one, even, layer))


def growth(d: int, heads: int) -> Plate:
    points = []
    for n in LENGTHS:
        square, whole = 2 * n * n * d, sum(p.multiplications for p in parts(n, d, heads))
        points += [
            ("N × N: scores and weights", [n], [square]),
            ("the four projections", [n], [whole - square]),
        ]
    return plate.lines(
        "growth",
        f"Multiplications of one layer with d = {d}",
        points,
        "counts",
        f"They cross at N = 2d = {2 * d:,}: from there on the N × N part costs more",
        x="N, tokens",
        y="multiplications",
        of_series="",
        log_x=True,
        log_y=True,
    )
