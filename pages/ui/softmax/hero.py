"""Logits, probabilities and two losses: the board that opens the page, and what it shows in words."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.analysis import softmax_loss
from engine.analysis.softmax_loss import Logits
from engine.views.base import number
from pages.ui.board import Board
from pages.ui.softmax import chosen

SHARE, MOST = 0.9, 2_000
BOARD = Board("softmax/softmax.js", "neuron/neuron.css", "softmax/softmax.css")


def show() -> None:
    now = chosen.now()
    state = {"z": list(now.z), "target": now.target, "t": now.t}
    BOARD.show({"state": state}, chosen.wished)
    for sentence in said(now):
        st.markdown(sentence)


@st.cache_data(max_entries=256, show_spinner=False)
def _until(now: Logits) -> dict[str, int | None]:
    return {kind: softmax_loss.steps_until(now, kind, SHARE, MOST) for kind in softmax_loss.LOSSES}


def said(now: Logits) -> list[str]:
    by, square = (float(now.gradient(kind)[now.target]) for kind in softmax_loss.LOSSES)
    p = float(now.p[now.target])
    found = [
        f"The target has {number(p, share=True)}. Cross-entropy pulls at its logit with {number(-by)}, squared"
        f" error with {number(-square)}."
    ]
    if by and abs(square) < 0.01 * abs(by) and p < 0.5:
        found.append(
            "**Confidently wrong**: squared error is flat here, it hardly learns where it is most mistaken."
        )
    steps = _until(now)
    entropy, squared = steps["entropy"], steps["squared"]
    if entropy is not None and squared is not None:
        found.append(
            f"Steps of descent on these logits, at a rate of 1, until the target has {100 * SHARE:.0f} %:"
            f" **{entropy:,}** with cross-entropy, **{squared:,}** with squared error."
        )
    elif entropy is not None:
        found.append(
            f"Steps of descent on these logits, at a rate of 1, until the target has {100 * SHARE:.0f} %:"
            f" **{entropy:,}** with cross-entropy; with squared error {MOST:,} are not enough."
        )
    return found


def table(now: Logits) -> list[dict[str, Any]]:
    """A row for each class."""
    by, square = (now.gradient(kind) for kind in softmax_loss.LOSSES)
    return [
        {
            "Class": k + 1,
            "logit z": z,
            "probability p": float(now.p[k]),
            "wanted y": int(k == now.target),
            "cross-entropy (p − y) / T": float(by[k]),
            "squared error, by z": float(square[k]),
        }
        for k, z in enumerate(now.z)
    ]
