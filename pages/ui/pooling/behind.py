"""Attention behind an LSTM, beside each alone: trained on the page, on a task whose answers are known."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.lstm_variants import hybrid
from engine.analysis.lstm_variants.hybrid import DIGITS, KINDS, LETTERS, STEPS, Net
from engine.analysis.lstm_variants.training import Trained
from engine.core.trace import Field, Kind
from engine.live.markdown import sentence
from engine.views.base import number
from pages.ui import ask, plate, rows
from pages.ui.pooling import right

EXAMPLE, MOST = "a3 c1 f7 b2 h5 f", 60


@st.cache_resource(show_spinner="Learning …", max_entries=27)
def trained(kind: str, seed: int) -> Trained[Net]:
    return hybrid.learned(kind, seed)


def show() -> None:
    st.markdown(
        "Letters and digits come in turn, then one of the letters again: which digit followed it?"
        " An **LSTM** sees what follows what, but has to keep all pairs in one state. **Attention**"
        " without positions can look anywhere, but does not see order. Put one behind the other,"
        " the LSTM writes into the state at a digit which letter stood before it, and attention"
        " finds that state. All three are trained here, now."
    )
    line = ask.line()
    seed = ask.slider("Start", "hybrid_seed", 1, 9, 1, 1, line, width=180)
    ask.begin(hybrid_text=EXAMPLE)
    typed = ask.text(
        "Pairs, and a letter to look up", "hybrid_text", MOST, where=line, live="150ms"
    )
    found = {kind: trained(kind, seed) for kind in KINDS}
    of = f"Start {seed}; {hybrid.PAIRS} pairs, width {hybrid.WIDTH}; 1,000 held-out texts"
    curves = right.curves(
        "hybrid_right",
        "Share of held-out texts answered correctly, by step of training",
        STEPS,
        [(KINDS[kind], one.right_S) for kind, one in found.items()],
        "recall",
        of,
    )
    try:
        tokens = hybrid.read(typed)
    except ValueError as problem:
        plate.show(curves)
        st.info(sentence(problem))
        return
    labels = [(LETTERS + DIGITS)[token] for token in tokens]
    said = {kind: hybrid.answer(one.net, tokens) for kind, one in found.items()}
    looks = [(KINDS[kind], weight) for kind, (_, weight) in said.items() if weight is not None]
    field = Field.of(
        "hybrid_looks",
        Kind.ATTENTION,
        {"label": [name for name, _ in looks], "token": labels},
        np.stack([weight for _, weight in looks]),
        "Where the last token looks",
    )
    plate.row(
        curves, plate.Plate("hybrid_looks", "heatmap", (field,), "recall", of, typed, fluid=True)
    )
    rows.show(
        [
            {
                "net": KINDS[kind],
                "its answer": DIGITS[int(p.argmax())],
                "probability": number(float(p.max()), share=True),
                "right of 1,000 texts": f"{100 * found[kind].right_S[-1]:.1f} %",
            }
            for kind, (p, _) in said.items()
        ],
        "hybrid",
    )
    st.caption(
        f"A guess among the {hybrid.PAIRS} digits that are there is right in"
        f" {100 / hybrid.PAIRS:.0f} % of the texts, and attention alone cannot do better: exchange two"
        " digits, and it gets the same bag of vectors. An LSTM alone goes on learning, but far more"
        " slowly. In training each letter and digit stands once at most."
    )
