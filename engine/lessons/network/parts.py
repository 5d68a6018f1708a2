"""The network that learns in the browser; below it each number by hand, layer after layer, and why deep networks
came late."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qsl

import numpy as np

from engine import frame as fr
from engine.core.trace import FieldSpec, Kind
from engine.frame.latex import matrix as written
from engine.frame.latex import number as n
from engine.language.message import _
from engine.lessons.network import small
from engine.views import theme

# what a step of the first minute chooses: the boards keep the address by themselves
ASKED = fr.shared(fr.typed("", "", 400))


MADE = FieldSpec("value", Kind.STATE, ("unit",), "What a unit makes of its inputs.")


@fr.part("", always=True)
def network(*, asked: str = ASKED) -> fr.Blocks:
    ends = theme.scale(MADE)
    scale: dict[str, Any] = {"low": ends.low, "high": ends.high}
    scale |= {"light": theme.stops(MADE, False), "dark": theme.stops(MADE, True)}
    data = {"asked": dict(parse_qsl(asked)), "scale": scale}
    board = fr.Board("network/board.js", data, sheets=("network/network.css",))
    yield fr.Section("network", [board])
    yield fr.Note(
        "It learns in your browser, in JavaScript, with the steps that PyTorch would take; nothing is sent. *More*,"
        " *Steps a second* takes the limit of 1,000 away."
    )


STARTING = ((1.0, 0.5, -0.2), (-1.0, 1.0, 0.5), (1.5, -0.5, 0.2))
UNITS, WAYS = ("a₁", "a₂", "p"), ("first", "second", "bias")
POINTS = {"00": "0, 0", "01": "0, 1", "10": "1, 0", "11": "1, 1"}
INPUTS = {name: (float(name[0]), float(name[1])) for name in POINTS}


WEIGHTS = fr.cells("Weights of two hidden units and of p", STARTING, UNITS, WAYS, 300)


@fr.part("Backpropagation by hand")
def byhand(
    point: str = fr.pick("Point (XOR)", POINTS, "01", few=True),
    rate: float = fr.slider("Learning rate", 0.0, 2.0, 0.5, 0.1),
    *,
    w: fr.Matrix = WEIGHTS,
) -> fr.Blocks:
    yield (
        "One point through two hidden units with tanh and back: p is the probability of class 1, t the class. Each"
        " gradient is the one behind it, times what lies between."
    )
    held = fr.array(w)
    x, t = INPUTS[point], int(point[0] != point[1])
    here = small.passed(held, x, t)
    lines = [fr.Formula(line) for line in sums(held, x, t, here)]
    yield fr.Beside([[fr.Controls(["w"])], lines], (2, 3))
    found = small.differences(held, x, t)
    after = small.passed(held - rate * here.g, x, t)
    comes = (("x₁", "x₂", "1"), ("x₁", "x₂", "1"), ("a₁", "a₂", "1"))
    rows = [
        (
            f"{comes[j][i]} → {UNITS[j]}",
            held[j, i],
            here.g[j, i],
            found[j, i],
            (held - rate * here.g)[j, i],
        )
        for j, i in np.ndindex(held.shape)
    ]
    heads = ("weight", "value", "gradient", "finite difference", "after a step")
    yield fr.table(heads, rows, forms=dict.fromkeys(heads[1:], "%.6f"))
    yield _(
        "No gradient is further than {far} from its finite difference, the change of the loss where the weight moves"
        " by ±0.00001. One step takes the loss of this point from {before} to **{after}**.",
        far=np.abs(here.g - found).max(),
        before=here.loss,
        after=after.loss,
    )


def sums(w: np.ndarray, x: tuple[float, float], t: int, of: small.Pass) -> list[str]:
    """Forward and back, as lines of LaTeX."""
    a, dz = of.a, of.dz

    def weighed(row: int, by: Sequence[float] | np.ndarray) -> str:
        terms = (rf"{bracket(v)} \cdot {bracket(one)}" for v, one in zip(w[row], by, strict=False))
        return " + ".join((*terms, bracket(w[row, 2])))

    lines = [rf"a_{j + 1} = \tanh({weighed(j, x)}) = {n(a[j])}" for j in (0, 1)]
    lines += [
        rf"p = \sigma({weighed(2, a)}) = {n(of.p)}",
        rf"L = -\ln {n(of.p if t else 1 - of.p)} = {n(of.loss)}",
        rf"\frac{{\partial L}}{{\partial z_p}} = p - t = {n(of.p)} - {t} = {n(dz[2])}",
    ]
    for j in (0, 1):
        back = rf"\frac{{\partial L}}{{\partial z_{j + 1}}} = w \cdot \frac{{\partial L}}{{\partial z_p}}"
        numbers = rf"{bracket(w[2, j])} \cdot {bracket(dz[2])} \cdot {n(1 - a[j] ** 2)}"
        lines.append(rf"{back} \cdot (1 - a_{j + 1}^2) = {numbers} = {n(dz[j])}")
    return lines


def bracket(value: float) -> str:
    """Of a sum or a product."""
    return f"({n(value)})" if value < 0 else n(value)


@fr.part("Without an activation")
def collapse(*, w: fr.Matrix = WEIGHTS) -> fr.Blocks:
    yield (
        "Leave the activation out, and a layer behind a layer is one matrix: W₂(W₁x + b₁) + b₂ = (W₂W₁)x + (W₂b₁ + b₂)."
        " However many there are, the border stays a straight line. Above, choose *linear* and any number of layers."
    )
    held = fr.array(w)
    matrix, bias = held[2, :2] @ held[:2, :2], float(held[2, :2] @ held[:2, 2] + held[2, 2])
    second, first, both = (written(values) for values in (held[2:, :2], held[:2, :2], matrix[None]))
    biases = rf"{second} \cdot {written(held[:2, 2:])} + {bracket(held[2, 2])} = {n(bias)}"
    shown = [fr.Formula(rf"{second} \cdot {first} = {both}"), fr.Formula(biases)]
    yield fr.Beside([[fr.Controls(["w"])], shown], (2, 3))
    rows = []
    for name, x in INPUTS.items():
        layered = float(held[2, :2] @ (held[:2, :2] @ x + held[:2, 2]) + held[2, 2])
        rows.append((POINTS[name], layered, float(matrix @ x + bias)))
    yield fr.table(("point", "sum by two layers", "sum by one matrix"), rows)


learned = fr.once(small.learn)
CURVES = {"sigmoid": "Sigmoid", "tanh": "tanh", "relu": "ReLU", "leaky": "Leaky ReLU"}
READY = {
    "Four layers of sigmoids": {"function": "sigmoid", "deep_rate": 0.1},
    "ReLUs that die": {"function": "relu", "deep_rate": 1.0},
    "The same with leaky ReLUs": {"function": "leaky", "deep_rate": 1.0},
}


@fr.part("Slopes and gradients by layer", was=("around",))
def layers(
    function: str = fr.pick("Activation", CURVES, "sigmoid", width=150),
    deep_rate: float = fr.slider("Learning rate", 0.1, 3.0, 0.1, 0.1),
    steps: int = fr.slider("Steps", 50, 600, 300, 50),
    deep_seed: int = fr.number("Seed", 0, 999, 1, width=120),
) -> fr.Blocks:
    yield fr.Presets("Ready-made", READY, open=True)
    yield _(
        "Four layers of 8 units learn {n} points, a disc inside a ring: how large the gradient of each matrix is while"
        " they learn, and how many units are dead, with a slope of 0 at every point. A dead unit gets no gradient.",
        n=small.POINTS,
    )
    found = learned(function, deep_rate, steps, deep_seed)
    names = [_("layer {k}", k=k) for k in range(1, len(small.DEEP) + 1)]

    def by_layer(values: np.ndarray, of: list[str]) -> fr.Series:
        return {name: (found.step, values[:, k]) for k, name in enumerate(of)}

    title = "Gradient of the weights, ‖∂L/∂W‖"
    norms = fr.curves(
        "gradients", title, by_layer(found.norm, [*names, "output"]), "step", "norm", log_y=True
    )
    slopes = fr.curves(
        "slopes", "Mean slope of the units", by_layer(found.slope, names), "step", "slope"
    )
    yield fr.Beside([[norms], [slopes]])
    yield _(
        "After {steps} steps the loss is {loss}, {right} of {all} points are right. The gradient of the first matrix is"
        " {first}, of the last {last}. Dead: **{dead:.0f} of {units}** units.",
        steps=steps,
        loss=found.loss,
        right=found.right,
        all=small.POINTS,
        first=found.norm[-1, 0],
        last=found.norm[-1, -1],
        dead=float((found.dead[-1] * small.DEEP).sum()),
        units=sum(small.DEEP),
    )


OBSTACLES = (
    (
        "computing power",
        "graphics processors, later processors made for tensors",
        "Raina et al., 2009; Jouppi et al., 2017",
    ),
    ("labelled data", "ImageNet: millions of pictures that people had sorted", "Deng et al., 2009"),
    (
        "ways to train",
        "ReLU, starting weights of the right size, dropout, batch normalization, Adam",
        "Nair & Hinton, 2010; Glorot & Bengio, 2010; Srivastava et al., 2014; Ioffe & Szegedy, 2015; Kingma & Ba, 2015",
    ),
    (
        "an idea of what is possible",
        "backpropagation trains hidden layers, and one of them is enough in principle; it was found out why depth"
        " stalls",
        "Rumelhart et al., 1986; Cybenko, 1989; Hochreiter, 1991",
    ),
    (
        "a reason to prefer them",
        "support vector machines and trees were as good on few data and easier to train, until a network won on"
        " ImageNet",
        "Cortes & Vapnik, 1995; Breiman et al., 1984; Krizhevsky et al., 2012",
    ),
)


@fr.part("Why it came late")
def late() -> fr.Blocks:
    yield "Backpropagation was known in 1986. Five things stood in the way of deep networks:"
    yield fr.table(("what was missing", "what removed it", "source"), OBSTACLES)


PARTS = (network, byhand, collapse, layers, late)
