"""A lighter model: its weights in fewer bits, the smallest of them left out, and how far its answers move.

What      pruned: of all weights in tables the share that is smallest in size becomes 0
          in few bits: as engine/storage/quantised.py lays them into a file, and read back
          drift: per token KL(p | q) = sum p log2 p/q, p the answer of the model as it is
Source    Han, Mao & Dally, Deep Compression, 2016 (both); pruning by size: Han et al., Learning both Weights and
          Connections for Efficient Neural Networks, 2015
Shapes    T = tokens, V = vocabulary
Differs   A lighter model computes in float32 again, so only its size and its answers change, not its time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.models.neural import NeuralLanguageModel
from engine.storage import quantised

NUMBERS = ("float32", "float16", "int8", "int6", "int4")


def _tables(arrays: Mapping[str, np.ndarray]) -> list[str]:
    return [name for name, x in arrays.items() if x.dtype == np.float32 and x.ndim > 1]


def pruned(arrays: Mapping[str, np.ndarray], share: float) -> dict[str, np.ndarray]:
    """The same with that share of the numbers in tables set to 0, the smallest of all tables together."""
    names = _tables(arrays)
    sizes = np.concatenate([np.abs(arrays[name]).ravel() for name in names])
    count = int(share * sizes.size)
    if not count:
        return dict(arrays)
    most = np.partition(sizes, count - 1)[count - 1]
    return dict(arrays) | {
        name: np.where(np.abs(arrays[name]) <= most, np.float32(0), arrays[name]) for name in names
    }


@dataclass(frozen=True, slots=True)
class Lighter:
    """size: bytes of its file; sparse: the same where a bit says of each weight whether it is there, and only those
    are kept; zeros: share of the weights that are 0."""

    model: NeuralLanguageModel[Any]
    size: int
    sparse: int
    zeros: float


def lighter(model: NeuralLanguageModel[Any], numbers: str, share: float = 0.0) -> Lighter:
    """A copy with its weights as one of `NUMBERS`, and this share of them left out."""
    arrays = pruned(model.weights(), share)
    laid = quantised.stored(arrays, numbers)
    read = {
        name: x.astype(np.float32) if x.dtype == np.float16 else x
        for name, x in quantised.unpack(laid).items()
    }
    size = sum(x.nbytes for x in laid.values())
    sparse, zeros, whole = size, 0, 0
    for name in _tables(arrays):
        of = next(
            x for key, x in laid.items() if key.partition("#")[0] == name and "scale" not in key
        )
        gone = read[name].size - np.count_nonzero(read[name])
        sparse += read[name].size // 8 - round(of.nbytes * gone / read[name].size)
        zeros, whole = zeros + int(gone), whole + read[name].size
    return Lighter(
        type(model).from_weights(model.config, read), size, min(size, sparse), zeros / whole
    )


@dataclass(frozen=True, slots=True)
class Drift:
    """Means over the tokens of a text: bits that each costs, KL in bits, share whose likeliest next is another."""

    bits: float
    apart: float
    changed: float


def answers(model: NeuralLanguageModel[Any], text: str) -> tuple[np.ndarray, np.ndarray]:
    """(T - 1, V) probabilities of what comes next, and the ids (T - 1,) that did.  ValueError for a text of fewer than
    two tokens."""
    trace = model.trace(text, fields=("probability",))
    if len(trace.ids) < 2:
        raise ValueError("Write a few more words: a model is judged by what comes next.")
    return np.asarray(trace.field("probability").values[:-1], np.float64), np.asarray(trace.ids[1:])


def drift(p_TV: np.ndarray, q_TV: np.ndarray, next_T: np.ndarray) -> Drift:
    """Of the answers q beside those of the model as it is, p."""
    tiny = np.finfo(np.float64).tiny
    logs = np.log2(np.maximum(p_TV, tiny)) - np.log2(np.maximum(q_TV, tiny))
    return Drift(
        float(-np.log2(np.maximum(q_TV[np.arange(len(next_T)), next_T], tiny)).mean()),
        float((p_TV * logs).sum(-1).mean()),
        float((p_TV.argmax(-1) != q_TV.argmax(-1)).mean()),
    )
