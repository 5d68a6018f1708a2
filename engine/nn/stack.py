"""Recurrent layers on top of each other: deep, residual, in both directions, with dropout inside.

What      x_{l+1} = cell_l(x_l), or cell_l(x_l) + P x_l when residual (P only where the widths
          differ); in both directions x_{l+1} = [forwards_l(x_l), backwards_l(x_l)]
Source    deep: Graves, Mohamed & Hinton, Speech Recognition with Deep Recurrent Neural Networks,
          2013; both directions:
          Schuster & Paliwal, Bidirectional Recurrent Neural Networks, 1997; one mask for all steps:
          Gal & Ghahramani,
          A Theoretically Grounded Application of Dropout in Recurrent Neural Networks, 2016
Shapes    B = batch, T = tokens, D = input width, H = units, L = layers
Differs   In both directions a layer shows as two: 2 l reads forwards, 2 l + 1 backwards.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import torch
from torch import Tensor, nn

from engine.core.tap import Changed, Tap, passthrough
from engine.language.message import _, refusal
from engine.nn.cells.base import Cell
from engine.nn.cells.gru_after import GRUAfter
from engine.nn.cells.lstm import LSTM
from engine.nn.cells.rnn import RNN
from engine.nn.initial import initialise
from engine.nn.recompute import Layers, maybe_again

Carried = list[tuple[Tensor, ...]]


class Stack(Layers):
    def __init__(
        self,
        cell: type[Cell],
        d: int,
        h: int,
        layers: int,
        *,
        residual: bool = False,
        both_ways: bool = False,
        dropout: float = 0.0,
        recurrent_dropout: float = 0.0,
        start: str = "torch",
        forget_bias: float = 0.0,
        **options: Any,
    ) -> None:
        """`options` go to the cell.  ValueError for a start or an option that does not exist."""
        super().__init__()
        self.cell, self.both_ways = cell, both_ways
        self.layers, self.backwards, self.skips = nn.ModuleList(), nn.ModuleList(), nn.ModuleList()
        self.dropout, self.recurrent_dropout = nn.Dropout(dropout), recurrent_dropout
        for _layer in range(layers):
            made = [cell(d, h, **options) for _ in range(1 + both_ways)]
            for one in made:
                initialise(one, start, forget_bias)
            wide = sum(one.width for one in made)
            self.layers.append(made[0])
            if both_ways:
                self.backwards.append(made[1])
            if residual:
                self.skips.append(nn.Identity() if wide == d else nn.Linear(d, wide, bias=False))
            d = wide
        self.width = d

    def read(
        self,
        x_BTD: Tensor,
        tap: Tap = passthrough,
        state: Mapping[str, Tensor] | None = None,
        before: Carried | None = None,
        after: Carried | None = None,
    ) -> Tensor:
        """Hidden states of the last layer (B, T, width).

        state   the cell's state fields (layer, token, unit) of the tokens before these, of one
                text; zeros without
        before  the same for a batch: per layer the parts (B, H) of its state; `after` is filled
                with those after these tokens
        """
        layer: Any
        for i, layer in enumerate(self.layers):
            last = state and tuple(
                state[name][i, -1:].expand(len(x_BTD), -1).contiguous() for name in self.cell.state
            )
            dropped = self.dropout(x_BTD)
            at = tap.at(layer=i * (1 + self.both_ways))
            kept_BH = self._kept(layer.width, x_BTD)
            if after is not None:
                h_BTH, end = maybe_again(
                    self, layer.carried, dropped, before[i] if before else None, kept_BH
                )
                after.append(tuple(part.detach() for part in end))
            else:
                h_BTH = maybe_again(self, layer, dropped, at, last, kept_BH)
            if self.both_ways:
                back = (
                    Backwards(tap.at(layer=2 * i + 1), x_BTD.shape[1])
                    if tap is not passthrough
                    else passthrough
                )
                h_back_BTH = maybe_again(
                    self,
                    self.backwards[i],
                    dropped.flip(1),
                    back,
                    None,
                    self._kept(layer.width, x_BTD),
                ).flip(1)
                h_BTH = torch.cat([h_BTH, h_back_BTH], -1)
            x_BTD = h_BTH + self.skips[i](x_BTD) if len(self.skips) else h_BTH
        return x_BTD

    def _kept(self, width: Any, x_BTD: Tensor) -> Tensor | None:
        p = self.recurrent_dropout
        if not self.training or not p:
            return None
        return (torch.rand(len(x_BTD), width, device=x_BTD.device) >= p).to(x_BTD.dtype) / (1 - p)


class Backwards:
    """A tap for a layer that reads the text from its end: tokens are counted from the other
    side."""

    def __init__(self, tap: Tap, count: int) -> None:
        self._tap, self._count = tap, count

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        raise TypeError("a layer that reads backwards keeps whole rows")

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        self._tap.keep(name, value.flip(axes.index("token")), axes)

    def derived(self, name: str, make: Callable[[], Any], axes: tuple[str, ...]) -> None:
        self._tap.derived(name, lambda: make().flip(axes.index("token")), axes)

    def at(self, **index: int) -> Backwards:
        return Backwards(self._tap.at(**index), self._count)

    def in_loop(self, name: str, axes: tuple[str, ...]) -> Changed | None:
        change = self._tap.in_loop(name, axes)
        return change and (lambda t, value, before: change(self._count - 1 - t, value, before))

    def switch(self, name: str, axes: tuple[str, ...]) -> Callable[[Any], Any] | None:
        raise TypeError("a layer that reads backwards has no switches")

    def table(self, name: str, make: Any) -> None:
        self._tap.table(name, make)

    def wants(self, name: str) -> bool:
        return self._tap.wants(name)

    def edits(self, *names: str) -> bool:
        return self._tap.edits(*names)

    def window(self, count: int) -> tuple[int, int]:
        start, stop = self._tap.window(count)
        return count - stop, count - start


def from_torch(peer: nn.RNN | nn.LSTM | nn.GRU) -> Stack:
    """The same layers, gates in the open.  Dropout between layers is left behind; ValueError for
    projections."""
    if peer.proj_size:
        raise ValueError("an LSTM with projections has no cell here")
    options = {"activation": peer.nonlinearity} if isinstance(peer, nn.RNN) else {}
    known: dict[type[nn.Module], type[Cell]] = {nn.RNN: RNN, nn.LSTM: LSTM, nn.GRU: GRUAfter}
    stack = Stack(
        known[type(peer)],
        peer.input_size,
        peer.hidden_size,
        peer.num_layers,
        both_ways=peer.bidirectional,
        **options,
    )
    for ours, theirs in _pairs(stack, peer):
        with torch.no_grad():
            ours.copy_(theirs)
    return stack.to(next(peer.parameters()).device)


def to_torch(stack: Stack) -> nn.RNN | nn.LSTM | nn.GRU:
    """The layer of torch with these weights.  ValueError for cells and stacks that torch does not
    have."""
    cell = stack.layers[0]
    first = cell.fused if isinstance(cell, Cell) else None
    if not isinstance(first, nn.RNN | nn.LSTM | nn.GRU) or len(stack.skips):
        raise refusal(
            "torch has no layer for {stack.cell.__name__}{added}",
            added=_(" with residual connections") if len(stack.skips) else "",
        )
    options = {"nonlinearity": first.nonlinearity} if isinstance(first, nn.RNN) else {}
    peer = type(first)(
        first.input_size,
        first.hidden_size,
        len(stack.layers),
        batch_first=True,
        bidirectional=stack.both_ways,
        **options,
    )
    for ours, theirs in _pairs(stack, peer):
        with torch.no_grad():
            theirs.copy_(ours)
    return peer.to(next(stack.parameters()).device)


def _pairs(stack: Stack, peer: nn.Module) -> list[tuple[Tensor, Tensor]]:
    """Our parameters beside torch's; a layer without biases has zeros here."""
    found: list[tuple[Tensor, Tensor]] = []
    for end, layers in (("", stack.layers), ("_reverse", stack.backwards)):
        for i, layer in enumerate(layers):
            for name, ours in layer.get_submodule("fused").named_parameters():
                theirs = getattr(peer, f"{name.removesuffix('_l0')}_l{i}{end}", None)
                found.append((ours, torch.zeros_like(ours) if theirs is None else theirs))
    return found
