"""Baum and Welch's method on a short text, from several starts: the curve of each, and the tables of
one as a film."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.core.trace import Field, Kind
from engine.stages.hmm import rounds
from engine.stages.hmm.rounds import Film
from pages.ui import ask, plate
from pages.ui.plate import Plate

ROUNDS, STARTS = 40, 5
TEXT = (
    "the old house stood near the sea and the captain came home late at night he said that he"
    " would never leave again but in the morning the door was open and nobody was there"
)


@st.cache_data(show_spinner="Learning …", max_entries=20)
def films(text: str, states: int) -> list[Film]:
    lines = rounds.words(text)
    return [rounds.film(lines, states, seed, ROUNDS) for seed in range(STARTS)]


def show() -> None:
    st.markdown(
        "Nobody tells the model a tag. It begins with tables by chance, asks how likely each state"
        " is at each letter given all of them (smoothing), counts with these shares, and makes new"
        " tables of the counts: no round can make the text less likely. Where it ends depends on"
        " where it began: a **local optimum**. Type words of your own; each is a line of letters."
    )
    line = ask.line()
    ask.begin(learn=TEXT)
    text = ask.text("Words to learn from", "learn", rounds.MOST, where=line)
    states = ask.slider("States", "states", 1, 5, 3, 1, where=line, width=160)
    if not rounds.words(text):
        st.info("Type some words to learn from.")
        return
    found = films(text, states)
    best = min(found, key=lambda film: film.bits_R[-1])
    left, right = st.columns(2)
    starts = {film.seed: f"start {film.seed + 1}" for film in found}
    with right:
        seed = ask.pick("Film of", starts, "start", best.seed)
        at = ask.slider("Round", "round", 0, ROUNDS, ROUNDS, 1)
    plate.show(curves(found, text), left)
    with right:
        plate.show(tables(found[seed], at, text))
    ends = [film.bits_R[-1] for film in found]
    st.caption(
        f"After {ROUNDS} rounds the best of the {STARTS} starts needs {min(ends):.3f} bits for a"
        f" letter, the worst {max(ends):.3f}. The state of the word end is not drawn: it writes the"
        " end and nothing else."
    )


def curves(found: list[Film], text: str) -> Plate:
    return plate.lines(
        "rounds",
        "Bits per letter, round by round",
        [(f"start {f.seed + 1}", range(ROUNDS + 1), f.bits_R) for f in found],
        "baum_welch",
        "Lower is better; no curve ever rises",
        x="round",
        y="bits per letter",
        of_series="",
        whole=True,
        tight=True,
        model="hmm",
        text=text,
    )


def tables(film: Film, at: int, text: str) -> Plate:
    """What each state writes after a round, letters in the order of the state that writes them
    most at the end."""
    end_SV = film.writes_RSV[-1, 1:]
    order_V = np.lexsort((-end_SV.max(0), end_SV.argmax(0)))
    values = film.writes_RSV[at, 1:][:, order_V]
    axes = {
        "state": range(1, len(values) + 1),
        "label": [film.letters[v] for v in order_V],
    }
    says = f"What each state writes after round {at}"
    field = Field.of("emission", Kind.PROBABILITY, axes, values, says, "B")
    of = f"start {film.seed + 1}, {film.bits_R[at]:.3f} bits per letter"
    return Plate("film", "heatmap", (field,), "baum_welch", of, text=text, model="hmm")
