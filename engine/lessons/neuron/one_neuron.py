"""One neuron with two inputs: its sum, its output, its gradients; what it can separate, and learn.

What      z = w1 x1 + w2 x2 + b; a = f(z); da/dw = f'(z) x, da/dx = f'(z) w, da/db = f'(z).  The
          line z = 0 stands across w, -b / |w| from the origin along it
          descent on E = half the sum over the four corners of (a - wanted)^2
Source    McCulloch & Pitts, A Logical Calculus of the Ideas Immanent in Nervous Activity, 1943;
          Rosenblatt, The Perceptron, 1958; Minsky & Papert, Perceptrons, 1969 (XOR)
Shapes    N = points: x (N, 2); w (2,)
Differs   A corner counts as 1 where the output is above 1/2, whatever the activation function.
          The browser learns with the same sums: assets/live/sums/activations.js.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np

from engine.analysis.activations import ACTIVATIONS, sigmoid

CORNERS = np.array([(0, 0), (0, 1), (1, 0), (1, 1)], float)
TASKS: Mapping[str, tuple[int, ...]] = {
    "and": (0, 0, 0, 1),
    "or": (0, 1, 1, 1),
    "xor": (0, 1, 1, 0),
}
HALF = 0.5
FARTHEST = 15.0  # of a weight or a bias: a step that leads beyond is cut there
# two hidden neurons and one behind them that compute XOR: weights of each input, then the bias
HIDDEN = np.array([(20.0, 20.0, -10.0), (-20.0, -20.0, 30.0)])
LAST = np.array((20.0, 20.0, -30.0))


@dataclass(frozen=True, slots=True)
class Neuron:
    w: tuple[float, float]
    b: float
    activation: str = "sigmoid"

    def sums(self, x: np.ndarray) -> np.ndarray:
        return np.asarray(x @ np.array(self.w) + self.b)

    def output(self, x: np.ndarray) -> np.ndarray:
        return ACTIVATIONS[self.activation].of(self.sums(x))

    def slope(self, x: np.ndarray) -> np.ndarray:
        return ACTIVATIONS[self.activation].slope(self.sums(x))

    def loss(self, wanted: tuple[int, ...]) -> float:
        return float(0.5 * ((self.output(CORNERS) - wanted) ** 2).sum())

    def right(self, wanted: tuple[int, ...]) -> int:
        """How many of the four corners stand on their side of 1/2."""
        return int(((self.output(CORNERS) > HALF) == (np.array(wanted) == 1)).sum())

    def learned(self, wanted: tuple[int, ...], rate: float, steps: int) -> Neuron:
        """After so many steps of gradient descent on all four corners."""
        w, b = np.array(self.w, float), float(self.b)
        of = ACTIVATIONS[self.activation]
        for _ in range(steps):
            z = CORNERS @ w + b
            error = (of.of(z) - wanted) * of.slope(z)
            w = np.clip(w - rate * CORNERS.T @ error, -FARTHEST, FARTHEST)
            b = float(np.clip(b - rate * error.sum(), -FARTHEST, FARTHEST))
        return Neuron((float(w[0]), float(w[1])), b, self.activation)


def separable() -> dict[tuple[int, ...], bool]:
    """Of all 16 functions of two bits, whether one neuron computes it.

    Whole weights and halves for the bias are enough: each way that a line can part the four corners
    is among them.
    """
    biases = np.arange(-2.5, 3)
    found = {
        tuple((CORNERS @ (w1, w2) + b > 0).astype(int).tolist())
        for w1, w2 in product((-1, 0, 1), repeat=2)
        for b in biases
    }
    return {bits: bits in found for bits in product((0, 1), repeat=4)}


def xor() -> list[tuple[float, float, float]]:
    """At each corner the two hidden neurons and the one behind them."""
    hidden = sigmoid(CORNERS @ HIDDEN[:, :2].T + HIDDEN[:, 2])
    out = sigmoid(hidden @ LAST[:2] + LAST[2])
    return [(float(a), float(b), float(y)) for (a, b), y in zip(hidden, out, strict=True)]
