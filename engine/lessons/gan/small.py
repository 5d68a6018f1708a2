"""Adversarial nets so small that each number can be written down.

What      V(D, G) = E log D(x) + E log(1 - D(G(z))): D climbs it, G goes down it, or up E log D(G(z)) instead;
          D = sigmoid(w x + b), G = a z + c, both of one number
          for shares p of the data and q of the generator, D* = p / (p + q), V* = -log 4 + 2 JS(p, q)
Source    Goodfellow et al., Generative Adversarial Nets, 2014
Shapes    N = examples, K = outcomes, T = steps
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import expit, log_expit, xlogy


@dataclass(frozen=True, eq=False)
class Pair:
    """D = sigmoid(w x + b) and G = a z + c."""

    w: float
    b: float
    a: float
    c: float

    def made(self, z_N: np.ndarray) -> np.ndarray:
        return self.a * z_N + self.c

    def judged(self, x_N: np.ndarray) -> np.ndarray:
        """D(x)."""
        found: np.ndarray = expit(self.w * x_N + self.b)
        return found

    def value(self, x_N: np.ndarray, z_N: np.ndarray) -> float:
        """V of these examples."""
        real, made = self.w * x_N + self.b, self.w * self.made(z_N) + self.b
        return float(log_expit(real).mean() + log_expit(-made).mean())

    def slopes_of_d(self, x_N: np.ndarray, z_N: np.ndarray) -> tuple[float, float]:
        """Of V, along w and b."""
        real, made = 1 - self.judged(x_N), self.judged(self.made(z_N))
        by_w = (real * x_N).mean() - (made * self.made(z_N)).mean()
        return float(by_w), float(real.mean() - made.mean())

    def slopes_of_g(self, z_N: np.ndarray, saturating: bool) -> tuple[float, float]:
        """Along a and c: of E log(1 - D(G(z))), which G goes down, or of E log D(G(z)), which it climbs."""
        made = self.judged(self.made(z_N))
        each_N = -made * self.w if saturating else (1 - made) * self.w
        return float((each_N * z_N).mean()), float(each_N.mean())


def best_discriminator(p_K: np.ndarray, q_K: np.ndarray) -> np.ndarray:
    """p / (p + q); NaN where neither ever is."""
    total = p_K + q_K
    return np.divide(p_K, total, out=np.full_like(total, np.nan), where=total > 0)


def divergence(p_K: np.ndarray, q_K: np.ndarray) -> float:
    """Jensen-Shannon, in nats."""
    middle = (p_K + q_K) / 2
    entropy = [-float(xlogy(one, one).sum()) for one in (middle, p_K, q_K)]
    return entropy[0] - (entropy[1] + entropy[2]) / 2


def circling(rate: float, steps: int, way: str) -> np.ndarray:
    """x and y (T + 1, 2) from (1, 0), where x goes down and y climbs x y: at once, or one after the other."""
    found = [(1.0, 0.0)]
    for _ in range(steps):
        x, y = found[-1]
        new = x - rate * y
        found.append((new, y + rate * (new if way == "alternating" else x)))
    return np.array(found)
