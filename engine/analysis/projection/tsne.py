"""t-SNE: points that are neighbours in many dimensions become neighbours on the map; all others
push each other away.

What      p(j|i) ~ exp(-b_i |x_i - x_j|^2), b_i so that each point has `perplexity` neighbours; p_ij
          = (p(j|i) + p(i|j)) / 2V
          q_ij = w_ij / sum w,  w_ij = 1 / (1 + |y_i - y_j|^2);  the map y makes KL(p || q) small by
                                gradient descent:
          dKL/dy_i = 4 sum_j (p_ij - q_ij) w_ij (y_i - y_j);  in the first steps p counts 12 times
Source    van der Maaten & Hinton, Visualizing Data using t-SNE, 2008;
          Belkina et al., Automated optimized parameters for t-SNE, 2019 (step = V / exaggeration);
          Kobak & Berens, The art of using t-SNE for single-cell transcriptomics, 2019 (start from
          principal components)
Shapes    V = points, D = their dimensions, K = dimensions of the map, N = neighbours with p > 0
          (three times the perplexity), B = rows of a block
Differs   All pairs push, none is approximated, up to MOST points; above that, on flat maps, openTSNE
          (Policar et al., 2024) draws it, interpolating the pushes.  The factor 4 is part of the
          step, as there.  500 steps in all where openTSNE takes 750: more of them did not keep more
          neighbours of word vectors.
"""

from __future__ import annotations

from typing import ClassVar, Self, final

import numpy as np
import torch

from engine.analysis.projection import quality
from engine.analysis.projection.base import Given, check
from engine.analysis.projection.between import Between
from engine.analysis.projection.pca import PCA

MOST = 4_000  # points whose pairs are all computed: above that openTSNE is faster
EARLY, LATE, EXAGGERATION = 200, 300, 12.0
MANY = (250, 500)  # the same for more than MOST points
ROWS = 128


@final
class TSNE(Between):
    title: ClassVar[str] = "t-SNE"
    rank = 10
    apart_from: ClassVar[int] = 2_001
    source: ClassVar[str] = "van der Maaten & Hinton, Visualizing Data using t-SNE, 2008"

    @classmethod
    def drawn(cls, given: Given, dims: int = 2) -> Self:
        return cls.fit(given["points"], dims)

    @classmethod
    def fit(cls, points: np.ndarray, dims: int = 2, perplexity: float = 30.0) -> Self:
        point_VD = check(points, dims)
        perplexity = max(1.0, min(perplexity, (len(point_VD) - 1) / 3))
        start_VK = start(point_VD, dims)
        if len(point_VD) <= MOST or dims > 2:
            place_VK = _descend(_neighbours(point_VD, perplexity), start_VK)
        else:
            place_VK = _by_library(point_VD, start_VK, perplexity)
        return cls.placed(point_VD, place_VK)


def start(point_VD: np.ndarray, dims: int) -> np.ndarray:
    """Where the points begin (V, K): the principal components, very close together, so that the
    first steps sort them."""
    place_VK = PCA.fit(point_VD, dims).map.positions.astype(np.float64)
    place_VK = 1e-4 * place_VK / (place_VK[:, 0].std() or 1.0)
    # no two at the same place
    return (place_VK + np.random.default_rng(0).normal(0, 1e-7, place_VK.shape)).astype(np.float32)


def _neighbours(point_VD: np.ndarray, perplexity: float) -> np.ndarray:
    """p_ij, (V, V) float32, symmetric; its sum is 1.  Each width b_i is found by halving."""
    v = len(point_VD)
    near_VN, squared_VN = quality.nearest(point_VD, min(v - 1, int(3 * perplexity) or 1))
    away_VN = torch.from_numpy(squared_VN - squared_VN[:, :1]).double()
    mean_V1 = away_VN.mean(1, keepdim=True)
    b_V1 = torch.where(mean_V1 > 0, 1 / mean_V1.clamp(min=1e-300), 1.0)
    low_V1, high_V1, target = (
        torch.zeros_like(b_V1),
        torch.full_like(b_V1, torch.inf),
        np.log(perplexity),
    )
    for _ in range(50):
        p_VN = torch.exp(-away_VN * b_V1)
        sum_V1 = p_VN.sum(1, keepdim=True)
        wide_V1 = torch.log(sum_V1) + b_V1 * (away_VN * p_VN).sum(1, keepdim=True) / sum_V1 > target
        low_V1, high_V1 = torch.where(wide_V1, b_V1, low_V1), torch.where(wide_V1, high_V1, b_V1)
        b_V1 = torch.where(
            torch.isinf(high_V1), (2 * b_V1).clamp(max=1e200), (low_V1 + high_V1) / 2
        )
    p_VN = torch.exp(-away_VN * b_V1)
    p_VV = torch.zeros(v, v).scatter_(
        1, torch.from_numpy(near_VN), (p_VN / p_VN.sum(1, keepdim=True)).float()
    )
    joint_VV: np.ndarray = (p_VV + p_VV.T).div_(2 * v).numpy()
    return joint_VV


def _descend(p_VV: np.ndarray, start_VK: np.ndarray) -> np.ndarray:
    place_VK, v = start_VK.copy(), len(start_VK)
    speed_VK, gain_VK = np.zeros_like(place_VK), np.ones_like(place_VK)
    for step in range(1, EARLY + LATE + 1):
        weight = EXAGGERATION if step <= EARLY else 1.0
        pull_VK, push_VK, total = _forces(p_VV, place_VK)
        gradient_VK = weight * pull_VK - push_VK / max(total, 1e-12)
        overshot = (gradient_VK > 0) == (speed_VK > 0)  # the speed should point down the gradient
        gain_VK = np.maximum(np.where(overshot, gain_VK * 0.8, gain_VK + 0.2), 0.01).astype(
            np.float32
        )
        speed_VK = (0.8 * speed_VK - v / weight * gain_VK * gradient_VK).astype(np.float32)
        place_VK = place_VK + speed_VK
        place_VK -= place_VK.mean(0)
    return place_VK


def _forces(p_VV: np.ndarray, place_VK: np.ndarray) -> tuple[np.ndarray, np.ndarray, float]:
    """(sum_j p_ij w_ij (y_i - y_j), sum_j w_ij^2 (y_i - y_j), sum of all w_ij but w_ii).

    w is computed block by block, so that it stays in the processor's cache, and only from the
    diagonal on: it is symmetric.
    """
    v, k = place_VK.shape
    square_V1, one_V1 = (place_VK**2).sum(1, keepdims=True), np.ones((v, 1), np.float32)
    left, right = (
        np.hstack([-2 * place_VK, one_V1, square_V1 + 1]),
        np.hstack([place_VK, square_V1, one_V1]).T.copy(),
    )
    y = np.hstack([place_VK, one_V1])
    pull, push, total = np.zeros_like(y), np.zeros_like(y), 0.0
    room = np.empty((2, min(ROWS, v) * v), np.float32)
    for a in range(0, v, ROWS):
        b = min(a + ROWS, v)
        w, pulled = (part[: (b - a) * (v - a)].reshape(b - a, v - a) for part in room)
        np.matmul(left[a:b], right[:, a:], out=w)
        np.reciprocal(w, out=w)
        np.fill_diagonal(w[:, : b - a], 1)  # rounding: each point lies at no distance from itself
        total += 2 * float(w.sum()) - float(w[:, : b - a].sum())
        np.multiply(w, p_VV[a:b, a:], out=pulled)
        np.multiply(w, w, out=w)
        for part, sums in ((pulled, pull), (w, push)):
            sums[a:b] += part @ y[a:]
            sums[b:] += part[:, b - a :].T @ y[a:b]
    near, far = (place_VK * sums[:, k:] - sums[:, :k] for sums in (pull, push))
    return near, far, total - v


def _by_library(point_VD: np.ndarray, start_VK: np.ndarray, perplexity: float) -> np.ndarray:
    import openTSNE  # type: ignore[import-untyped]

    near = openTSNE.affinity.PerplexityBasedNN(
        point_VD, perplexity=perplexity, method="approx", n_jobs=1, random_state=0
    )
    place = openTSNE.TSNEEmbedding(
        start_VK.astype(np.float64), near, n_jobs=1, random_state=0, negative_gradient_method="fft"
    )
    for steps, weight in zip(MANY, (EXAGGERATION, 1.0), strict=True):
        place = place.optimize(steps, exaggeration=weight, momentum=0.8)
    return np.array(place, np.float32)


PROJECTION = TSNE
