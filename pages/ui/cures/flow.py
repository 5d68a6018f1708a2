"""Signal and gradient through layers and time, in a plain net and in one with cures."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from engine.analysis import clipped, cures
from engine.analysis.cures import MOST_STEPS, Sizes, Switches
from engine.core.trace import Field, Kind
from engine.course.base import Lesson
from engine.views.base import number
from pages.ui import ask, kept, plate
from pages.ui.plate import Plate

CELLS = {"rnn": "plain", "gru": "GRU", "lstm": "LSTM"}
ACTIVATIONS = {"tanh": "tanh", "sigmoid": "sigmoid", "relu": "ReLU"}
NORMS = {"none": "none", "layer": "layer norm", "batch": "batch norm"}
STARTS = {
    "torch": "±1/√H",
    "uniform": "±0.1",
    "xavier": "Xavier",
    "he": "He",
    "orthogonal": "orthogonal",
}
CLIPPINGS = {"none": "none", "norm": "by norm", "value": "by value", "adaptive": "adaptive"}
SCALE = (-6.0, 6.0)  # powers of ten
VERDICTS = {
    "vanishes": "it **vanishes**",
    "explodes": "it **explodes**",
    "flows": "it **flows**",
    "overflows": "it **overflows**",
}
LENGTHS = (0.001, 0.01, 0.1, 1.0, 10.0, 100.0)


@dataclass(frozen=True)
class Found:
    """What was chosen and measured.  `names`: the cures, in words."""

    text: str
    names: str
    plain: Sizes
    cured: Sizes


def show(lesson: Lesson) -> tuple[Switches, Found]:
    """The switches, and what they do."""
    row = ask.line()
    plain_box = {"label_visibility": "collapsed"}
    typed = ask.words(lesson, "Text", "cured_text", MOST_STEPS, row, **plain_box) or " "
    with row.popover("Both nets"):
        layers = ask.slider("Layers", "layers", 1, 20, 4, 1)
        scale = ask.slider("Weights times", "scale", 0.1, 4.0, 1.0, 0.1)
        activation = ask.pick("Activation", ACTIVATIONS, "activation", "tanh")
    plain = Switches(activation=activation, scale=scale, layers=layers)
    chosen, kind, threshold = _cures(plain)
    found = Found(typed, _names(plain, chosen), sizes(plain, typed), sizes(chosen, typed))
    plate.row(
        _map("gradient", "plain", "Gradient, plain net", found.plain, typed, "plain net"),
        _map("gradient", "cured", "Gradient, with cures", found.cured, typed, found.names),
    )
    for sentence in said(found):
        st.markdown(sentence)
    plate.row(
        _map("signal", "plain", "Signal, plain net", found.plain, typed, "plain net"),
        _map("signal", "cured", "Signal, with cures", found.cured, typed, found.names),
    )
    plate.row(_back(found), _weights(found, kind, threshold))
    st.caption(
        "Fresh nets of 32 units, measured as you type: every character enters as a vector of its own,"
        " the loss stands at the last character, and nothing is learned yet. A gradient is a share of"
        " that at the last character in the top layer: pale where it is as large (10⁰), blue where it"
        " is smaller, orange where it is larger. −∞ is exactly 0, too small"
        " for the computer's numbers. Batch norm reads 15 shuffles of the text beside it. A single"
        " adaptive step clips by norm."
    )
    return plain, found


def _cures(plain: Switches) -> tuple[Switches, str, float]:
    row = ask.line()
    cell = ask.pick("Cure: cell", CELLS, "cell", "lstm", row, width=118)
    bias, other = 0.0, ""
    if cell == "lstm":
        bias = ask.slider("Forget bias", "forget", 0.0, 5.0, 3.0, 0.5, row, width=118)
    if cell == "rnn":
        same = {"": "as it is", **ACTIVATIONS}
        other = ask.pick("Activation", same, "instead", "", row, width=105)
    start = ask.pick("Initial weights", STARTS, "begin", "torch", row, width=130)
    norm = ask.pick("Norm", NORMS, "norm", "none", row, width=120)
    kind = ask.pick("Clipping", CLIPPINGS, "clip", "none", row, width=105)
    threshold = 1.0
    if kind != "none":
        threshold = ask.pick("Threshold", LENGTHS, "longest", 1.0, row, width=90)
    residual = ask.toggle("Residual", "residual", False, row)
    chosen = replace(
        plain,
        cell=cell,
        activation=other or plain.activation,
        start=start,
        norm=norm,
        residual=residual,
        forget_bias=bias,
    )
    return chosen, kind, threshold


@kept.resource(max_entries=48)
def sizes(chosen: Switches, text: str) -> Sizes:
    return cures.on_text(chosen, text)


def _names(plain: Switches, chosen: Switches) -> str:
    """The cures in words."""
    bias = f", forget bias {chosen.forget_bias:g}" if chosen.forget_bias else ""
    names = (
        f"{CELLS[chosen.cell]}{bias}" if chosen.cell != plain.cell else "",
        ACTIVATIONS[chosen.activation]
        if chosen.cell == "rnn" and chosen.activation != plain.activation
        else "",
        f"start {STARTS[chosen.start]}" if chosen.start != plain.start else "",
        NORMS[chosen.norm] if chosen.norm != plain.norm else "",
        "residual connections" if chosen.residual else "",
    )
    return "; ".join(name for name in names if name) or "no cure"


def said(found: Found) -> list[str]:
    """What the switches do."""
    before, after = (s.share_LT for s in (found.plain, found.cured))
    first, now = float(before[0, 0]), float(after[0, 0])
    cured = f"With {found.names}, it is **{number(now)}**: {VERDICTS[cures.verdict(now)]}."
    if found.names == "no cure":
        cured = "No cure is switched on."
    down = (
        f"Down the layers at the last character, {number(float(before[1, -1]))} of it reaches the"
        f" lowest; with the cures {number(float(after[1, -1]))}."
    )
    found_so = (
        f"Of the gradient at the end, **{number(first)}** reaches the first character in the plain"
        f" net: {VERDICTS[cures.verdict(first)]}. {cured}"
    )
    return [sentence for sentence in (found_so, down, _broken(found)) if sentence]


def _broken(found: Found) -> str:
    """Where a number first is none."""
    for name, it in (("plain net", found.plain), ("net with cures", found.cured)):
        if it.broken:
            layer, step = it.broken
            return (
                f"In the {name} the signal overflows: at character {step + 1} in layer {layer} it"
                " first exceeds 3.4 × 10³⁸, the largest number there; what is computed from it is ∞,"
                " or no number (?)."
            )
        if not np.isfinite(it.gradient_LT).all():
            back = int(np.argwhere(~np.isfinite(it.gradient_LT).all(0)).max())
            return (
                f"In the {name} the gradient overflows on its way back at character {back + 1}; what"
                " is computed from it is ∞, or no number (?)."
            )
    return ""


def _map(what: str, which: str, title: str, it: Sizes, text: str, of: str) -> Plate:
    values = it.share_LT if what == "gradient" else it.signal_LT
    with np.errstate(divide="ignore", invalid="ignore"):
        powers = np.log10(values)
    layers = ("input", *range(1, len(values)))
    field = Field.of(
        f"{what}.{which}",
        Kind.GRADIENT if what == "gradient" else Kind.STATE,
        {"layer": layers[::-1], "token": text},
        powers[::-1],
        title,
        unit="10ⁿ",
        domain=SCALE,
    )
    return Plate(
        f"{what}-{which}", "heatmap", (field,), "fresh", of, text, model="fresh", fluid=True
    )


def _back(found: Found) -> Plate:
    back = np.arange(len(found.text))
    series = [
        (name, back, it.share_LT[0][::-1])
        for name, it in (("plain net", found.plain), (found.names, found.cured))
    ]
    return plate.lines(
        "back",
        "How much reaches the input",
        series[: 1 if found.names == "no cure" else 2],
        "fresh",
        "Gradient of each character's vector, as a share of that at the end",
        tight=True,
        x="characters back",
        y="share",
        of_series="net",
        log_y=True,
        model="fresh",
    )


def _weights(found: Found, kind: str, threshold: float) -> Plate:
    layers = np.arange(1, len(found.cured.net.layers) + 1)
    series = [
        ("plain net", layers, found.plain.weights_L()),
        (found.names, layers, found.cured.weights_L()),
    ]
    if found.names == "no cure":
        del series[1]
    if kind != "none":
        left = clipped.layers(found.cured.net.layers, kind, threshold)
        series.append((f"clipped at {threshold:g}", layers, left))
    return plate.lines(
        "weights",
        "Gradient of the weights, by layer",
        series,
        "fresh",
        "All weights and biases of a layer; clipping by norm shortens all layers by one factor",
        tight=True,
        x="layer",
        y="length",
        of_series="net",
        whole=True,
        log_y=True,
        model="fresh",
    )
