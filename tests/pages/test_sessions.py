"""Sessions of those who have gone go, though nobody comes."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.watcher.polling_path_watcher import PollingPathWatcher

from pages.ui import sessions


class Gone:
    """A session in a circle with what it has, as Streamlit's are."""

    id = "somebody"

    def __init__(self) -> None:
        self.part = [self]


def test_a_session_whose_time_is_up_goes_though_nobody_comes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage = MemorySessionStorage(ttl_seconds=0.1)  # type: ignore[arg-type]
    lost: Any = SimpleNamespace(session=Gone())
    session = weakref.ref(lost.session)
    storage.save(lost)
    del lost
    here = SimpleNamespace(
        _session_mgr=SimpleNamespace(_session_storage=storage),
        state=RuntimeState.NO_SESSIONS_CONNECTED,
    )
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: here)
    gc.collect()
    assert session() is not None, "it is kept, its time up or not"

    async def some_time() -> None:
        looking = asyncio.create_task(sessions.let_go(0.01))
        until = time.monotonic() + 20
        while session() is not None and time.monotonic() < until:
            await asyncio.sleep(0.01)
        looking.cancel()

    asyncio.run(some_time())
    assert session() is None


def test_settings_are_not_watched_while_the_server_runs(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Also by a watcher that was there before, as Streamlit's own."""
    heard: list[str] = []
    file = tmp_path / "config.toml"
    monkeypatch.setattr(PollingPathWatcher, "_schedule", PollingPathWatcher._schedule)  # put back
    before = PollingPathWatcher(str(file), heard.append, allow_nonexistent=True)
    sessions.watch_nothing()
    time.sleep(0.5)  # it looks for the last time
    file.write_text("[theme]")
    PollingPathWatcher(str(file), heard.append)
    file.write_text("[server]")
    time.sleep(0.5)
    assert before._active and heard == []
    assert PollingPathWatcher._executor._work_queue.empty()
