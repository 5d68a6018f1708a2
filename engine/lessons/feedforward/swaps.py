"""Swaps: what becomes of the next word's distribution when another word stands in a place of the text.

What      each token of the text is replaced by the same other one, one at a time, the text is read
          again as a whole, and the distribution after its last token is compared with the one before:
          the share of the probability that has moved (total variation distance)
Source    Zeiler & Fergus, Visualizing and Understanding Convolutional Networks, 2014 (occlusion); Li,
          Monroe & Jurafsky, Understanding Neural Networks through Representation Erasure, 2016
Shapes    S = places, T = tokens, V = vocabulary
Differs   A word is replaced, not erased: a text keeps its length, so that no other word moves.  A net
          that sees a window is given the whole text too, each time in the same shape: what nothing
          reaches is then the same bit for bit, and its change is 0 and not nearly 0.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch

from engine.models.abilities import HasNet
from engine.models.base import Model
from engine.models.recurrent import RecurrentModel
from engine.text.tokenizers.base import Tokens


def swaps(
    model: Model[Any], tokens: Tokens, places: Sequence[int], other: int
) -> list[float | None]:
    """What moves after the last of these tokens, for each place; None where the other word stands already."""
    open_ = [s for s in places if int(tokens.ids[s]) != other]
    ids_ST = np.repeat(tokens.ids[None], 1 + len(open_), 0)
    ids_ST[np.arange(1, 1 + len(open_)), open_] = other
    p_SV = predict_next(model, tokens, ids_ST).astype(float)
    moved_S = np.abs(p_SV[1:] - p_SV[0]).sum(1) / 2
    found = dict(zip(open_, moved_S.tolist(), strict=True))
    return [found.get(s) for s in places]


def predict_next(model: Model[Any], tokens: Tokens, ids_ST: np.ndarray) -> np.ndarray:
    """(S, V): what comes after the last token of each text; all are as long as `tokens`."""
    if isinstance(model, RecurrentModel):
        return _together(model, ids_ST)
    last = len(tokens)
    first = 0 if isinstance(model, HasNet) else last - 1
    rows = []
    for ids_T in ids_ST:
        read = model.trace(
            "", fields=("probability",), window=(first, last), tokens=replace(tokens, ids=ids_T)
        )
        rows.append(read.field("probability").values[-1])
    return np.stack(rows)


@torch.inference_mode()
def _together(model: RecurrentModel[Any], ids_ST: np.ndarray) -> np.ndarray:
    """All texts as one batch; of the output layer, which costs most, only the last token."""
    net: Any = model.net
    like = net.embed.weight
    h_STH = net.read(net.embed(torch.from_numpy(ids_ST).to(like.device)))
    p_SV: np.ndarray = net.head(h_STH[:, -1]).float().softmax(-1).cpu().numpy()
    return p_SV
