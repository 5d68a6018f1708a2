"""All that a page shows of a map, made in one go: places, the way there, true neighbours, and what
the map kept of them.

Shapes    V = points, D = their dimensions, K = dimensions of the map, F = frames, N = neighbours
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from engine.analysis.projection import clusters, quality, seeds
from engine.analysis.projection.base import Given, Map, Settings, Watch
from engine.core.registry import projections

FRAMES = 1_500_000  # coordinates of all frames together
NEAR = 10
WHOLE = 60_000  # points up to which every one is measured
SEEDS = 10
Tell = Callable[[float, str], None]  # share done, and of what
Arrays = dict[str, np.ndarray]


def make(given: Given, settings: Settings, tell: Tell) -> tuple[Arrays, dict[str, Any]]:
    """`given`: points (V, D), for axes also ends (K, 2, D), for PCA also `onto` (V, D) whose
    directions are taken.  (arrays, what is said of them).  ValueError with a sentence."""
    return {"map": _map, "seeds": _seeds, "groups": _groups}[settings.what](given, settings, tell)


def _map(given: Given, settings: Settings, tell: Tell) -> tuple[Arrays, dict[str, Any]]:
    point_VD, frames = given["points"], Frames(len(given["points"]) * settings.dims)
    kind = projections.get(settings.kind)
    steps = kind.steps(len(point_VD), settings.dims)

    def watch(step: int, place_VK: np.ndarray) -> None:
        frames(step, place_VK)
        tell(0.8 * step / steps, "Drawing the map")

    tell(0.0, "Drawing the map")
    map = project(given, settings, watch)
    known = measured(
        point_VD,
        map.positions,
        lambda share: tell(0.8 + 0.2 * share if steps else share, "Comparing neighbours"),
    )
    arrays = {"places": map.positions, "shares": map.shares, **known}
    if steps:
        arrays |= frames.arrays()
    return arrays, {"lost": map.lost}


def project(
    given: Given,
    settings: Settings,
    watch: Watch | None = None,
    start: int | None = None,
) -> Map:
    """The map of these settings, as `Projection.drawn`.  KeyError for a kind that there is not."""
    return projections.get(settings.kind).drawn(given, settings, watch, start).map


def measured(
    point_VD: np.ndarray, place_VK: np.ndarray, watch: Callable[[float], None] | None = None
) -> Arrays:
    """True neighbours with their cosine, and the quality of every point; of some only where there
    are very many."""
    v, k = len(point_VD), min(NEAR, (len(point_VD) - 1) // 2)
    if k < 1:
        return {}
    rows = (
        None
        if v <= WHOLE
        else np.sort(np.random.default_rng(0).choice(v, WHOLE // 10, replace=False))
    )
    found = quality.measure(point_VD, place_VK, k, rows, watch)
    unit_VD = point_VD / np.maximum(np.linalg.norm(point_VD, axis=1, keepdims=True), 1e-12)
    cosine_RN = np.stack(
        [np.einsum("rd,rd->r", unit_VD[found.rows], unit_VD[found.near[:, n]]) for n in range(k)], 1
    )
    return {
        "rows": found.rows.astype(np.int32),
        "near": found.near.astype(np.int32),
        "cosine": cosine_RN.astype(np.float32),
        "trust": found.trust.astype(np.float32),
        "continuity": found.continuity.astype(np.float32),
        "kept": found.kept.astype(np.float32),
    }


def _seeds(given: Given, settings: Settings, tell: Tell) -> tuple[Arrays, dict[str, Any]]:
    maps: list[np.ndarray] = []
    for seed in range(settings.seed, settings.seed + SEEDS):
        tell(len(maps) / SEEDS, f"Start {len(maps) + 1} of {SEEDS}")
        maps.append(project(given, settings, start=seed).positions)
    spread = seeds.align(np.stack(maps))
    arrays = {
        "places": spread.mean.astype(np.float32),
        "covariance": spread.covariance.astype(np.float32),
    }
    return arrays | measured(given["points"], arrays["places"]), {"lost": spread.says}


def _groups(given: Given, settings: Settings, tell: Tell) -> tuple[Arrays, dict[str, Any]]:
    """`given` has the places (V, K) of the map too."""

    def again(noise_VD: np.ndarray, number: int) -> np.ndarray:
        tell((number + 0.5) / (clusters.NOISES + 0.5), f"Noise {number + 1} of {clusters.NOISES}")
        drawn: np.ndarray = project({**given, "points": noise_VD}, settings).positions
        return drawn

    found = clusters.judge(given["points"], given["places"], again, settings.seed)
    arrays = {
        "group": found.group.astype(np.int32),
        "separation": found.separation,
        "borne_out": found.borne_out,
        "noise": found.noise,
    }
    return arrays, {"says": found.says, "warns": found.warns}


class Frames:
    """The way to a map: when the frames become too many, every second one goes, and from then on
    only every second comes."""

    def __init__(self, size: int) -> None:
        self._most, self._each, self._seen = max(8, FRAMES // max(1, size)), 1, 0
        self._kept: list[tuple[int, np.ndarray]] = []

    def __call__(self, step: int, place_VK: np.ndarray) -> None:
        if self._seen % self._each == 0:
            self._kept.append((step, np.array(place_VK, np.float32)))
        self._seen += 1
        if len(self._kept) > self._most:
            self._kept, self._each = self._kept[::2], 2 * self._each

    def arrays(self) -> Arrays:
        if not self._kept:
            return {}
        return {
            "steps": np.array([step for step, _ in self._kept], np.int32),
            "frames": np.stack([place for _, place in self._kept]),
        }
