"""Dropout in its three forms, as masks in time, and what each leaves of a memory."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from engine.analysis.batching import dropout
from engine.views.base import number
from pages.ui import ask, plate, rows, train
from pages.ui.board import Board

BOARD = Board("batches/masks.js", "batches/batches.css")
UNITS, MANY = 24, 2_000
SHORT = {"layer": "between layers", "fresh": "fresh", "variational": "one mask"}


@st.cache_data(max_entries=64, show_spinner=False)
def _masks(form: str, p: float, steps: int, units: int, seed: int) -> np.ndarray:
    return dropout.masks(form, p, steps, units, seed)


@st.cache_data(show_spinner=False)
def _torch(layers: int) -> float:
    return dropout.of_torch(layers, 0.5)


def show() -> None:
    st.markdown(
        "In training, dropout silences units at random and makes the others larger, so that the mean stays. In a"
        " recurrent net it matters **when** the mask is drawn: a fresh one at each step of the state soon"
        " wipes out what the net remembers."
    )
    row = ask.line()
    p = ask.slider("Share that is dropped", "p_drop", 0.0, 0.9, 0.3, 0.05, row, width=220)
    steps = ask.slider("Steps", "p_steps", 2, 60, 20, 1, row, width=220)
    seed = ask.between(row.number_input, "Seed", "p_seed", 0, 999_999, 0, width=120)
    BOARD.show(_data(p, steps, int(seed)))
    curves, told = [], []
    n = np.arange(steps + 1)
    for form in dropout.FORMS:
        memory = dropout.memory(form, _masks(form, p, steps, MANY, int(seed)))
        alive, formula = (memory > 0).mean(1), dropout.left(form, p, steps)
        curves += [(SHORT[form], n, alive), (f"{SHORT[form]}: formula", n, formula)]
        told.append(
            {
                "form": SHORT[form],
                "by formula": formula[-1],
                "left, drawn": alive[-1],
                "mean": memory[-1].mean(),
                "largest": memory[-1].max(),
            }
        )
    left, right = st.columns((6, 6))
    with left:
        plate.show(
            plate.lines(
                "left",
                "Share of the units that still hold what they held at the start",
                curves,
                "dropout",
                f"share {p:g}, {MANY:,} units",
                tight=True,
                x="step",
                y="share",
                of_series="",
                low=0,
                high=1.05,
                model="dropout",
            )
        )
    with right:
        st.latex(
            rf"\text{{fresh: }} (1 - p)^n = {number(1 - p)}^{{{steps}}} = {number((1 - p) ** steps)}"
        )
        st.latex(rf"\text{{one mask: }} 1 - p = {number(1 - p)}")
        rows.show(told, forms={name: "%.4g" for name in told[0] if name != "form"})
        st.markdown(
            "A state that each step copies grows by 1 / (1 − p) wherever it goes on, in both recurrent forms. An LSTM"
            " escapes that: only what its gates read of h is masked, and its memory c goes on untouched."
        )
        st.markdown(
            f"Torch's LSTM drops between layers only. Two readings of one layer with `dropout=0.5` differ by"
            f" **{number(_torch(1))}**, so it does nothing; of two layers by {number(_torch(2))}."
        )
        train.link({"dropout": p, "recurrent_dropout": p, "layers": 2}, text="stories")


def _data(p: float, steps: int, seed: int) -> dict[str, Any]:
    """Of each cell: 0 silenced now, 1 it goes on but what it held is lost, 2 it goes on."""
    forms = []
    for form, name in dropout.FORMS.items():
        mask = _masks(form, p, steps, UNITS, seed)
        alive = dropout.memory(form, mask)[1:] > 0
        cells = np.where(mask > 0, 1 + alive, 0)
        left = int(alive[-1].sum())
        told = f"after {steps} steps {left} of {UNITS} units still hold what they held"
        forms.append({"name": name, "told": told, "cells": cells.tolist()})
    return {
        "forms": forms,
        "words": ["goes on", "goes on, its memory lost", "silenced"],
        "says": "A column is a step, a row a unit.",
    }
