"""How long a text becomes: the end mark is a word like any other, with a probability at every step.

What      P(y_1 .. y_M) = p(stop | y_1 .. y_M) prod_m p(y_m | y_1 .. y_m-1)
Source    Cho et al., Learning Phrase Representations using RNN Encoder-Decoder for Statistical
          Machine Translation, 2014, eq. 2; length penalty: engine/analysis/decode/beam.py
Shapes    M = words of a text, N = texts kept, S = source tokens, V = vocabulary with the end mark
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from engine.models.translating import TranslatingModel


@dataclass(frozen=True, slots=True)
class Text:
    """ids without the end mark; ln P of them and of the end mark behind them."""

    ids: tuple[int, ...]
    words: float
    stop: float

    @property
    def total(self) -> float:
        return self.words + self.stop


@torch.inference_mode()
def best(
    model: TranslatingModel[Any], source: np.ndarray, width: int, most: int
) -> tuple[Text, ...]:
    """The likeliest text of each length from 0 to `most`, as far as a beam of `width` finds it: the
    end mark is tried behind each text that is kept, and takes no place."""
    end = model.tokenizer.boundary
    ids_NT = torch.tensor([[model.start, *model.forced]])
    first = ids_NT.shape[1]
    total_N = torch.zeros(1, dtype=torch.float64)
    found = []
    made_1 = torch.from_numpy(source)[None]
    made = {n: model.halves.read(made_1.expand(n, -1)) for n in (1, width)}
    for _ in range(most + 1):
        n = len(ids_NT)
        read = made[n] if n in made else model.halves.read(made_1.expand(n, -1))
        logit_NV = model.allowed(model.halves.write(ids_NT, read)[:, -1])
        ln_NV = logit_NV.double().log_softmax(-1)
        at = int((total_N + ln_NV[:, end]).argmax())
        found.append(
            Text(tuple(ids_NT[at, first:].tolist()), float(total_N[at]), float(ln_NV[at, end]))
        )
        ln_NV[:, end] = -torch.inf
        flat = (total_N[:, None] + ln_NV).flatten()
        total_N, place = flat.topk(min(width, n * (ln_NV.shape[1] - 1)))
        row, id = place // ln_NV.shape[1], place % ln_NV.shape[1]
        ids_NT = torch.cat((ids_NT[row], id[:, None]), 1)
    return tuple(found)


@torch.inference_mode()
def ends(model: TranslatingModel[Any], source: np.ndarray, ids: tuple[int, ...]) -> np.ndarray:
    """p(stop) (M + 1,) before each of `ids` and behind the last."""
    read = model.halves.read(torch.from_numpy(source)[None])
    logit_MV = model.halves.write(torch.tensor([[model.start, *model.forced, *ids]]), read)[0]
    p_MV = model.allowed(logit_MV).double().softmax(-1)
    found: np.ndarray = p_MV[len(model.forced) :, model.tokenizer.boundary].numpy()
    return found
