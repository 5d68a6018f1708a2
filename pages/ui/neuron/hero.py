"""The neuron that opens the page, and below it the same sums in writing."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis.activations import ACTIVATIONS, steepest
from engine.analysis.one_neuron import TASKS
from engine.core.trace import FieldSpec, Kind
from engine.views.base import number
from pages.ui import board, place, written
from pages.ui.neuron import chosen
from pages.ui.neuron.chosen import Chosen

OUTPUT = FieldSpec("output", Kind.GATE, ("unit",), "The output of a neuron.")
BOARD = board.Board("neuron/neuron.js", "neuron/neuron.css")
TITLES = {"and": "AND", "or": "OR", "xor": "XOR"}


def show() -> None:
    now = chosen.now()
    BOARD.show({"state": now.state, "scale": board.scale(OUTPUT)}, chosen.wished)
    with place.panel("sum"):
        columns = st.columns(2)
        for n, line in enumerate(lines(now)):
            columns[n % 2].latex(line)
        for sentence in said(now):
            st.markdown(sentence)


def lines(now: Chosen) -> list[str]:
    """LaTeX of the sum, the output and what a small change does."""
    n = written.number
    (w1, w2), b, (x1, x2) = now.neuron.w, now.neuron.b, now.x
    at = np.array([now.x])
    z, a, slope = (float(f(at)[0]) for f in (now.neuron.sums, now.neuron.output, now.neuron.slope))
    of = ACTIVATIONS[now.neuron.activation]
    return [
        rf"z = {_in(w1)} \cdot {_in(x1)} + {_in(w2)} \cdot {_in(x2)} + {_in(b)} = {n(z)}",
        rf"a = f(z) = {of.formula} = {n(a)}",
        rf"\begin{{aligned}}\frac{{\partial a}}{{\partial w}} &= f'(z)\,x = {n(slope)} \cdot"
        rf" \begin{{bmatrix}} {n(x1)} & {n(x2)} \end{{bmatrix}}\\"
        rf" &= \begin{{bmatrix}} {n(slope * x1)} & {n(slope * x2)} \end{{bmatrix}}\end{{aligned}}",
        rf"\begin{{aligned}}\frac{{\partial a}}{{\partial x}} &= f'(z)\,w = {n(slope)} \cdot"
        rf" \begin{{bmatrix}} {n(w1)} & {n(w2)} \end{{bmatrix}}\\"
        rf" &= \begin{{bmatrix}} {n(slope * w1)} & {n(slope * w2)} \end{{bmatrix}}\end{{aligned}}",
    ]


def _in(x: float) -> str:
    return f"({written.number(x)})" if x < 0 else written.number(x)


def said(now: Chosen) -> list[str]:
    """What the picture shows, in sentences."""
    of = ACTIVATIONS[now.neuron.activation]
    slope = float(now.neuron.slope(np.array([now.x]))[0])
    share = slope / steepest(of)
    passes = f"{100 * share:.0f} % of the largest slope, {number(steepest(of))}"
    if slope == 0:
        found = (
            "**Flat**: nothing of a small change passes, and nothing is learned from this input."
        )
    elif share < 0.1:
        found = f"**Saturated**: of a small change of the sum, {number(slope)} passes: {passes}."
    else:
        found = f"Of a small change of the sum, {number(slope)} passes: {passes}."
    if now.task == "none":
        return [found]
    wanted = TASKS[now.task]
    right, loss = now.neuron.right(wanted), number(now.neuron.loss(wanted))
    task = f"{TITLES[now.task]}: **{right} of 4** corners are on their side of ½, and the loss is {loss}."
    never = (
        "No line parts the ones of XOR from its zeros: one neuron gets three corners right at most."
    )
    return [found, task, never] if now.task == "xor" else [found, task]
