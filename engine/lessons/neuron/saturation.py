"""Where the sums of a trained LSTM stand on the curves that squash them.

What      a = W x + U h + b before each gate and the candidate, and the memory c before its tanh, at
          every token and unit of a text; saturated is a sum at which the slope is below a share of
          the largest slope
Source    Karpathy, Johnson & Fei-Fei, Visualizing and Understanding Recurrent Networks, 2016, sec.
          4.2 (shares of saturated gates; there a gate counts as shut below 0.1, as open above 0.9)
Shapes    T = tokens, H = units, E = 4 H
Differs   Sums, not gates: of a gate in float32 that is all but 1 no sum can be found again.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.language.message import _
from engine.models.recurrent import RecurrentModel
from engine.nn.cells.lstm import LSTM
from engine.nn.fused import scan

SQUASHED: Mapping[str, str] = {
    "gate.input": "sigmoid",
    "gate.forget": "sigmoid",
    "candidate": "tanh",
    "gate.output": "sigmoid",
    "cell": "tanh",
}
FARTHEST, WIDE = 12.0, 0.1  # the counts reach so far on both sides, in steps so wide
EDGES = np.linspace(-FARTHEST, FARTHEST, round(2 * FARTHEST / WIDE) + 1)
SHARE = 0.1  # of the largest slope


@dataclass(frozen=True, slots=True)
class Sums:
    """counts  of the sums between EDGES; those beyond stand in the first and the last
    low, high  shares of the sums that are saturated on either side
    """

    layer: int
    name: str
    counts: tuple[int, ...]
    low: float
    high: float
    mean: float

    @property
    def saturated(self) -> float:
        return self.low + self.high


def border(squash: str, share: float = SHARE) -> float:
    """The sum, above 0, at which the slope has fallen to this share of its largest.

    tanh x = 2 s(2 x) - 1, so its border is half as far out as that of a sigmoid.
    """
    t = np.sqrt(1 - share)
    return float(np.arctanh(t) * (2 if squash == "sigmoid" else 1))


def raw(model: RecurrentModel[Any], text: str) -> list[dict[str, np.ndarray]]:
    """Per layer the sums (T, H) by the names of SQUASHED.  TypeError for another cell than an
    LSTM."""
    if not issubclass(model.cell, LSTM):
        raise TypeError(_("an LSTM is wanted; this is a {name}", name=_(model.cell.__name__)))
    found: list[dict[str, np.ndarray]] = []

    def hear(cell: Any, given: tuple[Tensor, ...], h_1TH: Tensor) -> None:
        before_1TH = torch.cat([torch.zeros_like(h_1TH[:, :1]), h_1TH[:, :-1]], 1)
        a_TE = (cell.drive(given[0]) + before_1TH @ cell.matrices()[1].T)[0]
        i, f, g, o = a_TE.chunk(4, -1)
        new_TH = i.sigmoid() * g.tanh()
        c_1TH = scan(f.sigmoid()[None], new_TH[None], torch.zeros_like(new_TH[:1]))
        made = (i, f, g, o, c_1TH[0])
        found.append({n: v.cpu().numpy() for n, v in zip(SQUASHED, made, strict=True)})

    net: Any = model.net
    ids = torch.as_tensor(np.asarray(model.tokens(text).ids), dtype=torch.long)[None]
    hooks = [layer.register_forward_hook(hear) for layer in net.layers]
    try:
        with torch.no_grad():
            net(ids.to(next(net.parameters()).device))
    finally:
        for hook in hooks:
            hook.remove()
    return found


def measured(model: RecurrentModel[Any], text: str) -> list[Sums]:
    """Of every layer and every thing that is squashed; those of a layer stand together."""
    found = []
    for layer, of in enumerate(raw(model, text)):
        for name, values in of.items():
            at = border(SQUASHED[name])
            counts, __ = np.histogram(np.clip(values, -FARTHEST, FARTHEST), EDGES)
            low, high = float((values < -at).mean()), float((values > at).mean())
            found.append(Sums(layer, name, tuple(counts.tolist()), low, high, float(values.mean())))
    return found
