"""A text read by a recurrent net, its steps made linear: the way back of any loss, without a graph of each step.

What      forward: the states, one step after the other; then every step at once, as rows of a batch, whose
          Jacobians are diagonals around the recurrent weights (engine/nn/linearised.py).  Backward: layer by
          layer from the top, each from its last step to its first
Shapes    T = tokens, R = losses, L = layers, P = parts of the state, H = units, D = width of what a layer reads
Differs   Equal to autograd's way (engine/models/gradients.py), which is taken where `walk` gives None: units that meet
          elsewhere, a net that is not on the processor.  What was walked does not change with later tokens:
          a longer text goes on from it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.tap import Recorder, passthrough
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.models.shadow import shadow
from engine.nn import linearised
from engine.nn.cells.base import Cell, InTorch
from engine.nn.linearised import Back, Linear, Steps


@dataclass(frozen=True, slots=True)
class Walk:
    """Some tokens of a text, behind those of the walk before.

    linear   per layer
    top_TH   what the last linear layer of the net reads
    end      per layer the parts of the state (1, H) after the last token
    read     per layer the lengths (J, T) of what each product with recurrent weights reads
    below    per layer what it reads (T, D); None where what it adds is that times weights
    first    place of the first token
    """

    before: Walk | None
    net: nn.Module
    linear: tuple[Linear, ...]
    top_TH: np.ndarray
    end: tuple[tuple[np.ndarray, ...], ...]
    read: tuple[np.ndarray, ...]
    below: tuple[np.ndarray | None, ...]
    first: int

    @property
    def stop(self) -> int:
        return self.first + len(self.top_TH)

    @property
    def size_bytes(self) -> int:
        """Of these tokens alone; the weights are the model's."""
        held = [
            one.by.nbytes + (0 if one.drive is None else one.drive.nbytes) for one in self.linear
        ]
        for one in self.linear:
            held += [0 if p.by is None else p.by.nbytes for p in one.products]
        held += [x.nbytes for x in self.below if x is not None]
        return sum(held) + self.top_TH.nbytes

    def every(self) -> Iterator[Walk]:
        """From the last tokens to the first."""
        at: Walk | None = self
        while at is not None:
            yield at
            at = at.before

    def top(self) -> np.ndarray:
        """(T, H), all tokens from the first walk on."""
        return np.concatenate([one.top_TH for one in self.every()][::-1])

    def back(self, top_RTH: np.ndarray, uses: bool = False) -> tuple[np.ndarray, list[list[Back]]]:
        """From what losses say of the last layer's output: what they say of the tokens' vectors (R, T, D), and
        per layer of its steps, from the last walk to the first; `uses` as in `Linear.back`."""
        net: Any = self.net
        g_RTH, found = top_RTH, []
        for i in range(len(self.linear) - 1, -1, -1):
            carry, backs = None, []
            for one in self.every():
                at_RTH = g_RTH[:, one.first : one.stop]
                given = np.zeros(
                    (*at_RTH.shape[:2], len(one.end[i]), at_RTH.shape[2]), at_RTH.dtype
                )
                given[:, :, 0] = at_RTH
                backs.append(one.linear[i].back(given, carry, uses=uses))
                carry = backs[-1].before_RPH
            parts = [b.drive_RTE for b in reversed(backs) if b.drive_RTE is not None]
            drive = torch.from_numpy(np.concatenate(parts, 1))
            below = self._below(i, drive)
            with torch.no_grad():
                if len(net.skips):
                    skip, g = net.skips[i], torch.from_numpy(g_RTH)
                    below += g @ skip.weight if isinstance(skip, nn.Linear) else g
            g_RTH = below.numpy()
            found.append(backs)
        return g_RTH, found[::-1]

    def _below(self, layer: int, g_RTE: Tensor) -> Tensor:
        """(R, T, D): what losses say of what a layer reads, from what they say of what that adds."""
        net: Any = self.net
        cell = net.layers[layer]
        read = [one.below[layer] for one in self.every()][::-1]
        if read[0] is None:
            with torch.no_grad():
                return g_RTE @ cell.matrices()[0]  # type: ignore[no-any-return]
        with torch.inference_mode(False), torch.enable_grad():
            x_TD = torch.from_numpy(np.concatenate([x for x in read if x is not None]))
            a_TE = cell.drive(x_TD.requires_grad_()[None])[0]
            rows = [torch.autograd.grad(a_TE, x_TD, g, retain_graph=True)[0] for g in g_RTE]
        return torch.stack(rows)


def walk(
    model: Model[Any],
    ids_T: np.ndarray,
    carried: Mapping[str, Tensor] | None = None,
    before: Walk | None = None,
    shown: list[Steps] | None = None,
) -> Walk | None:
    """Read the tokens (at least one) from the state `before`, or `carried` (layer, token, unit), or from zeros.

    shown  is filled with the steps of each layer, whose numbers can be asked for
    """
    if not isinstance(model, RecurrentModel) or not len(ids_T):
        return None
    net: Any = shadow(model.net)
    like = net.embed.weight
    if like.device.type != "cpu" or like.dtype not in (torch.float32, torch.float64):
        return None
    linear, end, read, below = [], [], [], []
    with torch.inference_mode(False), torch.enable_grad():
        x_TD = net.embed(torch.from_numpy(ids_T))
        for i, cell in enumerate(net.layers):
            if before is not None:
                last = tuple(map(torch.from_numpy, before.end[i]))
            elif carried:
                last = tuple(carried[name][i, -1:] for name in cell.state)
            else:
                last = tuple(x_TD.new_zeros(1, n) for n in cell.sizes())
            a_TE = cell.drive(x_TD[None])[0].detach()
            plain = linearised.reads_by_weights(cell, a_TE)
            below.append(None if plain else x_TD.detach().numpy())
            states = states_of(cell, x_TD, a_TE, last)
            begin = [torch.cat([was, part[:-1]]) for was, part in zip(last, states, strict=True)]
            steps = linearised.steps(cell, a_TE, begin)
            if steps is None:
                return None
            linear.append(steps.linear)
            end.append(tuple(part[-1:].numpy().copy() for part in states))
            read.append(torch.stack([x.detach().norm(dim=-1) for x in steps.read]).numpy())
            if shown is not None:
                shown.append(steps)
            x_TD = states[0] + net.skips[i](x_TD) if len(net.skips) else states[0]
    first = before.stop if before is not None else 0
    top_TH = x_TD.detach().numpy()
    return Walk(before, net, tuple(linear), top_TH, tuple(end), tuple(read), tuple(below), first)


class States(Recorder):
    """Keeps the states as a layer computes them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(fields=names)
        self.found: dict[str, Tensor] = {}

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        self.found[name] = value


@torch.no_grad()
def states_of(cell: Cell, x_TD: Tensor, a_TE: Tensor, last: tuple[Tensor, ...]) -> list[Tensor]:
    """(T, H) per part of the state, from what a layer reads, what that adds, and the state (1, H) before."""
    if a_TE.dtype != torch.float32 or a_TE.device.type != "cpu":  # numpy's steps are of float32
        now, state, w = InTorch(cell.names, passthrough, None), last, cell.parts()
        found: list[tuple[Any, ...]] = []
        for t in range(len(a_TE)):
            state = cell.step(w, a_TE[t : t + 1], state, now)
            found.append(state)
        return [torch.cat(parts) for parts in zip(*found, strict=True)]
    seen = States(cell.state)
    if cell.fused is None:
        cell.in_numpy(a_TE.detach(), seen, last)
    else:
        cell(x_TD[None], seen, last)
    return [seen.found[name][0] for name in cell.state]
