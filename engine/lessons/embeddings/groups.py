"""Are the groups on a map there in truth?  The same method draws noise that has no groups, and is
asked the same.

What      groups = k-means of the map, with the largest k from 2 to 8 whose mean silhouette on the
          map is at least 0.9 of the best s_c = mean over the points i of group c of (b_i - a_i) /
          max(a_i, b_i), distances taken in all dimensions, not on the map:
          a_i = mean distance to the other points of c, b_i = to those of the nearest other group
          noise = points of a normal distribution with the data's mean and covariance (of length 1,
          if all the data are); drawn by the same method, grouped in the same way; group c is borne
          out where s_c is larger than that of every group of noise (of G groups of noise: a group
          of noise itself would be with probability 1 / (G + 1)) Warning: where fewer than half of
          the points lie in groups that are borne out.
Source    Rousseeuw, Silhouettes: a graphical aid to the interpretation and validation of cluster
          analysis, 1987;
          Tibshirani, Walther & Hastie, Estimating the number of clusters via the gap statistic,
          2001 (noise of the same shape)
Shapes    V = points, D = their dimensions, K = dimensions of the map, C = groups, G = groups of all
          noise maps
Differs   Noise with the same covariance, not a box: a long cloud alone is then no reason to see
          groups.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import torch

from engine.analysis.projection import quality
from engine.analysis.projection.base import check

GROUPS = range(2, 9)
NEARLY = 0.9
NOISES = 4
LOOKED = 1_000  # points of which the separations are compared, to choose k


@dataclass(frozen=True, slots=True, eq=False)
class Verdict:
    """
    group (V,), separation (C,); noise (G,)  separations of the groups of noise
    trust, noise_trust  trustworthiness of the map, and of the maps of noise
    """

    group: np.ndarray
    separation: np.ndarray
    noise: np.ndarray
    trust: float
    noise_trust: float

    @property
    def borne_out(self) -> np.ndarray:
        """(C,) bool"""
        found: np.ndarray = self.separation > self.noise.max()
        return found

    @property
    def warns(self) -> bool:
        return bool(self.borne_out[self.group].mean() < 0.5)


def judge(
    points: np.ndarray, place_VK: np.ndarray, noises: Sequence[tuple[np.ndarray, np.ndarray]]
) -> Verdict:
    """`noises`: points without groups, and where the same method put them."""
    point_VD = check(points, 1)
    group_V = groups(place_VK)
    k = min(10, (len(point_VD) - 1) // 2)
    separations, trusts = [], []
    for noise_VD, drawn_VK in noises:
        separations.append(separation(noise_VD, groups(drawn_VK)))
        trusts.append(float(quality.measure(noise_VD, drawn_VK, k).trust.mean()))
    noise_G, s_C = np.concatenate(separations), separation(point_VD, group_V)
    trust = float(quality.measure(point_VD, place_VK, k).trust.mean())
    return Verdict(group_V, s_C, noise_G, trust, float(np.mean(trusts)))


def noise(point_VD: np.ndarray, seed: int) -> np.ndarray:
    """As many points of a normal distribution with the mean and covariance of these; of length 1,
    if all these are."""
    mean_D, v = point_VD.mean(0), len(point_VD)
    _, size_K, direction_KD = np.linalg.svd(
        (point_VD - mean_D) / np.sqrt(max(1, v - 1)), full_matrices=False
    )
    drawn_VD = (
        mean_D + np.random.default_rng(seed).normal(size=(v, len(size_K))) * size_K @ direction_KD
    )
    length_V1 = np.linalg.norm(drawn_VD, axis=1, keepdims=True)
    unit = np.abs(np.linalg.norm(point_VD, axis=1) - 1).max() < 1e-3
    found: np.ndarray = drawn_VD / np.where(length_V1 > 0, length_V1, 1) if unit else drawn_VD
    return found


def groups(place_VK: np.ndarray, seed: int = 0) -> np.ndarray:
    """(V,) the number of each point's group on the map; group 0 is the largest."""
    from sklearn.cluster import KMeans

    look = np.random.default_rng(seed).permutation(len(place_VK))[:LOOKED]
    tried = [(np.zeros(len(place_VK), int), 0.0)]
    for k in (k for k in GROUPS if k < len(np.unique(place_VK, axis=0))):
        group_V = KMeans(k, n_init=2, random_state=seed).fit_predict(place_VK)
        tried.append((group_V, float(_silhouettes(place_VK[look], group_V[look]).mean())))
    clearest = max(clear for _, clear in tried)
    best_V = [group_V for group_V, clear in tried if clear >= NEARLY * clearest][-1]
    order = np.argsort(-np.bincount(best_V), kind="stable")
    found: np.ndarray = np.argsort(order)[best_V]
    return found


def separation(point_VD: np.ndarray, group_V: np.ndarray) -> np.ndarray:
    """(C,) mean silhouette of each group."""
    s_V = _silhouettes(point_VD, group_V)
    found: np.ndarray = np.bincount(group_V, s_V) / np.maximum(np.bincount(group_V), 1)
    return found


def _silhouettes(point_VD: np.ndarray, group_V: np.ndarray) -> np.ndarray:
    """(V,) by Rousseeuw; 0 for a point alone in its group, and where there is one group only."""
    _, group_V = np.unique(group_V, return_inverse=True)
    size_C = np.bincount(group_V)
    if len(size_C) < 2:
        return np.zeros(len(group_V))
    points = torch.from_numpy(point_VD - point_VD.mean(0)).float()
    member_VC = torch.nn.functional.one_hot(torch.from_numpy(group_V)).float()
    sum_VC = (
        torch.cat([torch.cdist(part, points) @ member_VC for part in points.split(512)])
        .double()
        .numpy()
    )
    own_V, rows_V = size_C[group_V], np.arange(len(group_V))
    inner_V = sum_VC[rows_V, group_V] / np.maximum(own_V - 1, 1)
    other_VC = sum_VC / size_C
    other_VC[rows_V, group_V] = np.inf
    outer_V = other_VC.min(1)
    found: np.ndarray = np.where(
        own_V > 1, (outer_V - inner_V) / np.maximum(np.maximum(inner_V, outer_V), 1e-12), 0
    )
    return found
