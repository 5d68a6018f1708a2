"""Models as they were at the snapshots of a run: kept up to a number of bytes, the next ones opened
ahead while nobody asks for anything."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from typing import Any

from engine.core.cache import MB, Cache, held_bytes
from engine.models.base import Model
from engine.runs.store import Run, RunStore

REST_SECONDS = 0.3
AHEAD_BYTES = 16 * MB  # a larger model is opened when it is asked for


def size_of(model: Model[Any]) -> int:
    """Bytes of its weights."""
    return sum(values.nbytes for values in model.weights().values())


def key_of(run: Run) -> tuple[str, str]:
    return str(run.folder), str(run.note.get("recipe"))


SNAPSHOTS: Cache[tuple[str, str], Model[Any]] = Cache(
    "snapshots", held_bytes, keep_last=True, alive=True
)
_wish: list[threading.Timer] = []


def model(run: Run) -> Model[Any]:
    """ValueError when the snapshot is damaged."""
    return SNAPSHOTS.made(key_of(run), lambda: RunStore().load(run))


def open_ahead(run: Run, steps: Sequence[int]) -> None:
    """Open the models of `run` at these steps when nobody has asked for anything for a moment; a
    newer wish takes the place of an older."""

    def work() -> None:
        for step in steps:
            if _wish and _wish[-1] is not timer:
                return
            # damaged or gone: the page says so when it is asked for
            with contextlib.suppress(ValueError, LookupError, OSError):
                if key_of(at := run.at(step)) not in SNAPSHOTS:
                    if at.snapshots[step].stat().st_size > AHEAD_BYTES:
                        return
                    model(at)

    for old in _wish:
        old.cancel()
    timer = threading.Timer(REST_SECONDS, work)
    timer.daemon = True
    _wish[:] = [timer]
    timer.start()
