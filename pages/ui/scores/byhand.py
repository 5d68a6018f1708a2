"""One step of a decoder by hand: every matrix can be changed, and beside the answer with attention stands
the one with a fixed context."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import attention_by_hand as by_hand
from engine.analysis.attention_by_hand import CONCAT, DOT, GENERAL, GIVEN, KINDS
from engine.analysis.qkv.attend import softmax
from engine.analysis.soft_lookup import entropy
from engine.core.trace import Field, Kind
from engine.views.base import number
from pages.ui import ask, fold, plate, rows
from pages.ui.written import WANTED, edit, equations, matrix

FORMULA = {
    DOT: r"e_s = q \cdot k_s",
    GENERAL: r"e_s = q^\top W_a\, k_s",
    CONCAT: r"e_s = v^\top \tanh(W_a [q;\, k_s])",
    "scaled_dot": r"e_s = q \cdot k_s / \sqrt{2}",
}
MORE = {"word": "y", "w_s": "W_s", "w_y": "W_y", "w_c": "W_c", "w_o": "W_o"}
MOST_FILLED = 4


def show() -> None:
    fold.show("One step by hand", draw, "hand")


def draw() -> None:
    st.markdown(
        "Three keys, one query, and a plain cell: small enough for a pocket calculator. The old state"
        " looks; the cell reads what it found. Double-click a number to change it."
    )
    line = ask.line()
    kind = ask.pick("Score", KINDS, "hand_score", GENERAL, line, width=160)
    filled = ask.slider("Places of filling", "hand_filled", 0, MOST_FILLED, 0, 1, line, width=180)
    masked = ask.toggle("Mask the filling", "hand_mask", True, line)
    whole = ask.toggle("Change cell and output too", "hand_more", where=line)
    given = {name: np.array(values, float) for name, values in GIVEN.items()}
    with st.container(horizontal=True, gap="medium"):
        given["keys"] = table("keys", [f"k {n + 1}" for n in range(3)], 240)
        given["query"] = table("query", ["q"], 240)
        if kind == GENERAL:
            given["general"] = table("general", ["W_a 1", "W_a 2"], 240)
        if kind == CONCAT:
            given["concat"] = table("concat", ["W_a 1", "W_a 2"], 400)
            given["v"] = table("v", ["v"], 240)
    if whole:
        with st.container(horizontal=True, gap="medium"):
            for name, sign in MORE.items():
                down, across = given[name].shape
                signs = [f"{sign} {n + 1}" for n in range(down)] if down > 1 else [sign]
                given[name] = table(name, signs, 80 + 80 * across)
    if not all(np.isfinite(part).all() for part in given.values()):
        st.info(WANTED)
        return
    last_H = given["keys"][-1]
    given["keys"] = np.vstack((given["keys"], np.zeros((filled, 2))))
    score_S = by_hand.scores(kind, given)
    hidden_S = masked & (np.arange(len(score_S)) >= 3)
    weight_S = softmax(np.where(hidden_S, -np.inf, score_S))
    context_H = weight_S @ given["keys"]
    found, fixed = by_hand.output(context_H, given), by_hand.output(last_H, given)
    names = [*(f"k {n + 1}" for n in range(3)), *("filling" for _ in range(filled))]
    st.latex(FORMULA[kind])
    if kind == GENERAL:
        equations(((r"q^\top W_a", matrix(given["query"] @ given["general"])),))
    equations(
        (
            ("e", matrix(score_S, hidden_S[None], 6)),
            (r"\alpha = \mathrm{softmax}(e)", matrix(weight_S, places=6)),
            (r"c = \textstyle\sum_s \alpha_s k_s", matrix(context_H, places=6)),
        )
    )
    most = np.log2(len(names) - int(hidden_S.sum()))
    st.markdown(
        f"The weights have an entropy of **{number(entropy(weight_S))} bits**, of at most"
        f" {number(float(most))}: at 0 it looks at one word alone, at the most at all words alike."
        " Attention that has collapsed stays at one of these ends, whatever it reads."
    )
    if filled:
        st.markdown(
            f"The filling has **{100 * weight_S[3:].sum():.1f} %** of the weight. Its states are"
            " zeros, but a score of 0 is no weight of 0: only minus infinity before the softmax is."
        )
    equations(
        (
            (r"s = \tanh(W_s q + W_y y + W_c c)", matrix(found.new_H, places=6)),
            (r"W_o [s;\, c]", matrix(found.logit_V, places=6)),
            ("p", matrix(found.p_V, places=6)),
        )
    )
    end = float(max(found.p_V.max(), fixed.p_V.max()))
    plate.row(
        bars("hand_attention", "With attention", found.p_V, end),
        bars("hand_fixed", "With a fixed context, the last key", fixed.p_V, end),
    )
    rows.show(
        [
            {
                "context": says,
                "c": "  ".join(number(float(x)) for x in context),
                **{f"word {n + 1}": f"{p:.6f}" for n, p in enumerate(out.p_V)},
            }
            for says, context, out in (
                ("with attention", context_H, found),
                ("fixed: the last key", last_H, fixed),
            )
        ],
        "hand.words",
    )


def table(name: str, signs: list[str], width: int) -> np.ndarray:
    values = np.array(GIVEN[name], float)
    return edit(values, signs, [f"{n + 1}" for n in range(values.shape[1])], f"hand.{name}", width)


def bars(id: str, says: str, p_V: np.ndarray, end: float) -> plate.Plate:
    words = [f"word {n + 1}" for n in range(len(p_V))]
    field = Field.of(id, Kind.PROBABILITY, {"next": words}, p_V, says)
    of = "One step by hand"
    return plate.Plate(id, "bars", (field,), "hand", of, options={"end": end}, fluid=True)
