"""One neuron: what it computes of two inputs, what its activation function lets pass, where the sums of a trained LSTM
stand on such curves, and what a gate and a memory do with them."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine import frame as fr
from engine.analysis.activations import (
    ACTIVATIONS,
    ALL,
    FORMATS,
    LEAK,
    rounded_to_one,
    sigmoid,
    steepest,
    zeros,
)
from engine.core.trace import FieldSpec, Kind
from engine.frame.latex import number as n
from engine.language.message import _
from engine.lessons.neuron import one_neuron, saturation
from engine.lessons.neuron.one_neuron import CORNERS, FARTHEST, TASKS, Neuron
from engine.models.neural import copy_apart
from engine.models.recurrent import RecurrentModel
from engine.text.corpora.stories import CORPUS
from engine.views import theme

REACH = 2.0  # of the inputs, on both sides, as in assets/live/neuron/neuron.js
OUTPUT = FieldSpec("output", Kind.GATE, ("unit",), "The output of a neuron.")
GOALS = {"none": "No task", "and": "AND", "or": "OR", "xor": "XOR"}
SETS = {name: f"n_{name}" for name in ("w1", "w2", "b", "x1", "x2", "f", "task")}


def dragged(most: float, first: float) -> Any:
    return fr.number("", -most, most, first, 0.01)


@fr.part("", always=True)
def neuron(
    *,
    n_w1: float = dragged(FARTHEST, 1.5),
    n_w2: float = dragged(FARTHEST, -1.0),
    n_b: float = dragged(FARTHEST, 0.5),
    n_x1: float = dragged(REACH, 1.0),
    n_x2: float = dragged(REACH, 0.5),
    n_f: str = fr.pick("", {id: one.title for id, one in ACTIVATIONS.items()}, "sigmoid"),
    n_task: str = fr.pick("", GOALS),
) -> fr.Blocks:
    made, colours = Neuron((n_w1, n_w2), n_b, n_f), theme.scale(OUTPUT)
    state = dict(zip(SETS, (n_w1, n_w2, n_b, n_x1, n_x2, n_f, n_task), strict=True))
    scale: dict[str, Any] = {"low": colours.low, "high": colours.high}
    scale |= {"light": theme.stops(OUTPUT, False), "dark": theme.stops(OUTPUT, True)}
    data = {"state": state, "scale": scale}
    board = fr.Board("neuron/neuron.js", data, SETS, ("neuron/neuron.css",))
    yield fr.Section("neuron", [board])
    x, of = np.array([[n_x1, n_x2]]), ACTIVATIONS[n_f]
    z, a, slope = (float(f(x)[0]) for f in (made.sums, made.output, made.slope))
    lines = (
        rf"z = {bracket(n_w1)} \cdot {bracket(n_x1)} + {bracket(n_w2)} \cdot {bracket(n_x2)} + {bracket(n_b)} = {n(z)}",
        rf"a = f(z) = {of.formula} = {n(a)}",
        gradient("w", "x", slope, n_x1, n_x2),
        gradient("x", "w", slope, n_w1, n_w2),
    )
    columns = [[fr.Formula(line) for line in lines[k::2]] for k in (0, 1)]
    yield fr.Section("sum", [fr.Beside(columns), *explain_task(made, slope, n_task)])


def bracket(x: float) -> str:
    return f"({n(x)})" if x < 0 else n(x)


def gradient(by: str, times: str, slope: float, one: float, two: float) -> str:
    def row(a: float, b: float) -> str:
        return rf"\begin{{bmatrix}} {n(a)} & {n(b)} \end{{bmatrix}}"

    return (
        rf"\frac{{\partial a}}{{\partial {by}}} = f'(z)\,{times} = {n(slope)} \cdot {row(one, two)} ="
        rf" {row(slope * one, slope * two)}"
    )


def explain_task(made: Neuron, slope: float, task: str) -> fr.Blocks:
    most = steepest(ACTIVATIONS[made.activation])
    passes = {"slope": slope, "share": slope / most, "most": most}
    if slope == 0:
        yield "**Flat**: nothing of a small change passes, and nothing is learned from this input."
    elif slope / most < 0.1:
        yield _(
            "**Saturated**: of a small change of the sum, {slope} passes: {share:.0%} of the largest slope, {most}.",
            **passes,
        )
    else:
        yield _(
            "Of a small change of the sum, {slope} passes: {share:.0%} of the largest slope, {most}.",
            **passes,
        )
    if task == "none":
        return
    right, loss = made.right(TASKS[task]), made.loss(TASKS[task])
    yield _(
        "{task}: **{right} of 4** corners are on their side of ½, and the loss is {loss}.",
        task=GOALS[task],
        right=right,
        loss=loss,
    )
    if task == "xor":
        yield "No line parts the ones of XOR from its zeros: one neuron gets three corners right at most."


TITLES = {
    "gate.input": "Input gate, σ",
    "gate.forget": "Forget gate, σ",
    "candidate": "Candidate, tanh",
    "gate.output": "Output gate, σ",
    "cell": "Memory, tanh",
}
BEGINNING = 3_000  # characters


@fr.once
def stand(model: RecurrentModel[Any]) -> list[saturation.Sums]:
    return saturation.measured(copy_apart(model), CORPUS.text()[:BEGINNING])


@fr.part("Real gates")
def gates(lstm: RecurrentModel[Any] | None = fr.shipped("lstm")) -> fr.Blocks:
    if lstm is None:
        raise ValueError("The shipped LSTM is not here: `make zoo` trains it.")
    found = stand(lstm)
    written = [one.saturated for one in found if one.name == "candidate"]
    flattest = max((one for one in found if "gate." in one.name), key=lambda one: one.saturated)
    yield _(
        "**{share:.0%}** of the candidates of the shipped LSTM stand where their tanh is flat: they write about"
        " −1 or 1. Of the gates, the {gate} of layer {layer} is flat most often, {most:.0%} of the time.",
        share=sum(written) / len(written),
        gate=_(TITLES[flattest.name]),
        layer=flattest.layer + 1,
        most=flattest.saturated,
    )
    wide = 10  # of the steps that are counted
    counts = np.array([one.counts for one in found], float).reshape(len(found), -1, wide).sum(2)
    middles = np.arange(counts.shape[1]) - saturation.FARTHEST + 0.5
    yield fr.grid(
        "sums",
        "Where the sums stand: the share of each row",
        counts / counts.sum(1, keepdims=True),
        ("row", [f"{one.layer + 1}: {TITLES[one.name]}" for one in found]),
        ("column", [f"{z:g}" for z in middles]),
        note="The first and the last column hold all beyond.",
        source="lstm",
        fluid=True,
    )
    heads = (
        "Layer",
        "What is squashed",
        "flat on the left",
        "flat on the right",
        "flat",
        "mean sum",
    )
    rows = (
        (one.layer + 1, TITLES[one.name], one.low, one.high, one.saturated, one.mean)
        for one in found
    )
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[2:5], fr.SHARE) | {"mean sum": "%.2f"})
    yield fr.Note(
        "The beginning of the built-in stories, every unit at every token; flat: the slope is below a tenth of the"
        " largest. A gate is a sigmoid of its sum, the candidate a tanh; the memory goes through a second tanh before"
        " the output gate."
    )


@fr.part("Eight functions", was=("part-never-quite-1",))
def functions() -> fr.Blocks:
    z = np.linspace(-4, 4, 201)
    values = {one.title: (z, one.of(z)) for one in ALL}
    slopes = {one.title: (z, one.slope(z)) for one in ALL}
    left = fr.curves("values", "What they make of a sum", values, "sum z", "output a")
    title = "How much of a small change passes"
    right = fr.curves("slopes", title, slopes, "sum z", "slope f′(z)", low=-0.2, high=1.2)
    yield fr.Beside([[left], [right]])
    heads = ["Activation function", "Lowest value", "Highest value", "outputs that are 0"]
    exact = ["largest slope", "slope at -4", "slope at 0", "slope at 4"]
    at = np.array([-4.0, 0.0, 4.0])
    rows = [
        (
            one.title,
            f"{one.low:g}",
            f"{one.high:g}",
            zeros(one),
            steepest(one),
            *one.slope(at).tolist(),
        )
        for one in ALL
    ]
    forms = {"outputs that are 0": fr.SHARE} | dict.fromkeys(exact, "%.4g")
    yield fr.table((*heads, *exact), rows, forms=forms)
    yield _(
        "**Ten layers, the best case.** Each layer multiplies the gradient by its weight and by the slope. With"
        " weights of 1 a sigmoid leaves at most 0.25¹⁰ = {sigmoid} of it, a hard sigmoid {hard}; tanh and ReLU"
        " can leave all of it.",
        sigmoid=0.25**10,
        hard=(1 / 6) ** 10,
    )
    yield (
        "**tanh is a sigmoid**, twice as high, twice as narrow, moved down by 1: tanh z = 2 σ(2z) − 1. So its slope is"
        " four times as large, and it is flat at half the sum."
    )
    yield (
        "**Sparse or not.** Of sums that are normally distributed around 0, a ReLU makes one half exactly 0;"
        " such units add nothing to what comes behind. Below 0 it has no slope either: a neuron that stands"
        " there for every input is dead. Leaky ReLU and ELU keep a little; GELU falls below 0 before it rises."
    )
    yield _(
        "**Never quite 1.** A sigmoid lies between 0 and 1 and reaches neither. Rounded to the digits of a computer it"
        " is exactly 1 from z = {half:.1f} on in float16, {single:.1f} in float32 and {double:.1f} in float64;"
        " the slope computed from it, σ (1 − σ), is 0 then.",
        **dict(
            zip(
                ("half", "single", "double"),
                (rounded_to_one(sigmoid, kind) for kind in FORMATS.values()),
                strict=True,
            )
        ),
    )


@fr.part("AND, OR, XOR")
def logic() -> fr.Blocks:
    found = one_neuron.separable()
    yield _(
        "Two bits can be answered in {all} ways. A line parts the ones from the zeros in **{some} of {all}**;"
        " the other {rest} are XOR and its opposite, whose ones lie on a diagonal. Behind two hidden neurons it"
        " can be done:",
        all=len(found),
        some=sum(found.values()),
        rest=len(found) - sum(found.values()),
    )
    one, other = (Neuron((10.0, 10.0), b).output(CORNERS).tolist() for b in (-15.0, -5.0))
    exact = (
        "AND, w (10, 10), b −15",
        "OR, w (10, 10), b −5",
        "hidden 1",
        "hidden 2",
        "XOR, two layers",
    )
    rows = (
        (int(x1), int(x2), a, b, *hidden, wanted)
        for (x1, x2), a, b, hidden, wanted in zip(
            CORNERS, one, other, one_neuron.xor(), TASKS["xor"], strict=True
        )
    )
    yield fr.table(("x₁", "x₂", *exact, "wanted"), rows, forms=dict.fromkeys(exact, "%.6f"))
    yield (
        "Hidden neuron 1 says OR, hidden neuron 2 says “not both”, and the neuron behind them is their AND. Two lines"
        " cut out the strip in which the ones lie: $h_1 = \\sigma(20 x_1 + 20 x_2 - 10)$,"
        " $h_2 = \\sigma(-20 x_1 - 20 x_2 + 30)$, $y = \\sigma(20 h_1 + 20 h_2 - 30)$."
    )


STEPS = 40


@fr.part("A gate and a memory", was=("part-by-hand",))
def memory(
    hand_forget: float = fr.slider("Forget gate f", 0.0, 1.0, 0.95, 0.01, 150),
    hand_write: float = fr.slider("Input gate", 0.0, 1.0, 0.5, 0.01, 150),
    hand_z: float = fr.slider("Sum z", -20.0, 20.0, 20.0, 0.5, 150),
) -> fr.Blocks:
    yield (
        "A gate of an LSTM is a sigmoid of $[h_{t-1}, x_t]$, state and input side by side, and says **how"
        " much**; what it meets is a memory, or a tanh between −1 and 1, and says **what**. They are multiplied"
        " element by element (the **Hadamard product** ⊙): 1 keeps all, 0 nothing."
    )
    kinds: dict[str, Any] = {"tanh": np.tanh, "leaky ReLU": ACTIVATIONS["leaky"].of}
    what = {name: float(f(np.array(hand_z))) for name, f in kinds.items()}
    yield fr.Formula(
        rf"i \cdot \tilde{{c}} = {n(hand_write)} \cdot {bracket(what['tanh'])} = {n(hand_write * what['tanh'])}"
        r",\qquad \begin{bmatrix}1 & 0 & 0.7\end{bmatrix} \odot \begin{bmatrix}10 & 10 & 10\end{bmatrix} ="
        r" \begin{bmatrix}10 & 0 & 7\end{bmatrix}"
    )
    made = {name: (range(STEPS + 1), hold(hand_forget, hand_write * c)) for name, c in what.items()}
    yield fr.curves(
        "bounded",
        "The memory when the same is read again and again",
        made,
        "step",
        "memory c",
        _(
            "c = f · c + i · g(z), with f = {f}, i = {i}, z = {z}; leaky ReLU has {leak} z below 0.",
            f=hand_forget,
            i=hand_write,
            z=hand_z,
            leak=LEAK,
        ),
    )
    if hand_forget < 1:
        ends = {name: hand_write * c / (1 - hand_forget) for name, c in what.items()}
        yield _(
            "If this went on, it would come to {tanh:.4g} with tanh and to {leaky:.4g} with a leaky ReLU. With"
            " tanh, what is written at one step stays between −1 and 1, whatever z is; a leaky ReLU has no upper end.",
            tanh=ends["tanh"],
            leaky=ends["leaky ReLU"],
        )
    else:
        yield "With f = 1 nothing is ever forgotten, and no candidate but 0 keeps it from growing."


def hold(forget: float, added: float) -> np.ndarray:
    """(T + 1): the memory from 0 on, where the same is read at every step."""
    c = [0.0]
    for _step in range(STEPS):
        c.append(forget * c[-1] + added)
    return np.array(c)


PARTS = (neuron, gates, functions, logic, memory)
