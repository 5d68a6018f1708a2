"""The warm-up: it opens the models that a page shows first, and gives way to whoever waits for a
page."""

from __future__ import annotations

import gc
import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from engine.live import cache
from engine.runs.store import SHIPPED


def test_it_gives_way_and_opens_shipped_runs_only(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    runs = [
        SimpleNamespace(id=id, folder=root / id)
        for id, root in (("b", SHIPPED), ("imported", tmp_path), ("a", SHIPPED))
    ]
    opened: list[str] = []
    done = threading.Event()

    def model(run: Any) -> Any:
        if run.id == "b" and opened:
            raise ValueError("a damaged run")
        opened.append(run.id)
        return SimpleNamespace(trace=lambda text: None)

    monkeypatch.setattr(cache, "RunStore", lambda: SimpleNamespace(all=lambda: runs))
    monkeypatch.setattr(cache, "model", model)
    monkeypatch.setattr(gc, "freeze", done.set)
    monkeypatch.setattr(cache, "VISIT_SECONDS", 0.0)
    with cache.at_once(), cache.at_once():
        cache.warm_up({"a"})
        assert not done.wait(0.1) and opened == []
    assert done.wait(10) and opened == ["a"]
