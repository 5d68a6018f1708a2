"""What Streamlit does while nobody types: sessions of those who have gone are let go when their time
is up, though nobody comes, and its settings are not read again.

Streamlit keeps the session of a lost connection for two minutes, but drops those whose time is up
only when it stores the next one.  The last ones of a day stayed until the next morning: what they
had opened, and three open files each.
"""

from __future__ import annotations

import asyncio
import gc
from typing import Any

from streamlit.runtime import Runtime, RuntimeState
from streamlit.watcher import polling_path_watcher

LOOKS_EVERY = 30.0  # seconds


def watch_nothing() -> None:
    """Streamlit looks at its files of settings ten times a second, whatever `fileWatcherType` says: 2 ms of
    processor a second.  From now on it does not: a change shows when the server is started again."""
    watcher: Any = getattr(polling_path_watcher, "PollingPathWatcher", None)
    if hasattr(watcher, "_schedule"):  # a release may watch otherwise
        watcher._schedule = lambda self: None


async def let_go(every: float = LOOKS_EVERY) -> None:
    """For as long as the server runs; on its event loop."""
    while True:
        await asyncio.sleep(every)
        if not Runtime.exists():
            continue
        of = Runtime.instance()
        lost = getattr(of._session_mgr, "_session_storage", None)
        lost = getattr(lost, "_cache", None)  # a release may keep them elsewhere
        if expire := getattr(lost, "expire", None):
            gone = len(expire())
            # their parts refer to each other, and looking for such garbage takes a moment
            if gone and of.state == RuntimeState.NO_SESSIONS_CONNECTED:
                gc.collect()
