"""Reversible: a recurrent net whose steps can be undone, so that its states need not be kept for the way
back.

What      y1 = f x1 + tanh([x2, e] A + a), y2 = f x2 + tanh([y1, e] B + b); undone:
          x2 = (y2 - tanh([y1, e] B + b)) / f, x1 = (y1 - tanh([x2, e] A + a)) / f
          the way back undoes a step, makes it again with its gradient, and keeps neither
          task: which letter stood first
Source    Gomez et al., The Reversible Residual Network, 2017, sec. 3; MacKay et al., Reversible
          Recurrent Neural Networks, 2018, sec. 3 and 4 (what is forgotten cannot be undone)
Shapes    B = texts, T = tokens, C = letters, H = width of each half
Differs   f is one number, and bits that forgetting loses are not kept aside: with f < 1 rounding grows
          by about 1 / f a step.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.analysis.lstm_variants.training import Trained

COUNT, WIDTH, LENGTH, BATCH, RATE, HELD_OUT = 6, 16, 20, 32, 0.01, 500
STEPS = (0, 10, 20, 30, 40, 60, 80, 100)
State = tuple[Tensor, Tensor]


@dataclass(frozen=True, eq=False)
class Net:
    """first, second (H + C + 1, H): A and a, B and b; out (2 H, C); keep: f."""

    first: Tensor
    second: Tensor
    out: Tensor
    keep: float = 1.0

    def parts(self) -> list[Tensor]:
        return [self.first, self.second, self.out]

    def to(self, kind: torch.dtype, keep: float) -> Net:
        return _net([part.detach().to(kind) for part in self.parts()], keep)

    def begin(self, count: int) -> State:
        zero = torch.zeros(count, WIDTH, dtype=self.first.dtype)
        return zero, zero

    def step(self, state: State, token_B: Tensor) -> State:
        x1, x2 = state
        y1 = self.keep * x1 + self._adds(self.first, x2, token_B)
        return y1, self.keep * x2 + self._adds(self.second, y1, token_B)

    def undo(self, state: State, token_B: Tensor) -> State:
        y1, y2 = state
        x2 = (y2 - self._adds(self.second, y1, token_B)) / self.keep
        return (y1 - self._adds(self.first, x2, token_B)) / self.keep, x2

    def _adds(self, part: Tensor, x_BH: Tensor, token_B: Tensor) -> Tensor:
        one_hot = F.one_hot(token_B, COUNT).to(part.dtype)
        return torch.tanh(x_BH @ part[:WIDTH] + one_hot @ part[WIDTH:-1] + part[-1])

    def logits(self, state: State) -> Tensor:
        return torch.cat(state, -1) @ self.out


def made(seed: int, keep: float = 1.0) -> Net:
    """By chance, in float64."""
    draw = torch.Generator().manual_seed(seed)
    shapes = ((WIDTH + COUNT + 1, WIDTH), (WIDTH + COUNT + 1, WIDTH), (2 * WIDTH, COUNT))
    return _net(
        [0.2 * torch.randn(shape, generator=draw, dtype=torch.float64) for shape in shapes], keep
    )


def _net(parts: list[Tensor], keep: float) -> Net:
    first, second, out = parts
    return Net(first, second, out, keep)


def drawn(count: int, length: int, draw: torch.Generator) -> Tensor:
    """Random texts (B, T); the answer to each is its first letter."""
    return torch.randint(0, COUNT, (count, length), generator=draw)


def plain(net: Net, token_BT: Tensor) -> tuple[list[Tensor], int]:
    """Gradients by one pass over all steps, and how many bytes autograd kept for them, weights not
    counted."""
    parts, kept = [part.detach().requires_grad_() for part in net.parts()], {}
    own, mine = {part.untyped_storage().data_ptr() for part in parts}, _net(parts, net.keep)

    def keep(value: Tensor) -> Tensor:
        if (at := value.untyped_storage().data_ptr()) not in own:
            kept[at] = value
        return value

    with torch.autograd.graph.saved_tensors_hooks(keep, lambda value: value):
        state = mine.begin(len(token_BT))
        for token_B in token_BT.T:
            state = mine.step(state, token_B)
        loss = F.cross_entropy(mine.logits(state), token_BT[:, 0])
    bytes_kept = sum(value.untyped_storage().nbytes() for value in kept.values())
    return list(torch.autograd.grad(loss, parts)), bytes_kept


def undoing(net: Net, token_BT: Tensor) -> tuple[list[Tensor], int]:
    """The same gradients from the last state alone: each step is undone and made again.  The bytes are
    those of the last state."""
    parts = [part.detach().requires_grad_() for part in net.parts()]
    mine = _net(parts, net.keep)
    with torch.no_grad():
        state = mine.begin(len(token_BT))
        for token_B in token_BT.T:
            state = mine.step(state, token_B)
    size = sum(half.untyped_storage().nbytes() for half in state)
    y1, y2 = (half.detach().requires_grad_() for half in state)
    loss = F.cross_entropy(mine.logits((y1, y2)), token_BT[:, 0])
    back1, back2, last = torch.autograd.grad(loss, (y1, y2, parts[2]))
    sums = [torch.zeros_like(part) for part in parts[:2]]
    state = (y1.detach(), y2.detach())
    for token_B in reversed(token_BT.T):
        with torch.no_grad():
            state = mine.undo(state, token_B)
        before = [half.detach().requires_grad_() for half in state]
        after = mine.step((before[0], before[1]), token_B)
        back1, back2, *more = torch.autograd.grad(after, (*before, *parts[:2]), (back1, back2))
        sums = [total + part for total, part in zip(sums, more, strict=True)]
    return [*sums, last], size


@torch.no_grad()
def undone(net: Net, token_BT: Tensor) -> np.ndarray:
    """(T + 1,): the largest error of a state that was undone from the last one, by how many steps were
    undone."""
    states = [net.begin(len(token_BT))]
    for token_B in token_BT.T:
        states.append(net.step(states[-1], token_B))
    state, found = states[-1], [0.0]
    for token_B, true in zip(reversed(token_BT.T), reversed(states[:-1]), strict=True):
        state = net.undo(state, token_B)
        found.append(max(float((a - b).abs().max()) for a, b in zip(state, true, strict=True)))
    return np.array(found)


def learned(seed: int) -> Trained[Net]:
    """Trained here with f = 1, by gradients that keep no state, in a few seconds."""
    net, draw, right = made(seed), torch.Generator().manual_seed(seed), []
    held_out = drawn(HELD_OUT, LENGTH, torch.Generator().manual_seed(10_000))
    parts = net.parts()
    optimiser = torch.optim.Adam(parts, lr=RATE)
    for step in range(STEPS[-1] + 1):
        if step in STEPS:
            state = net.begin(HELD_OUT)
            for token_B in held_out.T:
                state = net.step(state, token_B)
            right.append(float((net.logits(state).argmax(-1) == held_out[:, 0]).double().mean()))
        for part, g in zip(parts, undoing(net, drawn(BATCH, LENGTH, draw))[0], strict=True):
            part.grad = g
        optimiser.step()
    return Trained(net, np.array(right))
