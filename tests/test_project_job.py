"""Maps in a process of their own: told, stopped, found again after a restart, bounded, and whole or not at all."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from engine.project import job
from engine.project.job import DONE, GIVEN, STOP, Shelf
from engine.project.work import Settings

POINTS = np.random.default_rng(0).normal(size=(80, 6)).astype(np.float32)
PCA = Settings("map", "pca")


def until(shelf: Shelf, key: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while shelf.state(key).running and time.monotonic() < end:
        time.sleep(0.1)


@pytest.mark.slow  # the library compiles for most of it; maps by t-SNE go the same way
def test_umap_comes_from_a_process_of_its_own_and_a_new_server_finds_it(tmp_path: Path) -> None:
    shelf, settings = Shelf(tmp_path), Settings("map", "umap", size=10)
    key = shelf.start({"points": POINTS}, settings)
    assert shelf.state(key).running and Shelf(tmp_path).state(key).running, "another server sees it too"
    until(shelf, key)
    found = Shelf(tmp_path).find(key)
    assert found is not None, shelf.state(key)
    arrays, said = found
    assert arrays["places"].shape == (80, 2) and np.isfinite(arrays["places"]).all()
    assert arrays["trust"].mean() > 0.7 and "UMAP" not in said["lost"] and "nearest neighbours" in said["lost"]
    assert arrays["frames"].shape[0] == len(arrays["steps"]) and arrays["steps"][-1] == 500
    np.testing.assert_allclose(arrays["frames"][-1], arrays["places"], atol=1e-5)
    shelf._children[key].wait(60)
    assert not (tmp_path / key / GIVEN).exists() and not shelf.state(key).running


def test_it_stops_when_asked(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    key = shelf.start({"points": np.random.default_rng(0).normal(size=(3000, 20)).astype(np.float32)}, Settings("map", "tsne"))
    shelf.stop(key)
    assert not shelf.state(key).running
    shelf._children[key].wait(60)
    assert shelf.find(key) is None and not shelf.state(key).problem
    assert (tmp_path / key / STOP).exists() and not (tmp_path / key / GIVEN).exists()


def test_what_went_wrong_is_said_in_one_sentence(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    key = shelf.start({"points": np.full((9, 3), np.nan, np.float32)}, PCA)
    until(shelf, key)
    shelf._children[key].wait(60)
    assert "not finite" in shelf.state(key).problem and shelf.find(key) is None


def test_the_key_is_of_the_points_and_the_settings(tmp_path: Path) -> None:
    shelf = Shelf(tmp_path)
    keys = {shelf.key({"points": p}, s) for p in (POINTS, POINTS[:70], POINTS + 1) for s in (PCA, Settings("map", "pca", 3), Settings("map", "tsne"))}
    assert len(keys) == 9 and shelf.key({"points": POINTS.copy()}, Settings("map", "pca")) in keys


def test_a_damaged_map_is_made_again_and_the_oldest_go_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shelf = Shelf(tmp_path)
    first = shelf.key({"points": POINTS}, PCA)
    arrays, _ = shelf.made({"points": POINTS}, PCA)
    size = (tmp_path / first / DONE).stat().st_size
    (tmp_path / first / DONE).write_bytes(b"cut short")
    assert shelf.find(first) is None
    again, _ = shelf.made({"points": POINTS}, PCA)
    assert np.array_equal(again["places"], arrays["places"])
    monkeypatch.setattr(job, "MOST_BYTES", int(2.5 * size))
    later = [Settings("map", "pca", 2, seed) for seed in (1, 2)]
    for settings in later:
        time.sleep(0.02)
        shelf.made({"points": POINTS}, settings)
    assert shelf.find(first) is None and all(shelf.find(shelf.key({"points": POINTS}, s)) for s in later)
