"""Ways to score a match: each as a picture over all keys of a plane, its cost; and the matrix that
a real head is."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.qkv.bilinear import form, largest_share
from engine.analysis.qkv.projection import projection
from engine.core.registry import scores
from engine.core.trace import Field, Kind
from engine.live import cache
from engine.models.abilities import Attends
from engine.runs.store import Run
from pages.ui import kept, plate, rows
from pages.ui.plate import Plate

SIDE, FAR, SEED = 13, 3.0, 0


def show(run: Run) -> None:
    st.markdown(
        "A score says how well a query and a key match. Choose a query: the picture shows its"
        " score with every key in the plane."
    )
    left, right = st.columns((4, 6), gap="medium")
    with left:
        id = st.selectbox(
            "Score",
            scores.listed(),
            format_func=lambda i: f"{scores.get(i).title}: {scores.get(i).formula}",
            key="scores.kind",
        )
        q = np.array(
            [
                st.slider("Query, first number", -FAR, FAR, 2.0, 0.25, key="scores.q1"),
                st.slider("Query, second number", -FAR, FAR, 1.0, 0.25, key="scores.q2"),
            ]
        )
        turn = (
            st.slider(
                "Angle by which M turns the key, degrees", -180, 180, 90, 15, key="scores.turn"
            )
            if id == "bilinear"
            else 0
        )
        st.markdown(scores.get(id).says)
    plate.show(surface(id, q, turn), right)
    d = int(
        st.select_slider(
            "Width d of query and key", (16, 32, 64, 128, 256, 512, 1024), 64, key="scores.d"
        )
    )
    rows.show(costs(d), "scores.costs")
    st.caption(
        "For one query and one key, additive with as many hidden units as d. Dot products of all"
        " pairs are one matrix product, for which processors are built; the additive score has to"
        " take a tanh for every pair and unit. At small d both work about as well; undivided dot"
        " products fall behind at large d (Vaswani et al. 2017, sec. 3.2.1)."
    )
    st.markdown(
        "**A head is bilinear already.** With $n$ the normed token, $q_i \\cdot k_j = n_i W_Q"
        " W_K^\\top n_j^\\top = n_i M n_j^\\top$ (biases left out). $M$ has as many rows as a token"
        " has numbers, but its rank is at most the width of the head."
    )
    real(run)


@st.cache_data(max_entries=128, show_spinner=False)
def grid(id: str, q: tuple[float, ...], turn: int) -> np.ndarray:
    from engine.nn.scores.bilinear import Bilinear

    score = scores.get(id).drawn(2, SEED)
    if isinstance(score, Bilinear):
        a = np.radians(turn)
        score.put(np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]]))
    along = np.linspace(-FAR, FAR, SIDE)
    keys = np.stack(np.meshgrid(along, along[::-1]), -1).reshape(-1, 2)
    found: np.ndarray = score.numbers(np.array([q]), keys if score.reads_keys else keys[:1])
    return np.broadcast_to(found, (1, len(keys))).reshape(SIDE, SIDE)


def surface(id: str, q: np.ndarray, turn: int) -> Plate:
    values = grid(id, tuple(q.tolist()), turn)
    along = [f"{x:g}" for x in np.linspace(-FAR, FAR, SIDE).round(2)]
    far = max(1.0, float(np.abs(values).max()))
    says = f"Score of every key for the query ({q[0]:g}, {q[1]:g})"
    axes = {"coordinate": along[::-1], "dim": along}
    made = Field.of("score", Kind.SCORE, axes, values, says, domain=(-far, far))
    of = f"{scores.get(id).title}; rows: second number of the key, columns: first"
    return Plate("surface", "heatmap", (made,), "toy", of, options={"reading": False}, fluid=True)


@st.cache_data(show_spinner=False)
def costs(d: int) -> list[dict[str, Any]]:
    return [
        {
            "score": score.title,
            "formula": score.formula,
            "parameters": sum(p.numel() for p in score.parameters()),
            "multiplications per pair": score.multiplications(),
        }
        for score in (scores.get(id)(d) for id in scores.listed())
    ]


def real(run: Run) -> None:
    if cache.model(run, Attends).tower.design.query_norm:
        st.info(
            "This model normalises queries and keys: its scores are no product with one matrix."
        )
        return
    found = forms(run)
    if not found:
        st.info("This model stores its weights in another form; its matrix is not shown.")
        return
    rows.show(found, "scores.heads", height=240)
    ranks = [r["rank"] for r in found]
    st.markdown(
        f"Every $M$ here is {found[0]['M is']} with a rank of"
        f" {' to '.join(map(str, sorted({min(ranks), max(ranks)})))}. The last column: what share"
        " of the squares of $M$ lies in its symmetric part. A random matrix has 0.5, one with $Q ="
        " K$ has 1: these heads do not match both ways alike."
    )


@kept.data(max_entries=8)
def forms(run: Run) -> list[dict[str, Any]]:
    model, found = cache.model(run, Attends), []
    design = model.tower.design
    for layer in range(design.layers):
        for head in range(design.heads):
            part = projection(model, layer, head)
            if part is None:
                return []
            made = form(part.query_KD * part.gain_D, part.key_KD * part.gain_D)
            found.append(
                {
                    "layer": layer + 1,
                    "head": head + 1,
                    "M is": f"{part.width} × {part.width}",
                    "rank": made.rank,
                    "directions with 90 % of it": largest_share(made.singular_K),
                    "symmetric share": round(made.symmetric, 3),
                }
            )
    return found
