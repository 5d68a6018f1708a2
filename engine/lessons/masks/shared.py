"""Shared: a trained Transformer whose heads are made to share keys and values.

What      the keys of the heads of a group are replaced by their mean, and so are the values: the same
          as one matrix that is the mean of theirs
Source    Ainslie et al., GQA, 2023, sec. 2.1 (a checkpoint's heads, mean-pooled)
Shapes    B = batch, N = heads, T = tokens, K = width of a head
Differs   Nothing is trained afterwards, where the paper trains on for 5 % of the steps.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch

from engine.core.tap import Recorder
from engine.language.message import refusal
from engine.models.neural import NeuralLanguageModel


class Shared(Recorder):
    def __init__(self, groups: int) -> None:
        super().__init__(fields=())
        self._groups = groups

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name in ("key", "value"):
            each = value.shape[1] // self._groups
            mean = value.unflatten(1, (self._groups, each)).mean(2)
            return mean.repeat_interleave(each, 1)
        return value


def bits(model: NeuralLanguageModel[Any], ids_T: np.ndarray, groups: int) -> float:
    """Bits per token, but for the first; nan of a single token.  ValueError where the heads can't be
    shared out."""
    net: Any = model.net
    heads = net.tower.design.groups or net.tower.design.heads
    if heads % groups:
        raise refusal("{heads} heads can't be shared out among {groups} groups")
    with torch.inference_mode():
        ids_BT = torch.from_numpy(ids_T)[None].to(next(model.net.parameters()).device)
        log_TV = model.net(ids_BT, Shared(groups)).float().log_softmax(-1)[0].cpu()
    if len(ids_T) < 2:
        return float("nan")
    found = -log_TV[:-1].gather(1, torch.from_numpy(ids_T)[1:, None]) / np.log(2)
    return float(found.mean())
