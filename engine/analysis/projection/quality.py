"""What a map keeps of its points' neighbours: trustworthiness and overlap, for every point and
for all.

What      trustworthiness = 1 - 2 / (V k (2V - 3k - 1)) * sum_i sum_{j near i on the map, not in
          truth} (rank(i, j) - k) rank(i, j) = 1 for the point truly nearest to i, 2 for the next
          ...; overlap of i = how many of its k
          true neighbours are among its k nearest on the map The part of point i is the sum without
          V and without the outer sum: the parts average to the whole.
Source    Venna & Kaski, Neighborhood Preservation in Nonlinear Projection Methods: An Experimental
          Study, 2001;
          Venna & Kaski, Local Multidimensional Scaling, 2006
Shapes    V = points, D = their dimensions, K = dimensions of the map, R = rows looked at, N =
          neighbours
Differs   Exact: every point is compared with every other, a block of rows at a time.  A large map
          may be measured at some of its points only; each of them still against all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import torch

from engine.language.message import refusal

BLOCK = 4_000_000  # numbers of one block of distances


@dataclass(frozen=True, slots=True, eq=False)
class Quality:
    """
    k            how many neighbours were looked at
    rows         (R,) the points that were measured
    near         (R, k) their true neighbours, nearest first
    trust, kept  (R,) per point; kept in neighbours, 0 to k
    """

    k: int
    rows: np.ndarray
    near: np.ndarray
    trust: np.ndarray
    kept: np.ndarray


def nearest(
    point_VD: np.ndarray, k: int, query_QD: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """((Q, k) the nearest points, (Q, k) their squared distances), nearest first.  Without `query`
    of every point, itself left out."""
    own = query_QD is None
    found, squared = [], []
    point = _solid(point_VD)
    for rows, squared_BV in _distances(point, point if query_QD is None else _solid(query_QD)):
        if own:
            squared_BV[torch.arange(len(rows)), torch.from_numpy(rows)] = torch.inf
        best = squared_BV.topk(k, largest=False)
        found.append(best.indices.numpy())
        squared.append(best.values.clamp_(min=0).numpy())
    return np.concatenate(found), np.concatenate(squared)


def measure(
    point_VD: np.ndarray, place_VK: np.ndarray, k: int = 10, rows: np.ndarray | None = None
) -> Quality:
    """ValueError when there are too few points for k neighbours to
    mean something."""
    v = len(point_VD)
    if len(place_VK) != v:
        raise refusal(
            "{v} points and {places} places on the map can't be of the same things",
            places=len(place_VK),
        )
    if 2 * v - 3 * k - 1 <= 0 or k >= v:
        raise refusal("{v} points are too few to compare {k} neighbours of each")
    at_R = np.arange(v) if rows is None else np.asarray(rows)
    point, place = _solid(point_VD), _solid(place_VK)
    parts: list[tuple[np.ndarray, ...]] = []
    for (here_B, true_BV), (_, map_BV) in zip(
        _distances(point, point[at_R], k), _distances(place, place[at_R], k), strict=True
    ):
        own = torch.arange(len(here_B)), torch.from_numpy(at_R[here_B])
        true_BV[own] = map_BV[own] = torch.inf
        near_Bk, shown_Bk = (part.topk(k, largest=False).indices for part in (true_BV, map_BV))
        lost_B = _too_far(true_BV, true_BV.gather(1, shown_Bk), k)
        kept_B = (near_Bk[:, :, None] == shown_Bk[:, None, :]).sum((1, 2))
        parts.append((near_Bk.numpy(), lost_B.numpy(), kept_B.numpy()))
    near, lost, kept = (np.concatenate(part) for part in zip(*parts, strict=True))
    scale = 2 / (k * (2 * v - 3 * k - 1))
    return Quality(k, at_R, near, 1 - scale * lost, kept.astype(np.float64))


def _too_far(distance_BV: torch.Tensor, of_Bk: torch.Tensor, k: int) -> torch.Tensor:
    """Per row the sum of rank - k over the points at these distances, of those whose rank is above
    k."""
    rank_Bk = torch.stack([(distance_BV < of_Bk[:, n : n + 1]).sum(1) for n in range(k)], 1) + 1
    return (rank_Bk - k).clamp_(min=0).sum(1)


def _solid(points: np.ndarray) -> torch.Tensor:
    """float32, from their mean: numbers far from 0 would lose the digits in which neighbours
    differ."""
    return torch.from_numpy(np.ascontiguousarray(points, np.float64)).float()


def _distances(
    point_VD: torch.Tensor, query_QD: torch.Tensor, parts: int = 1
) -> Iterator[tuple[np.ndarray, torch.Tensor]]:
    """Blocks of rows: (which queries, their squared distances (B, V) to all points)."""
    middle_D = point_VD.mean(0)
    point_VD, query_QD = point_VD - middle_D, query_QD - middle_D
    square_V, square_Q = (point_VD**2).sum(1), (query_QD**2).sum(1)
    step = max(1, BLOCK // len(point_VD) // min(parts, 4))
    for start in range(0, len(query_QD), step):
        part = query_QD[start : start + step]
        squared_BV = torch.addmm(square_V[None], part, point_VD.T, alpha=-2).add_(
            square_Q[start : start + step, None]
        )
        yield np.arange(start, start + len(part)), squared_BV
