"""Taught: a teacher's answer beside those of its students, with temperature, on the typed text.

What      p_T = softmax(logits / T);  loss of a student at a token = a T^2 KL(teacher_T | student_T) + (1 - a)
          (-ln p of the token that came); for T without end T^2 KL tends to the mean over words of (t - s)^2 / 2, of
          logits whose mean is 0
Source    Hinton, Vinyals & Dean, Distilling the Knowledge in a Neural Network, 2015, sec. 2 and 2.1
Shapes    T = tokens, V = vocabulary
Differs   Logarithms of probabilities stand for logits: a constant added to all of them changes nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.neural import NeuralLanguageModel

Net = NeuralLanguageModel[Any]


def soften(z: np.ndarray, heat: float) -> np.ndarray:
    """softmax(z / heat) along the last axis."""
    e = np.exp((z - z.max(-1, keepdims=True)) / heat)
    return np.asarray(e / e.sum(-1, keepdims=True))


def soft_loss(t: np.ndarray, s: np.ndarray, heat: float) -> np.ndarray:
    """T^2 KL(teacher | student) in nats (..)."""
    p, q = soften(t, heat), soften(s, heat)
    tiny = np.finfo(float).tiny
    logs = np.log(np.maximum(p, tiny)) - np.log(np.maximum(q, tiny))
    return np.asarray(heat**2 * (p * logs).sum(-1))


def endless(t: np.ndarray, s: np.ndarray) -> float:
    """What that tends to where the temperature has no end."""
    return float(np.square((t - t.mean()) - (s - s.mean())).mean() / 2)


@dataclass(frozen=True, slots=True)
class Read:
    """labels (T,), ids (T,), and logits (T, V) of what each net says behind every token."""

    labels: tuple[str, ...]
    ids: np.ndarray
    logits: dict[str, np.ndarray]

    def cost(self, name: str) -> np.ndarray:
        """Bits of each token behind the first (T - 1,)."""
        p_TV = soften(self.logits[name], 1.0)[:-1]
        return np.asarray(-np.log2(p_TV[np.arange(len(p_TV)), self.ids[1:]]))


def read(nets: dict[str, Net], text: str) -> Read:
    """By nets that share a vocabulary.  ValueError for a text without a token that they know."""
    found: dict[str, np.ndarray] = {}
    for name, net in nets.items():
        trace = net.trace(text, fields=("probability",))
        if len(trace.ids) < 2:
            raise ValueError("Type a few words: the nets are compared behind each letter.")
        p_TV = np.asarray(trace.field("probability").values, np.float64)
        found[name] = np.log(np.maximum(p_TV, np.finfo(float).tiny))
    return Read(trace.tokens, np.asarray(trace.ids), found)
