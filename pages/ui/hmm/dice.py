"""Texts drawn from the model: a die for each state, and one for what it writes."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.hmm.drawing import draw
from engine.live.markdown import escape
from engine.models.markov import END, Markov
from engine.views import theme
from pages.ui import ask, rows

LINES, LONGEST = 6, 40


def show(model: Markov[Any]) -> None:
    st.markdown(
        "The model the other way round: draw the first state, let it write a token, draw the state after"
        " it, and so on, until the line ends. What stands side by side fits in kind, and means"
        " nothing: a token knows its state and nothing else."
    )
    seed = ask.slider("Dice", "dice", 1, 100, 1, 1, width=420)
    found = [line(model, seed * LINES + n) for n in range(LINES)]
    joint = "" if model.tokenizer.id == "chars" else " "
    words = model.tokenizer.vocab
    for n, drawn in enumerate(found):
        st.markdown(f"{n + 1}. {escape(joint.join(words[w] for _, w in drawn)) or '…'}")
    first = next((drawn for drawn in found if len(drawn) > 3), found[0])
    table = [
        {
            "state": model.states[s],
            "drawn with": float(model.a_SS[before, s]),
            "token": theme.visible(words[w]),
            "written with": float(model.b_SV[s, w]),
        }
        for before, (s, w) in zip([END, *(s for s, _ in first)], first, strict=False)
    ]
    st.caption(f"Line {found.index(first) + 1}, die by die")
    rows.show(table, "drawn", {"drawn with": rows.SHARE, "written with": rows.SHARE}, width=560)


def line(model: Markov[Any], seed: int) -> list[tuple[int, int]]:
    """States with the tokens that they write, up to the line end."""
    uniforms = np.random.default_rng(seed).random(2 * LONGEST).tolist()
    found = []
    for s, w in draw(model.a_SS[END], model.a_SS, model.b_SV, uniforms):
        if s == END:
            break
        found.append((s, w))
    return found
