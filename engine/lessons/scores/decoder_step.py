"""One step of a recurrent decoder with attention, taken apart: query, keys, what the score makes of
both, and the context as the centroid of the keys.

What      asked_t and offered_s are what a score makes of the query alone and of a key alone; for
          most score_ts = asked_t . offered_s.  The context sum_s a_ts e_s is the centroid of the
          keys e_s with the weights a_ts, in any plane: what is drawn is the one in which the keys
          lie farthest apart
Source    Luong, Pham & Manning, Effective Approaches to Attention-based Neural Machine Translation,
          2015, sec. 3; the plane: Pearson, On Lines and Planes of Closest Fit, 1901
Shapes    T = target tokens, S = source tokens, H = units, X = numbers that a score compares
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch

from engine.core.trace import Trace
from engine.models.seq2seq import BEFORE, Net, Seq2seq

FIELDS = ("cross.score", "cross.attention", "context", "hidden", "encoder.hidden", "bridge.hidden")


@dataclass(frozen=True, slots=True, eq=False)
class Parts:
    """share_2  of the keys' squared distances from their mean that lies along each coordinate"""

    query_TH: np.ndarray
    key_SH: np.ndarray
    asked_TX: np.ndarray
    offered_SX: np.ndarray
    place_S2: np.ndarray
    centre_T2: np.ndarray
    share_2: np.ndarray


def parts(model: Seq2seq, trace: Trace) -> Parts:
    """Of a trace with FIELDS.  ValueError for a model without attention."""
    net = model.net
    assert isinstance(net, Net)
    if net.score is None:
        raise ValueError("this model has no attention: no step of it has a score")
    read_LSU = trace.field("encoder.hidden").values
    ways = 2 if model.config.both_ways else 1
    key_SH = np.concatenate(tuple(read_LSU[-ways:]), -1)
    query_TH = trace.field("hidden").values[-1]
    if model.config.looks == BEFORE:
        start_H = trace.field("bridge.hidden").values[-1]
        query_TH = np.concatenate((start_H[None], query_TH[:-1]))
    with torch.inference_mode():
        asked_TX = net.score.asked(torch.tensor(query_TH)).numpy()
        offered_SX = net.score.offered(torch.tensor(key_SH)).numpy()
    place_S2, share_2, put = plane(key_SH)
    centre_T2 = put(trace.field("context").values)
    return Parts(query_TH, key_SH, asked_TX, offered_SX, place_S2, centre_T2, share_2)


def plane(key_SH: np.ndarray) -> tuple[np.ndarray, np.ndarray, Put]:
    """The keys in the plane of their two largest principal components, the share of their scatter
    along each, and how other vectors are put there.  The first key lies at the left and not
    above the middle, so that the picture does not flip while somebody types."""
    mean_H = key_SH.mean(0)
    _, long_K, axis_KH = np.linalg.svd(key_SH - mean_H, full_matrices=False)
    axis_2H = np.zeros((2, key_SH.shape[1]))
    axis_2H[: min(2, len(axis_KH))] = axis_KH[:2]
    axis_2H[(axis_2H @ (key_SH[0] - mean_H)) > 0] *= -1
    total = float((long_K**2).sum())
    put = Put(mean_H, axis_2H)
    share_2 = np.zeros(2, np.float32)
    share_2[: min(2, len(long_K))] = long_K[:2] ** 2 / (total or 1.0)
    return put(key_SH), share_2, put


@dataclass(frozen=True, slots=True, eq=False)
class Put:
    """Vectors (..., H) as places (..., 2) in a plane."""

    mean_H: np.ndarray
    axis_2H: np.ndarray

    def __call__(self, vector_NH: np.ndarray) -> np.ndarray:
        found: np.ndarray = ((vector_NH - self.mean_H) @ self.axis_2H.T).astype(np.float32)
        return found
