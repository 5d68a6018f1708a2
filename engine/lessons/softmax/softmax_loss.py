"""Softmax with a loss behind it: two losses, their gradients, and what becomes of them in few bits.

What      p = softmax(z / T); y is 1 at the target, 0 elsewhere
          cross-entropy -ln p_target, its gradient (p - y) / T
          squared error half the sum of (p - y)^2, its gradient p_j (d_j - sum_k p_k d_k) / T with
          d = p - y
Source    Bridle, Probabilistic Interpretation of Feedforward Classification Network Outputs, 1990;
          Golik, Doetsch & Ney, Cross-Entropy vs. Squared Error Training, 2013; Blanchard, Higham &
          Higham, Accurately Computing the Log-Sum-Exp and Softmax Functions, 2021
Shapes    K = classes: z, p and gradients (K,)
Differs   The browser draws and learns with the same sums: assets/live/sums/softmax.js.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from engine.analysis.decode.temperature import softmax

FARTHEST = 10.0  # of a logit of the board
LOSSES: Mapping[str, str] = {"entropy": "Cross-entropy", "squared": "Squared error"}
RATE = 1.0  # of descent on the logits


@dataclass(frozen=True, slots=True)
class Logits:
    z: tuple[float, ...]
    target: int
    t: float = 1.0

    @property
    def p(self) -> np.ndarray:
        return softmax(np.array(self.z), self.t)

    @property
    def wanted(self) -> np.ndarray:
        return np.eye(len(self.z))[self.target]

    def loss(self, kind: str) -> float:
        """In nats, or half a squared distance."""
        if kind == "squared":
            return float(0.5 * ((self.p - self.wanted) ** 2).sum())
        scaled = np.array(self.z) / self.t
        highest = scaled.max()
        return float(highest + np.log(np.exp(scaled - highest).sum()) - scaled[self.target])

    def gradient(self, kind: str) -> np.ndarray:
        """By each logit."""
        p, off = self.p, self.p - self.wanted
        if kind == "squared":
            off = p * (off - (p * off).sum())
        return np.asarray(off / self.t)

    def learned(self, kind: str, steps: int, rate: float = RATE) -> Logits:
        """After so many steps of descent on the logits themselves."""
        now = self
        for _ in range(steps):
            z = np.array(now.z) - rate * now.gradient(kind)
            z = np.clip(z, -FARTHEST, FARTHEST)
            now = Logits(tuple(z.tolist()), self.target, self.t)
        return now


def steps_until(start: Logits, kind: str, share: float, most: int) -> int | None:
    """Steps until the target has this share; None where `most` are not enough."""
    now = start
    for n in range(most + 1):
        if now.p[now.target] >= share:
            return n
        now = now.learned(kind, 1)
    return None


def rounded(z: np.ndarray, kind: type[np.floating], shifted: bool) -> np.ndarray:
    """Softmax with every step in this number format; `shifted`: the largest logit subtracted
    first."""
    with np.errstate(all="ignore"):
        z = z.astype(kind)
        if shifted:
            z = z - z.max()
        power = np.exp(z)
        return np.asarray(power / power.sum(dtype=kind))


def rounded_loss(z: np.ndarray, target: int, kind: type[np.floating], by_logs: bool) -> float:
    """-ln p of the target in this format: of the rounded probability, or by the logarithm of the sum
    (`by_logs`)."""
    with np.errstate(all="ignore"):
        if not by_logs:
            return float(-np.log(rounded(z, kind, True)[target]))
        z = z.astype(kind)
        rest = z - z.max()
        return float(np.log(np.exp(rest).sum(dtype=kind)) - rest[target])


def ends(kind: type[np.floating]) -> tuple[float, float]:
    """(lowest, highest) exponent whose power of e is neither 0 nor infinite in this format."""

    def border(outside: Callable[[float], bool], far: float) -> float:
        inner, outer = 0.0, far
        for _ in range(60):
            middle = (inner + outer) / 2
            inner, outer = (inner, middle) if outside(middle) else (middle, outer)
        return inner

    with np.errstate(all="ignore"):
        low = border(lambda x: bool(np.exp(kind(x)) == 0), -2048)
        return low, border(lambda x: bool(np.isinf(np.exp(kind(x)))), 2048)


def below(p_V: np.ndarray, threshold: float) -> tuple[int, float]:
    """(how many of V have less than this, what they have together)."""
    small = p_V[p_V < threshold]
    return len(small), float(small.sum())


def choices(p_V: np.ndarray) -> float:
    """e to the entropy: among how many equally likely ones one would be as unsure."""
    some = p_V[p_V > 0]
    return float(np.exp(-(some * np.log(some)).sum()))
