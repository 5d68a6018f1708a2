"""The window of the centre, its pairs, and the row that a one-hot vector picks."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind, Table, TableSpec
from engine.live.markdown import escape
from engine.nn.word2vec import toy
from pages.ui import plate, rows
from pages.ui.word2vec.chosen import Now

SAYS = "What the output layer gives each word now"
READS = {
    "softmax": "chance",
    "negative": "sigmoid of its own score",
    "hierarchical": "probability at the end of its path",
}
HANDS = 6  # words and numbers that a written product can hold


def window(now: Now) -> None:
    m, near = now.setting.window, now.text.near(now.t, now.setting.window)
    line = now.text.at[now.t][0]
    here = [t for t in range(len(now.text.at)) if now.text.at[t][0] == line]
    h_D = now.done.h_D if now.done else now.tables[0][now.text.ids[now.t]]
    chance_V = toy.chances(now.tables[1], h_D, now.setting, now.text)
    columns = {
        "word": np.array(now.names(now.text.ids[t] for t in here), object),
        "centre": np.array([t == now.t for t in here]),
        "near": np.array([t in near for t in here]),
        "probability": np.array([chance_V[now.text.ids[t]] for t in here]),
    }
    of = (
        f"Below each word: its {READS[now.setting.output]}, from h ="
        f" {'the mean of the window' if now.setting.cbow else 'the row of the centre'}"
    )
    table = Table(TableSpec("window", tuple(columns), SAYS), columns)
    text = " ".join(columns["word"])
    plate.show(now.plate("window", "window", table, of, text=text, fluid=True))
    pairs = now.text.pairs(m)
    st.markdown(
        f"**M = {m}** is the number of words on **each side**: a window holds at most {2 * m}"
        f" words around the centre, {2 * m + 1} with it, and fewer at the ends of a line. This"
        f" centre has **{len(near)}**, and the text has **{len(pairs)} pairs**. "
        + (
            "CBOW makes one prediction from the window: all of it together predicts the centre."
            if now.setting.cbow
            else (
                "Skip-gram makes one prediction per pair: the centre predicts the word of the"
                " window."
            )
        )
    )
    with st.expander(f"All {len(pairs)} pairs, and the many meanings of M"):
        rows.show(
            {
                "centre": now.names(now.text.ids[t] for t, _ in pairs),
                "context": now.names(now.text.ids[s] for _, s in pairs),
                "offset": [s - t for t, s in pairs],
            },
            height=240,
        )
        st.markdown(
            f"M can stand for four things. Here M = {m}. (1) Consecutive words, the middle one"
            f" included (“M = 5 is typical”): {2 * m + 1}. (2) Words that CBOW averages:"
            f" {2 * m}. (3) Words on each side, as in skip-gram: {m}. (4) Context positions,"
            f" “M positions”: {2 * m}."
        )


def lookup(now: Now) -> None:
    """One-hot times matrix, and the same by looking."""
    in_VD, ids = now.tables[0], list(now.asked.input_I) if now.asked else [now.text.ids[now.t]]
    words = now.text.words
    onehot_V = np.bincount(ids, minlength=len(words)) / len(ids)
    axes = {"dim": ["x", *range(1, in_VD.shape[1] + 1)], "word": words}
    values = np.concatenate([onehot_V[None], in_VD.T])
    says = "The word that is read, x, above the input table"
    field = Field.of("embedding", Kind.STATE, axes, values, says, "W₁", domain=(-1, 1))
    chosen = ", ".join(f"“{escape(words[i])}” (number {i + 1})" for i in dict.fromkeys(ids))
    plate.show(now.plate("lookup", "heatmap", field, f"After {now.n:,} updates", fluid=True))
    h_D = in_VD.T @ onehot_V
    means = "x is the mean of their one-hot vectors, h the mean of their columns"
    st.markdown(
        "Word k as a **one-hot** vector x has a 1 at place k and 0 elsewhere. W₁x then *is*"
        f" column k: nothing needs to be multiplied, only looked up. Here that is {chosen};"
        f" {means if len(ids) > 1 else 'this column is h'}."
        " The place is the word's number in the **vocabulary**, not its place in the text."
    )
    if len(words) <= HANDS and in_VD.shape[1] <= HANDS:
        st.latex(
            rf"h = W_1 x = {_matrix(in_VD.T)} {_matrix(onehot_V[:, None])} ="
            rf" {_matrix(h_D[:, None])}"
        )


def _matrix(values: np.ndarray) -> str:
    cells = r" \\ ".join(" & ".join(f"{x:.3g}" for x in row) for row in values)
    return rf"\begin{{bmatrix}}{cells}\end{{bmatrix}}"
