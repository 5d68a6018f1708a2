"""What the state before the first token does: how long a text remembers where the net began.

What      the same tokens from zeros, from numbers drawn at random, from a state that was learned, and from where
          another text ended: how far the states lie from those of the first way, and what each token costs
Source    the choices: Zimmermann, Tietz & Grothmann, Forecasting with Recurrent Neural Networks: 12 Tricks, 2012
Shapes    T = tokens, H = units of the last layer, B = lines
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from engine.core.tap import passthrough
from engine.models.recurrent import RecurrentModel
from engine.text.tokenizers.base import Tokens

SEED = 0
UPDATES, RATE, SPAN = 40, 0.1, 12  # of what is learned: of Adam, and tokens of each line


@dataclass(frozen=True, slots=True)
class Begun:
    """far_T: distance of the last layer's state from that of the way from zeros; bits_T: surprisal of each token, 0 at
    the first, which nothing predicts."""

    far_T: np.ndarray
    bits_T: np.ndarray


def drawn(model: RecurrentModel[Any], deviation: float) -> dict[str, Tensor]:
    """A state (layer, 1, unit) of numbers from a normal distribution."""
    net: Any = model.net
    by = torch.Generator().manual_seed(SEED)
    return {
        name: deviation
        * torch.stack([torch.randn(1, cell.sizes()[n], generator=by) for cell in net.layers])
        for n, name in enumerate(model.cell.state)
    }


def learned(
    model: RecurrentModel[Any], lines: Sequence[str], updates: int = UPDATES
) -> dict[str, Tensor]:
    """The state (layer, 1, unit) from which the first SPAN tokens of such lines surprise least, by Adam from zeros; the
    net stays as it is.  Lines that are shorter are left out; ValueError where none is left."""
    read = [model.tokens(line).ids[: SPAN + 1] for line in lines]
    whole = [ids for ids in read if len(ids) == SPAN + 1]
    if not whole:
        raise ValueError(f"no line has more than {SPAN} tokens")
    net: Any = model.net
    like = net.embed.weight
    ids_BT = torch.from_numpy(np.stack(whole)).to(like.device)
    state = {
        name: torch.zeros_like(part).to(like).requires_grad_()
        for name, part in drawn(model, 0.0).items()
    }
    adam = torch.optim.Adam(state.values(), lr=RATE)
    for _ in range(updates):
        with torch.enable_grad():
            loss = _loss(net, ids_BT, state)
            found = torch.autograd.grad(loss, [*state.values()])
        for part, gradient in zip(state.values(), found, strict=True):
            part.grad = gradient
        adam.step()
    return {name: part.detach() for name, part in state.items()}


def _loss(net: Any, ids_BT: Tensor, state: Mapping[str, Tensor]) -> Tensor:
    top_BTH = net.read(net.embed(ids_BT[:, :-1]), passthrough, state)
    logit_BTV = net.head(top_BTH).float()
    return nn.functional.cross_entropy(logit_BTV.flatten(0, 1), ids_BT[:, 1:].flatten())


def ended(model: RecurrentModel[Any], text: str) -> dict[str, Tensor]:
    """The state in which a text leaves the net."""
    found = model.trace(text, fields=model.carries)
    return {n: torch.from_numpy(np.array(found.field(n).values[:, -1:])) for n in model.carries}


def begun(
    model: RecurrentModel[Any], tokens: Tokens, states: Mapping[str, Mapping[str, Tensor]]
) -> dict[str, Begun]:
    """By name of the state before the first token; that of zeros is added under "zeros"."""
    found: dict[str, tuple[np.ndarray, np.ndarray]] = {
        name: _read(model, tokens, state) for name, state in {"zeros": None, **states}.items()
    }
    zero_TH = found["zeros"][0]
    return {
        name: Begun(np.linalg.norm(top_TH - zero_TH, axis=-1), bits_T)
        for name, (top_TH, bits_T) in found.items()
    }


@torch.no_grad()
def _read(
    model: RecurrentModel[Any], tokens: Tokens, state: Mapping[str, Tensor] | None
) -> tuple[np.ndarray, np.ndarray]:
    net: Any = model.net
    like = net.embed.weight
    ids_1T = torch.from_numpy(tokens.ids)[None].to(like.device)
    given = None if state is None else {name: part.to(like) for name, part in state.items()}
    top_1TH = net.read(net.embed(ids_1T), passthrough, given)
    logit_TV = net.head(top_1TH)[0, :-1].float()
    nats_T = nn.functional.cross_entropy(logit_TV, ids_1T[0, 1:], reduction="none")
    bits_T = np.r_[0.0, nats_T.cpu().numpy().astype(float) / np.log(2)]
    return top_1TH[0].float().cpu().numpy().astype(float), bits_T
