"""Writing: tunes that a net draws note by note, many at a time.

What      w_t drawn from softmax(z / T), where z are the logits after w_1 ... w_(t-1); a tune ends with the line
Source    Ackley, Hinton & Sejnowski, A Learning Algorithm for Boltzmann Machines, 1985 (temperature)
Shapes    N = tunes, T = tokens, V = vocabulary
Differs   What is unknown is never drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import torch

from engine.models.recurrent import Net, RecurrentModel


@dataclass(frozen=True, eq=False)
class Written:
    """tunes: words of each, with those that they begin with; entropy: bits that a draw had on average."""

    tunes: tuple[tuple[str, ...], ...]
    entropy: float


@torch.inference_mode()
def write(
    model: RecurrentModel[Any],
    beginnings: Sequence[str],
    longest: int,
    temperature: float,
    seed: int,
) -> Written:
    """A tune for each beginning, all of which have as many tokens; at most `longest` more are drawn."""
    net, vocab = cast(Net, model.net), model.tokenizer.vocab
    ends = model.tokenizer.boundary
    barred = [v for v, word in enumerate(vocab) if word.startswith("<") and v != ends]
    ids_NT = torch.from_numpy(np.stack([model.tokens(one).ids for one in beginnings]))
    drawn, bits = [ids_NT[:, 1:].numpy()], []
    rng, before = np.random.default_rng(seed), None
    going_N = np.ones(len(beginnings), bool)
    for _step in range(longest):
        after: list[Any] = []
        x_NTD = net.read(net.embed(ids_NT), before=before, after=after)
        z_NV = (net.head(x_NTD[:, -1:])[:, -1] / temperature).double()
        z_NV[:, barred] = -torch.inf
        p_NV = z_NV.softmax(-1).numpy()
        with np.errstate(divide="ignore", invalid="ignore"):
            bits.append(-np.nansum(p_NV * np.log2(p_NV), 1)[going_N])
        u_N1 = rng.random((len(p_NV), 1))
        id_N = np.minimum((p_NV.cumsum(1) < u_N1).sum(1), len(vocab) - 1)
        id_N[~going_N] = ends
        drawn.append(id_N[:, None])
        going_N &= id_N != ends
        if not going_N.any():
            break
        ids_NT, before = torch.from_numpy(id_N)[:, None], after
    tunes = (
        tuple(vocab[id] for id in row if id != ends) for row in np.concatenate(drawn, 1).tolist()
    )
    return Written(tuple(tunes), float(np.concatenate(bits).mean()) if bits else float("nan"))
