"""Thumbnails of all heads, made while the model runs: no more than one layer of weights is ever
held.

What      a picture of at most MOST x MOST cells per head; a cell holds the largest weight under it.
          Beside it what heads are sorted by: entropy of a row in bits, how many tokens back it
          looks, its weight on the first token, as means
Shapes    L = layers, N = heads, H = N + 3 (average, maximum, rollout), T = tokens, n = cells of a
          side
Differs   The largest weight, not the mean: one strong link among hundreds of tokens stays in sight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.core.tap import Recorder
from engine.core.trace import FieldSpec
from engine.models.base import Model
from engine.text.tokenizers.base import Tokens

MOST = 48


def cells(count: int, most: int = MOST) -> int:
    """How many tokens stand on one side of a cell."""
    return max(1, -(-count // most))


def pool(weight_HTT: Tensor, most: int = MOST) -> Tensor:
    """(H, n, n): the largest weight under each cell."""
    return pooled(weight_HTT, cells(weight_HTT.shape[-1], most))


def pooled(weight_RT: Tensor, k: int) -> Tensor:
    """(..., cells of the rows, cells of the columns) of weights (..., R, T), k tokens a side."""
    if k == 1:
        return weight_RT
    *lead, r, t = weight_RT.shape
    m, n = -(-r // k), -(-t // k)
    padded = F.pad(weight_RT, (0, n * k - t, 0, m * k - r))
    return padded.view(*lead, m * k, n, k).amax(-1).view(*lead, m, k, n).amax(-2)


def statistics(weight_HTT: Tensor) -> Tensor:
    """(3, H): mean entropy of a row in bits, mean distance looked at in tokens, mean weight on the
    first token; all over the rows behind the first, which can see nothing else where each looks
    back."""
    h, t, _ = weight_HTT.shape
    place_T = torch.arange(t, dtype=weight_HTT.dtype, device=weight_HTT.device)
    begun = int(t > 1)
    bits_HT = torch.special.entr(weight_HTT).sum(2) / math.log(2)
    far_TT = (place_T[:, None] - place_T).abs()
    far_TT[:begun] = 0
    distance = weight_HTT.reshape(h, -1) @ far_TT.reshape(-1) / (t - begun)
    return torch.stack([bits_HT[:, begun:].mean(1), distance, weight_HTT[:, begun:, 0].mean(1)])


def statistics_of(weight_LNTT: np.ndarray) -> np.ndarray:
    """(3, L, N): the same of all layers."""
    found: np.ndarray = statistics(torch.from_numpy(weight_LNTT.copy()).flatten(0, 1)).numpy()
    return found.reshape(3, *weight_LNTT.shape[:2])


@dataclass(frozen=True, slots=True, eq=False)
class Wall:
    """All heads of one run, small, and the weights of one layer in full.

    thumbnail   (L, H, n, n)
    statistic   (3, L, N): entropy in bits, distance in tokens, weight on the first token
    opened      (H, T, T) of the layer `layer`
    fields      what else was asked for, by name
    """

    thumbnail: np.ndarray
    statistic: np.ndarray
    layer: int
    opened: np.ndarray
    fields: dict[str, np.ndarray]

    @property
    def size_bytes(self) -> int:
        return (
            self.thumbnail.nbytes + self.opened.nbytes + sum(v.nbytes for v in self.fields.values())
        )


class Pooling(Recorder):
    """Takes the weights layer by layer and lets go of them; other fields are kept as a recorder
    does."""

    def __init__(
        self, fields: Iterable[str], window: tuple[int, int], layer: int, hidden: np.ndarray
    ) -> None:
        """layer  whose weights are kept whole;  hidden  (T,) true where a token is left out of the
        thumbnails.  What is made stays where the weights are until the model is through"""
        super().__init__(fields=("attention", *fields), window=window)
        self.layer, self.kept, self.hides = layer, torch.from_numpy(~hidden), bool(hidden.any())
        self.thumbnails: list[Tensor] = []
        self.statistics: list[Tensor] = []
        self.rolled: list[Tensor] = []
        self.whole: list[Tensor] = []

    def at(self, **index: int) -> Pooling:
        child = Pooling.__new__(Pooling)  # the lists are the same ones
        child.__dict__ = {**self.__dict__, "_at": {**self._at, **index}}
        return child

    def keep(self, name: str, value: Any, axes: tuple[str, ...]) -> None:
        if name != "attention":
            super().keep(name, value, axes)
            return
        start, stop = self._window or (0, value.shape[-1])
        weight_NTT = torch.as_tensor(value)[0, :, start:stop, start:stop].detach().float()
        average_TT = weight_NTT.mean(0)
        half_TT = average_TT / 2
        half_TT.diagonal().add_(0.5)
        self.rolled.append(half_TT @ self.rolled.pop() if self.rolled else half_TT)
        both_HTT = torch.cat(
            [weight_NTT, torch.stack([average_TT, weight_NTT.amax(0), self.rolled[-1]])]
        )
        self.statistics.append(statistics(weight_NTT))
        self.thumbnails.append(pool(self._seen_of(both_HTT)))
        if len(self.thumbnails) == self.layer + 1:
            self.whole.append(both_HTT)

    def _seen_of(self, weight_HTT: Tensor) -> Tensor:
        if not self.hides:
            return weight_HTT
        kept = self.kept.to(weight_HTT.device)
        left = weight_HTT[:, kept][..., kept]
        return left / left.sum(-1, keepdim=True).clamp_min(1e-30)


@torch.inference_mode()
def wall(
    model: Model[Any],
    tokens: Tokens,
    window: tuple[int, int],
    layer: int,
    *,
    fields: tuple[str, ...] = (),
    hidden: np.ndarray | None = None,
) -> Wall:
    """Read the tokens and return the wall of those in the window; at least one.

    layer   whose weights are wanted whole
    hidden  (T,) of the window: true where a token is left out of the thumbnails, the rest of a row
            sharing out 1 again
    """
    start, stop = window
    first = max(0, stop - model.context) if model.context is not None else model.lead(start)
    hidden = np.zeros(stop - start, bool) if hidden is None or hidden.all() else hidden
    recorder = Pooling(fields, (start - first, stop - first), layer, hidden)
    model.run(tokens[first : model.trail(stop, len(tokens))], recorder)
    found = {
        s.name: recorder.values(s)
        for s in model.spec()
        if isinstance(s, FieldSpec) and s.name in fields
    }
    return Wall(
        torch.stack(recorder.thumbnails).cpu().numpy(),
        torch.stack(recorder.statistics, 1).cpu().numpy(),
        layer,
        recorder.whole[0].cpu().numpy(),
        found,
    )
