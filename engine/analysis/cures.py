"""What keeps a gradient alive: fresh nets built from switches, and how large signal and gradient are at
every layer and every step.

What      y_0 = x, h_l = cell_l(y_{l-1}), y_l = h_l, or y_{l-1} + h_l with residual connections; loss =
          v . y_L at the end of the text, v fixed random numbers; sizes: sqrt(mean h^2) and
          |d loss / d h|, this one relative to the end of the text in the last layer.
          With norms a = N(W x + U h + b) in a plain cell, N(W x) + b and N(U h) in a gated one:
          N over the units of one text (layer), or over the texts, for each unit by itself (batch)
Source    starts: engine/nn/initial.py; forget bias: Gers, Schmidhuber & Cummins, 2000; residual: He,
          Zhang, Ren & Sun, 2015; layer norm: Ba, Kiros & Hinton, 2016; batch norm: Ioffe & Szegedy,
          2015, in a recurrent net with a mean for each step: Cooijmans et al., 2017
Shapes    B = texts, T = steps, D = H = units, L = layers
Differs   Norms have no gain and no shift; the memory of an LSTM is not normalised.  Nothing is
          learned: each net is as it begins.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any
from zlib import crc32

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.registry import cells
from engine.core.tap import passthrough
from engine.language.message import refusal
from engine.nn.cells.base import Cell, InTorch
from engine.nn.stack import Stack

H, SEED, TEXTS = 32, 1, 16
ACTIVATIONS = ("tanh", "sigmoid", "relu")
NORMS = {"none": "none", "layer": "layer norm", "batch": "batch norm"}
CELLS = ("rnn", "gru", "lstm")
MOST_STEPS, MOST_LAYERS = 48, 24


@dataclass(frozen=True, slots=True)
class Switches:
    """What a net is built from.

    activation   of a plain cell
    scale        by which all weights are multiplied
    forget_bias  of an LSTM
    """

    cell: str = "rnn"
    activation: str = "tanh"
    start: str = "torch"
    scale: float = 1.0
    forget_bias: float = 0.0
    residual: bool = False
    norm: str = "none"
    layers: int = 4


@dataclass(frozen=True)
class Sizes:
    """One net on one text.  Row 0 is the input, row l layer l.

    state_LTH  what each layer makes of the text
               (H: the units of all texts that are measured together)
    through_LTH, above_LTH  what the gradient of a state is the sum of: what comes back from the next
               step of its layer, and what comes down from the layer above
    gates_TH   the forget gate of the first layer; nothing where the cell has none
    """

    net: Stack
    state_LTH: np.ndarray
    through_LTH: np.ndarray
    above_LTH: np.ndarray
    gates_TH: np.ndarray | None

    @cached_property
    def signal_LT(self) -> np.ndarray:
        """Square root of the mean square of the units."""
        found: np.ndarray = np.sqrt(np.square(self.state_LTH.astype(float)).mean(-1))
        return found

    @cached_property
    def gradient_LT(self) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            return np.linalg.norm((self.through_LTH + self.above_LTH).astype(float), axis=-1)

    @cached_property
    def share_LT(self) -> np.ndarray:
        """Of the gradient at the end of the text in the last layer."""
        with np.errstate(divide="ignore", invalid="ignore"):
            found: np.ndarray = self.gradient_LT / self.gradient_LT[-1, -1]
        return found

    @property
    def broken(self) -> tuple[int, int] | None:
        """(layer, step) where the signal first is no finite number, in the order of reading."""
        wrong = np.argwhere(~np.isfinite(self.signal_LT.T))
        return (int(wrong[0][1]), int(wrong[0][0])) if len(wrong) else None


class Walk(InTorch):
    """The steps of a cell with another activation, or with norms."""

    def __init__(self, cell: Cell, chosen: Switches) -> None:
        super().__init__(cell.names, passthrough, None)
        self.kind, self.gated = chosen.norm, chosen.cell != "rnn"
        if chosen.activation == "sigmoid" and not self.gated:
            self.tanh = torch.sigmoid

    def normed(self, a_BE: Tensor) -> Tensor:
        if self.kind == "layer":
            return nn.functional.layer_norm(a_BE, a_BE.shape[-1:])
        if self.kind == "batch":
            return nn.functional.batch_norm(a_BE, None, None, training=True)
        return a_BE

    def product(self, h: Any, u: Any) -> Any:
        made = super().product(h, u)
        return self.normed(made) if self.gated else made

    def see(self, name: str, value: Tensor) -> Tensor:
        return super().see(name, self.normed(value) if name == "preactivation" else value)


def build(chosen: Switches, width: int = H, seed: int = SEED) -> Stack:
    """KeyError for a cell that there is not; ValueError for a start or an activation."""
    if chosen.activation not in ACTIVATIONS:
        raise refusal("activation is {ACTIVATIONS}, not {chosen.activation!r}")
    options: dict[str, Any] = {}
    if chosen.cell == "rnn":
        options["activation"] = "relu" if chosen.activation == "relu" else "tanh"
    with torch.random.fork_rng(devices=()):
        torch.manual_seed(seed)
        net = Stack(
            cells.get(chosen.cell),
            width,
            width,
            chosen.layers,
            residual=chosen.residual,
            start=chosen.start,
            forget_bias=chosen.forget_bias if chosen.cell == "lstm" else 0.0,
            **options,
        )
    layer: Any
    with torch.no_grad():
        for layer in net.layers:
            for matrix in layer.matrices()[:2]:
                matrix.mul_(chosen.scale)
    return net


def inputs(text: str, texts: int = 1) -> Tensor:
    """(B, T, D): each different character a vector of its own; the texts beside the first are its
    characters in other orders."""
    vectors = {
        c: torch.randn(
            H, generator=torch.Generator().manual_seed(crc32(c.encode("utf-8", "replace")))
        )
        for c in sorted(set(text))
    }
    x_TD = torch.stack([vectors[c] for c in text])
    orders = torch.Generator().manual_seed(SEED)
    shuffled = [x_TD[torch.randperm(len(text), generator=orders)] for _ in range(texts - 1)]
    return torch.stack([x_TD, *shuffled])


def on_text(chosen: Switches, text: str) -> Sizes:
    """`measure` on a text of one character or more: the loss and the sizes are those of this text,
    also where others lie beside it for batch norm."""
    return measure(chosen, inputs(text, TEXTS if chosen.norm == "batch" else 1), 1)


def measure(chosen: Switches, x_BTD: Tensor, count: int | None = None) -> Sizes:
    """One way there and back; the loss and the sizes are those of the first `count` texts, or all
    of them together."""
    with torch.inference_mode(False), torch.enable_grad():
        net = build(chosen, x_BTD.shape[-1])
        through: list[list[Tensor]] = []
        above: list[list[Tensor]] = []
        y_BTD = x_BTD.detach().clone().requires_grad_()
        above.append([part.view_as(part) for part in y_BTD.unbind(1)])
        below = torch.stack(above[0], 1)
        signals, gates, layer = [y_BTD], None, None
        made: list[Tensor] = []
        for layer in net.layers:
            assert isinstance(layer, Cell)
            now, w = Walk(layer, chosen), layer.parts()
            a_BTE = _drive(layer, below, now)
            last = tuple(below.new_zeros(len(below), n) for n in layer.sizes())
            made, here, up = [], [], []
            for t in range(below.shape[1]):
                now.t = t
                state = layer.step(w, a_BTE[:, t], last, now)
                here.append(state[0].view_as(state[0]))
                up.append(state[0].view_as(state[0]))
                made.append(state[0])
                last = (here[-1], *state[1:])
            through.append(here)
            above.append(up)
            h_BTH = torch.stack(up, 1)
            below = below + h_BTH if chosen.residual else h_BTH
            signals.append(torch.stack(made, 1))
            if gates is None and "gate.forget" in now.rows:
                gates = torch.stack(now.rows["gate.forget"], 1)
        end_BH = below[:count, -1]
        weigh = torch.Generator().manual_seed(SEED)
        loss = (torch.randn(end_BH.shape, generator=weigh) * end_BH).sum()
        flat = [part for rows in (*above, *through) for part in rows]
        found = torch.autograd.grad(loss, flat, allow_unused=True)
    steps = x_BTD.shape[1]
    grads = [
        torch.zeros_like(p[:count]) if g is None else g[:count].detach()
        for p, g in zip(flat, found, strict=True)
    ]
    rows_LTH = torch.stack(grads).flatten(1).reshape(-1, steps, grads[0].numel()).numpy()
    layers = chosen.layers + 1
    none = np.zeros_like(rows_LTH[:1])
    states = torch.stack([s[:count].detach().transpose(0, 1).flatten(1) for s in signals])
    return Sizes(
        net,
        states.numpy(),
        np.concatenate([none, rows_LTH[layers:]]),
        rows_LTH[:layers],
        None if gates is None else gates[0].detach().numpy(),
    )


def _drive(cell: Cell, x_BTD: Tensor, now: Walk) -> Tensor:
    """What the input adds at each step; normalised before the biases in a gated cell."""
    if now.kind == "none" or not now.gated:
        return cell.drive(x_BTD)
    w_ED, _, biases = cell.matrices()
    steps = [now.normed(x_BD @ w_ED.T) for x_BD in x_BTD.unbind(1)]
    return torch.stack(steps, 1) + sum(biases[1:], biases[0])


def flipped(chosen: Switches) -> dict[str, Switches]:
    """The same net with one cure more, each by itself."""
    found = {
        "orthogonal start": replace(chosen, start="orthogonal"),
        "ReLU, He start": replace(chosen, activation="relu", start="he", cell="rnn"),
        "residual connections": replace(chosen, residual=True),
        "layer norm": replace(chosen, norm="layer"),
        "batch norm": replace(chosen, norm="batch"),
        "GRU": replace(chosen, cell="gru"),
        "LSTM": replace(chosen, cell="lstm", forget_bias=0.0),
        "LSTM, forget bias 3": replace(chosen, cell="lstm", forget_bias=3.0),
    }
    return {name: other for name, other in found.items() if other != chosen}


def verdict(share: float) -> str:
    """In one word, of a share of the gradient."""
    if not math.isfinite(share):
        return "overflows"
    return "vanishes" if share < 1e-3 else "explodes" if share > 1e3 else "flows"
