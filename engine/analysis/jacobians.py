"""What one step of a recurrent net does to a small change of its state, and what many do.

What      J_t = ds_t/ds_{t-1}, the input of the layer at step t held as it is; s is all that the next step reads: of
          an LSTM hidden state and memory.  From step k to step q: J_q J_{q-1} ... J_{k+1}, in this order
Source    Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent Neural Networks, 2013, sec. 2
Shapes    T = tokens, S = numbers in a state, H = hidden units, n = steps of a span
Differs   Exact: every step is one row of a batch, as the states are known; diagonals around U where units meet in
          recurrent products alone (engine/nn/linearised.py), elsewhere by reverse mode.  The hidden units are the
          first H of S.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.core.tap import passthrough
from engine.language.message import refusal
from engine.models.recurrent import RecurrentModel
from engine.models.shadow import shadow
from engine.models.walk import states_of
from engine.nn import linearised
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
    cell, a_TE, before = _read(model, tokens, layer, carried, span)
    with torch.inference_mode(False), torch.enable_grad():
        made = linearised.steps(cell, a_TE, before) if _here(a_TE) else None
    return _by_rows(cell, a_TE, before) if made is None else made.linear.jacobians()


def spans(
    model: RecurrentModel[Any],
    tokens: Tokens,
    layer: int,
    carried: Mapping[str, np.ndarray] | None = None,
    span: tuple[int, int] | None = None,
) -> Iterator[Tensor]:
    """(H, S) in turn: what the hidden units after the last token (of a span, first and stop) are by the state one
    step before, two steps, ... before the first.  Each overwrites the one before it."""
    cell, a_TE, before = _read(model, tokens, layer, carried, span)
    with torch.inference_mode(False), torch.enable_grad():
        made = linearised.chained(cell, a_TE, before) if _here(a_TE) else None
    if made is not None:
        yield from made
        return
    step_TSS = _by_rows(cell, a_TE, before)
    made_HS = step_TSS[-1, : cell.width]
    yield made_HS
    for step_SS in step_TSS[:-1].flip(0):
        made_HS = made_HS @ step_SS
        yield made_HS


def _here(a_TE: Tensor) -> bool:
    return len(a_TE) > 0 and a_TE.device.type == "cpu"


def _read(
    model: RecurrentModel[Any],
    tokens: Tokens,
    layer: int,
    carried: Mapping[str, np.ndarray] | None,
    span: tuple[int, int] | None,
) -> tuple[Cell, Tensor, list[Tensor]]:
    """One layer, what its input adds, and the states before each step."""
    first, stop = span or (0, len(tokens))
    net: Any = shadow(model.net)
    with torch.inference_mode(False), torch.enable_grad():
        like = net.embed.weight
        x_TD = net.embed(torch.from_numpy(tokens.ids).to(like.device)[:stop])
        for i, cell in enumerate(net.layers):
            last = tuple(
                torch.from_numpy(np.array(carried[name][i, -1:])).to(like)
                if carried
                else like.new_zeros(1, size)
                for name, size in zip(cell.state, cell.sizes(), strict=True)
            )
            a_TE = cell.drive(x_TD[None])[0].detach()
            states = states_of(cell, x_TD, a_TE, last)
            if i == layer:
                break
            x_TD = states[0] + net.skips[i](x_TD) if len(net.skips) else states[0]
        before = [
            torch.cat([was, part[:-1]])[first:stop] for was, part in zip(last, states, strict=True)
        ]
        return net.layers[layer], a_TE[first:stop], before


@torch.inference_mode(False)
@torch.enable_grad()
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


def plain(cell: type[Cell]) -> bool:
    """Whether a step is one activation of a sum in which the state before stands once."""
    return cell.state == ("hidden",) and not cell.memories


def products(step_nSS: Tensor) -> Tensor:
    """(n, S, S): the product over the last step, the last two, ... all n of them; the latest stands leftmost."""
    made_nSS = torch.empty_like(step_nSS)
    made_nSS[0] = step_nSS[-1]
    for n in range(1, len(step_nSS)):
        torch.mm(made_nSS[n - 1], step_nSS[-1 - n], out=made_nSS[n])
    return made_nSS


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
        raise refusal("a span goes from a token to a later one, not from {begin} to {end}")
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
