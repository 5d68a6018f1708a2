"""What length costs: operations and bytes by formula, and time and memory measured here on the
page's own model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import streamlit as st

from engine.analysis.costs import quadratic, sizes
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate

if TYPE_CHECKING:
    from engine.models.abilities import Attends

LENGTHS = (128, 512, 1024, 2048, 4096)
KEPT = (512, 1024, 2048, 8192, 32_768)
BYTES = {"float32": 4, "float16 or bfloat16": 2, "int8": 1}


def show(run: Run, model: Attends[Any]) -> None:
    st.subheader("What does a longer text cost?", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        operations()
    with right:
        kept()
    st.markdown("##### Measured on this machine")
    design = model.tower.design
    st.markdown(
        f"One layer of {run.title} ({design.heads} heads, width {design.width}) reads"
        f" {quadratic.LENGTHS[0]} to {quadratic.LENGTHS[-1]:,} random vectors, in four ways."
        " Only time and memory are measured. It takes a few seconds."
    )
    key = f"measured.{run.id}"
    if st.button("Measure time and memory"):
        st.session_state[key] = measured(model)
    if key in st.session_state:
        results(run, st.session_state[key])


def operations() -> None:
    n = st.slider("Tokens n", 16, 32_768, 1024, 16, key="cost_tokens", bind="query-params")
    width = st.select_slider(
        "Width d",
        (64, 128, 256, 512, 768, 1024, 2048, 4096),
        512,
        key="cost_width",
        bind="query-params",
    )
    table = [
        {
            "tokens n": f"{count:,}",
            **{part: f"{ops / 1e9:.3f}" for part, ops in sizes.operations(count, width).items()},
        }
        for count in sorted({*LENGTHS, int(n)})
    ]
    rows.show(table, "operations")
    st.caption(
        "Billions of multiplications and additions in one layer. Scores and readings grow with"
        " n², 4n²d; projections 8nd² and feed-forward 16nd² with n. They are equal at n = 2d ="
        f" {2 * width:,} and n = 4d = {4 * width:,}: for shorter texts the quadratic part is not"
        " the largest cost."
    )


def kept() -> None:
    n = int(st.session_state.get("cost_tokens", 1024))
    left, right = st.columns(2)
    heads = left.slider("Heads", 1, 96, 12, key="cost_heads", bind="query-params")
    kind = right.selectbox("Number format", BYTES, index=1, key="format")
    each = BYTES[str(kind)]
    counts = sorted({*KEPT, n})
    table = {
        "tokens n": [f"{count:,}" for count in counts],
        "weights of one layer": [size(sizes.weights_bytes(c, heads, each)) for c in counts],
    }
    rows.show(table, "kept")
    st.caption(
        "n² weights per head, if all are stored: twice the text needs four times the memory."
        " Kernels that never store them (FlashAttention) need memory that grows with n."
    )


def size(count: int) -> str:
    return (
        f"{count / 2**30:,.1f} GiB" if count >= 100 * 2**30 else f"{number(count / sizes.MIB)} MiB"
    )


def measured(model: Attends[Any]) -> list[quadratic.Cost]:
    whole = len(quadratic.LENGTHS) * len(quadratic.WAYS)
    bar = st.progress(0.0, "Measuring …")
    found: list[quadratic.Cost] = []
    for cost in quadratic.costs(model):
        found.append(cost)
        bar.progress(len(found) / whole, f"{cost.way}, {cost.tokens:,} tokens")
    bar.empty()
    return found


def results(run: Run, found: list[quadratic.Cost]) -> None:
    def curve(name: str, title: str, unit: str, scale: float) -> Plate:
        return plate.lines(
            name,
            title,
            [(c.way, [c.tokens], [getattr(c, name) * scale]) for c in found],
            run.id,
            f"{run.title}, layer 1, one thread",
            x="tokens n",
            y=unit,
            of_series="",
            log_x=True,
            log_y=True,
            model=run.model,
        )

    plate.row(
        curve("seconds", "Time of one layer", "milliseconds", 1000.0),
        curve("size_bytes", "Peak memory", "MiB", 1 / sizes.MIB),
        gap="small",
    )
    tokens = np.array(quadratic.LENGTHS, float)
    table = []
    for way in quadratic.WAYS:
        mine = [c for c in found if c.way == way]
        powers = (
            quadratic.exponent(tokens, np.array([getattr(c, what) for c in mine], float))
            for what in ("seconds", "size_bytes")
        )
        time, memory = (f"n^{p:.2f}" for p in powers)
        longest = mine[-1]
        at = f"{number(1000 * longest.seconds)} ms, {number(longest.size_bytes / sizes.MIB)} MiB"
        grows = {"way": way, "time grows like": time, "memory grows like": memory}
        table.append({**grows, f"at {longest.tokens:,} tokens": at})
    rows.show(table, "growth")
    st.caption(
        "The exponents are fitted from 256 tokens on. A window or a linear kernel is a"
        " different model and must be trained as such. The fused kernel is not: it gives the"
        " same numbers with n² products, but without n² bytes."
    )
