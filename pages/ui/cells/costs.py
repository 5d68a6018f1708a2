"""What a cell costs: parameters by formula beside torch's, and the time of a token, measured
here."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.contest.parameters import parameters
from engine.core import cell_card
from engine.core.trace import Table, TableSpec
from engine.views.base import number
from pages.ui import plate
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
    left, right = st.columns((3, 4))
    with left:
        plate.show(curve(cells, d, h))
    with right:
        st.dataframe(rows(cells, d, h), hide_index=True, key="parameters")
        st.caption(
            "Torch keeps two biases for each block. Only their sum matters, so a block has h"
            " more numbers than it needs."
        )
    if st.button("Measure the time per token on this machine"):
        with st.spinner("Measuring …"):
            st.session_state["speed"] = (cells, d, h, measured(cells, d, h))
    if (kept := st.session_state.get("speed")) and kept[:3] == (cells, d, h):
        times(kept[3])


def counted(cells: tuple[str, ...], d: int, h: int) -> list[int]:
    return [parameters(cell, d, h) for cell in cells]


def curve(cells: tuple[str, ...], d: int, h: int) -> Plate:
    """Parameters against units, at this many input numbers."""
    units = sorted({*range(32, 513, 32), h})
    columns = {
        "series": np.array([cell_card.get(cell).name for cell in cells for _ in units], object),
        "x": np.array([n for _ in cells for n in units], float),
        "value": np.array([parameters(cell, d, n) for cell in cells for n in units], float),
    }
    table = Table(
        TableSpec("parameters", tuple(columns), "Parameters of one layer, one bias for each block"),
        columns,
    )
    options = {"x": "units h", "y": "parameters", "of_series": "", "tight": True}
    return Plate(
        "parameters",
        "curve",
        (table,),
        "contest",
        f"With d = {d} input numbers",
        options=options,
        model=", ".join(cells),
    )


def rows(cells: tuple[str, ...], d: int, h: int) -> list[dict[str, Any]]:
    lstm = parameters("lstm", d, h)
    found = []
    for cell, count in zip(cells, counted(cells, d, h), strict=True):
        said = cell_card.get(cell)
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
    st.dataframe(
        [
            {
                "cell": cell_card.get(s.cell).name,
                "reading, µs per token": number(1000 * s.read_ms),
                "training, µs per token": number(1000 * s.train_ms),
                "torch's own kernel, µs": (
                    "" if s.kernel_ms != s.kernel_ms else number(1000 * s.kernel_ms)
                ),
                "products": f"{100 * cell_card.get(s.cell).blocks / lstm:.0f} % of an LSTM",
            }
            for s in found
        ],
        hide_index=True,
        key="times",
    )
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
