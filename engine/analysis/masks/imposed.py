"""A trained Transformer under another mask: the same weights, other rules of who may look at whom.

What      score' = score where the mask allows it, else what the way of hiding puts there; everything
          behind is computed from that, in every layer and head
Source    engine/analysis/masks/patterns.py; ways: engine/analysis/qkv/hide.py
Shapes    B = texts (the typed one, and the same with another last token), L = layers, N = heads,
          T = tokens that look, S = tokens looked at, V = vocabulary
Differs   The model was trained under its own mask; nothing is trained anew.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.analysis.masks.patterns import may
from engine.core.tap import Recorder
from engine.models.neural import NeuralLanguageModel

WAYS = {
    "zero": "−∞, empty rows 0",
    "inf": "−∞",
    "e9": "−1,000,000,000",
    "e4": "add −10,000",
}


@dataclass(frozen=True, slots=True)
class Mask:
    """
    way    what hidden scores become, a key of WAYS
    flips  cells (t, s) that are allowed where the pattern forbids them, and the other way round
    """

    pattern: str = "causal"
    size: int = 4
    way: str = "zero"
    flips: frozenset[tuple[int, int]] = field(default_factory=frozenset)

    def may(self, n: int) -> np.ndarray:
        """(T, S) bool."""
        found = np.array(may(self.pattern, n, self.size))
        for t, s in self.flips:
            if t < n and s < n:
                found[t, s] ^= True
        return found


class Imposed(Recorder):
    """Puts a mask on every attention that it passes."""

    def __init__(self, model: NeuralLanguageModel[Any], mask: Mask, n: int) -> None:
        super().__init__(fields=("attention",))
        self._tower: Any = model.net.tower
        self._mask, self._may = mask, torch.from_numpy(mask.may(n))
        self._query: Tensor | None = None
        self._key: Tensor | None = None

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name == "query":
            self._query = value
        elif name == "key":
            self._key = value
        elif name == "score":
            value = self._hidden(self._scores(value.shape[-1]))
        elif name == "attention" and self._mask.way == "zero":
            value = value.masked_fill(value.isnan() & ~self._allowed.any(-1, keepdim=True), 0.0)
        return super().__call__(name, value, axes)

    def _scores(self, s: int) -> Tensor:
        """Of all pairs, also those that the model's own mask hides."""
        assert self._query is not None and self._key is not None
        part = self._tower.block(self._at["layer"]).attention
        score: Tensor = self._query * part.scale @ part._shared(self._key).transpose(-1, -2)
        place_S = self._tower.places(0, s, score.device)
        bias = self._tower.position.bias(self._query, place_S, place_S)
        return score if bias is None else score + bias

    def _hidden(self, score_BNTS: Tensor) -> Tensor:
        allowed = self._may.to(score_BNTS.device)
        if self._mask.pattern == "top":
            seen = score_BNTS.masked_fill(~allowed, -math.inf)
            size = min(self._mask.size, seen.shape[-1])
            least = seen.topk(size, -1).values[..., -1:]
            allowed = allowed & (seen >= least)
        self._allowed = allowed
        match self._mask.way:
            case "e9":
                return score_BNTS.masked_fill(~allowed, -1e9)
            case "e4":
                return score_BNTS + torch.where(allowed, 0.0, -1e4)
        return score_BNTS.masked_fill(~allowed, -math.inf)


@dataclass(frozen=True, eq=False)
class Masked:
    """
    attention_LNTS  weights, nan where none came out
    bits_T          surprisal of each token; nan for the first, and where no number came out
    p_V             what is expected after the last token
    leak            how far a probability before the last token moves when that one is another: more
                    than rounding means that the future was seen; 0 where the mask lets nothing
                    through that stands later, nan of a text of one token
    """

    attention_LNTS: np.ndarray
    bits_T: np.ndarray
    p_V: np.ndarray
    leak: float

    @property
    def mean(self) -> float:
        """Bits of all tokens but the first, on average; nan where one has none."""
        return float(self.bits_T[1:].mean()) if len(self.bits_T) > 1 else math.nan


def run(model: NeuralLanguageModel[Any], ids_T: np.ndarray, mask: Mask) -> Masked:
    """The model's answers to a text under a mask.  KeyError for an unknown pattern or way; ValueError
    for a model without softmax attention."""
    if mask.way not in WAYS:
        raise KeyError(mask.way)
    if model.net.tower.design.kernel != "softmax":  # type: ignore[union-attr,attr-defined]
        raise ValueError("masks are put on softmax attention, but this run uses another kind")
    n, allowed_TS = len(ids_T), mask.may(len(ids_T))
    other_T = ids_T.copy()
    other_T[-1] = (int(ids_T[-1]) + 7) % len(model.tokenizer.vocab)
    # what is hidden by -inf weighs nothing, and so does -1e9 unless its whole row is hidden
    sure = mask.way in ("zero", "inf") or (mask.way == "e9" and allowed_TS.any(1).all())
    every = (ids_T,) if sure and not np.triu(allowed_TS, 1).any() else (ids_T, other_T)
    recorder = Imposed(model, mask, n)
    with torch.inference_mode():
        device = next(model.net.parameters()).device
        ids_BT = torch.from_numpy(np.stack(every)).to(device)
        p_BTV = model.net(ids_BT, recorder).float().softmax(-1).cpu().numpy()
    spec = next(s for s in model.spec() if s.name == "attention")
    of_T = p_BTV[0, np.arange(n - 1), ids_T[1:]]
    with np.errstate(divide="ignore"):
        bits_T = np.concatenate(([math.nan], -np.log2(of_T)))
    leak = float(np.abs(p_BTV[0, :-1] - p_BTV[-1, :-1]).max()) if n > 1 else math.nan
    return Masked(recorder.values(spec), bits_T, p_BTV[0, -1], leak)  # type: ignore[arg-type]


def pairs(mask: Mask, n: int) -> int:
    """How many pairs are allowed; of the best scores only as many as a row has room for."""
    if mask.pattern == "top" and not mask.flips:
        return int(np.minimum(np.arange(1, n + 1), mask.size).sum())
    return int(mask.may(n).sum())
