"""How far the loss of each word of a translation reaches back into the source.

What      g_ti = d loss_t / d x_i, x_i the embedding of source token i, loss_t the nats of target
          token t; drawn is its norm |g_ti|
Source    the bottleneck: Cho et al., On the Properties of Neural Machine Translation, 2014; gradients
          that die on the way: Pascanu, Mikolov & Bengio, On the Difficulty of Training Recurrent
          Neural Networks, 2013
Shapes    B = pairs, T = target tokens with the end mark, S = source tokens with the end mark, D =
          width of an embedding
Differs   `engine/models/gradients.py` follows the loss of a language model back; a translator has two
          halves, and its embeddings are read twice: here only what the source reads is followed.
          The T losses of one pair are T rows of one batch, so that one sweep gives them all
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.models.shadow import shadow
from engine.models.translating import TranslatingModel


def losses(
    model: TranslatingModel[Any], source_BS: Tensor, target_BT: Tensor
) -> tuple[Tensor, Tensor]:
    """Nats (B, T) of each target token, and the source's embeddings (B, S, D) that they follow
    from; sources of one length, and -100 in the target where there is nothing."""
    net: Any = copy(shadow(model.net))
    net._modules = dict(net._modules)
    entry = net._modules["embed"] = copy(net.embed)
    met: list[Tensor] = []

    def begin(ids: Tensor) -> Tensor:
        found: Tensor = type(entry).forward(entry, ids)
        if not met:  # the source is read first
            found = found.detach().requires_grad_()
            met.append(found)
        return found

    entry.forward = begin
    read_BT = torch.cat((torch.full_like(target_BT[:, :1], model.start), target_BT[:, :-1]), 1)
    logit_BTV = net.write(read_BT.clamp(min=0), net.read(source_BS))
    nats_BT = F.cross_entropy(logit_BTV.transpose(1, 2), target_BT, reduction="none")
    return nats_BT, met[0]


def each(model: TranslatingModel[Any], source: np.ndarray, target: np.ndarray) -> np.ndarray:
    """|g_ti| (T, S), in nats per unit, of a source (S,) and a target (T,), ids with both end
    marks."""
    count = len(target)
    with torch.inference_mode(False), torch.enable_grad():
        rows = (torch.tensor(ids)[None].expand(count, -1) for ids in (source, target))
        nats_TT, x_TSD = losses(model, *rows)
        (g_TSD,) = torch.autograd.grad(nats_TT.diagonal().sum(), x_TSD)
    found: np.ndarray = g_TSD.norm(dim=-1).numpy()
    return found


def shares(
    model: TranslatingModel[Any], pairs: Sequence[tuple[np.ndarray, np.ndarray]]
) -> np.ndarray:
    """Of each pair of ids, how |d loss / d x| of the first source word stands to that of the last
    one, the loss of all target tokens summed; sources of two words or more."""
    found = np.empty(len(pairs))
    sizes = np.array([len(source) for source, _ in pairs])
    for size in np.unique(sizes):
        some = [int(i) for i in np.flatnonzero(sizes == size)]
        longest = max(len(pairs[i][1]) for i in some)
        target_BT = torch.full((len(some), longest), -100)
        for row, i in enumerate(some):
            target_BT[row, : len(pairs[i][1])] = torch.tensor(pairs[i][1])
        source_BS = torch.tensor(np.stack([pairs[i][0] for i in some]))
        with torch.inference_mode(False), torch.enable_grad():
            nats_BT, x_BSD = losses(model, source_BS, target_BT)
            (g_BSD,) = torch.autograd.grad(nats_BT.sum(), x_BSD)
        long_BS = g_BSD.norm(dim=-1).numpy()
        found[some] = long_BS[:, 0] / np.maximum(long_BS[:, -2], 1e-30)
    return found
