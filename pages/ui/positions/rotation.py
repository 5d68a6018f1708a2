"""Rotary positions: a query and a key turned pair by pair, and a score that only knows the
distance."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.positions import encodings
from engine.views.base import number
from pages.ui import plate, rows
from pages.ui.plate import Plate
from pages.ui.positions.figures import curves

MOST = 128
FORMULA = (
    r"\begin{pmatrix} a' \\ b' \end{pmatrix} = \begin{pmatrix} \cos p\,\theta_i & -\sin p\,\theta_i"
    r" \\ \sin p\,\theta_i & \cos p\,\theta_i \end{pmatrix}"
    r"\begin{pmatrix} a \\ b \end{pmatrix}\qquad \theta_i = \text{base}^{-2i/K}"
)
CASES = {
    "q = (1, 0)(1, 0), k = (0, 1)(1, 1)": ([1, 0, 1, 0], [0, 1, 1, 1]),
    "q = k = (1, 0)(1, 0)": ([1, 0, 1, 0], [1, 0, 1, 0]),
    "q = k, 12 pairs as in the model above": ([1, 0] * 12, [1, 0] * 12),
    "q = k, 64 pairs as in Llama": ([1, 0] * 64, [1, 0] * 64),
}


def show() -> None:
    slower = "Llama 3 takes 500,000: slower hands for longer texts."
    row = st.columns((3, 2, 2, 2, 2))
    names = list(CASES)
    name = row[0].selectbox("Query and key, pair by pair", names, key="qk", bind="query-params")
    q, k = (np.array(x, float) for x in CASES.get(name or "", CASES[names[0]]))
    at_q = row[1].slider("Place of the query", 0, MOST, 5, key="pq", bind="query-params")
    at_k = row[2].slider("Place of the key", 0, MOST, 3, key="pk", bind="query-params")
    by = row[3].slider("Shift both by", 0, MOST, 7, key="by", bind="query-params")
    base = row[4].select_slider(
        "Base",
        (10, 100, 1_000, 10_000, 500_000),
        10_000,
        key="rbase",
        bind="query-params",
        format_func=lambda b: f"{b:,}",
        help=slower,
    )
    st.latex(FORMULA)
    pairs, score = turned(q, k, at_q, at_k, base)
    _, moved = turned(q, k, at_q + by, at_k + by, base)
    left, right = st.columns((6, 5), gap="medium")
    with left:
        rows.show(pairs, "turned", height=min(330, 40 + 35 * len(pairs)))
        st.markdown(
            f"Score at places {at_q} and {at_k}: **{score:.6f}**. Both {by} later:"
            f" **{moved:.6f}**, the same up to {number(max(abs(score - moved), 1e-16))}. Without"
            f" turning: {float(q @ k):g}. A rotation leaves all lengths unchanged."
        )
    plate.show(curve(q, k, base, name or names[0]), right)
    st.markdown(
        "RoPE rotates **queries and keys, in every layer, before they are compared**. It does"
        " not touch the token embeddings or the values, so the values carry no position. In the"
        " paper a pair is two neighbouring dimensions, as written here; in Llama, and in the"
        " model above, dimension i goes with i + K/2. With the weights in matching order both"
        " give the same scores."
    )


def turned(
    q: np.ndarray, k: np.ndarray, at_q: float, at_k: float, base: float
) -> tuple[list[dict[str, object]], float]:
    """Per pair both vectors after turning and their part of the score; the score."""
    # pair i becomes dimensions i and i + K/2
    half = [np.concatenate([x[0::2], x[1::2]]) for x in (q, k)]
    both = [
        encodings.turned(x[None], np.array([at]), base)[0]
        for x, at in zip(half, (at_q, at_k), strict=True)
    ]
    pairs = [np.stack([x[: len(x) // 2], x[len(x) // 2 :]], 1) for x in both]
    speeds = encodings.speeds(len(q), base)
    rows = [
        {
            "pair": i,
            "query turns": f"{np.degrees(at_q * w):.4g}°",
            "key turns": f"{np.degrees(at_k * w):.4g}°",
            "query": f"({a[0]:.3f}, {a[1]:.3f})",
            "key": f"({b[0]:.3f}, {b[1]:.3f})",
            "adds": round(float(a @ b), 4),
        }
        for i, (w, a, b) in enumerate(zip(speeds, *pairs, strict=True))
    ]
    return rows, float(both[0] @ both[1])


def curve(q: np.ndarray, k: np.ndarray, base: float, name: str) -> Plate:
    far = range(MOST + 1)
    return curves(
        "turned",
        "Score against the distance, the same at every place",
        [("score", far, [turned(q, k, d, 0, base)[1] for d in far])],
        f"rope-{base}",
        f"RoPE, {name}, base {base:,}",
        x="distance",
        y="score",
    )
