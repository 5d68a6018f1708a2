"""Sessions of those who have gone go, though nobody comes."""

from __future__ import annotations

import asyncio
import gc
import time
import weakref
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.memory_session_storage import MemorySessionStorage

from engine.live.session import Made, Session, TypedText
from pages.ui import sessions


class Gone:
    """A session in a circle with what it has, as Streamlit's are."""

    id = "somebody"

    def __init__(self) -> None:
        self.part = [self]


async def look(while_: Callable[[], bool]) -> None:
    looking = asyncio.create_task(sessions.let_go(0.01))
    until = time.monotonic() + 20
    while while_() and time.monotonic() < until:
        await asyncio.sleep(0.01)
    looking.cancel()


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

    asyncio.run(look(while_=lambda: session() is not None))
    assert session() is None


def test_a_lost_connection_keeps_what_was_typed_and_no_models(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    storage, live = MemorySessionStorage(), Session("lstm", TypedText("typed"))
    stage: Any = SimpleNamespace()
    live.begin(lambda: Made(stage, {}, "stamp"))
    assert live.made.stage is stage
    lost: Any = SimpleNamespace(session=SimpleNamespace(id="a", session_state={"live": live}))
    storage.save(lost)
    here = SimpleNamespace(_session_mgr=SimpleNamespace(_session_storage=storage), state=None)
    monkeypatch.setattr(Runtime, "exists", lambda: True)
    monkeypatch.setattr(Runtime, "instance", lambda: here)

    asyncio.run(look(while_=lambda: live.is_made))
    assert not live.is_made
    assert live.made.stage is stage, "made anew where it is asked for"
