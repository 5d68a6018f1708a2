"""Status of a training: how far it is, in a file of its folder.

<folder>/status.json   written once a second by the training's own process; under its old name,
                       told.json, it is still read
        /control       "pause" or "stop": engine/jobs/control.py
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from msgspec.structs import replace

from engine.jobs import status
from engine.jobs.status import (
    BROKEN,
    FAILED,
    FINISHED,
    PAUSED,
    RUNNING,
    STARTING,
    STOPPED,
    WAITING,
    Status,
    checked,
)
from engine.storage import record
from engine.storage.files import explain_error
from engine.storage.run_folder import OLD_STATUS, STATUS, Bounded, Whole

__all__ = [
    "BROKEN",
    "FAILED",
    "FINISHED",
    "PAUSED",
    "RUNNING",
    "STARTING",
    "STOPPED",
    "WAITING",
    "TrainingStatus",
    "failed",
    "read",
    "write",
]


class TrainingStatus(Status, frozen=True):
    """`metrics` are the latest numbers of each name.

    ahead   how many trainings have their turn before it, while it is waiting
    best    step and held-out nats of the best model so far, which a stop keeps
    """

    tokens_per_second: Bounded = 0.0
    memory_bytes: Whole = 0
    ahead: Whole = 0
    best: tuple[Whole, float] | None = None
    metrics: dict[str, Whole | float] = {}


def write(folder: Path, told: TrainingStatus) -> None:
    """A full disk must not end a training that only wanted to say how it goes."""
    status.write(folder, told)
    with contextlib.suppress(OSError):
        (folder / OLD_STATUS).unlink(missing_ok=True)


def failed(folder: Path, error: OSError) -> None:
    """Its last word, where the disk refuses before the first step: the log may have no room."""
    last = status.read_last(folder, TrainingStatus)
    if last is not None and last.alive and last.pid == os.getpid():
        write(folder, replace(last, state=FAILED, error=explain_error(error)))


def read(folder: Path) -> TrainingStatus | None:
    """What the training in this folder last said; "broken off" when its process is gone.  None
    where there is nothing, or nonsense."""
    if (folder / STATUS).is_file():
        return status.read(folder, TrainingStatus)
    try:
        found = record.load(folder / OLD_STATUS)
        return checked(record.convert({"error": found.get("problem", ""), **found}, TrainingStatus))
    except (OSError, ValueError):
        return None
