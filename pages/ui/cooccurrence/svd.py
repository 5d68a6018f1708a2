"""From the sparse table to dense vectors: the largest directions of the PPMI table of the typed
text."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind, Table
from engine.lessons.cooccurrence.counts import Rules, Typed, cosines
from engine.live.markdown import escape
from engine.vectors import ppmi
from engine.views import theme
from pages.ui import plate
from pages.ui.plate import Plate

MOST_WORDS, TERMS = 60, 4  # words in the grid of cosines; summands written out
SOURCE: Any = {"source": "typed-text", "model": "ppmi"}


def show(typed: Typed, rules: Rules) -> None:
    st.subheader("From the table to a few numbers per word: SVD", anchor=False)
    most = 0
    if len(typed.words) > 2:
        table_VV = ppmi.ppmi(typed.counts(rules), rules.shift, rules.alpha)
        u_VD, s_D, v_VD = ppmi.svd(table_VV, len(typed.words))
        most = int((s_D > 1e-9).sum())
    if most < 2:
        st.info(
            "Too little to factorise: type a few lines of different words, or choose a smaller"
            " shift. The PPMI table needs numbers above 0 in two rows or more."
        )
        return
    st.markdown(
        "A row of the PPMI table has as many numbers as there are words, most of them 0. The"
        " singular value decomposition writes the table as a sum of products, largest first;"
        " the first few are enough to rebuild most of it. The window settings are those of the"
        " panel above."
    )
    left, right = st.columns(2)
    # a shorter text has fewer
    st.session_state["near.kept"] = min(most, int(st.session_state.get("near.kept", 3)))
    kept = left.slider("Directions kept", 1, most, key="near.kept")
    power = right.select_slider(
        "Weight of each direction: σ to the power", (0.0, 0.5, 1.0), 0.5, key="near.sigma"
    )
    share = float((s_D[:kept] ** 2).sum() / (s_D**2).sum())
    st.caption(
        f"{kept} of {most} directions hold {100 * share:.1f} % of the sum of squares of the table."
        f" No other {kept} hold more."
    )
    vector_VD = ppmi.vectors(u_VD[:, :kept], s_D[:kept], power)
    of = f"the typed text, window {rules.window}"
    plate.row(_values(s_D[:most], kept, of), _map(typed, ppmi.vectors(u_VD, s_D, power), of))
    first, second = st.columns((3, 2), gap="medium")
    with first:
        _alike(typed, vector_VD, of, kept)
    with second:
        _cell(typed, table_VV.toarray(), u_VD, s_D, v_VD, kept)


def _values(s_D: np.ndarray, kept: int, of: str) -> Plate:
    x_D, says = range(1, len(s_D) + 1), "Singular values σ of the PPMI table, largest first"
    series = [("kept", x_D[:kept], s_D[:kept]), ("left out", x_D[kept:], s_D[kept:])]
    axes: dict[str, Any] = {"x": "direction", "y": "σ", "of_series": "", "whole": True}
    return plate.lines("singular", says, series, of=of, **axes, **SOURCE)


def _map(typed: Typed, vector_VD: np.ndarray, of: str) -> Plate:
    count_V = np.bincount(typed.word_M, minlength=len(typed.words))
    # words with the same neighbours lie on the same place, and share a name
    at_V2 = vector_VD[:, :2].round(6)
    place_P2, first_P, place_V = np.unique(at_V2, axis=0, return_index=True, return_inverse=True)
    order_P = np.argsort(first_P)
    columns = {
        "word": [
            ", ".join(
                w for w, place in zip(typed.words, place_V.ravel(), strict=True) if place == p
            )
            for p in order_P
        ],
        "x": place_P2[order_P, 0],
        "y": place_P2[order_P, 1],
        "group": [2] * len(order_P),
        "frequency": [int(count_V[place_V.ravel() == p].sum()) for p in order_P],
    }
    made = Table.of("directions", "The words by their first two directions", columns)
    return Plate("directions", "scatter", (made,), of=of, **SOURCE)


def _alike(typed: Typed, vector_VD: np.ndarray, of: str, kept: int) -> None:
    words = typed.words[:MOST_WORDS]
    says = (
        f"Cosine between the vectors of {kept} {'number' if kept == 1 else 'numbers'} of each"
        " pair of words"
    )
    axes, cosine_VV = {"source": words, "target": words}, cosines(vector_VD[: len(words)])
    field = Field.of("cosine.svd", Kind.COSINE, axes, cosine_VV, says, "cos")
    plate.show(Plate("alike", "heatmap", (field,), of=of, fluid=True, **SOURCE))
    if len(typed.words) > len(words):
        st.caption(f"The first {len(words)} of {len(typed.words)} words.")


def _cell(
    typed: Typed,
    table_VV: np.ndarray,
    u_VD: np.ndarray,
    s_D: np.ndarray,
    v_VD: np.ndarray,
    kept: int,
) -> None:
    """One cell rebuilt from the kept directions, with its numbers."""
    best = np.unravel_index(int(table_VV.argmax()), table_VV.shape)
    names = [theme.plain(word, 24) for word in typed.words]
    st.markdown("**One cell, rebuilt**")
    left, right = st.columns(2)

    def place(label: str, first: int, where: Any) -> int:
        asked = range(len(names)), first, names.__getitem__
        return int(where.selectbox(label, *asked, key=f"near.{label.lower()}.{len(names)}"))

    i, j = place("Row", int(best[0]), left), place("Column", int(best[1]), right)
    part_D = u_VD[i, :kept] * s_D[:kept] * v_VD[j, :kept]
    said = " + ".join(
        f"({u_VD[i, d]:.3f} · {s_D[d]:.3f} · {v_VD[j, d]:.3f})" for d in range(min(kept, TERMS))
    )
    said = (said + (" + …" if kept > TERMS else "")).replace("-", "−")
    st.markdown(
        f"PPMI({escape(names[i])}, {escape(names[j])}) = **{table_VV[i, j]:.3f}**. Rebuilt from"
        f" {kept} of the products u · σ · v: {said} = **{part_D.sum():.3f}**."
    )
