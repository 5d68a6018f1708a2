"""The gradient of each matrix of a recurrent net as a sum over losses and over steps: which loss, and which step at
which the matrix was used, adds how much.

What      G = sum over losses q and steps k of G_qk; the share of a term is <G_qk, G> / |G|^2, and all shares add up
          to 1.  A share is below 0 where a term points away from the sum
Source    Werbos, Backpropagation Through Time: What It Does and How to Do It, 1990
Shapes    R = losses, T = tokens, E = rows of a matrix, H, D = what it reads
Differs   No term is ever made as a matrix: G_qk is an outer product, and <d (x) h, G> = d G h.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.analysis.backpropagation import Carried, tensors
from engine.models import gradients
from engine.models.recurrent import RecurrentModel
from engine.nn.cells.base import Cell
from engine.text.tokenizers.base import Tokens

RECURRENT, INPUT, OUTPUT = "recurrent", "input", "output"


@dataclass(frozen=True, slots=True)
class Sum:
    """Of one matrix.

    whole_EH  its gradient, of all losses together
    share_QK  what the loss of token q adds through the use at step k; row 0 is zeros, nothing predicts that token
    """

    whole_EH: np.ndarray
    share_QK: np.ndarray

    @property
    def norm(self) -> float:
        return float(np.linalg.norm(self.whole_EH))


def split(
    model: RecurrentModel[Any], tokens: Tokens, layer: int, carried: Carried | None = None
) -> dict[str, Sum]:
    """The recurrent and the input weights of one layer, and the output weights of the net; without those of the input
    where a cell does more to its input than multiply.  ValueError for fewer than two tokens: nothing is predicted."""
    count = len(tokens)
    if count < 2:
        raise ValueError("a gradient needs a prediction: two tokens or more")
    found = gradients.read(model, tokens, count - 1, tensors(model, carried))
    graph, index = found.graph, torch.arange(count - 1)
    uses, drive = graph.uses[layer], graph.drives[layer]
    loss = found.nats_RT[index, index].sum()
    flat = [drive.made, *(use.made for use in uses), found.logit_RTV]
    drive_RTE, *rows, logit_RTV = gradients.differentiate(found, loss, flat)
    blocks: dict[int, list[tuple[Tensor, Tensor]]] = {}  # products of one kind, a step each
    for n, (use, g_RE) in enumerate(zip(uses, rows, strict=True)):
        blocks.setdefault(n % (len(uses) // count), []).append((g_RE, use.read.detach()))
    recurrent = [
        (torch.stack([g for g, _ in steps], 1), torch.stack([read for _, read in steps], 1))
        for steps in blocks.values()
    ]
    sums = {RECURRENT: _sum(recurrent)}
    net: Any = model.net
    if _multiplies(net.layers[layer], drive.read[:1].detach()):
        sums[INPUT] = _sum([(drive_RTE, drive.read.detach())])
    if found.top_RTH is not None:
        sums[OUTPUT] = _sum([(logit_RTV, found.top_RTH.detach())])
    return sums


@torch.no_grad()
def _multiplies(cell: Cell, x_1TD: Tensor) -> bool:
    """Whether what the input adds is the product with the input weights, but for a bias."""
    made = cell.drive(x_1TD) - cell.drive(torch.zeros_like(x_1TD))
    return torch.allclose(made, x_1TD @ cell.matrices()[0].T, rtol=1e-3, atol=1e-4)


def _sum(products: Iterable[tuple[Tensor, Tensor]]) -> Sum:
    """Of matrices that stand below each other: gradients (R, T, E) of what they made, of (R, T, H) that they read."""
    wholes, parts = [], []
    for made_RTE, read_RTH in products:
        whole_EH = torch.einsum("rte,rth->eh", made_RTE, read_RTH)
        parts.append(torch.einsum("rte,rte->rt", made_RTE, read_RTH @ whole_EH.T))
        wholes.append(whole_EH)
    size = sum(float(w.double().square().sum()) for w in wholes)
    share_RT = sum(parts[1:], parts[0]).double() / (size or 1.0)
    share_QK = np.zeros((share_RT.shape[1],) * 2)
    share_QK[1:] = share_RT.cpu().numpy()
    return Sum(torch.cat(wholes).cpu().numpy(), share_QK)
