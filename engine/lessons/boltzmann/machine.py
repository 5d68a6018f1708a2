"""Restricted Boltzmann machines of binary units whose hidden states can all be summed.

What      E(v, h) = -b v - c h - v W h; P(v, h) = exp(-E) / Z; F(v) = -b v - sum ln(1 + exp(c + v W));
          the gradient of the mean ln P(v) is the mean of v h over the patterns less that over the model
Source    Smolensky, Information Processing in Dynamical Systems, 1986;
          Hinton, Training Products of Experts by Minimizing Contrastive Divergence, 2002;
          Tieleman, Training Restricted Boltzmann Machines Using Approximations to the Likelihood
          Gradient, 2008 (chains that are kept)
Shapes    N = patterns, V = visible units, H = hidden units, S = states of all hidden units, 2^H
Differs   ln Z and the gradient are exact sums over S, where they are usually never known.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, logsumexp

SPREAD = 0.01  # of the first weights
CHAINS = 20
TURNS = {"cd1": 1, "cd5": 5, "cd20": 20, "pcd": 1, "exact": 0}
METHODS = {
    "cd1": "CD-1",
    "cd5": "CD-5",
    "cd20": "CD-20",
    "pcd": "Persistent CD",
    "exact": "Exact gradient",
}
Uniform = Callable[[tuple[int, ...]], np.ndarray]


def all_states(units: int) -> np.ndarray:
    """Every state of so many binary units (2^units, units), counted upwards, the first unit slowest."""
    bits_SU = (np.arange(2**units)[:, None] >> np.arange(units)[::-1]) & 1
    return bits_SU.astype(float)


@dataclass(frozen=True, eq=False)
class Machine:
    """W_VH, b_V and c_H."""

    W_VH: np.ndarray
    b_V: np.ndarray
    c_H: np.ndarray

    def __add__(self, other: Machine) -> Machine:
        return Machine(self.W_VH + other.W_VH, self.b_V + other.b_V, self.c_H + other.c_H)

    def __sub__(self, other: Machine) -> Machine:
        return self + other.times(-1.0)

    def times(self, factor: float) -> Machine:
        return Machine(factor * self.W_VH, factor * self.b_V, factor * self.c_H)

    @property
    def flat(self) -> np.ndarray:
        """W row by row, then b, then c."""
        return np.concatenate([self.W_VH.ravel(), self.b_V, self.c_H])

    def hidden(self, v_NV: np.ndarray) -> np.ndarray:
        """P(h = 1 | v) (N, H)."""
        found: np.ndarray = expit(v_NV @ self.W_VH + self.c_H)
        return found

    def visible(self, h_NH: np.ndarray) -> np.ndarray:
        """P(v = 1 | h) (N, V)."""
        found: np.ndarray = expit(h_NH @ self.W_VH.T + self.b_V)
        return found

    def energy(self, v_V: np.ndarray, h_H: np.ndarray) -> tuple[float, float, float]:
        """Its three parts: -b v, -c h and -v W h."""
        return -float(self.b_V @ v_V), -float(self.c_H @ h_H), -float(v_V @ self.W_VH @ h_H)

    def free_energy(self, v_NV: np.ndarray) -> np.ndarray:
        """F(v) (N,): exp(-F) is the sum of exp(-E) over all hidden states."""
        found: np.ndarray = -v_NV @ self.b_V - np.logaddexp(0, v_NV @ self.W_VH + self.c_H).sum(1)
        return found

    def states(self) -> tuple[np.ndarray, np.ndarray]:
        """All hidden states (S, H), and the logarithm of the sum of exp(-E) over v of each (S,)."""
        h_SH = all_states(len(self.c_H))
        log_S = h_SH @ self.c_H + np.logaddexp(0, h_SH @ self.W_VH.T + self.b_V).sum(1)
        return h_SH, log_S

    def log_z(self) -> float:
        return float(logsumexp(self.states()[1]))

    def expected(self) -> Machine:
        """The exact means of v h, v and h over the model."""
        h_SH, log_S = self.states()
        share_S = np.exp(log_S - logsumexp(log_S))
        v_SV = self.visible(h_SH)
        return Machine((v_SV * share_S[:, None]).T @ h_SH, share_S @ v_SV, share_S @ h_SH)

    def seen(self, v_NV: np.ndarray) -> Machine:
        """The means of v p(h | v), v and p(h | v) over patterns."""
        h_NH = self.hidden(v_NV)
        return Machine(v_NV.T @ h_NH / len(v_NV), v_NV.mean(0), h_NH.mean(0))

    def gibbs(self, v_NV: np.ndarray, turns: int, uniform: Uniform) -> np.ndarray:
        """Patterns so many turns later, each hidden and then each visible unit drawn."""
        for _ in range(turns):
            p_NH = self.hidden(v_NV)
            h_NH = (uniform(p_NH.shape) < p_NH).astype(float)
            p_NV = self.visible(h_NH)
            v_NV = (uniform(p_NV.shape) < p_NV).astype(float)
        return v_NV

    def likelihood(self, v_NV: np.ndarray) -> float:
        """The mean ln P(v), exact."""
        return float(-self.free_energy(v_NV).mean() - self.log_z())


def begin(v_NV: np.ndarray, hidden: int, rng: np.random.Generator) -> Machine:
    """Small random weights; a visible unit begins as often on as it is in the patterns."""
    share_V = (v_NV.sum(0) + 1) / (len(v_NV) + 2)
    W_VH = rng.normal(0, SPREAD, (v_NV.shape[1], hidden))
    return Machine(W_VH, np.log(share_V / (1 - share_V)), np.zeros(hidden))


@dataclass(frozen=True, eq=False)
class Reached:
    """After so many steps: the machine, the exact mean ln P of the patterns, and the angle in degrees
    between the gradient of the step that comes and the exact one."""

    step: int
    machine: Machine
    likelihood: float
    angle: float


def angle(a: np.ndarray, b: np.ndarray) -> float:
    """Between two arrows, in degrees; NaN where one has no length."""
    size = float(np.linalg.norm(a) * np.linalg.norm(b))
    of = float(a @ b) / size if size else np.nan
    return float(np.degrees(np.arccos(np.clip(of, -1, 1))))


def train(
    v_NV: np.ndarray,
    hidden: int,
    method: str,
    rate: float,
    steps: int,
    seed: int,
    every: int = 10,
) -> Iterator[Reached]:
    """Steps on all patterns at once; every so many, what was reached."""
    rng = np.random.default_rng(seed)
    machine = begin(v_NV, hidden, rng)
    chains_CV = (rng.random((CHAINS, v_NV.shape[1])) < 0.5).astype(float)
    for step in range(steps + 1):
        seen = machine.seen(v_NV)
        if method == "exact":
            of = machine.expected()
        elif method == "pcd":
            chains_CV = machine.gibbs(chains_CV, 1, rng.random)
            of = machine.seen(chains_CV)
        else:
            of = machine.seen(machine.gibbs(v_NV, TURNS[method], rng.random))
        if step % every == 0:
            exact = seen - machine.expected()
            off = angle((seen - of).flat, exact.flat)
            yield Reached(step, machine, machine.likelihood(v_NV), off)
        machine = machine + (seen - of).times(rate)


def bars(side: int = 4) -> np.ndarray:
    """Bars and stripes: each set of full rows and each set of full columns (30, 16)."""
    lines = all_states(side)
    across = np.repeat(lines, side, 1)
    found: np.ndarray = np.unique(np.concatenate([across, np.tile(lines, side)]), axis=0)
    return found
