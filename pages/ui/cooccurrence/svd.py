"""From the sparse table to dense vectors: the largest directions of the PPMI table of the typed
text."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Axis, Field, FieldSpec, Kind, Table, TableSpec
from engine.live.markdown import escape
from engine.stages.cooccurrence.counts import Rules, Typed, cosines
from engine.vectors import ppmi
from engine.views import theme
from pages.ui import plate
from pages.ui.plate import Plate

MOST_WORDS, TERMS = 60, 4  # words in the grid of cosines; summands written out
SOURCE = "typed-text"


def show(typed: Typed, rules: Rules) -> None:
    st.subheader("From the table to a few numbers per word: SVD", anchor=False)
    table_VV = (
        ppmi.ppmi(typed.counts(rules), rules.shift, rules.alpha) if len(typed.words) > 2 else None
    )
    u_VD, s_D, v_VD = (
        ppmi.svd(table_VV, len(typed.words))
        if table_VV is not None
        else (np.zeros((0, 0)), np.zeros(0), np.zeros((0, 0)))
    )
    most = int((s_D > 1e-9).sum())
    if table_VV is None or most < 2:
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
    first, second = st.columns(2, gap="medium")
    with first:
        plate.show(_values(s_D[:most], kept, of))
    with second:
        plate.show(_map(typed, ppmi.vectors(u_VD, s_D, power), of))
    first, second = st.columns((3, 2), gap="medium")
    with first:
        _alike(typed, vector_VD, of, kept)
    with second:
        _cell(typed, table_VV.toarray(), u_VD, s_D, v_VD, kept)


def _values(s_D: np.ndarray, kept: int, of: str) -> Plate:
    columns = {
        "series": np.array(["kept" if d < kept else "left out" for d in range(len(s_D))], object),
        "x": np.arange(1.0, len(s_D) + 1),
        "value": s_D.astype(float),
    }
    made = Table(
        TableSpec("singular", tuple(columns), "Singular values σ of the PPMI table, largest first"),
        columns,
    )
    return Plate(
        "singular",
        "curve",
        (made,),
        SOURCE,
        of,
        "",
        {"x": "direction", "y": "σ", "of_series": "", "whole": True},
        model="ppmi",
    )


def _map(typed: Typed, vector_VD: np.ndarray, of: str) -> Plate:
    count_V = np.bincount(typed.word_M, minlength=len(typed.words))
    columns = {
        "word": np.array(typed.words, object),
        "x": vector_VD[:, 0].astype(float),
        "y": vector_VD[:, 1].astype(float),
        "group": np.full(len(typed.words), 2.0),
        "frequency": count_V.astype(float),
    }
    made = Table(
        TableSpec("directions", tuple(columns), "The words by their first two directions"), columns
    )
    return Plate("directions", "scatter", (made,), SOURCE, of, "", model="ppmi")


def _alike(typed: Typed, vector_VD: np.ndarray, of: str, kept: int) -> None:
    words = typed.words[:MOST_WORDS]
    says = (
        f"Cosine between the vectors of {kept} {'number' if kept == 1 else 'numbers'} of each"
        " pair of words"
    )
    spec = FieldSpec("cosine.svd", Kind.COSINE, ("source", "target"), says, "cos")
    field = Field(
        spec, cosines(vector_VD[: len(words)]), (Axis("source", words), Axis("target", words))
    )
    plate.show(Plate("alike", "heatmap", (field,), SOURCE, of, "", model="ppmi", fluid=True))
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
    rows = range(len(names))
    i = left.selectbox(
        "Row", rows, int(best[0]), format_func=names.__getitem__, key=f"near.row.{len(names)}"
    )
    j = right.selectbox(
        "Column", rows, int(best[1]), format_func=names.__getitem__, key=f"near.column.{len(names)}"
    )
    i, j = int(i or 0), int(j or 0)
    part_D = u_VD[i, :kept] * s_D[:kept] * v_VD[j, :kept]
    said = " + ".join(
        f"({u_VD[i, d]:.3f} · {s_D[d]:.3f} · {v_VD[j, d]:.3f})" for d in range(min(kept, TERMS))
    )
    said = (said + (" + …" if kept > TERMS else "")).replace("-", "−")
    st.markdown(
        f"PPMI({escape(names[i])}, {escape(names[j])}) = **{table_VV[i, j]:.3f}**. Rebuilt from"
        f" {kept} of the products u · σ · v: {said} = **{part_D.sum():.3f}**."
    )
