"""Where the net begins: the state before the first token, and how soon the text makes up for it."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis import first_state
from engine.course import curriculum
from engine.live import cache
from engine.models.recurrent import RecurrentModel
from engine.runs.store import Run
from engine.text import collection
from engine.views.base import number
from pages.ui import ask, kept, plate

MOST = 160  # characters
TEXT, BEGINNING, LINES = "stories", 40_000, 64
OTHER = "It was the best of times. "


def show(run: Run, model: RecurrentModel[Any]) -> None:
    st.subheader("Where the net begins: the first state", anchor=False)
    st.markdown(
        "Before the first token there is no state to read, so one has to be **given**: zeros, small random numbers, a"
        " state that was **learned** like a weight, or where another text ended, as in stateful training. Do the ways"
        " come together again? The distance says how long the net remembers where it began; the bits, what that costs."
    )
    ask.begin(begin_text=curriculum.lesson("bptt").example, begin_other=OTHER)
    row = ask.line()
    text = ask.text("Type a sentence", "begin_text", MOST, where=row, live="150ms")
    other = ask.text("Text read before it", "begin_other", MOST, where=row, live="150ms")
    tokens = model.tokens(text)
    if len(tokens) < 2:
        st.info("Type at least one token.")
        return
    names = {
        "zeros": "zeros alone",
        "small": "small random numbers",
        "large": "large random numbers",
        "learned": "a learned state",
        "other": "another text",
    }
    states = {
        "small": first_state.drawn(model, 0.1),
        "large": first_state.drawn(model, 1.0),
        "learned": _learned(run),
        "other": first_state.ended(model, other),
    }
    found = first_state.begun(model, tokens, states)
    if not all(np.isfinite(one.far_T).all() for one in found.values()):
        st.info("A state is no finite number: this network has diverged.")
        return
    steps = range(len(tokens))
    plate.row(
        plate.lines(
            "begin_far",
            "How far apart the states are",
            [
                (says, steps, np.maximum(found[id].far_T, 1e-8))
                for id, says in names.items()
                if id != "zeros"
            ],
            run.id,
            f"{run.title}; distance from the way that begins with zeros",
            tight=True,
            x="token",
            y="distance",
            of_series="begins with",
            log_y=True,
            model=run.model,
            text=text,
        ),
        plate.lines(
            "begin_bits",
            "What each token costs",
            [(says, list(steps)[1:], found[id].bits_T[1:]) for id, says in names.items()],
            run.id,
            run.title,
            tight=True,
            x="token",
            y="bits",
            of_series="begins with",
            model=run.model,
            text=text,
        ),
    )
    mean = {id: number(float(one.bits_T[1:].mean())) for id, one in found.items()}
    far_T = found["large"].far_T
    left = number(100 * float(far_T[-1] / far_T[0]))
    st.caption(
        f"From large random numbers (deviation 1; the small ones have 0.1) {left} % of the distance after the first"
        f" token are left at the last one. Bits a token: {mean['zeros']} from zeros, {mean['small']} from small and"
        f" {mean['large']} from large random numbers, {mean['learned']} from the learned state,"
        f" {mean['other']} from another text. The learned state makes the beginnings of {LINES} lines of the shipped"
        " stories least surprising; the net itself was not trained."
    )


@kept.data(max_entries=8, show_spinner="Learning…")
def _learned(run: Run) -> dict[str, Any]:
    lines = collection.find(TEXT).text()[:BEGINNING].split("\n")
    return first_state.learned(
        cache.model(run, RecurrentModel), [line for line in lines if line][:LINES]
    )
