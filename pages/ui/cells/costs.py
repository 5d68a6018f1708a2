"""What a cell costs: parameters by formula beside torch's, and the time of a token, measured
here."""

from __future__ import annotations

from math import isnan
from typing import Any

import streamlit as st

from engine.analysis.contest.parameters import parameters
from engine.core import cell_card
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate


def show(cells: tuple[str, ...]) -> None:
    left, right = st.columns(2)
    d = left.slider("Input numbers d", 1, 512, 100, key="d", bind="query-params")
    h = right.slider("Units h", 1, 512, 256, key="h", bind="query-params")
    st.markdown(
        "A cell is made of blocks. Each maps input and state to $h$ numbers: $h\\,(d + h)$"
        " weights and $h$ biases. An RNN has one block, a GRU three, an LSTM four. So a GRU"
        " has exactly **three quarters** of the parameters of an LSTM, whatever $d$ and $h$"
        " are."
    )
    left, right = st.columns((3, 5))
    plate.show(curve(cells, d, h), left)
    with right:
        rows.show(table(cells, d, h), "parameters")
        st.caption(
            "Torch keeps two biases for each block. Only their sum matters, so a block has h"
            " more numbers than it needs."
        )
    if st.button("Measure the time per token on this machine"):
        with st.spinner("Measuring …"):
            st.session_state["speed"] = (cells, d, h, measured(cells, d, h))
    if (kept := st.session_state.get("speed")) and kept[:3] == (cells, d, h):
        times(kept[3])


def curve(cells: tuple[str, ...], d: int, h: int) -> Plate:
    """Parameters against units, at this many input numbers."""
    units = sorted({*range(32, 513, 32), h})
    return plate.lines(
        "parameters",
        "Parameters of one layer, one bias for each block",
        [(cell_card.get(c).name, units, [parameters(c, d, n) for n in units]) for c in cells],
        "contest",
        f"With d = {d} input numbers",
        x="units h",
        y="parameters",
        of_series="",
        tight=True,
        model=", ".join(cells),
    )


def table(cells: tuple[str, ...], d: int, h: int) -> list[dict[str, Any]]:
    lstm = parameters("lstm", d, h)
    found = []
    for cell in cells:
        said, count = cell_card.get(cell), parameters(cell, d, h)
        blocks = f"{said.blocks} " if said.blocks > 1 else ""
        besides = f" + {said.per_unit} h" if said.per_unit else ""
        found.append(
            {
                "cell": said.name,
                "formula": f"{blocks}h (d + h + 1){besides}",
                "parameters": f"{count:,}",
                "of an LSTM": f"{100 * count / lstm:.1f} %",
                "in torch": f"{said.torch}: {parameters(cell, d, h, 2):,}" if said.torch else "",
            }
        )
    return found


def measured(cells: tuple[str, ...], d: int, h: int) -> Any:
    """The speeds, or the sentence why there are none."""
    from engine.analysis.contest.speed import speeds_apart

    try:
        return speeds_apart(cells, d, h)
    except RuntimeError as problem:
        return str(problem)


def times(found: Any) -> None:
    if isinstance(found, str):
        st.error(found)
        return
    by_cell = {speed.cell: speed for speed in found}
    lstm = cell_card.get("lstm").blocks
    each = [
        {
            "cell": cell_card.get(s.cell).name,
            "reading, µs per token": number(1000 * s.read_ms),
            "training, µs per token": number(1000 * s.train_ms),
            "torch's own kernel, µs": "" if isnan(s.kernel_ms) else number(1000 * s.kernel_ms),
            "products": f"{100 * cell_card.get(s.cell).blocks / lstm:.0f} % of an LSTM",
        }
        for s in found
    ]
    rows.show(each, "times")
    st.caption(
        "Reading: one text, step by step. Training: 16 streams at once, forwards and"
        " backwards, divided by 16. Best of four runs, on one thread."
    )
    gru = by_cell.get("gru_after") or by_cell.get("gru")
    if gru and "lstm" in by_cell:
        faster = 1 - gru.read_ms / by_cell["lstm"].read_ms
        st.markdown(
            f"Here {cell_card.get(gru.cell).name} reads a token in **{100 * abs(faster):.0f} %"
            f" {'less' if faster >= 0 else 'more'}** time than the LSTM. It has 25 % fewer"
            " products, which can save at most 25 %, and only if products are all the work."
            " “30 % faster” is plausible as throughput: three quarters of the time means a"
            " third more tokens per second. Products do not explain the rest: starting an"
            " operation costs the same however small it is, and a GRU that resets before the"
            " product needs two products in sequence."
        )
