"""Early stopping: when to end, and which weights are kept."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.optimising import early
from engine.analysis.optimising.early import Overfitting
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.training import verdict


@st.cache_data(max_entries=16, show_spinner="Training a small network")
def _overfit(seed: int) -> Overfitting:
    return early.overfit(0, seed=seed)


@st.cache_data(max_entries=64, show_spinner="Training a small network")
def _stopped(patience: int, seed: int) -> Overfitting:
    return early.overfit(patience, seed=seed)


def show() -> None:
    st.markdown(
        f"A network with {early.UNITS} units in two layers learns {early.POINTS} noisy points by heart. Its"
        f" loss on {early.OTHERS} others falls first and rises then. Training should end between, and go back"
        " to the best weights."
    )
    row = ask.line()
    patience = ask.slider("Patience, measurements", "patience", 1, 20, 4, 1, row, width=260)
    seed = ask.between(row.number_input, "Seed", "early_seed", 0, 999, 0, width=120)
    whole, found = _overfit(int(seed)), _stopped(patience, int(seed))
    end = found.stop
    at = np.arange(1, len(whole.held) + 1)
    left, right = st.columns((7, 5))
    plate.show(
        plate.lines(
            "early",
            "Loss at each measurement",
            [
                ("in training", at, whole.train),
                ("on others", at, whole.held),
                ("best", [end.best], [whole.held[end.best - 1]]),
                ("ended here", [end.end], [whole.held[end.end - 1]]),
            ],
            "small network",
            f"every {early.EVERY} steps of Adam; patience {patience}",
            tight=True,
            x="measurement",
            y="squared error",
            of_series="",
            model="small network",
        ),
        left,
    )
    until = at[: end.end]
    verdict.show(
        (until, whole.train[: end.end]), (until, whole.held[: end.end]), "measurement", left
    )
    with right:
        st.markdown(
            f"The best is measurement **{end.best}**; a patience of {patience} ends the training at"
            f" measurement **{end.end}**. What is loaded then has this loss on others:"
            if end.stopped
            else f"The best is measurement **{end.best}**; a patience of {patience} never runs out. What is"
            " loaded in the end has this loss on others:"
        )
        rows.show(
            [{"kept as": name, "loss on others": value} for name, value in found.loaded.items()],
            forms={"loss on others": "%.6f"},
        )
        shallow, deep, last = found.loaded.values()
        st.markdown(
            "The copy of the dictionary holds the same tensors that went on learning: it **is** the last"
            f" weights, {number(shallow)}. The deep copy holds the best ones, {number(deep)}."
            if shallow == last != deep
            else "Here the best weights are the last ones, and both copies are right."
        )
        train.link({"patience": patience, "held_out_every": early.EVERY}, text="stories")
    with right:
        typed = ask.text(
            "Your own losses, one after the other", "losses", 300, "1.0 0.9 0.95 0.96 0.97 0.8"
        )
        _own(typed or "1.0 0.9 0.95 0.96 0.97 0.8", patience)


def _own(typed: str, patience: int) -> None:
    """The counter on losses that somebody typed."""
    try:
        losses = [float(part) for part in typed.replace(",", " ").split()]
    except ValueError:
        st.info("Numbers only, with spaces between them: 1.0 0.9 0.95")
        return
    if losses:
        told = early.stop(losses, patience)
        waited = ", ".join(map(str, told.waited))
        st.caption(
            f"Waited after each: {waited}. Best: number {told.best}; patience ends it at number {told.end}."
            if told.stopped
            else f"Waited after each: {waited}. Best: number {told.best}; patience never runs out."
        )
