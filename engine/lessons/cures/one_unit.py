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


def network(w: float, b: float, start: float, steps: int) -> tuple[np.ndarray, np.ndarray]:
    """States (T + 1,) and |dh_t/dh_0| (T + 1,), which begins with 1."""
    h, gradient = [start], [1.0]
    for _ in range(steps):
        new = _squash(w * h[-1] + b)
        gradient.append(gradient[-1] * abs(w) * new * (1 - new))
        h.append(new)
    return np.array(h), np.array(gradient)


def system(w: float, b: float, start: float, time: float = TIME) -> float:
    """Where it is after so long a time."""
    h = start
    for _ in range(round(time / DT)):
        h += DT * (_squash(w * h + b) - h)
    return h


def losses(w: float, b_M: np.ndarray, start: float) -> np.ndarray:
    """The loss over biases."""
    h_M = np.full(np.shape(b_M), start)
    for _ in range(round(TIME / DT)):
        h_M = h_M + DT * (squash(w * h_M + b_M) - h_M)
    return np.asarray((WANTED - h_M) ** 2)


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
    return [(h, find_bias(w, h)) for h in ((1 - root) / 2, (1 + root) / 2)]


def find_bias(w: float, h: float) -> float:
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


def slopes(w: float, b: float, start: float) -> tuple[float, float, float]:
    """The loss, dL/dw and dL/db, exact for Euler's steps: the derivatives are carried along with the state."""
    h, by_w, by_b = start, 0.0, 0.0
    for _ in range(round(TIME / DT)):
        new = _squash(w * h + b)
        s = new * (1 - new)
        by_w += DT * (s * (w * by_w + h) - by_w)
        by_b += DT * (s * (w * by_b + 1) - by_b)
        h += DT * (new - h)
    far = -2 * (WANTED - h)
    return (WANTED - h) ** 2, far * by_w, far * by_b


def descend(
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
