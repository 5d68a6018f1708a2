"""Encodings: what each kind of position says, as numbers for pictures; computed by the parts that
the models are made of.

What      place(p, s) = what the places of two tokens alone add to how well they match, whatever the
          tokens are:
          sinusoidal   PE(p) . PE(s) / (D/2) = mean of cos(w_i (p - s))
          learned      cosine of the rows of p and s
          RoPE         mean of cos(w_i (p - s)): the score of two vectors with all pairs alike, per
                       unit of length
          ALiBi, T5    the number added to the score, for each head;  Shaw: q . a / sqrt(K), for
                       each layer and head, and it depends on q
          none         0
Source    the files of engine/nn/positions
Shapes    T = places, D = width, K = width of a head, N = heads, I = pairs (D/2 or K/2), L = layers
Differs   For added vectors it is the part of q . k that comes from both places and no weights; a
          trained model weighs it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from engine.core.trace import Trace
from engine.nn.positions.alibi import slopes as _slopes
from engine.nn.positions.rope import rotate
from engine.nn.positions.sinusoidal import waves as _waves
from engine.nn.positions.t5 import bucket

if TYPE_CHECKING:
    from engine.models.abilities import Attends
    from engine.models.transformer import Transformer


def waves(count: int, width: int, base: float = 10_000.0) -> np.ndarray:
    """(T, D), the sinusoidal encoding of the places 0 .. T-1."""
    return _waves(torch.arange(count), width, base).numpy()


def speeds(width: int, base: float = 10_000.0) -> np.ndarray:
    """(I,) radians a place: base^(-2i/D)."""
    return np.asarray(base ** (-np.arange(0, width, 2) / width))


def shift(k: float, width: int, base: float = 10_000.0) -> np.ndarray:
    """(D, D) float64: M_k, with PE(p + k) = M_k PE(p) for every p; a rotation of each pair."""
    turn = np.zeros((width, width))
    for i, w in enumerate(speeds(width, base)):
        c, s = np.cos(w * k), np.sin(w * k)
        turn[2 * i : 2 * i + 2, 2 * i : 2 * i + 2] = [[c, s], [-s, c]]
    return turn


def mean_cosine(far: np.ndarray, width: int, base: float = 10_000.0) -> np.ndarray:
    """Mean over the pairs of cos(w_i far): 1 at distance 0."""
    return np.asarray(np.cos(np.asarray(far, float)[..., None] * speeds(width, base)).mean(-1))


def turned(x_TK: np.ndarray, place_T: np.ndarray, base: float = 10_000.0) -> np.ndarray:
    """Vectors turned by RoPE; pair i is dimension i and i + K/2."""
    return rotate(
        torch.from_numpy(np.asarray(x_TK, np.float64)),
        torch.from_numpy(np.asarray(place_T, np.float64)),
        base,
    ).numpy()


def slopes(heads: int) -> np.ndarray:
    """(N,) of ALiBi."""
    return _slopes(heads).numpy()


def buckets(far: np.ndarray, both_ways: bool, count: int = 32, farthest: int = 128) -> np.ndarray:
    """T5's bucket of each signed distance key - query."""
    return bucket(torch.from_numpy(np.asarray(far)), both_ways, count, farthest).numpy()


@torch.inference_mode()
def added(model: Attends[Any], count: int) -> np.ndarray | None:
    """(T, D): what is added to the embeddings at the first `count` places that the model has; None
    where nothing is."""
    position = model.tower.position
    found = position.embed(
        model.tower.places(
            0, min(count, position.rows or count), next(model.net.parameters()).device
        )
    )
    return None if found is None else found.cpu().numpy()


@torch.inference_mode()
def bias(model: Transformer, query_LNTK: np.ndarray) -> np.ndarray | None:
    """(L, N, T, T): what is added to the scores of all layers and heads; None where nothing is."""
    tower = model.tower
    place_T = tower.places(0, query_LNTK.shape[2], torch.device("cpu"))
    found = tower.position.bias(torch.from_numpy(np.array(query_LNTK)), place_T, place_T)
    return None if found is None else found.expand(len(query_LNTK), -1, -1, -1).numpy()


@torch.inference_mode()
def by_distance(model: Transformer, count: int) -> np.ndarray | None:
    """(N, T): the number that each head adds at the distances 0 .. T-1 back; None where it adds
    none, or one that depends on the query."""
    tower = model.tower
    if tower.position.asks:
        return None
    places = torch.arange(count)
    found = tower.position.bias(torch.zeros(1, tower.design.heads, 1, 1), places[-1:], places)
    return None if found is None else found[0, :, 0].flip(-1).numpy()


def place(model: Transformer, trace: Trace) -> np.ndarray:
    """(layers, heads, T, T): what the places alone say about each pair of tokens shown; -inf where a token
    may not look.  Shaw needs the field `query`.

    Layers and heads that share it stand once.
    """
    t, told = len(trace.tokens), model.tower.position
    far_TT = np.subtract.outer(np.arange(t), np.arange(t))
    if told.asks:
        found = bias(model, trace.field("query").values)
    elif told.biases():
        found = by_distance(model, max(t, 1))[None][..., np.abs(far_TT)]  # type: ignore[index]
    elif told.turning:
        far_TT1 = (far_TT * model.tower.stretch)[..., None]
        found = np.cos(far_TT1 * told.speeds()).mean(-1)[None, None]
    elif told.adds():
        rows_TD = np.asarray(trace.field("embedding.position").values)
        rows_TD = rows_TD / np.maximum(np.linalg.norm(rows_TD, axis=1, keepdims=True), 1e-12)
        found = (rows_TD @ rows_TD.T)[None, None]
    else:
        found = np.zeros((1, 1, t, t))
    assert found is not None
    return np.where(far_TT >= 0, found, -np.inf).astype(np.float32)
