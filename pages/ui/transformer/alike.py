"""Whether the tokens of a text become alike: the cosines of their vectors after each layer."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.residual_stream import lens, likeness
from engine.core.trace import Field, Kind
from engine.models.abilities import Attends
from engine.runs.store import Run
from engine.views import theme
from pages.ui import ask, plate, typed

MOST = 200  # characters


def show(run: Run, model: Attends[Any], example: str) -> None:
    st.subheader("Do tokens become alike?", anchor=False)
    st.markdown(
        "Every layer mixes the tokens' vectors. How far do two of them point in the same direction"
        " after each layer? A cosine of 1 is the same direction, 0 a right angle."
    )
    ask.begin(alike_text=typed.text(example)[:MOST])
    text = ask.text("Text", "alike_text", MOST, live="150ms")
    trace = model.trace(text, fields=lens.STREAM)
    if len(trace.tokens) < 3:
        st.info("Type at least two words.")
        return
    cosine_LTT = likeness.cosines(lens.streams(trace))
    layers = len(cosine_LTT) - 1
    depth = ask.slider("After layer (0: before the first)", "alike_layer", 0, layers, layers, 1)
    labels = tuple(theme.visible(label) for label in trace.tokens)
    field = Field.of(
        "alike",
        Kind.COSINE,
        {"label": labels, "token": labels},
        cosine_LTT[depth].astype(np.float32),
        f"Cosine of every two tokens' vectors {_where(depth)}",
    )
    grid = plate.Plate(
        "alike", "heatmap", (field,), run.id, run.title, text, model=run.model, fluid=True
    )
    all_L, rest_L = likeness.mean(cosine_LTT), likeness.mean(cosine_LTT, 1)
    curve = plate.lines(
        "alike_mean",
        "Mean cosine of all pairs of tokens, layer by layer",
        [
            ("all tokens", range(layers + 1), all_L),
            ("without the first token", range(layers + 1), rest_L),
        ],
        run.id,
        run.title,
        x="after layer",
        y="mean cosine",
        of_series="pairs of",
        whole=True,
        tight=True,
        model=run.model,
        text=text,
        fluid=True,
    )
    plate.row(grid, curve)
    st.markdown(_of_all(rest_L))
    ids = np.asarray(trace.ids)[1:]
    if len(set(ids.tolist())) > 1:
        i, j = (n + 1 for n in likeness.closest(cosine_LTT[depth, 1:, 1:], ids))
        st.markdown(
            f"Of two different tokens “{labels[i]}” and “{labels[j]}” are most alike"
            f" {_where(depth)}: **{_two(cosine_LTT[depth, i, j])}**."
        )
    st.caption(
        "Attention alone would make all tokens alike, for each output is an average of the same"
        " values; the residual connection and the feed-forward part keep them apart (Dong et al."
        " 2021). The first token is counted apart because many heads look at it when they have"
        " nothing to look for, and its vector is often unlike all others. A high cosine of all"
        " pairs says little about any one: compare a pair with the mean of its layer."
    )


def _where(depth: int) -> str:
    return f"after layer {depth}" if depth else "before the first layer"


def _two(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _of_all(rest_L: np.ndarray) -> str:
    top = int(rest_L.argmax())
    return (
        f"Without the first token the mean is **{_two(rest_L[0])}** before the first layer and"
        f" **{_two(rest_L[-1])}** after the last; it is highest {_where(top)}, {_two(rest_L[top])}."
    )
