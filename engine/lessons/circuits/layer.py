"""Layer: the vectors of one layer over many lines, and the same net with other vectors put in their place.

What      x of every token at one place of the net; the loss, in bits a token, with f(x) in place of x;
          recovered = (loss with the mean - loss with f(x)) / (loss with the mean - loss)
Source    Bricken et al., Towards Monosemanticity, 2023 (loss recovered); Rajamanoharan et al., Improving Dictionary
          Learning with Gated Sparse Autoencoders, 2024
Shapes    B = lines, T = tokens, M = all tokens, D = width
Differs   What stands for nothing is the mean vector, not zero: a net that is given zeros loses more than it has to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F

from engine.core.tap import Recorder
from engine.models.abilities import Attends
from engine.text.tokenizers.base import Tokens

SITES = {
    "residual": "the stream behind it",
    "attention.output": "what its attention adds",
    "feed_forward.output": "what its feed-forward part adds",
}
TOGETHER = 32  # lines
Change = Callable[[Tensor], Tensor]


class Spliced(Recorder):
    """Keeps what one layer has at a place, and puts something else there."""

    def __init__(self, name: str, layer: int, change: Change | None = None) -> None:
        super().__init__(fields=())
        self._name, self._layer_of, self._change = name, layer, change
        self.kept: list[Tensor] = []

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name != self._name or self._at.get("layer") != self._layer_of:
            return value
        self.kept.append(value)
        return value if self._change is None else self._change(value)


@dataclass(frozen=True, eq=False)
class Read:
    """x_MD    of all tokens of all lines, a start mark not counted
    line_M, token_M  where each stands
    """

    lines: Sequence[str]
    cut: Sequence[Tokens]
    x_MD: np.ndarray
    line_M: np.ndarray
    token_M: np.ndarray

    def label(self, m: int) -> str:
        return self.cut[self.line_M[m]].labels[self.token_M[m]]


def batches(model: Attends[Any], cut: Sequence[Tokens]) -> list[tuple[Tensor, Tensor]]:
    """Ids (B, T), and which of them are there."""
    found = []
    for n in range(0, len(cut), TOGETHER):
        some = [torch.from_numpy(one.ids.astype(np.int64)) for one in cut[n : n + TOGETHER]]
        ids_BT = torch.nn.utils.rnn.pad_sequence(some, batch_first=True, padding_value=-100)
        found.append((ids_BT.clamp_min(0), ids_BT >= 0))
    return found


def cut(model: Attends[Any], lines: Sequence[str], most: int) -> list[Tokens]:
    """Of as many lines as have `most` tokens together, each as long as the net looks back."""
    found, total = [], 0
    for line in lines:
        tokens = model.tokens(line)[: model.context or 512]
        if len(tokens) > 2:
            found.append(tokens)
            total += len(tokens)
        if total >= most:
            break
    return found


@torch.inference_mode()
def read(model: Attends[Any], lines: Sequence[str], layer: int, site: str, most: int) -> Read:
    """ValueError for a text without lines."""
    some = cut(model, lines, most)
    if not some:
        raise ValueError("This text has no line with two tokens.")
    marked = len(model.marks())
    x, at = [], []
    for n, (ids_BT, real_BT) in enumerate(batches(model, some)):
        tap = Spliced(site, layer)
        model.net(ids_BT, tap)
        real_BT[:, :marked] = False
        x.append(tap.kept[0][real_BT].numpy())
        at.append(real_BT.nonzero().numpy() + np.array([n * TOGETHER, 0]))
    place = np.concatenate(at)
    return Read(lines, some, np.concatenate(x), place[:, 0], place[:, 1])


@torch.inference_mode()
def bits(
    model: Attends[Any], some: Sequence[Tokens], layer: int, site: str, change: Change | None
) -> float:
    """Of a token, with what `change` makes of the vectors of the layer."""
    nats = count = 0.0
    for ids_BT, real_BT in batches(model, some):
        logit_BTV = model.net(ids_BT, Spliced(site, layer, change))
        next_BT = ids_BT[:, 1:].masked_fill(~real_BT[:, 1:], -100)
        nats += float(
            F.cross_entropy(logit_BTV[:, :-1].flatten(0, 1), next_BT.flatten(), reduction="sum")
        )
        count += int((next_BT >= 0).sum())
    return nats / count / float(np.log(2))


def recovered(
    model: Attends[Any], of: Read, layer: int, site: str, rebuilt: Change
) -> tuple[float, float, float]:
    """Bits a token as it is, with what is rebuilt, and with the mean vector everywhere."""
    mean_D = torch.from_numpy(of.x_MD.mean(0))
    ways: tuple[Change | None, ...] = (None, rebuilt, mean_D.expand_as)
    whole, with_it, without = (bits(model, of.cut, layer, site, way) for way in ways)
    return whole, with_it, without
