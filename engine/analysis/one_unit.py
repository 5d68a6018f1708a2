"""One recurrent unit, seen in three ways: as a network, as a dynamical system, as a loss to descend.

What      network:  h_{t+1} = s(w h_t + b), and its gradient dh_T/dh_0, the product of w s'(w h_t + b)
          system:   dh/dt = -h + s(w h + b); h = s(w h + b) at a fixed point, which is stable if
                    w s'(w h + b) < 1
          loss:     L(b) = (wanted - h(T))^2 of the system after time T
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013,
          sec. 2; Doya, Bifurcations in the Learning of Recurrent Neural Networks, 1992
Shapes    T = steps; every function takes numbers
Differs   s is the logistic function; the system is followed by Euler's method in steps of DT.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import pairwise

import numpy as np

DT, TIME = 0.05, 50.0
WANTED = 0.855
SURE = 1e-9


def squash(x: np.ndarray | float) -> np.ndarray:
    return np.asarray(1 / (1 + np.exp(-np.clip(x, -700, 700))))


def _squash(x: float) -> float:
    """The same of one number, which numpy would take ten times as long for."""
    return 1 / (1 + math.exp(-max(-700.0, min(700.0, x))))


def network(
    w: float, b: float, start: float, steps: int, tanh: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """States (T + 1,) and |dh_t/dh_0| (T + 1,), which begins with 1; `tanh`: with that in place of s."""
    h, gradient = [start], [1.0]
    for _ in range(steps):
        new = math.tanh(w * h[-1] + b) if tanh else _squash(w * h[-1] + b)
        slope = 1 - new * new if tanh else new * (1 - new)
        gradient.append(gradient[-1] * abs(w) * slope)
        h.append(new)
    return np.array(h), np.array(gradient)


def system(w: float, b: float, start: float, time: float = TIME) -> np.ndarray:
    """h at 0, DT, 2 DT ... `time`."""
    h = [start]
    for _ in range(round(time / DT)):
        h.append(h[-1] + DT * (_squash(w * h[-1] + b) - h[-1]))
    return np.array(h)


def fixed_points(w: float, b: float) -> list[tuple[float, float]]:
    """(h, slope there) for every h = s(w h + b), in order; it is stable where the slope is below
    1."""
    from scipy.optimize import brentq

    def off(h: float) -> float:
        return _squash(w * h + b) - h

    # between the folds, where the curve turns, there is at most one
    edges = [0.0, *(h for h, _ in folds(w)), 1.0]
    found: list[tuple[float, float]] = []
    for low, high in pairwise(edges):
        if off(low) * off(high) <= 0 and high - low > SURE:
            h = float(brentq(off, low, high, xtol=1e-14))
            if not found or abs(found[-1][0] - h) > SURE:
                found.append((h, w * h * (1 - h)))
    return found


def folds(w: float) -> list[tuple[float, float]]:
    """(h, b) where two fixed points meet and vanish: w h (1 - h) = 1.  None up to w = 4."""
    if w <= 4:
        return []
    root = math.sqrt(1 - 4 / w)
    return [(h, at(w, h)) for h in ((1 - root) / 2, (1 + root) / 2)]


def at(w: float, h: float) -> float:
    """The b for which h is a fixed point."""
    return math.log(h / (1 - h)) - w * h


def branches(w: float, points: int = 200) -> Mapping[str, tuple[np.ndarray, np.ndarray]]:
    """(b, h) of all fixed points, in pieces along which b only rises or only falls."""
    h = np.linspace(1e-4, 1 - 1e-4, 2 * points)
    edges = [0.0, *(x for x, _ in folds(w)), 1.0]
    names = ("low, stable", "between, unstable", "high, stable") if len(edges) == 4 else ("stable",)
    found = {}
    for name, (low, high) in zip(names, pairwise(edges), strict=True):
        inner = [x for x in (low, high) if 0 < x < 1]
        part = np.sort(np.r_[h[(h > low) & (h < high)], inner])
        found[name] = (np.log(part / (1 - part)) - w * part, part)
    return found


def loss(w: float, b: float, start: float, time: float = TIME, wanted: float = WANTED) -> float:
    return float((wanted - system(w, b, start, time)[-1]) ** 2)


def slope(w: float, b: float, start: float, time: float = TIME, wanted: float = WANTED) -> float:
    """dL/db, exact for Euler's steps: the derivative is carried along with the state."""
    return _loss_and_slope(w, b, start, time, wanted)[1]


def _loss_and_slope(
    w: float, b: float, start: float, time: float, wanted: float = WANTED
) -> tuple[float, float]:
    h, d = start, 0.0
    for _ in range(round(time / DT)):
        new = _squash(w * h + b)
        d += DT * (new * (1 - new) * (w * d + 1) - d)
        h += DT * (new - h)
    return (wanted - h) ** 2, -2 * (wanted - h) * d


def descend(
    w: float, b: float, start: float, rate: float, clip: float, steps: int = 30, time: float = TIME
) -> tuple[np.ndarray, np.ndarray]:
    """b and the loss at every step of gradient descent; `clip`: the longest gradient, 0: any."""
    found = []
    for n in range(steps + 1):
        height, g = _loss_and_slope(w, b, start, time)
        found.append((b, height))
        if n < steps:
            b -= rate * (math.copysign(min(abs(g), clip), g) if clip else g)
            b = max(-1e6, min(1e6, b))
    b_N, loss_N = np.array(found).T
    return b_N, loss_N


def slopes(
    w: float, b: float, start: float, time: float = TIME, wanted: float = WANTED
) -> tuple[float, float, float]:
    """The loss, dL/dw and dL/db, exact for Euler's steps."""
    h, by_w, by_b = start, 0.0, 0.0
    for _ in range(round(time / DT)):
        new = _squash(w * h + b)
        s = new * (1 - new)
        by_w += DT * (s * (w * by_w + h) - by_w)
        by_b += DT * (s * (w * by_b + 1) - by_b)
        h += DT * (new - h)
    far = -2 * (wanted - h)
    return (wanted - h) ** 2, far * by_w, far * by_b


def descend_both(
    w: float,
    b: float,
    start: float,
    rate: float,
    clip: float,
    steps: int = 30,
    within: tuple[tuple[float, float], tuple[float, float]] = ((-20.0, 20.0), (-20.0, 20.0)),
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """w, b and the loss at every step of gradient descent in both; `clip`: the longest gradient, 0: any, shortened by
    its norm.  It ends at the step that leaves `within`, which is (w, b)."""
    found = []
    for n in range(steps + 1):
        height, by_w, by_b = slopes(w, b, start)
        found.append((w, b, height))
        if n == steps or not all(
            low <= x <= high for x, (low, high) in zip((w, b), within, strict=True)
        ):
            break
        size = math.hypot(by_w, by_b)
        scale = min(1.0, clip / size) if clip and size else 1.0
        w, b = w - rate * scale * by_w, b - rate * scale * by_b
    w_N, b_N, loss_N = np.array(found).T
    return w_N, b_N, loss_N


def factor(w_N: np.ndarray, z_M: np.ndarray) -> np.ndarray:
    """|w s'(z)| (N, M): by what one step multiplies a gradient."""
    h_M = squash(z_M)
    return np.abs(w_N)[:, None] * (h_M * (1 - h_M))[None]


def through(factor: float, layers: int, residual: bool = False) -> np.ndarray:
    """(N + 1,) how long a gradient of length 1 is behind 0, 1, ... N layers that multiply by `factor`, or by 1 + factor
    with residual connections: y = x + F(x), dy/dx = 1 + F'."""
    one = abs(factor + 1.0) if residual else abs(factor)
    found: np.ndarray = np.cumprod(np.r_[1.0, np.full(layers, one)])
    return found


def powers(a_HH: np.ndarray, steps: int) -> np.ndarray:
    """|A^n| for n = 0 .. steps, the largest singular value of each power."""
    found, power = [], np.eye(len(a_HH))
    for _ in range(steps + 1):
        found.append(float(np.linalg.norm(power, 2)))
        power = power @ a_HH
    return np.array(found)


def of_unit(
    weight: float, sum_T: np.ndarray, state_T: np.ndarray
) -> tuple[float, np.ndarray, np.ndarray]:
    """A unit of a trained tanh network as one unit with a bias that changes at each step: w, b_T, and its states
    g = (h + 1) / 2 in [0, 1], so that g_t = s(w g_{t-1} + b_t).  All that other units and the input send is in b.

    weight   of the unit to itself
    sum_T    its sums before tanh
    state_T  its states h; before the first it is 0
    """
    before_T = np.r_[0.0, state_T[:-1].astype(float)]
    rest_T = sum_T.astype(float) - weight * before_T
    return 4 * weight, 2 * rest_T - 2 * weight, (state_T.astype(float) + 1) / 2


def surface(
    w_N: np.ndarray, b_M: np.ndarray, start: float, time: float = TIME, wanted: float = WANTED
) -> np.ndarray:
    """The loss (N, M) over weights and biases."""
    w_NM, b_NM = np.meshgrid(w_N, b_M, indexing="ij")
    h_NM = np.full(w_NM.shape, start)
    for _ in range(round(time / DT)):
        h_NM = h_NM + DT * (squash(w_NM * h_NM + b_NM) - h_NM)
    return np.asarray((wanted - h_NM) ** 2)
