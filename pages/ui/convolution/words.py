"""Convolutions over words: dilated and causal, as a language model reads with them."""

from __future__ import annotations

from typing import Any

import streamlit as st

from engine.analysis import receptive_field
from engine.analysis.receptive_field import Field
from engine.core.trace import FieldSpec, Kind
from engine.live import cache
from engine.models.convolution import Convolution
from engine.models.neural import NeuralLanguageModel
from engine.runs.store import Run
from pages.ui import address, ask, board, kept

RUN, MOST = "convolution", 64
EXAMPLE = "The old captain looked at the grey sea and said that he would"
WRITTEN = FieldSpec("written", Kind.GATE, ("unit",), "How much a place lets through.")
EFFECT = FieldSpec("effect", Kind.PROBABILITY, ("unit",), "What a token does to a prediction.")
BOARD = board.Board("convolution/field.js", "convolution/convolution.css")


@kept.data(max_entries=64)
def _measured(run: Run, text: str) -> Field:
    return receptive_field.measure(cache.model(run, NeuralLanguageModel), text)


def show() -> None:
    st.markdown(
        "The same idea along a text: a filter covers two tokens and slides over all of them. It is"
        " **causal**, it never covers what comes later, and **dilated**: each layer leaves gaps twice as"
        " wide as the one below, so that few layers see far."
    )
    run = next((one for one in cache.runs(None) if one.id == RUN), None)
    if run is None:
        st.info("The shipped runs are not there.")
        return
    address.begin(conv_text=EXAMPLE)
    typed = ask.text("Text", "conv_text", MOST, live="150ms")
    config = cache.model(run, Convolution).config
    found = _measured(run, typed)
    BOARD.show(data(found, config.layers, config.kernel))
    dilated, plain = (receptive_field.reach(config.layers, config.kernel, d) for d in (True, False))
    st.latex(
        rf"1 + (K - 1)(2^L - 1) = 1 + ({config.kernel} - 1)(2^{config.layers} - 1) = {dilated}"
        rf"\qquad\text{{without gaps: }} 1 + (K - 1)\, L = {plain}"
    )
    st.caption(
        "Effect: the token is replaced by a line end, and the probabilities of the next token move by that"
        " much at most, all together. Let through: tanh times the gate, the mean over all filters."
    )


def data(found: Field, layers: int, kernel: int) -> dict[str, Any]:
    most = max(1e-6, float(found.written_LT.max()))
    return {
        "labels": list(found.labels),
        "layers": layers,
        "kernel": kernel,
        "written": [[float(f"{v:.3g}") for v in row] for row in found.written_LT.tolist()],
        "effect": [[float(f"{v:.4g}") for v in row] for row in found.effect_TT.tolist()],
        "next": found.next_T,
        "scales": {
            "written": board.scale(WRITTEN, 0.0, most),
            "effect": board.scale(EFFECT, 0.0, 1.0),
        },
    }
