"""The Jacobian of one map after another: the chain rule with its sums, and what a linear step promises.

What      g(x) = (x0 x0, x0 x1, sin x1), f(y) = (y0 + y1, y1 y2), h = f after g; dh/dx = J_f(g(x)) J_g(x), and
          h(x + d) is about h(x) + dh/dx d
Source    Rudin, Principles of Mathematical Analysis, theorem 9.15
Shapes    x is (2,), y = g(x) is (3,), h is (2,)
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


def inner(x: np.ndarray) -> np.ndarray:
    return np.array([x[0] * x[0], x[0] * x[1], np.sin(x[1])])


def outer(y: np.ndarray) -> np.ndarray:
    return np.array([y[0] + y[1], y[1] * y[2]])


@dataclass(frozen=True, slots=True)
class Chained:
    """At x, with a step d: the Jacobians of g, f and both, h at x + d as it is and as the Jacobian has it.

    parts  (2, 2, 3): entry (i, j) of the whole is the sum over k of df_i/dy_k dg_k/dx_j
    """

    g: np.ndarray
    f: np.ndarray
    whole: np.ndarray
    parts: np.ndarray
    true: np.ndarray
    linear: np.ndarray


def chained(x: np.ndarray, d: np.ndarray) -> Chained:
    y = inner(x)
    g = np.array([[2 * x[0], 0.0], [x[1], x[0]], [0.0, np.cos(x[1])]])
    f = np.array([[1.0, 1.0, 0.0], [0.0, y[2], y[1]]])
    whole = f @ g
    parts = f[:, None, :] * g.T[None]
    return Chained(g, f, whole, parts, outer(inner(x + d)), outer(y) + whole @ d)
