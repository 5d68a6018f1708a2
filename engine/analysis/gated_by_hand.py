"""Gated by hand: one neuron of any number of inputs, gate times content, and what bounds a memory that adds up.

What      z = w . x + b, a = f(z), da/dw = f'(z) x, da/dx = f'(z) w; (a * b)_k = a_k b_k; c_t = f c_t-1 + i g(z), with
          g tanh, a leaky ReLU, or z clamped to between two ends
Source    Hochreiter & Schmidhuber, Long Short-Term Memory, 1997; Gers, Schmidhuber & Cummins, Learning to Forget, 2000
Shapes    N = inputs, K = units of a state, T = steps; H = units, X = numbers of an input
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from engine.analysis.activations import ACTIVATIONS, Function


@dataclass(frozen=True, slots=True, eq=False)
class Read:
    """One neuron that has read x_N: its sum, output, slope there, and what a small change of each weight and of each
    input does to the output."""

    z: float
    a: float
    slope: float
    by_weight_N: np.ndarray
    by_input_N: np.ndarray


def read(x_N: np.ndarray, w_N: np.ndarray, b: float, activation: str = "sigmoid") -> Read:
    """ValueError for vectors of two lengths."""
    if x_N.shape != w_N.shape:
        raise ValueError(f"{len(x_N)} inputs for {len(w_N)} weights")
    z, of = float(x_N @ w_N + b), ACTIVATIONS[activation]
    a, slope = (float(f(np.array([z]))[0]) for f in (of.of, of.slope))
    return Read(z, a, slope, slope * x_N, slope * w_N)


def gated(gate_K: np.ndarray, content_K: np.ndarray) -> np.ndarray:
    """(K): how much, times what.  ValueError for vectors of two lengths."""
    if gate_K.shape != content_K.shape:
        raise ValueError(f"{len(gate_K)} gates for {len(content_K)} numbers")
    return gate_K * content_K


def blocks(units: int, inputs: int) -> tuple[np.ndarray, np.ndarray]:
    """((H, H), (H, X)): two small matrices that stand for those of one gate, the same for the same sizes."""
    rng = np.random.default_rng(3)
    return tuple(rng.integers(-9, 10, (units, n)) / 10 for n in (units, inputs))  # type: ignore[return-value]


def joined(
    hh_HH: np.ndarray, ih_HX: np.ndarray, h_H: np.ndarray, x_X: np.ndarray
) -> tuple[np.ndarray, tuple[np.ndarray, np.ndarray]]:
    """(H): one matrix, both blocks side by side, times state and input joined; and what each block adds to it.
    ValueError where sizes do not fit."""
    whole_H = np.hstack([hh_HH, ih_HX]) @ np.concatenate([h_H, x_X])
    return whole_H, (hh_HH @ h_H, ih_HX @ x_X)


def candidates(low: float, high: float) -> Mapping[str, Function]:
    """What may stand in the place of tanh; the last keeps z between two ends, and its slope is 0 outside."""
    return {
        "tanh": ACTIVATIONS["tanh"].of,
        "leaky ReLU": ACTIVATIONS["leaky"].of,
        "clamped z": lambda z: np.clip(z, low, high),
    }


def memory(candidate: Function, forget: float, write: float, z: float, steps: int) -> np.ndarray:
    """(T + 1): the memory from 0 on, where the same is read at every step."""
    content = float(candidate(np.array([z]))[0])
    c = [0.0]
    for _ in range(steps):
        c.append(forget * c[-1] + write * content)
    return np.array(c)
