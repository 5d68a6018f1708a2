"""Precision: a model with numbers of half the length, how much faster it is on this machine, and
how far off.

What      bfloat16: 16 bits instead of 32; the range of float32, but 8 binary digits instead of 24.
          Softmax stays in float32
Source    Kalamkar et al., A Study of BFLOAT16 for Deep Learning Training, 2019, sec. 2
Shapes    T = tokens, D = width
Differs   Nothing is trained or rounded with care: every weight becomes the nearest shorter number.
"""

from __future__ import annotations

import copy
import statistics
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import nn

from engine.models.abilities import HasNet

if TYPE_CHECKING:
    from engine.models.base import Model

FIELDS = ("attention", "residual")
ROUNDS, SECONDS = 15, 1.5


@dataclass(frozen=True, slots=True)
class Comparison:
    """One text through both.  Times are medians in milliseconds, measured in turn; all weights of
    all layers are kept.

    off      largest difference of an attention weight, and `at` which (layer, head, query, key)
    mean     mean difference of an attention weight
    cosines  (T,) of what the last layer holds for each token, with and without the digits
    """

    tokens: int
    full_ms: float
    half_ms: float
    off: float
    at: tuple[int, int, int, int]
    mean: float
    cosines: np.ndarray

    @property
    def faster(self) -> float:
        return self.full_ms / self.half_ms


def halved(model: Model[Any]) -> HasNet[Any]:
    """The same model with its numbers in bfloat16.  ValueError for a model that is not made of
    torch parts."""
    if not isinstance(model, HasNet):
        raise ValueError("only models made of matrices can be computed with shorter numbers")
    # each number is shortened as it is copied: never are there two copies of full length
    memo = {id(p): _short(p) for p in (*model.net.parameters(), *model.net.buffers())}
    made = copy.copy(model)
    made.net = copy.deepcopy(model.net, memo).eval()
    for name, value in vars(model).items():
        if value is model.net and name != "net":
            setattr(made, name, made.net)
    return made


def _short(p: torch.Tensor) -> torch.Tensor:
    short = p.detach().to(torch.bfloat16) if p.is_floating_point() else p
    return nn.Parameter(short, requires_grad=False) if isinstance(p, nn.Parameter) else short


def compare(model: Model[Any], half: Any, text: str) -> Comparison:
    """ValueError for a model without attention, or for no text."""
    if not {spec.name for spec in model.spec()} >= set(FIELDS):
        raise ValueError("this model has no attention to compare")
    tokens = model.tokens(text)
    if not len(tokens):
        raise ValueError("type at least one word")
    times: dict[int, list[float]] = {0: [], 1: []}
    traces: dict[int, Any] = {}
    started = time.perf_counter()
    for round in range(ROUNDS + 1):
        for i, each in enumerate((model, half)):
            start = time.perf_counter()
            traces[i] = each.trace(text, fields=FIELDS, tokens=tokens)
            times[i].append(1000 * (time.perf_counter() - start))
        if round and time.perf_counter() - started > SECONDS:
            break
    a, b = (traces[i].field("attention").values for i in (0, 1))
    apart = np.abs(a - b)
    x_TD, y_TD = (traces[i].field("residual").values[-1].astype(np.float64) for i in (0, 1))
    length_T = np.linalg.norm(x_TD, axis=-1) * np.linalg.norm(y_TD, axis=-1)
    layer, head, query, key = (int(i) for i in np.unravel_index(int(apart.argmax()), apart.shape))
    cosines = (x_TD * y_TD).sum(-1) / np.maximum(length_T, 1e-300)
    full, short = (statistics.median(times[i][1:]) for i in (0, 1))  # the first round warms up
    return Comparison(
        len(traces[0].tokens),
        full,
        short,
        float(apart.max()),
        (layer, head, query, key),
        float(apart.mean()),
        cosines,
    )
