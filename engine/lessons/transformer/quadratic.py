"""What attention costs as the text grows, measured: time and the most memory held at once, for four
ways to do it.

What      written: softmax(q k^T) with every weight written down; fused: the same reading without
          writing it down;
          window: each token looks at the last W only, block by block; linear: the softmax replaced
          by features.
          The exponent is the slope of a line through log(cost) against log(n).
Source    Vaswani et al., 2017, sec. 3.2.1; Rabe & Staats, Self-attention Does Not Need O(n^2)
          Memory, 2021 (fused); Beltagy, Peters & Cohan, Longformer, 2020 (window); Katharopoulos et
          al., Transformers are RNNs, 2020 (linear)
Shapes    B = 1 text, n = tokens, D = width, N = heads, K = width of a head, W = window
Differs   One layer of the given model over random vectors: queries, keys and values are made once
          and not measured.  A kernel's own scratch space is not counted.
"""

from __future__ import annotations

import time
import weakref
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from engine.nn import linear, window

if TYPE_CHECKING:
    from engine.models.abilities import Attends

LENGTHS = (32, 64, 128, 256, 512, 1024)
WINDOW = 64
LEAST, TURNS = 0.02, 3  # seconds of one turn, and how many turns: the quickest counts


@dataclass(frozen=True, slots=True)
class Cost:
    way: str
    tokens: int
    seconds: float
    size_bytes: int


def written(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    n = q.shape[2]
    far = torch.ones(n, n, dtype=torch.bool).triu(1)
    score = (q @ k.transpose(-1, -2)).mul_(q.shape[-1] ** -0.5).masked_fill_(far, -torch.inf)
    return score.softmax(-1) @ v


def fused(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=True)


def near(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return window.read(q, k, v, WINDOW)


def featured(q: Tensor, k: Tensor, v: Tensor) -> Tensor:
    return linear.read(q, k, v, causal=True)


WAYS: dict[str, Callable[[Tensor, Tensor, Tensor], Tensor]] = {
    "softmax, weights written down": written,
    "softmax, fused": fused,
    f"window of {WINDOW}": near,
    "linear": featured,
}


@torch.inference_mode()
def costs(model: Attends[Any]) -> Iterator[Cost]:
    """One cost after the other, the short texts first."""
    attention = model.tower.block(0).attention
    draw = torch.Generator().manual_seed(0)
    for n in LENGTHS:
        x_BTD = torch.randn(1, n, model.tower.design.width, generator=draw)
        q, k, v = attention._parts(x_BTD, None)
        k, v = attention._shared(k), attention._shared(v)
        for name, way in WAYS.items():
            act = partial(way, q, k, v)
            yield Cost(name, n, _seconds(act), _peak(act))


def _seconds(act: Callable[[], Any]) -> float:
    act()
    best = float("inf")
    for _ in range(TURNS):
        count, begin = 0, time.perf_counter()
        while (taken := time.perf_counter() - begin) < LEAST or not count:
            act()
            count += 1
        best = min(best, taken / count)
    return best


class Held(TorchDispatchMode):
    """Counts the bytes of all numbers made inside it that are still there, and the most there ever
    were."""

    def __init__(self) -> None:
        super().__init__()
        self.now = self.most = 0
        self._tensors: Counter[int] = Counter()  # per storage, how many tensors look at it

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        out = func(*args, **(kwargs or {}))
        for tensor in tree_leaves(out):
            if isinstance(tensor, Tensor) and not any(tensor is a for a in args):
                self._keep(tensor)
        return out

    def _keep(self, tensor: Tensor) -> None:
        storage = tensor.untyped_storage()
        at, size = storage._cdata, storage.nbytes()
        self._tensors[at] += 1
        if self._tensors[at] == 1:
            self.now += size
            self.most = max(self.most, self.now)
        weakref.finalize(tensor, self._leave, at, size)

    def _leave(self, at: int, size: int) -> None:
        self._tensors[at] -= 1
        if not self._tensors[at]:
            self.now -= size


def _peak(act: Callable[[], Any]) -> int:
    """The most bytes that it holds at once, its result counted."""
    with Held() as held:
        out = act()
    del out
    return held.most


def exponent(tokens: np.ndarray, cost: np.ndarray, least: int = 256) -> float:
    """How cost grows: about n to this power, over the texts of at least so many tokens."""
    long = tokens >= least
    return float(np.polyfit(np.log(tokens[long]), np.log(cost[long]), 1)[0])
