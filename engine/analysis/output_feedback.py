"""Output feedback: a net that reads its own last answer, beside a state and a window, on two tasks of counting ones.

What      y_t = f([x_t, y_t-1]), h_t = tanh(W [x_t, h_t-1] + b) with y_t = g(h_t), and y_t = f([x_t-4, ..., x_t]), each
          with one layer of tanh units and a logistic output, trained by Adam on cross-entropy
Source    Jordan, Serial Order: A Parallel Distributed Processing Approach, 1986 (output feedback); Elman, Finding
          Structure in Time, 1990 (state)
Shapes    B = bit strings, T = bits of each, I = inputs, H = units
Differs   The net with output feedback learns from the right last answer (teacher forcing) and reads its own, 0 or 1,
          afterwards; Jordan's outputs decay, here only the last one is fed back.  Bits are given as -1 and 1, and 0
          stands where nothing has been read; before the first answer stands "no".
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Kind = Literal["window", "feedback", "state"]
Job = Literal["parity", "third"]
KINDS: tuple[Kind, ...] = ("window", "feedback", "state")
JOBS: tuple[Job, ...] = ("parity", "third")
WINDOW, UNITS = 5, 16
LEARNED, LONGEST = 12, 60  # bits of a string in training, and afterwards
STEPS, BATCH, RATE = 600, 64, 0.01
HELD = 500  # strings that no training draws


def right(job: Job, bit_BT: np.ndarray) -> np.ndarray:
    """(B, T) of 0 and 1: is the number of ones so far odd; is this bit a one, and the third, sixth, ninth ...?"""
    count_BT = bit_BT.cumsum(-1)
    made = count_BT % 2 if job == "parity" else (count_BT % 3 == 0) & (bit_BT == 1)
    return made.astype(int)


@dataclass(frozen=True, eq=False)
class Net:
    """in_HI, in_bias_H: to the units; out_H, out_bias: to the logit of "yes"; the loss of the last step in nats."""

    kind: Kind
    in_HI: np.ndarray
    in_bias_H: np.ndarray
    out_H: np.ndarray
    out_bias: float
    loss: float

    def read(self, bit_BT: np.ndarray, loop: bool = True) -> np.ndarray:
        """(B, T): the probability of "yes" after each bit.

        loop  without it "no" stands for the last answer, or zeros for the last state, at every bit
        """
        x_BT = 2.0 * bit_BT - 1
        if self.kind == "window":
            return self._out(_windows(x_BT))
        back_BI = self._start(len(x_BT))
        p_TB = []
        for x_B in x_BT.T:
            given_BI = np.c_[x_B, back_BI]
            p_TB.append(self._out(given_BI))
            if not loop:
                continue
            if self.kind == "feedback":
                back_BI = 2.0 * (p_TB[-1][:, None] > 0.5) - 1
            else:
                back_BI = self._units(given_BI)
        return np.stack(p_TB, -1)

    def _start(self, b: int) -> np.ndarray:
        return -np.ones((b, 1)) if self.kind == "feedback" else np.zeros((b, len(self.out_H)))

    def _units(self, given: np.ndarray) -> np.ndarray:
        made: np.ndarray = np.tanh(given @ self.in_HI.T + self.in_bias_H)
        return made

    def _out(self, given: np.ndarray) -> np.ndarray:
        made: np.ndarray = 1 / (1 + np.exp(-(self._units(given) @ self.out_H + self.out_bias)))
        return made

    def table(self) -> np.ndarray:
        """(2, 2): of output feedback all that it computes, the probability of "yes" by last answer and bit."""
        given = np.array([[[x, y] for x in (-1, 1)] for y in (-1, 1)])
        return self._out(given)


def _windows(x_BT: np.ndarray) -> np.ndarray:
    """(B, T, WINDOW)"""
    before = np.zeros((len(x_BT), WINDOW - 1))
    return np.lib.stride_tricks.sliding_window_view(np.c_[before, x_BT], WINDOW, axis=1)


def strings(n: int, length: int, seed: int) -> np.ndarray:
    """(n, length) of 0 and 1."""
    return np.random.default_rng(seed).integers(2, size=(n, length))


def learned(kind: Kind, job: Job, seed: int, steps: int = STEPS) -> Net:
    """Trained on strings of LEARNED bits, those of the net with a state of 1 to LEARNED."""
    import torch
    from torch import nn

    inputs = {"window": WINDOW, "feedback": 2, "state": 1 + UNITS}[kind]
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        units, out = nn.Linear(inputs, UNITS), nn.Linear(UNITS, 1)
    learn = [*units.parameters(), *out.parameters()]
    optimiser = torch.optim.Adam(learn, RATE)
    rng = np.random.default_rng((seed, 1))

    def logits(x_BT: Any, y_BT: Any) -> Any:
        if kind == "feedback":
            before_BT = torch.cat([torch.zeros_like(y_BT[:, :1]), y_BT[:, :-1]], 1)
            return out(torch.tanh(units(torch.stack([x_BT, 2 * before_BT - 1], -1))))[..., 0]
        if kind == "window":
            x_BTI = torch.from_numpy(_windows(x_BT.numpy()).astype(np.float32))
            return out(torch.tanh(units(x_BTI)))[..., 0]
        h_BH, made = torch.zeros(len(x_BT), UNITS), []
        for x_B in x_BT.T:
            h_BH = torch.tanh(units(torch.cat([x_B[:, None], h_BH], 1)))
            made.append(h_BH)
        return out(torch.stack(made, 1))[..., 0]

    loss = torch.zeros(())
    for _ in range(steps):
        length = int(rng.integers(1, LEARNED + 1)) if kind == "state" else LEARNED
        bit_BT = rng.integers(2, size=(BATCH, length))
        y_BT = torch.from_numpy(right(job, bit_BT)).float()
        x_BT = torch.from_numpy(2.0 * bit_BT - 1).float()
        loss = nn.functional.binary_cross_entropy_with_logits(logits(x_BT, y_BT), y_BT)
        optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(learn, 1.0)
        optimiser.step()
    weights = [p.detach().double().numpy().copy() for p in learn]
    return Net(
        kind, weights[0], weights[1], weights[2][0], float(weights[3][0]), float(loss.detach())
    )


def judged(net: Net, job: Job) -> np.ndarray:
    """(LONGEST): the share of held-out strings on which the answer after each bit is right."""
    bit_BT = strings(HELD, LONGEST, 0)
    made: np.ndarray = ((net.read(bit_BT) > 0.5) == right(job, bit_BT)).mean(0)
    return made


def commoner(job: Job) -> np.ndarray:
    """(LONGEST): the share right for always saying the answer that is commoner after that many bits."""
    share_T = right(job, strings(HELD, LONGEST, 0)).mean(0)
    made: np.ndarray = np.maximum(share_T, 1 - share_T)
    return made
