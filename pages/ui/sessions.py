"""Sessions of those who have gone: let go when their time is up, though nobody comes.

Streamlit keeps the session of a lost connection for two minutes, but drops those whose time is up
only when it stores the next one.  The last ones of a day stayed until the next morning: what they
had opened, and three open files each.  Meanwhile a lost one keeps what was typed, not the models.
"""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Iterable
from typing import Any

from streamlit.runtime import Runtime, RuntimeState
from streamlit.runtime.session_manager import SessionInfo

from engine.live.session import Session

LOOKS_EVERY = 30.0  # seconds


async def let_go(every: float = LOOKS_EVERY) -> None:
    """For as long as the server runs; on its event loop."""
    while True:
        await asyncio.sleep(every)
        if not Runtime.exists():
            continue
        of = Runtime.instance()
        storage = getattr(of._session_mgr, "_session_storage", None)
        lost: Any = getattr(storage, "_cache", None)  # a release may keep them elsewhere
        if expire := getattr(lost, "expire", None):
            gone = len(expire())
            _let_models_go(list(lost.values()))
            # their parts refer to each other, and looking for such garbage takes a moment
            if gone and of.state == RuntimeState.NO_SESSIONS_CONNECTED:
                gc.collect()


def _let_models_go(lost: Iterable[SessionInfo]) -> None:
    for one in lost:
        state = getattr(one.session, "session_state", {})
        if "live" in state and isinstance(live := state["live"], Session):
            live.let_go()
