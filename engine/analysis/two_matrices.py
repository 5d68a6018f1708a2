"""What the length of a product of two matrices can and cannot be; and which product is the Jacobian of a layer.

What      smin(A) smin(B) <= smin(A B), and |A B| <= |A| |B|: the largest singular value has no bound from below but
          that of the smallest ones.  Of a layer h = s(W x + b): dh/dx = D W, D = diag(s'); the gradient goes back
          with its transpose, W^T D; of layer on layer: J_k ... J_2 J_1, at most (|W| / 4)^k long
Source    Horn & Johnson, Matrix Analysis, sec. 3.3 and 5.6
Shapes    H = 2
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from engine.analysis.one_unit import squash

STEP = 1e-6


@dataclass(frozen=True, slots=True)
class Lengths:
    """The largest singular value of A B, its bound from above, the wrong bound from below (the same number), and the
    right one."""

    product: float
    above: float
    below: float


def lengths(a_HH: np.ndarray, b_HH: np.ndarray) -> Lengths:
    values = [np.linalg.svd(m, compute_uv=False) for m in (a_HH, b_HH, a_HH @ b_HH)]
    return Lengths(
        float(values[2][0]),
        float(values[0][0] * values[1][0]),
        float(values[0][-1] * values[1][-1]),
    )


def image(a_HH: np.ndarray, points: int = 121) -> tuple[np.ndarray, np.ndarray]:
    """Where the matrix takes the circle of length 1."""
    angle = np.linspace(0, 2 * np.pi, points)
    x, y = a_HH @ np.stack([np.cos(angle), np.sin(angle)])
    return x, y


@dataclass(frozen=True, slots=True)
class Square:
    """A square of the plane around x, and where a layer takes it; (N, 2) points in order, along its edge.

    grid    the lines of a grid, twice as wide, one behind the other, and where they go: (M, 2) both
    before  the square
    after   where the layer takes it
    linear  where h(x) + D W (p - x) would: a parallelogram
    """

    grid: tuple[np.ndarray, np.ndarray]
    before: np.ndarray
    after: np.ndarray
    linear: np.ndarray

    @property
    def off(self) -> float:
        """How far a point of the edge is from where the Jacobian has it, at most."""
        return float(np.linalg.norm(self.after - self.linear, axis=-1).max())


def square(w_HH: np.ndarray, b_H: np.ndarray, x_H: np.ndarray, side: float) -> Square:
    """Of h = s(W x + b); the square has 10 points a side."""
    across, along = np.linspace(-1, 1, 5) * side, np.linspace(-1, 1, 33) * side
    lines = [(at, along[:: (-1) ** n]) for n, at in enumerate(across)]
    down = np.concatenate([np.stack([line, np.full(33, at)], -1) for at, line in lines])
    grid_M2 = x_H + np.concatenate([down, down[::-1, ::-1]])
    corner = side / 2 * np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]], float)
    part = np.linspace(0, 1, 11)[:, None]
    edge_N2 = x_H + np.concatenate([a + part * (b - a) for a, b in pairwise(corner)])

    def layer(p_N2: np.ndarray) -> np.ndarray:
        made: np.ndarray = squash(p_N2 @ w_HH.T + b_H)  # type: ignore[assignment]
        return made

    j_HH = jacobian(w_HH, b_H, x_H)["DW"]
    linear_N2 = layer(x_H) + (edge_N2 - x_H) @ j_HH.T
    return Square((grid_M2, layer(grid_M2)), edge_N2, layer(edge_N2), linear_N2)


@dataclass(frozen=True, slots=True)
class Deep:
    """The same layer K times: its output, the product of the Jacobians up to it and that one's singular values, the
    largest first, after each; and what bounds them."""

    h_KH: np.ndarray
    product_KHH: np.ndarray
    singular_KH: np.ndarray
    bound_K: np.ndarray


def deep(w_HH: np.ndarray, b_H: np.ndarray, x_H: np.ndarray, layers: int) -> Deep:
    """h_k = s(W h_{k-1} + b) from h_0 = x; a slope of s is at most 1/4."""
    h_H, product_HH = x_H, np.eye(len(x_H))
    outputs, products = [], []
    for _ in range(layers):
        product_HH = jacobian(w_HH, b_H, h_H)["DW"] @ product_HH
        h_H = np.asarray(squash(w_HH @ h_H + b_H))
        outputs.append(h_H)
        products.append(product_HH)
    largest = np.linalg.norm(w_HH, 2) / 4
    return Deep(
        np.array(outputs),
        np.array(products),
        np.array([np.linalg.svd(p, compute_uv=False) for p in products]),
        largest ** np.arange(1, layers + 1),
    )


def jacobian(w_HH: np.ndarray, b_H: np.ndarray, x_H: np.ndarray) -> dict[str, np.ndarray]:
    """Of h = s(W x + b), s the logistic function: D W, W D, and central differences."""
    h_H = squash(w_HH @ x_H + b_H)
    slope_HH = np.diag(h_H * (1 - h_H))
    columns = []
    for n in range(len(x_H)):
        by = np.zeros_like(x_H)
        by[n] = STEP
        up, down = (squash(w_HH @ (x_H + d) + b_H) for d in (by, -by))
        columns.append((up - down) / (2 * STEP))
    return {"DW": slope_HH @ w_HH, "WD": w_HH @ slope_HH, "differences": np.array(columns).T}
