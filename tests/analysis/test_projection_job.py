"""Maps in a process of their own: told, stopped, found again after a restart, bounded, and whole or
not at all."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from engine.analysis.projection.base import Settings
from engine.analysis.projection.job import DONE, GIVEN, Maps
from engine.jobs import control, process, status
from engine.jobs.status import Status

POINTS = np.random.default_rng(0).normal(size=(80, 6)).astype(np.float32)
PCA = Settings("map", "pca")


def until(maps: Maps, key: str, seconds: float = 120) -> None:
    end = time.monotonic() + seconds
    while maps.state(key).alive and time.monotonic() < end:
        time.sleep(0.1)


def ended(folder: Path) -> None:
    """Wait until its process is gone."""
    found = status.last(folder, Status)
    end = time.monotonic() + 60
    while found is not None and process.lives(found.pid, found.born) and time.monotonic() < end:
        process.reap()
        time.sleep(0.05)


@pytest.mark.slow  # the library compiles for most of it; maps by t-SNE go the same way
def test_umap_comes_from_a_process_of_its_own_and_a_new_server_finds_it(tmp_path: Path) -> None:
    maps, settings = Maps(tmp_path), Settings("map", "umap", size=10)
    key = maps.start({"points": POINTS}, settings)
    assert maps.state(key).alive and Maps(tmp_path).state(key).alive, "another server sees it too"
    until(maps, key)
    found = Maps(tmp_path).find(key)
    assert found is not None, maps.state(key)
    arrays, said = found
    assert arrays["places"].shape == (80, 2) and np.isfinite(arrays["places"]).all()
    assert (
        arrays["trust"].mean() > 0.7
        and "UMAP" not in said["lost"]
        and "nearest neighbours" in said["lost"]
    )
    assert arrays["frames"].shape[0] == len(arrays["steps"]) and arrays["steps"][-1] == 500
    np.testing.assert_allclose(arrays["frames"][-1], arrays["places"], atol=1e-5)
    ended(tmp_path / key)
    assert not (tmp_path / key / GIVEN).exists() and not maps.state(key).alive


def test_it_stops_when_asked(tmp_path: Path) -> None:
    maps = Maps(tmp_path)
    key = maps.start(
        {"points": np.random.default_rng(0).normal(size=(3000, 20)).astype(np.float32)},
        Settings("map", "tsne"),
    )
    maps.stop(key)
    assert not maps.state(key).alive
    ended(tmp_path / key)
    assert maps.find(key) is None and not maps.state(key).error
    assert control.asked(tmp_path / key) == control.STOP and not (tmp_path / key / GIVEN).exists()


def test_what_went_wrong_is_said_in_one_sentence(tmp_path: Path) -> None:
    maps = Maps(tmp_path)
    key = maps.start({"points": np.full((9, 3), np.nan, np.float32)}, PCA)
    until(maps, key)
    ended(tmp_path / key)
    assert "not finite" in maps.state(key).error and maps.find(key) is None


def test_the_key_is_of_the_points_and_the_settings(tmp_path: Path) -> None:
    maps = Maps(tmp_path)
    keys = {
        maps.key({"points": p}, s)
        for p in (POINTS, POINTS[:70], POINTS + 1)
        for s in (PCA, Settings("map", "pca", 3), Settings("map", "tsne"))
    }
    assert len(keys) == 9 and maps.key({"points": POINTS.copy()}, Settings("map", "pca")) in keys


def test_a_damaged_map_is_made_again_and_the_oldest_go_first(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    maps = Maps(tmp_path)
    first = maps.key({"points": POINTS}, PCA)
    arrays, _ = maps.made({"points": POINTS}, PCA)
    size = (tmp_path / first / DONE).stat().st_size
    (tmp_path / first / DONE).write_bytes(b"cut short")
    assert maps.find(first) is None
    again, _ = maps.made({"points": POINTS}, PCA)
    assert np.array_equal(again["places"], arrays["places"])
    monkeypatch.setattr(maps._cache, "_most", int(2.5 * size))
    later = [Settings("map", "pca", 2, seed) for seed in (1, 2)]
    for settings in later:
        time.sleep(0.02)
        maps.made({"points": POINTS}, settings)
    assert maps.find(first) is None and all(
        maps.find(maps.key({"points": POINTS}, s)) for s in later
    )


def test_on_a_full_disk_nothing_begins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    maps = Maps(tmp_path)
    monkeypatch.setattr("engine.storage.files.os.fsync", full)
    with pytest.raises(ValueError, match=r"^the disk is full"):
        maps.start({"points": POINTS}, PCA)
    assert not list(tmp_path.iterdir()) and not maps.state(maps.key({"points": POINTS}, PCA)).alive
