"""Maps that take long: drawn in a process of their own, as here, and keeping who is near whom."""

from __future__ import annotations

import numpy as np
import pytest

from engine.analysis.projection import apart
from engine.analysis.projection.tsne import TSNE
from engine.analysis.projection.umap import UMAP


def groups(each: int) -> np.ndarray:
    """Three groups of points (V, 10), far from each other."""
    rng = np.random.default_rng(0)
    return np.concatenate([rng.normal(8 * g, 1, (each, 10)) for g in range(3)]).astype(np.float32)


def test_a_map_from_another_process_is_the_same() -> None:
    point_VD = groups(30)
    there = apart.draw("tsne", {"points": point_VD})
    here = TSNE.drawn({"points": point_VD}, 2)
    np.testing.assert_allclose(there.map.positions, here.map.positions, rtol=1e-3, atol=1e-3)
    np.testing.assert_allclose(there.transform(point_VD[:3]), there.map.positions[:3], atol=1e-3)
    with pytest.raises(ValueError, match="at least two points"):
        apart.draw("tsne", {"points": point_VD[:1]})


@pytest.mark.slow
def test_umap_keeps_the_groups_apart_and_the_neighbours_near() -> None:
    point_VD = groups(40)
    made = UMAP.drawn({"points": point_VD}, 2)
    place_GVK = made.map.positions.reshape(3, 40, 2)
    centre_GK = place_GVK.mean(1)
    within = np.linalg.norm(place_GVK - centre_GK[:, None], axis=-1).max()
    between = min(np.linalg.norm(centre_GK[a] - centre_GK[b]) for a, b in ((0, 1), (0, 2), (1, 2)))
    assert between > 2 * within
    again = UMAP.drawn({"points": point_VD}, 2)
    np.testing.assert_array_equal(again.map.positions, made.map.positions)
