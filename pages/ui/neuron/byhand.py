"""A neuron of as many inputs as are typed, a gate times a content, and what bounds a memory."""

from __future__ import annotations

import numpy as np
import streamlit as st

from engine.analysis import gated_by_hand
from engine.analysis.activations import ACTIVATIONS, LEAK
from engine.core.trace import Field, Kind
from engine.lessons.typed_numbers import read
from pages.ui import ask, plate, written
from pages.ui.plate import Plate

LONGEST, MOST, STEPS = 80, 6, 40
TEXTS = ("1, 2, 3", "0.2, -0.5, 0.4", "1, 0, 0.7", "10, 10, 10", "0.5, -1", "1, 2, -1")


def show() -> None:
    inputs()
    gates()
    joined()
    bounded()


def inputs() -> None:
    st.markdown("##### As many inputs as you type")
    line = ask.line()
    x_N = read(ask.text("Inputs x", "hand_x", LONGEST, where=line, value=TEXTS[0]))[:MOST]
    w_N = read(ask.text("Weights w", "hand_w", LONGEST, where=line, value=TEXTS[1]))[:MOST]
    b = ask.slider("Bias b", "hand_b", -5.0, 5.0, 0.1, 0.1, where=line, width=140)
    titles = {id: of.title for id, of in ACTIVATIONS.items()}
    f = ask.pick("Activation", titles, "hand_f", "sigmoid", line, width=150)
    if not len(x_N) or len(x_N) != len(w_N):
        st.info("Type as many weights as inputs, at most six.")
        return
    n, m, of = written.number, _row, gated_by_hand.read(x_N, w_N, b, f)
    terms = "+".join(rf"{_in(w)}\cdot{_in(x)}" for w, x in zip(w_N, x_N, strict=True))
    st.latex(rf"z={terms}+{_in(b)}={n(of.z, 6)}")
    st.latex(rf"a=f(z)={n(of.a, 6)},\;f'(z)={n(of.slope, 6)}")
    st.latex(rf"\frac{{\partial{{a}}}}{{\partial{{w}}}}=f'(z)\,x={m(of.by_weight_N)}")
    st.latex(rf"\frac{{\partial{{a}}}}{{\partial{{x}}}}=f'(z)\,w={m(of.by_input_N)}")


def gates() -> None:
    st.markdown("##### How much, times what")
    st.markdown(
        "A gate of an LSTM is a sigmoid and says how much; what it meets is a memory, or a tanh between −1 and 1. They"
        " are multiplied element by element (the **Hadamard product** ⊙): 1 keeps all, 0 nothing."
    )
    line = ask.line()
    gate_K = read(ask.text("Gate", "hand_gate", LONGEST, where=line, value=TEXTS[2]))[:MOST]
    content_K = read(ask.text("Content", "hand_content", LONGEST, where=line, value=TEXTS[3]))[
        :MOST
    ]
    gate_K = gate_K.clip(0, 1)
    if len(gate_K) and len(gate_K) == len(content_K):
        kept_K = gated_by_hand.gated(gate_K, content_K)
        st.latex(rf"{_row(gate_K)}\odot{_row(content_K)}={_row(kept_K)}")
    else:
        st.info("Type as many gates as contents, at most six.")
    line = ask.line()
    i = ask.slider("Input gate i", "hand_i", 0.0, 1.0, 0.3, 0.01, where=line, width=220)
    c = ask.slider("Candidate", "hand_c", -1.0, 1.0, -1.0, 0.01, where=line, width=220)
    n = written.number
    st.latex(rf"i\cdot\tilde{{c}}={n(i)}\cdot{_in(c)}={n(i * c)}")
    plate.show(pad())


def pad() -> Plate:
    """All products of an input gate and a candidate."""
    i_I, c_C = np.linspace(1, 0, 6), np.linspace(-1, 1, 11)
    axes = {"row": [f"{i:.1f}" for i in i_I], "column": [f"{c:.1f}" for c in c_C]}
    says = "What is written: input gate (row) times candidate (column)"
    field = Field.of("written", Kind.STATE, axes, np.outer(i_I, c_C) + 0.0, says)
    of = "The gate says how much, the candidate what, and with which sign."
    return Plate("pad", "heatmap", (field,), "neuron", of, model="neuron")


def joined() -> None:
    st.markdown("##### Two vectors joined")
    line = ask.line()
    h = ask.slider("Units of the state", "hand_h", 1, 1024, 512, 1, where=line, width=220)
    x = ask.slider("Numbers of the input", "hand_d", 1, 1024, 300, 1, where=line, width=220)
    st.markdown(
        f"$[h_{{t-1}}, x_t]$ has {h} + {x} = **{h + x}** numbers, so the matrix of one gate has {h} · {h + x} ="
        f" **{h * (h + x):,}** weights: {h * h:,} for the state, {h * x:,} for the input. PyTorch keeps the two blocks"
        " apart, as `weight_hh` and `weight_ih`; side by side in this order they are the one matrix."
    )
    line = ask.line()
    h_H = read(ask.text("State h", "hand_state", LONGEST, where=line, value=TEXTS[4]))[:3]
    x_X = read(ask.text("Input x", "hand_read", LONGEST, where=line, value=TEXTS[5]))[:3]
    if not (len(h_H) and len(x_X)):
        st.info("Type a state and an input.")
        return
    hh_HH, ih_HX = gated_by_hand.blocks(len(h_H), len(x_X))
    whole, parts = gated_by_hand.joined(hh_HH, ih_HX, h_H, x_X)
    rule = "r" * len(h_H) + "|" + "r" * len(x_X)
    rows_ = r"\\".join(
        " & ".join(written.number(v, 1) for v in row) for row in np.hstack([hh_HH, ih_HX])
    )
    m = written.matrix
    st.latex(
        rf"\left[\begin{{array}}{{{rule}}}{rows_}\end{{array}}\right]"
        rf"{m(np.concatenate([h_H, x_X])[:, None])}={m(whole[:, None])}="
        rf"\underbrace{{{m(parts[0][:, None])}}}_{{W_{{hh}}h}}+\underbrace{{{m(parts[1][:, None])}}}_{{W_{{ih}}x}}"
    )


def bounded() -> None:
    st.markdown("##### What bounds a memory")
    line = ask.line()
    forget = ask.slider("Forget gate f", "hand_forget", 0.0, 1.0, 0.95, 0.01, line, width=150)
    write = ask.slider("Input gate", "hand_write", 0.0, 1.0, 0.5, 0.01, line, width=150)
    z = ask.slider("Sum z", "hand_z", -20.0, 20.0, 20.0, 0.5, line, width=150)
    end = ask.slider("Clamped to ±", "hand_end", 0.5, 20.0, 10.0, 0.5, line, width=150)
    of = gated_by_hand.candidates(-end, end)
    made = {name: gated_by_hand.memory(g, forget, write, z, STEPS) for name, g in of.items()}
    plate.show(
        plate.lines(
            "bounded",
            "The memory when the same is read again and again",
            [(name, range(STEPS + 1), c_T) for name, c_T in made.items()],
            "neuron",
            f"c = f · c + i · g(z), with f = {forget:g}, i = {write:g}, z = {z:g}; leaky ReLU has {LEAK:g} z below 0.",
            x="step",
            y="memory c",
            of_series="candidate g",
            tight=True,
            model="neuron",
        )
    )
    values = {name: float(g(np.array([z]))[0]) for name, g in of.items()}
    ends = (
        f"If this went on, it would come to {write * values['tanh'] / (1 - forget):.4g} with tanh,"
        f" {write * values['leaky ReLU'] / (1 - forget):.4g} with a leaky ReLU and"
        f" {write * values['clamped z'] / (1 - forget):.4g} clamped."
        if forget < 1
        else "With f = 1 nothing is ever forgotten, and no candidate but 0 keeps it from growing."
    )
    st.markdown(ends)
    st.markdown(
        "With tanh, what is written at one step stays between −1 and 1, whatever z is; a leaky ReLU has no upper end."
        f" Clamping cuts z off, and its slope is {0 if abs(z) > end else 1} here: outside the ends nothing is learned."
    )


def _in(x: float) -> str:
    return f"({written.number(x, 6)})" if x < 0 else written.number(x, 6)


def _row(values: np.ndarray) -> str:
    return written.matrix(values, places=6)
