"""Other methods: what networks had to compete with, on points of a plane; and dropout, which lets deep ones learn.

What      logistic regression (one neuron), a decision tree, a support vector machine with Gaussian kernels and a
          network of one hidden layer learn from the same points, and are judged on others
          dropout: a unit is 0 with probability p, the others are divided by 1 - p, so that the mean stays
Source    Breiman, Friedman, Olshen & Stone, Classification and Regression Trees, 1984; Cortes & Vapnik, Support-Vector
          Networks, 1995; Srivastava et al., Dropout, 2014
Shapes    N = points, x (N, 2), y (N,) of 0 and 1; S = SIDE places along each axis; H = units, M = masks
Differs   scikit-learn's methods with their usual settings, but for what is said here.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Points = Literal["xor", "rings", "moons"]
METHODS = ("one neuron", "a tree", "an SVM", "a network")
LEARN, JUDGE, SIDE, REACH, UNITS = 200, 1_000, 31, 1.5, 8


def points(kind: Points, n: int, noise: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """(n, 2) and (n,): within REACH of the origin but for the noise, whose standard deviation is given."""
    rng = np.random.default_rng(seed)
    y = rng.integers(2, size=n)
    if kind == "xor":
        right, side = rng.integers(2, size=n), rng.uniform(0.1, 1, size=(n, 2))
        x = side * np.c_[2 * right - 1, 2 * (right ^ y) - 1]
    else:
        turn = rng.uniform(0, np.pi if kind == "moons" else 2 * np.pi, size=n)
        if kind == "rings":
            x = np.where(y, 1.2, 0.5)[:, None] * np.c_[np.cos(turn), np.sin(turn)]
        else:
            sign = 1 - 2 * y
            x = 0.8 * np.c_[sign * np.cos(turn) - 0.5 * sign, sign * np.sin(turn) - 0.25 * sign]
    return x + rng.normal(scale=noise, size=(n, 2)), y


@dataclass(frozen=True, slots=True, eq=False)
class Learned:
    """right: share of JUDGE other points; border_SS: 0 or 1 at each place, the highest row first; size: splits, support
    vectors or weights."""

    right: float
    border_SS: np.ndarray
    size: int


def learned(kind: Points, noise: float, seed: int, depth: int) -> dict[str, Learned]:
    """By METHODS; the tree asks at most `depth` questions in a row."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neural_network import MLPClassifier
    from sklearn.svm import SVC
    from sklearn.tree import DecisionTreeClassifier

    x, y = points(kind, LEARN, noise, 2 * seed)
    other_x, other_y = points(kind, JUDGE, noise, 2 * seed + 1)
    along = np.linspace(-REACH, REACH, SIDE)
    place = np.stack(np.meshgrid(along, along[::-1]), -1).reshape(-1, 2)
    network = MLPClassifier((UNITS,), "tanh", solver="lbfgs", max_iter=1_000, random_state=seed)
    tree = DecisionTreeClassifier(max_depth=depth, random_state=seed)
    made: list[tuple[Any, Callable[[Any], int]]] = [
        (LogisticRegression(), lambda of: of.coef_.size + 1),
        (tree, lambda of: int((of.tree_.feature >= 0).sum())),
        (SVC(), lambda of: len(of.support_)),
        (network, lambda of: sum(w.size for w in (*of.coefs_, *of.intercepts_))),
    ]
    found = {}
    for name, (of, size) in zip(METHODS, made, strict=True):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a network may stop before its loss does
            of.fit(x, y)
        border_SS = of.predict(place).reshape(SIDE, SIDE).astype(float)
        right = float((of.predict(other_x) == other_y).mean())
        found[name] = Learned(right, border_SS, size(of))
    return found


def dropout(h_H: np.ndarray, p: float, masks: int, seed: int) -> np.ndarray:
    """(M, H): the units under so many masks drawn at random, p from 0 to below 1."""
    keep_MH = np.random.default_rng(seed).random((masks, len(h_H))) >= p
    made: np.ndarray = np.where(keep_MH, h_H / (1 - p), 0.0)
    return made
