"""The warm-up: it opens the models that a page shows first, and gives way to whoever waits for a page."""

from __future__ import annotations

import gc
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from pages.ui import cache


def test_it_gives_way_and_leaves_out_imported_checkpoints(monkeypatch: pytest.MonkeyPatch) -> None:
    runs = [SimpleNamespace(id=id, note=note) for id, note in (("b", {}), ("imported", {"checkpoint": "x"}), ("a", {}))]
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
    monkeypatch.setattr(sys, "setswitchinterval", lambda seconds: None)
    with cache.at_once(), cache.at_once():
        cache.warm_up({"a"})
        assert not done.wait(0.1) and opened == []
    assert done.wait(10) and opened == ["a"]
