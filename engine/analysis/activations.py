"""Activation functions: what a neuron makes of its sum, and how much of a small change passes.

What      sigmoid 1 / (1 + e^-z); tanh; ReLU max(0, z); leaky ReLU; ELU; hard sigmoid; softplus
          ln(1 + e^z); GELU z P(z); each with its derivative, here called its slope
Source    Nair & Hinton, Rectified Linear Units Improve Restricted Boltzmann Machines, 2010; Maas,
          Hannun & Ng, Rectifier Nonlinearities Improve Neural Network Acoustic Models, 2013 (leaky);
          Clevert, Unterthiner & Hochreiter, Fast and Accurate Deep Network Learning by Exponential
          Linear Units, 2016; Hendrycks & Gimpel, Gaussian Error Linear Units, 2016; Dugas et al.,
          Incorporating Second-Order Functional Knowledge for Better Option Pricing, 2001 (softplus)
Shapes    any array to one of the same shape; P and p are the standard normal distribution function
          and its density
Differs   Where a slope jumps, it is that of torch: ReLU's is 0 at 0, a hard sigmoid's is 0 at its
          corners.  The hard sigmoid is torch's, z / 6 + 1/2 between 0 and 1.
          The browser draws the same functions: assets/live/sums/activations.js.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

Function = Callable[[np.ndarray], np.ndarray]
LEAK = 0.01  # slope of a leaky ReLU below 0
SPAN = 40.0  # how far from 0 the largest slope is looked for: beyond, all are flat or straight
FORMATS: Mapping[str, type[np.floating]] = {
    "float16": np.float16,
    "float32": np.float32,
    "float64": np.float64,
}


@dataclass(frozen=True, slots=True)
class Activation:
    """low, high  what its values lie between; they need not be reached
    formula    LaTeX in z
    """

    id: str
    title: str
    formula: str
    of: Function
    slope: Function
    low: float
    high: float


def sigmoid(z: np.ndarray) -> np.ndarray:
    return np.asarray(0.5 * (1 + np.tanh(0.5 * np.asarray(z, float))))


def _sigmoid_slope(z: np.ndarray) -> np.ndarray:
    # as a product of both ends: 1 - s would lose its digits where s is nearly 1
    return np.asarray(_small_sigmoid(z) * _small_sigmoid(-z))


def _small_sigmoid(z: np.ndarray) -> np.ndarray:
    """With all digits where it is near 0."""
    return np.asarray(np.exp(-np.logaddexp(0, -np.asarray(z, float))))


def _normal(z: np.ndarray) -> np.ndarray:
    from scipy.special import ndtr

    return np.asarray(ndtr(z))


def _gelu_slope(z: np.ndarray) -> np.ndarray:
    return np.asarray(_normal(z) + z * np.exp(-0.5 * z * z) / np.sqrt(2 * np.pi))


def _inside(z: np.ndarray) -> np.ndarray:
    return (z > -3) & (z < 3)


ALL = (
    Activation("sigmoid", "Sigmoid", r"\frac{1}{1 + e^{-z}}", sigmoid, _sigmoid_slope, 0.0, 1.0),
    Activation(
        "tanh",
        "tanh",
        r"\tanh z = 2\,\sigma(2z) - 1",
        np.tanh,
        lambda z: 4 * _sigmoid_slope(2 * z),
        -1.0,
        1.0,
    ),
    Activation(
        "relu",
        "ReLU",
        r"\max(0, z)",
        lambda z: np.maximum(z, 0.0),
        lambda z: np.where(z > 0, 1.0, 0.0),
        0.0,
        np.inf,
    ),
    Activation(
        "leaky",
        "Leaky ReLU",
        r"\max(0.01\,z,\ z)",
        lambda z: np.where(z > 0, z, LEAK * z),
        lambda z: np.where(z > 0, 1.0, LEAK),
        -np.inf,
        np.inf,
    ),
    Activation(
        "elu",
        "ELU",
        r"\begin{cases} z & z > 0 \\ e^{z} - 1 & z \le 0 \end{cases}",
        lambda z: np.where(z > 0, z, np.expm1(np.minimum(z, 0))),
        lambda z: np.where(z > 0, 1.0, np.exp(np.minimum(z, 0))),
        -1.0,
        np.inf,
    ),
    Activation(
        "hard",
        "Hard sigmoid",
        r"\min(1, \max(0, \tfrac{z}{6} + \tfrac{1}{2}))",
        lambda z: np.clip(z / 6 + 0.5, 0.0, 1.0),
        lambda z: np.where(_inside(z), 1 / 6, 0.0),
        0.0,
        1.0,
    ),
    Activation(
        "softplus",
        "Softplus",
        r"\ln(1 + e^{z})",
        lambda z: np.logaddexp(0, z),
        _small_sigmoid,
        0.0,
        np.inf,
    ),
    Activation("gelu", "GELU", r"z\,\Phi(z)", lambda z: z * _normal(z), _gelu_slope, -0.17, np.inf),
)
ACTIVATIONS: Mapping[str, Activation] = {one.id: one for one in ALL}


def zeros(of: Activation, sums: int = 10_000) -> float:
    """The share of outputs that are exactly 0, where the sum is normally distributed with mean 0 and deviation 1."""
    from scipy.special import ndtri

    z = ndtri((np.arange(sums) + 0.5) / sums)
    return float((of.of(z) == 0).mean())


def steepest(of: Activation) -> float:
    """The largest slope; of softplus what it comes as near to as a double can tell."""
    return float(of.slope(np.linspace(-SPAN, SPAN, 80_001)).max())


def rounded_to_one(squash: Function, kind: type[np.floating]) -> float:
    """The smallest z, found by bisection, whose function value is exactly 1 in this number format;
    `squash` is computed in double precision and rounded once."""
    low, high = 0.0, 64.0
    for _ in range(60):
        middle = (low + high) / 2
        reached = kind(squash(np.array(middle))) == kind(1)
        low, high = (low, middle) if reached else (middle, high)
    return high
