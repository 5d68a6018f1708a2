"""Ways to hide a token, in each number format, and what the softmax makes of them."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.qkv.attend import softmax
from engine.analysis.qkv.hide import FORMATS, WAYS, hide, naive
from engine.runs.store import Run
from pages.ui import rows
from pages.ui.choice import one_of
from pages.ui.written import FAR, WANTED

CASES = {
    "one of three is hidden": ((1.0, 2.0, 3.0), (False, False, True)),
    "all are hidden": ((1.0, 2.0, 3.0), (True, True, True)),
    "the hidden one scores 12,000": ((0.0, 12_000.0), (False, True)),
    "the hidden one scores 5,000": ((0.0, 5_000.0), (False, True)),
}
OVERFLOW = ((1.0, 2.0, 3.0), (10.0, 11.0, 12.0), (1000.0, 1001.0, 1002.0))


def show(run: Run) -> None:
    st.markdown(
        "To mask a token, its score is made so low that the softmax gives it no weight. Three"
        " values are common: −10,000, −1,000,000,000 and −∞. They do not behave alike. Each"
        " cell below is exactly what torch returns."
    )
    case = one_of("One row of scores, in which", [*CASES], "masks.case")
    score, hidden = CASES[case]
    shown = {
        "": [f"key {n + 1}" for n in range(len(score))],
        "score": list(score),
        "hidden": list(hidden),
    }
    edited = st.data_editor(shown, key=f"masks.{case}", width=320, disabled=[""], hide_index=True)
    score_M, hidden_M = np.array(edited["score"], float), np.array(edited["hidden"], bool)
    if not (np.abs(score_M) <= FAR).all():
        st.info(WANTED)
        return
    told = {f: [weights(score_M, hidden_M, way, f) for way in WAYS] for f in FORMATS}
    rows.show({"way": list(WAYS), **told}, "masks.found")
    st.markdown(verdict(score_M, hidden_M))
    st.markdown(
        "**And without any mask: the softmax itself overflows.** $e^{s}$ of a large score"
        " overflows. Subtracting the maximum first leaves the weights unchanged."
    )
    overflow = [
        {
            "scores": ", ".join(f"{x:g}" for x in s),
            "textbook formula, float32": shares(naive(np.array(s))),
            "textbook formula, float16": shares(naive(np.array(s), "float16")),
            "maximum subtracted first": shares(softmax(np.array(s))),
        }
        for s in OVERFLOW
    ]
    rows.show(overflow, "masks.overflow")
    st.caption(
        "float16 ends at 65,504, and e¹² is larger. bfloat16 reaches as far as float32 with fewer"
        " digits."
    )


def weights(score_M: np.ndarray, hidden_M: np.ndarray, way: str, format: str) -> str:
    found = hide(score_M, hidden_M, way, format)
    return "an error" if found.weight_M is None else shares(found.weight_M)


def shares(weight_M: np.ndarray) -> str:
    return "  ".join("NaN" if np.isnan(w) else f"{w:.4f}" for w in weight_M)


def verdict(score_M: np.ndarray, hidden_M: np.ndarray) -> str:
    """What goes wrong with these scores, in words; every sentence is looked up in what came out."""
    lines = []
    if hidden_M.all():
        lines.append(
            "If everything is masked, −∞ gives NaN, and a large negative number gives equal"
            " weights."
        )
        lines.append(
            "Adding −10,000 to all scores changes nothing: in float32 the weights are those"
            " without a mask. Adding −1,000,000,000 loses the scores to rounding."
        )
        lines.append("This program fills with −∞ and gives a fully masked row weights of 0.")
    elif hidden_M.any():
        leaks = [
            way
            for way in WAYS
            if (w := hide(score_M, hidden_M, way, "float32").weight_M) is not None
            and w[hidden_M].max() > 1e-6
        ]
        lines.append(
            f"A masked key gets weight with: {', '.join(leaks)}. Its score is so high that the"
            " mask value is not low enough."
            if leaks
            else "In float32 every mask value works."
        )
    else:
        lines.append("Nothing is masked: all values agree up to rounding.")
    if problem := hide(score_M, hidden_M, "fill −1e9", "float16").problem:
        lines.append(
            "In float16 −1,000,000,000 does not exist. torch refuses to fill with it:"
            f" “{problem.splitlines()[0]}”."
        )
    return " ".join(lines)
