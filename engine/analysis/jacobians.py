"""What one step of a recurrent net does to a small change of its state, and what many do.

What      J_t = ds_t/ds_{t-1}, the input of the layer at step t held as it is; s is all that the next step reads: of
          an LSTM hidden state and memory.  From step k to step q: J_q J_{q-1} ... J_{k+1}, in this order
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013, sec. 2
Shapes    T = tokens, S = numbers in a state, H = hidden units, n = steps of a span
Differs   Exact, by reverse mode: every step is one row of a batch, as the states are known.  The hidden units are
          the first H of S.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.core.tap import Recorder, passthrough
from engine.models.recurrent import RecurrentModel
from engine.models.shadow import shadow
from engine.nn.cells.base import Cell, InTorch
from engine.text.tokenizers.base import Tokens


def steps(
    model: RecurrentModel[Any],
    tokens: Tokens,
    layer: int,
    carried: Mapping[str, np.ndarray] | None = None,
    span: tuple[int, int] | None = None,
) -> Tensor:
    """(T, S, S): J_t of every token of one layer, or of those of a span (first, stop) alone.

    carried  the model's `carries` fields (layer, token, unit) of what stands before the tokens
    """
    first, stop = span or (0, len(tokens))
    net: Any = shadow(model.net)
    with torch.inference_mode(False), torch.enable_grad():  # else a cell goes on in float32
        like = net.embed.weight
        ids_1T = torch.from_numpy(tokens.ids)[None].to(like.device)[:, :stop]
        x_1TD = net.embed(ids_1T)
        last: tuple[Tensor, ...] = ()
        for i, cell in enumerate(net.layers):
            last = tuple(
                torch.from_numpy(np.array(carried[name][i, -1:])).to(like)
                if carried
                else like.new_zeros(1, size)
                for name, size in zip(cell.state, cell.sizes(), strict=True)
            )
            if i == layer:
                break
            h_1TH = cell(x_1TD, passthrough, last)
            x_1TD = h_1TH + net.skips[i](x_1TD) if len(net.skips) else h_1TH
        seen = _States(cell.state)
        cell(x_1TD, seen, last)
        before: list[Tensor] = [
            torch.cat([begin, seen.found[name][0, :-1]])[first:stop].detach().requires_grad_()
            for name, begin in zip(cell.state, last, strict=True)
        ]
        a_TE = cell.drive(x_1TD)[0, first:stop]
        one = _by_rows(cell, a_TE[:1], [part[:1] for part in before])
        if not len(a_TE):
            return one[:0]
        made = _by_units(cell, a_TE, before)
        if made is not None and torch.allclose(made[:1], one, rtol=1e-3, atol=1e-5):
            return made
        return _by_rows(cell, a_TE, before)


def _by_rows(cell: Cell, a_TE: Tensor, before: list[Tensor]) -> Tensor:
    """Of any cell: a copy of every step for each row of J, all in one batch."""
    size, count = sum(part.shape[-1] for part in before), len(a_TE)

    def copies(x_TN: Tensor) -> Tensor:
        return x_TN.detach().repeat_interleave(size, 0)

    begin: list[Tensor] = [copies(part).requires_grad_() for part in before]
    now = InTorch(cell.names, passthrough, None)
    after = torch.cat(cell.step(cell.parts(), copies(a_TE), tuple(begin), now), -1)
    own = after * torch.eye(size).to(after).repeat(count, 1)
    rows = torch.autograd.grad(own.sum(), begin, allow_unused=True)
    parts = [torch.zeros_like(x) if g is None else g for x, g in zip(begin, rows, strict=True)]
    return torch.cat(parts, -1).reshape(count, size, size)


def _by_units(cell: Cell, a_TE: Tensor, before: list[Tensor]) -> Tensor | None:
    """Where a unit meets others only in products with recurrent weights, all else is diagonal: of each part one
    sweep.  None where the parts are not all as wide as the cell; wrong where the rest is not diagonal."""
    units = cell.h
    if any(part.shape[-1] != units for part in before):
        return None
    now = _Products(cell.names, passthrough, None)
    after = cell.step(cell.parts(), a_TE, tuple(before), now)
    count, width = len(a_TE), units * len(before)
    if plain(type(cell)):
        (slope_TH,) = torch.autograd.grad(after[0].sum(), now.uses[0][2])
        return slope_TH[:, :, None] * now.uses[0][1].detach().T
    moved: list[tuple[Tensor, Any]] = []  # of each product what it made, and how it moves

    def of(value_TH: Tensor) -> Tensor:
        """d value / d before (T, H, S)."""
        found = value_TH.new_zeros(count, units, width)
        inner = [made for made, _ in moved]
        grads = torch.autograd.grad(
            value_TH.sum(), [*before, *inner], retain_graph=True, allow_unused=True
        )
        for g_TE, (_, moves) in zip(grads[len(before) :], moved, strict=True):
            if g_TE is not None:
                found += moves(g_TE)
        for n, g_TH in enumerate(grads[: len(before)]):
            if g_TH is not None:
                found[:, :, n * units : (n + 1) * units].diagonal(dim1=1, dim2=2).add_(g_TH)
        return found

    def alone(u_EH: Tensor, slopes: list[Tensor | None]) -> Any:
        """Of a product that reads the state before, unit by unit."""

        def moves(g_TE: Tensor) -> Tensor:
            g_TbH = g_TE.reshape(count, -1, units)
            own = torch.einsum("tbi,bij->tij", g_TbH, u_EH.reshape(-1, units, units))
            none = torch.zeros_like(own)
            return torch.cat([none if d is None else own * d[:, None] for d in slopes], -1)

        return moves

    def after_others(by_TES: Tensor) -> Any:
        def moves(g_TE: Tensor) -> Tensor:
            blocks = by_TES.reshape(count, -1, units, width)
            return torch.einsum("tbi,tbis->tis", g_TE.reshape(count, -1, units), blocks)

        return moves

    for read, u, made in now.uses:
        if read.shape[-1] != units or not read.requires_grad:
            return None
        met = torch.autograd.grad(
            read.sum(), [*before, *(m for m, _ in moved)], retain_graph=True, allow_unused=True
        )
        u_EH = u.detach().T
        if all(g is None for g in met[len(before) :]):
            moved.append((made, alone(u_EH.contiguous(), list(met[: len(before)]))))
        else:
            moved.append((made, after_others(u_EH @ of(read))))
    return torch.cat([of(part) for part in after], 1).detach()


def plain(cell: type[Cell]) -> bool:
    """Whether a step is one activation of a sum in which the state before stands once."""
    return cell.state == ("hidden",) and not cell.memories


class _Products(InTorch):
    """Keeps every product of a state and recurrent weights as a place to ask for gradients of."""

    def __init__(self, *of: Any) -> None:
        super().__init__(*of)
        self.uses: list[tuple[Tensor, Tensor, Tensor]] = []

    def product(self, h: Any, u: Any) -> Any:
        made = (h @ u).detach().requires_grad_()
        self.uses.append((h, u, made))
        return made


class _States(Recorder):
    """Keeps the states as the layer computes them, without moving them."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(fields=names)
        self.found: dict[str, Tensor] = {}

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        self.found[name] = value


def products(step_nSS: Tensor) -> Tensor:
    """(n, S, S): the product over the last step, the last two, ... all n of them; the latest stands leftmost."""
    if step_nSS.device.type != "cpu":
        found = [step_nSS[-1]]
        for step_SS in reversed(step_nSS[:-1]):
            found.append(found[-1] @ step_SS)
        return torch.stack(found)
    each = step_nSS.numpy()  # of small matrices numpy's products are the quicker ones
    made = np.empty_like(each)
    made[0] = each[-1]
    for n in range(1, len(each)):
        np.matmul(made[n - 1], each[-1 - n], out=made[n])
    return torch.from_numpy(made)


@dataclass(frozen=True, slots=True)
class Spectrum:
    """Of one step and of a span that begins with it.

    step_S         singular values of the step, from the largest
    eigen_S        its eigenvalues, complex
    product_S      singular values of the product over the span, from the largest
    hidden         the largest singular value of dh_q/dh_k alone, the hidden units
    """

    step_S: np.ndarray
    eigen_S: np.ndarray
    product_S: np.ndarray
    hidden: float


def spectrum(
    model: RecurrentModel[Any],
    tokens: Tokens,
    layer: int,
    begin: int,
    end: int,
    carried: Mapping[str, np.ndarray] | None = None,
) -> Spectrum:
    """Of the step after token `begin`, and of all steps from there to token `end`.  ValueError unless begin < end,
    both among the tokens."""
    if not 0 <= begin < end < len(tokens):
        raise ValueError(f"a span goes from a token to a later one, not from {begin} to {end}")
    step_nSS = steps(model, tokens, layer, carried, (begin + 1, end + 1)).double().cpu()
    whole_SS = step_nSS[0]
    for step_SS in step_nSS[1:]:
        whole_SS = step_SS @ whole_SS
    net: Any = model.net
    units = net.layers[layer].width
    values = np.linalg.svd  # of numpy: LAPACK's, in float64
    return Spectrum(
        values(step_nSS[0].numpy(), compute_uv=False),
        np.linalg.eigvals(step_nSS[0].numpy()),
        values(whole_SS.numpy(), compute_uv=False),
        float(np.linalg.norm(whole_SS[:units, :units].numpy(), 2)),
    )
