"""An LSTM over the states of another, beside one LSTM over all letters: trained on the page."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.lstm_variants import levels
from engine.analysis.lstm_variants.levels import (
    COUNT,
    KINDS,
    LETTERS,
    LONG,
    SEGMENTS,
    STEPS,
    Net,
)
from engine.analysis.lstm_variants.training import Trained
from engine.core.trace import Field, Kind
from engine.live.markdown import sentence
from pages.ui import ask, plate, rows
from pages.ui.pooling import right

EXAMPLE, MOST = "abCdab dBacca cabdAb Dabcab bacaCd", 120


@st.cache_resource(show_spinner="Learning …", max_entries=18)
def trained(kind: str, seed: int) -> Trained[Net]:
    return levels.learned(kind, seed)


def show() -> None:
    st.markdown(
        "A text of groups of letters, one capital in each: which capitals were there, in order? One"
        " LSTM reads all letters. A **hierarchical** one reads each group by itself, and a second LSTM"
        " reads the last states of the groups, as it might read sentences of a document. Both are"
        " trained here, now, and answer from their last state alone."
    )
    line = ask.line()
    seed = ask.slider("Start", "levels_seed", 1, 9, 1, 1, line, width=180)
    ask.begin(levels_text=EXAMPLE)
    typed = ask.text("Five groups of letters", "levels_text", MOST, where=line, live="150ms")
    found = {kind: trained(kind, seed) for kind in KINDS}
    of = f"Start {seed}; {SEGMENTS} groups of {LONG} letters, width {levels.WIDTH}"
    curves = right.curves(
        "levels_right",
        "Share of capitals answered correctly on held-out texts, by step of training",
        STEPS,
        [(KINDS[kind], one.right_S) for kind, one in found.items()],
        "levels",
        of,
    )
    try:
        segments = levels.read(typed)
    except ValueError as problem:
        plate.show(curves)
        st.info(sentence(problem))
        return
    said = {kind: levels.answer(one.net, segments) for kind, one in found.items()}
    signs = [(LETTERS + LETTERS.upper())[token] for part in segments for token in part]
    field = Field.of(
        "levels_reach",
        Kind.GRADIENT,
        {"label": list(KINDS.values()), "token": signs},
        np.stack([length for _, length in said.values()]),
        "How much each letter moves the answers: length of their gradient",
    )
    plate.row(
        curves, plate.Plate("levels_reach", "heatmap", (field,), "levels", of, typed, fluid=True)
    )
    sizes = [len(part) for part in segments]
    steps = {"two": sizes[0] + SEGMENTS, "one": sum(sizes)}
    rows.show(
        [
            {
                "net": KINDS[kind],
                "its answer": answer,
                "steps from the first letter to the answer": str(steps[kind]),
                "right on held-out texts": f"{100 * found[kind].right_S[-1]:.1f} %",
            }
            for kind, (answer, _) in said.items()
        ],
        "levels",
    )
    st.caption(
        f"A guess is right in 1 of {COUNT}. With two levels the way is shorter, and the second LSTM gets"
        " one state for each group, in which the small letters need not be kept; the net has twice as"
        " many LSTM weights. What lies across the border of two groups it can only see through their"
        " last states."
    )
