"""Small networks whose every number is looked at: one of two hidden units for one point, and a deep one by layer.

What      z = W a + b of the layer before; a = f(z), at the output the sigmoid p
          L = -t ln p - (1 - t) ln(1 - p); dL/dz of the output is p - t, and of a hidden unit
          f'(z) times the sum of its weights onward times dL/dz there; dL/dw = dL/dz times what comes in
Source    Rumelhart, Hinton & Williams, Learning Representations by Back-Propagating Errors, 1986
Shapes    the net of two hidden units: rows a1, a2, p, columns its two inputs and the bias (3, 3)
          S = steps that are measured, L = layers
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

NUDGE = 1e-5
FUNCTIONS: dict[str, Callable[[], nn.Module]] = {
    "sigmoid": nn.Sigmoid,
    "tanh": nn.Tanh,
    "relu": nn.ReLU,
    "leaky": nn.LeakyReLU,
}
DEEP, POINTS, EVERY = (8, 8, 8, 8), 100, 5


@dataclass(frozen=True, slots=True)
class Pass:
    """One point, forward and back: a (2,), p, loss; dz (3,) of a1, a2 and p; g (3, 3) of the weights."""

    a: np.ndarray
    p: float
    loss: float
    dz: np.ndarray
    g: np.ndarray


def passed(w: np.ndarray, x: tuple[float, float], t: int) -> Pass:
    """Of the net of two tanh units."""
    a = np.tanh(w[:2, :2] @ x + w[:2, 2])
    z = float(w[2, :2] @ a + w[2, 2])
    p = float(1 / (1 + np.exp(-z)))
    loss = float(np.logaddexp(0, z) - t * z)
    dz = np.append(w[2, :2] * (p - t) * (1 - a**2), p - t)
    came = np.array([[*x, 1.0], [*x, 1.0], [*a, 1.0]])
    return Pass(a, p, loss, dz, dz[:, None] * came)


def differences(w: np.ndarray, x: tuple[float, float], t: int) -> np.ndarray:
    """The gradient (3, 3) by moving each weight a little both ways."""
    found = np.zeros_like(w)
    for place in np.ndindex(w.shape):
        move = np.zeros_like(w)
        move[place] = NUDGE
        found[place] = (passed(w + move, x, t).loss - passed(w - move, x, t).loss) / (2 * NUDGE)
    return found


@dataclass(frozen=True, slots=True)
class Learning:
    """step (S,); norm of the gradient of each matrix (S, L), mean slope of the units behind it and the
    share of dead ones, with a slope of 0 at every point (S, L - 1)."""

    step: np.ndarray
    norm: np.ndarray
    slope: np.ndarray
    dead: np.ndarray
    loss: float
    right: int


def circles(seed: int) -> tuple[torch.Tensor, torch.Tensor]:
    """POINTS, one class in a disc and the other in a ring around it."""
    draws = np.random.default_rng(seed)
    t = np.arange(POINTS) % 2
    far = np.where(t, draws.uniform(0, 0.45, POINTS), draws.uniform(0.7, 1, POINTS))
    turn = draws.uniform(0, 2 * np.pi, POINTS)
    x = np.stack([far * np.cos(turn), far * np.sin(turn)], 1)
    return torch.tensor(x), torch.tensor(t, dtype=torch.float64)[:, None]


def learn(function: str, rate: float, steps: int, seed: int) -> Learning:
    """Steps of SGD on all points, of four layers; measured every few."""
    x, t = circles(seed)
    torch_draws = torch.Generator().manual_seed(seed)
    sizes = (2, *DEEP, 1)
    layers = [nn.Linear(n, m).double() for n, m in itertools.pairwise(sizes)]
    for layer in layers:
        nn.init.xavier_uniform_(layer.weight, generator=torch_draws)
        nn.init.zeros_(layer.bias)
    parameters = [p for layer in layers for p in layer.parameters()]
    make = FUNCTIONS[function]()
    rows = []
    for step in range(steps + 1):
        a, slopes = x, []
        for layer in layers[:-1]:
            z = layer(a)
            a = make(z)
            if step % EVERY == 0:
                (slope,) = torch.autograd.grad(a.sum(), z, retain_graph=True)
                slopes.append(slope)
        out = layers[-1](a)
        loss = nn.functional.binary_cross_entropy_with_logits(out, t)
        gradients = torch.autograd.grad(loss, parameters)
        if step % EVERY == 0:
            norms = [g.norm().item() for g in gradients[::2]]
            means = [s.mean().item() for s in slopes]
            dead = [(s == 0).all(0).double().mean().item() for s in slopes]
            rows.append((step, norms, means, dead))
        if step < steps:
            with torch.no_grad():
                for p, g in zip(parameters, gradients, strict=True):
                    p.sub_(rate * g)
    right = int(((out > 0) == (t > 0.5)).sum())
    step_S, norm, mean, none = (np.array(column) for column in zip(*rows, strict=True))
    return Learning(step_S, norm, mean, none, loss.item(), right)
