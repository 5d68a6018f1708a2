"""A trained Transformer under another mask: the same weights, other rules of who may look at whom.

What      score' = score where the mask allows it, else what the way of hiding puts there; everything
          behind is computed from that, in every layer and head
Source    engine/analysis/masks/patterns.py; ways: engine/lessons/masks/hide.py
Shapes    B = texts (the typed one, and the same with another last token), L = layers, N = heads,
          T = tokens that look, S = tokens looked at, V = vocabulary
Differs   The model was trained under its own mask; nothing is trained anew.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from engine.core.tap import Recorder
from engine.lessons.masks.patterns import may
from engine.models.neural import NeuralLanguageModel

WAYS = {"zero": "−∞, empty rows 0", "e9": "−1,000,000,000", "e4": "add −10,000", "inf": "−∞"}


@dataclass(frozen=True, slots=True)
class Mask:
    """way: what hidden scores become, a key of WAYS."""

    pattern: str = "causal"
    size: int = 4
    way: str = "zero"

    def may(self, n: int) -> np.ndarray:
        """(T, S) bool."""
        return np.array(may(self.pattern, n, self.size))


class Imposed(Recorder):
    """Puts a mask on every attention that it passes.

    plain  whether what the model's own mask hides is hidden here too
    beside whether the last text of the batch is read under the model's own mask
    """

    def __init__(
        self, model: NeuralLanguageModel[Any], mask: Mask, n: int, plain: bool, beside: bool
    ) -> None:
        super().__init__(fields=("attention",))
        self._tower: Any = model.net.tower
        self._mask, self._may = mask, torch.from_numpy(mask.may(n))
        self._empty = not bool(self._may.any(-1).all())  # somebody may look at nobody
        self._plain, self._beside = plain, beside
        self._query: Tensor | None = None
        self.carried: dict[str, list[Tensor]] = {"key": [], "value": []}

    def __call__(self, name: str, value: Any, axes: tuple[str, ...]) -> Any:
        if name == "query":
            self._query = value
        elif name in self.carried:
            self.carried[name].append(value)
        elif name == "score":
            value = self._under(value, self._hidden)
        elif name == "attention" and self._mask.way == "zero" and self._empty:
            value = self._under(value, self._zeroed)
        return super().__call__(name, value, axes)

    def _under(self, value_BNTS: Tensor, change: Callable[[Tensor], Tensor]) -> Tensor:
        """Changed for the texts that are under the mask."""
        if not self._beside:
            return change(value_BNTS)
        return torch.cat((change(value_BNTS[:-1]), value_BNTS[-1:]))

    def _zeroed(self, weight_BNTS: Tensor) -> Tensor:
        nobody = weight_BNTS.isnan() & ~self._allowed.any(-1, keepdim=True)
        return weight_BNTS.masked_fill(nobody, 0.0)

    def _scores(self, s: int) -> Tensor:
        """Of all pairs, also those that the model's own mask hides."""
        assert self._query is not None
        part = self._tower.block(self._at["layer"]).attention
        key: Tensor = part._shared(self.carried["key"][-1])
        place_S = self._tower.places(0, s, key.device)
        bias = self._tower.position.bias(self._query, place_S, place_S)
        found: Tensor = part.scores(self._query, key, bias)
        return found

    def _hidden(self, score_BNTS: Tensor) -> Tensor:
        if not self._plain:
            score_BNTS = self._scores(score_BNTS.shape[-1])[: len(score_BNTS)]
        allowed = self._may[-score_BNTS.shape[2] :].to(score_BNTS.device)
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


TAIL = 3  # tokens: a key changes no more of them, mostly


@dataclass(frozen=True, eq=False)
class State:
    """What an answer under a mask that lets nobody look ahead goes on from, of B texts: the one under
    the mask, and perhaps the one beside it.

    carried   "key" and "value" (L, B, G, T, K)
    tail_BTV  what was expected after each of the last TAIL tokens
    """

    ids_T: np.ndarray
    carried: Mapping[str, Tensor]
    tail_BTV: np.ndarray


@dataclass(frozen=True, eq=False)
class Masked:
    """
    attention_LNTS  weights, nan where none came out
    bits_T          surprisal of each token; nan for the first, and where no number came out
    p_V             what is expected after the last token
    leak            how far a probability before the last token moves when that one is another: more
                    than rounding means that the future was seen; 0 where the mask lets nothing
                    through that stands later, nan of a text of one token
    own_T           surprisal under the model's own mask, where that was asked for
    state           what the answer to a longer text can go on from; None where somebody looks ahead
    """

    attention_LNTS: np.ndarray
    bits_T: np.ndarray
    p_V: np.ndarray
    leak: float
    own_T: np.ndarray | None = None
    state: State | None = None

    @property
    def mean(self) -> float:
        """Bits of all tokens but the first, on average; nan where one has none."""
        return float(self.bits_T[1:].mean()) if len(self.bits_T) > 1 else math.nan

    @property
    def size_bytes(self) -> int:
        of = self.state
        kept = of.tail_BTV.nbytes + sum(x.nbytes for x in of.carried.values()) if of else 0
        return self.attention_LNTS.nbytes + kept


def run(
    model: NeuralLanguageModel[Any],
    ids_T: np.ndarray,
    mask: Mask,
    beside: bool = False,
    before: Masked | None = None,
) -> Masked:
    """The model's answers to a text under a mask.

    beside  whether `own_T` is wanted too: both are read in one run
    before  the answer, under the same mask and with the same `beside`, to a text that may begin like
            this one: where nobody looks ahead only the tokens behind that are read; the numbers are
            the same up to rounding
    KeyError for an unknown pattern or way; ValueError for a model without softmax attention.
    """
    if mask.way not in WAYS:
        raise KeyError(mask.way)
    design = model.net.tower.design  # type: ignore[union-attr]
    if design.kernel != "softmax":  # type: ignore[union-attr]
        raise ValueError("masks are put on softmax attention, but this run uses another kind")
    n, allowed_TS = len(ids_T), mask.may(len(ids_T))
    # what is hidden by -inf weighs nothing, and so does -1e9 unless its whole row is hidden
    sure = mask.way in ("zero", "inf") or (mask.way == "e9" and bool(allowed_TS.any(1).all()))
    back = sure and not np.triu(allowed_TS, 1).any()
    plain = back and not design.window  # type: ignore[union-attr]
    itself = plain and mask.pattern == "causal"
    twice = beside and not itself
    texts = [ids_T] * (2 if twice else 1)
    if not back:
        other_T = ids_T.copy()
        other_T[-1] = (int(ids_T[-1]) + 7) % len(model.tokenizer.vocab)
        texts.insert(1, other_T)
    start, old = _start(before, ids_T, len(texts)) if plain and before else (0, None)
    recorder = Imposed(model, mask, n, plain, twice)
    with torch.inference_mode():
        device = next(model.net.parameters()).device
        ids_BT = torch.from_numpy(np.stack(texts)[:, start:]).to(device)
        past = old and {k: x[..., :start, :].to(device) for k, x in old.carried.items()}
        p_BTV = (
            model.net(ids_BT, recorder, *([past] if past else [])).float().softmax(-1).cpu().numpy()
        )
        carried = {name: torch.stack(parts) for name, parts in recorder.carried.items()}
        if past:
            carried = {name: torch.cat((past[name], new), -2) for name, new in carried.items()}
    spec = next(s for s in model.spec() if s.name == "attention")
    attention_LNTS = recorder.values(spec)  # type: ignore[arg-type]
    first, tail_BTV = start, p_BTV
    if before is not None and old is not None:
        whole_LNTS = np.zeros((*attention_LNTS.shape[:2], n, n), np.float32)
        known_LNTS = before.attention_LNTS[..., :start, :start]
        whole_LNTS[..., :start, :start] = known_LNTS
        whole_LNTS[..., :start, start:][np.isnan(known_LNTS[..., 0])] = math.nan  # whole rows
        whole_LNTS[..., start:, :] = attention_LNTS
        attention_LNTS = whole_LNTS
        begun = len(old.ids_T) - old.tail_BTV.shape[1]
        if begun < start:
            first = begun
            tail_BTV = np.concatenate((old.tail_BTV[:, : start - begun], p_BTV), 1)
    known = (None, None) if before is None or old is None else (before.bits_T, before.own_T)
    bits_T = _bits(tail_BTV[0], ids_T, first, known[0])
    own_T = _bits(tail_BTV[-1], ids_T, first, known[1]) if beside else None
    if not back:
        leak = float(np.abs(p_BTV[0, :-1] - p_BTV[1, :-1]).max()) if n > 1 else math.nan
    else:
        leak = math.nan if n < 2 or np.isnan(bits_T[1:]).any() else 0.0
    state = State(ids_T, carried, tail_BTV[:, -TAIL:].copy()) if plain else None
    return Masked(attention_LNTS, bits_T, p_BTV[0, -1], leak, own_T, state)


def _start(before: Masked, ids_T: np.ndarray, texts: int) -> tuple[int, State | None]:
    """The first token that has to be read, and the state before it."""
    old = before.state
    if old is None or old.tail_BTV.shape[0] != texts:
        return 0, None
    count = min(len(old.ids_T), len(ids_T) - 1)
    differs = np.flatnonzero(old.ids_T[:count] != ids_T[:count])
    keep = int(differs[0]) if len(differs) else count
    if len(old.ids_T) - old.tail_BTV.shape[1] >= keep:
        keep -= 1  # what is expected after the last of them is known no more
    return (keep, old) if keep > 0 else (0, None)


def _bits(
    p_TV: np.ndarray, ids_T: np.ndarray, first: int, known_T: np.ndarray | None
) -> np.ndarray:
    """Surprisal (T,) of all tokens, of what is expected after those from `first` on; of those before
    as it is known."""
    of_T = p_TV[np.arange(len(ids_T) - 1 - first), ids_T[first + 1 :]]
    with np.errstate(divide="ignore"):
        new_T = -np.log2(of_T)
    head_T = np.array([math.nan]) if known_T is None else known_T[: first + 1]
    return np.concatenate((head_T, new_T))


def pairs(mask: Mask, n: int) -> int:
    """How many pairs are allowed; of the best scores only as many as a row has room for."""
    if mask.pattern == "top":
        return int(np.minimum(np.arange(1, n + 1), mask.size).sum())
    return int(mask.may(n).sum())
