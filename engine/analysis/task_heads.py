"""Task heads: the shipped heads, those of the frozen body and those of the body that was tuned along with them, and the
tuned body itself as LoRA's narrow matrices.

What      span: softmax over the tokens of the passage of w x_t + b, once for its first token and once for its last;
          the answer is the span that has the largest product of the two, of at most `LONGEST` tokens
Source    Devlin et al., BERT, 2019, sec. 4.2
Shapes    D = width, K = labels, T = tokens, B = bodies: frozen, tuned
"""

from __future__ import annotations

import copy
import json
import weakref
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import numpy as np
import torch
from torch import nn

from engine import ROOT
from engine.language.message import refusal
from engine.models.bert import Bert
from engine.nn.encoder import Net
from engine.nn.transformer import Tower
from engine.nn.tuning import lora
from engine.storage import quantised

ARRAYS, RESULTS = (ROOT / "assets" / f"task_heads.{end}" for end in ("safetensors", "json"))
BODIES = ("frozen", "tuned")
LORA = "lora."
FROZEN = 3  # layers at the bottom that are not tuned
LONGEST = 20  # tokens of an answer


@dataclass(frozen=True)
class Store:
    """heads   of each body {name of a head: (weights (K, D), biases (K,))}
    narrow  {name of a matrix: (A, B)}, with which that of the tuned body is W + scale B A
    names   of the tags
    results as `written` says
    """

    heads: Mapping[str, Mapping[str, tuple[np.ndarray, np.ndarray]]]
    arrays: Mapping[str, np.ndarray]
    names: tuple[str, ...]
    results: Mapping[str, Any]

    def count(self, head: str) -> int:
        """Numbers in a head."""
        return sum(part.size for part in self.heads[BODIES[0]][head])


@lru_cache(1)
def shipped() -> Store:
    """ValueError where the file is missing or damaged."""
    try:
        arrays = quantised.read(ARRAYS)
        results = json.loads(RESULTS.read_text(encoding="utf-8"))
        return unpack(arrays, results)
    except (OSError, KeyError) as problem:
        raise refusal("the shipped heads are damaged: {problem}", problem=str(problem)) from None


def unpack(arrays: Mapping[str, np.ndarray], results: Mapping[str, Any]) -> Store:
    heads: dict[str, dict[str, tuple[np.ndarray, np.ndarray]]] = {body: {} for body in BODIES}
    for name, weight_KD in arrays.items():
        body, _, rest = name.partition(".")
        head, _, what = rest.partition(".")
        if body in heads and what == "weight":
            heads[body][head] = weight_KD, arrays[f"{body}.{head}.bias"]
    names, tagged = tuple(results["tags"]), len(arrays[f"{BODIES[0]}.tags_token.bias"])
    if len(names) != tagged:
        raise refusal(
            "the shipped heads are damaged: {names:,} names for {tagged:,} tags", names=len(names)
        )
    return Store(heads, arrays, names, results)


def tune(tower: Tower, narrow: Mapping[str, np.ndarray], rank: int, alpha: float) -> None:
    """Fold LoRA's narrow matrices into layers: W becomes W + alpha / rank B A."""
    with torch.no_grad():
        for part in lora.parts(tower):
            name = f"{LORA}{part.module}.{lora.FIRST}{part.name}"
            down, up = (narrow.get(f"{name}.{which}.weight") for which in ("down", "up"))
            if down is not None and up is not None:
                rows = part.linear.weight[part.start : part.start + part.rows]
                rows += alpha / rank * torch.from_numpy(up) @ torch.from_numpy(down)


_tuned: weakref.WeakKeyDictionary[Bert, Tower] = weakref.WeakKeyDictionary()


def tuned(model: Bert) -> Tower:
    """The upper layers as they were tuned; kept as long as the model is."""
    found = _tuned.get(model)
    if found is None:
        of = shipped()
        found = upper(model.net).eval()
        tune(found, of.arrays, int(of.results["rank"]), float(of.results["alpha"]))
        _tuned[model] = found
    return found


def lower(net: Net) -> Net:
    """The layers that stay frozen, with the embeddings below them."""
    found = copy.deepcopy(net)
    found.tower = _cut(net.tower, slice(FROZEN))
    return found


def upper(net: Net) -> Tower:
    """The layers above those, as copies of their own."""
    return _cut(copy.deepcopy(net.tower), slice(FROZEN, None))


def _cut(tower: Tower, part: slice) -> Tower:
    found = copy.copy(tower)
    found._modules = dict(tower._modules)
    found.blocks = nn.ModuleList([*tower.blocks][part])
    found.design = replace(tower.design, layers=len(found.blocks))
    return found


def softmax(logit_K: np.ndarray, axis: int = -1) -> np.ndarray:
    found: np.ndarray = np.exp(logit_K - logit_K.max(axis, keepdims=True))
    return found / found.sum(axis, keepdims=True)


def of_tokens(of: Store, body: str, head: str, x_TD: np.ndarray) -> np.ndarray:
    """Logits (T, K)."""
    weight_KD, bias_K = of.heads[body][f"{head}_token"]
    found: np.ndarray = x_TD @ weight_KD.T + bias_K
    return found


def find_passage(ids_T: np.ndarray, end: int) -> np.ndarray:
    """Whether each token is in the second of two sentences."""
    found: np.ndarray = (np.cumsum(ids_T == end) > 0) & (ids_T != end)
    return found


def find_span(first_T: np.ndarray, last_T: np.ndarray) -> tuple[int, int]:
    """The first and the last token of the likeliest answer."""
    count = len(first_T)
    both_TT = np.triu(first_T[:, None] * last_T) - np.triu(np.ones((count, count)), LONGEST)
    return divmod(int(both_TT.argmax()), count)
