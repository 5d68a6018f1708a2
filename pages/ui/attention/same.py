"""Queries and keys made by one matrix: what is lost, and what is not; on three tokens and in the
chosen model."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.qkv.attend import attend, softmax
from engine.live import cache
from engine.live.markdown import sentence
from engine.models.abilities import Attends
from engine.runs.store import Run
from engine.views.base import number
from pages.ui import kept, rows, texts
from pages.ui.written import WANTED, edit, equations, matrix

SAME = np.array([[1.0, 0], [2, 0], [0, 1]])
SEED, TOKENS, DRAWS = 0, 10, 200
CORPUS, LONG = "stories", 400


def show(run: Run) -> None:
    st.markdown(
        "Does every token attend only to itself when $Q = K$? Change the numbers and see: a"
        " longer vector can win over the token itself."
    )
    x = edit(SAME, [f"token {n}" for n in range(3)], ("1", "2"), "same.tokens", 320)
    if not np.isfinite(x).all():
        st.info(WANTED)
        return
    found = attend(x, x, x)
    equations(((r"S = QQ^\top", matrix(found.score_NM)), ("A", matrix(found.weight_NM))))
    own = found.weight_NM.argmax(1) == np.arange(3)
    other = ", ".join(
        f"token {i} attends most to token {found.weight_NM[i].argmax()}"
        for i in np.flatnonzero(~own)
    )
    alike = "symmetric here too" if np.allclose(found.weight_NM, found.weight_NM.T) else "**not**"
    st.markdown(
        "The scores are symmetric: token 0 matches token 1 as token 1 matches token 0. The"
        f" weights are {alike}, because each row has its own softmax."
        f" {sentence(other) if other else 'Here each token attends most to itself.'}"
        f"{' No weight is 0.' if found.weight_NM.all() else ''}"
    )
    wide = wide_tokens()
    st.markdown(
        f"With {wide['d']} random numbers per token it nearly does: among {TOKENS} tokens, a"
        f" token gives itself {wide['own']:.3f} of its weight on average, because $x \\cdot x"
        " \\approx d$ and $x \\cdot y \\approx 0$. Divided by $\\sqrt d$ the gap is still"
        " $\\sqrt d$."
    )
    st.markdown(
        "**In the chosen model.** Each head with its own queries and keys, and with its queries"
        " used as keys:"
    )
    id = texts.pick(
        "Text that the heads read", {CORPUS: "", **texts.listed()}, "same.text", width=420
    )
    try:
        rows.show(of_run(run, id), "same.heads", height=240)
    except LookupError as problem:
        st.error(sentence(problem))
    st.markdown(
        "With $Q = K$ a word can no longer ask for one thing and offer another: “it” looks for"
        " a noun, but a noun does not look for “it”. $V$ is still separate, so the values are"
        " free."
    )
    st.markdown(
        "**Learned separately, yet not independent.** Only the product $W_Q W_K^\\top$ counts. Turn"
        " both by any invertible $M$ and $M^{-\\top}$:"
    )
    turned(x)


def turned(x: np.ndarray) -> None:
    draw = np.random.default_rng(
        int(st.number_input("Draw of M", 1, 9_999, 1, key="same.draw", width=160))
    )
    w_q, w_k = np.array([[1.0, 0], [0, 2]]), np.array([[1.0, 1], [0, 1]])
    m = draw.standard_normal((2, 2)).round(2) + 2 * np.eye(2)
    if abs(np.linalg.det(m)) < 0.05:
        st.info("This M is nearly singular. Draw another.")
        return
    before, after = (x @ w_q) @ (x @ w_k).T, (x @ (w_q @ m)) @ (x @ (w_k @ np.linalg.inv(m).T)).T
    equations(
        (
            ("M", matrix(m, places=2)),
            (r"XW_Q (XW_K)^\top", matrix(before.round(9) + 0.0, places=3)),
            (r"X W_Q M (X W_K M^{-\top})^\top", matrix(after.round(9) + 0.0, places=3)),
        )
    )
    st.markdown(
        "The queries and keys differ, but the scores are the same (largest difference"
        f" {number(float(np.abs(before - after).max()))})."
    )


@st.cache_data(show_spinner=False)
def wide_tokens(d: int = 64) -> dict[str, Any]:
    draws = np.random.default_rng(SEED).standard_normal((DRAWS, TOKENS, d))
    return {"d": d, "own": float(np.mean([np.diag(attend(x, x, x).weight_NM) for x in draws]))}


@kept.data(max_entries=8, show_spinner="Reading a text with every head…")
def of_run(run: Run, id: str) -> list[dict[str, Any]]:
    """Per head the mean weight a token gives itself, and how often it gives itself most; no mask,
    so that both ways can be compared."""
    model = cache.model(run, Attends)
    trace = model.trace(texts.stretches(id, 1, LONG)[0][:LONG], fields=("query", "key"))
    q, k = trace.field("query").values.astype(float), trace.field("key").values.astype(float)
    factor, found = model.tower.block(0).attention.scale, []
    for layer in range(len(q)):
        for head in range(q.shape[1]):
            q_TK = q[layer, head]
            k_TK = k[layer, head * k.shape[1] // q.shape[1]]
            row: dict[str, Any] = {"layer": layer + 1, "head": head + 1}
            for name, other in (("own keys", k_TK), ("Q = K", q_TK)):
                weight = softmax(q_TK @ other.T * factor)
                row[f"weight on itself, {name}"] = round(float(np.diag(weight).mean()), 3)
                row[f"itself first, {name}"] = (
                    f"{100 * ((weight.argmax(1) == np.arange(len(weight))).mean()):.0f} %"
                )
            found.append(row)
    return found
