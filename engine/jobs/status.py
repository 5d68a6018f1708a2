"""Status: how far a piece of work is, in a file of its folder or in memory; one model for all.

What      <folder>/status.json, written by the process that works, read by anybody
Differs   Work whose process is gone without a last word is "broken off", whatever the file says.
          The file has room from the start, so that this word fits on a disk that has become full.
"""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import TypeVar

import msgspec
from msgspec import Struct

from engine.jobs.process import is_alive
from engine.storage import record
from engine.storage.files import is_full, write_bytes
from engine.storage.run_folder import STATUS, Bounded, Whole

NONE, WAITING, STARTING, RUNNING, PAUSED, STOPPED, FAILED, BROKEN, FINISHED = (
    "",
    "waiting",
    "starting",
    "running",
    "paused",
    "stopped",
    "failed",
    "broken off",
    "finished",
)
ALIVE = (WAITING, STARTING, RUNNING)
ROOM = 4096  # bytes of the file, most of them spaces: a block of a disk


class Status(Struct, frozen=True):
    """`step` of `total` are done; `message`: what it does just now; `error`: why it ended without a
    result, in one sentence.

    seconds  of work, pauses left out
    first    the step that this process began behind, and the seconds it began with
    pid, born  the process, by its number and when it began
    """

    state: str = NONE
    step: Whole | Bounded = 0
    total: Whole | Bounded = 0
    message: str = ""
    error: str = ""
    seconds: Bounded = 0.0
    first: Whole | Bounded = 0
    first_seconds: Bounded = 0.0
    pid: Whole = 0
    born: Bounded = 0.0

    @property
    def alive(self) -> bool:
        return self.state in ALIVE

    @property
    def share(self) -> float:
        """Of the work, from 0 to 1."""
        return min(1.0, max(0.0, self.step / self.total)) if self.total else 0.0

    @property
    def seconds_left(self) -> float | None:
        """At the pace of this process so far; None before its first step."""
        done = self.step - self.first
        return (
            (self.total - self.step) * (self.seconds - self.first_seconds) / done
            if done > 0 and self.total
            else None
        )


S = TypeVar("S", bound=Status)


def put(folder: Path, status: Status) -> None:
    """On a full disk over what was written there before.  OSError where there is no room for it."""
    raw = record.dump(status).ljust(ROOM)
    try:
        write_bytes(folder / STATUS, raw)
    except OSError as error:
        if not is_full(error) or not _over(folder / STATUS, raw):
            raise


def _over(path: Path, raw: bytes) -> bool:
    """Write over what is in a file, where that is long enough; whether it was."""
    try:
        with path.open("r+b", buffering=0) as file:
            long = len(raw) <= file.seek(0, 2)
            file.seek(0)
            return long and file.write(raw) == file.truncate()
    except OSError:
        return False


def write(folder: Path, status: Status) -> None:
    """The same; a disk that refuses must not end a process that only wanted to say how it goes."""
    with contextlib.suppress(OSError):
        put(folder, status)


def read_last(folder: Path, kind: type[S]) -> S | None:
    """What was written last, true or not; None where there is nothing, or nonsense."""
    try:
        return record.read(folder / STATUS, kind)
    except (OSError, ValueError):
        return None


def read(folder: Path, kind: type[S]) -> S | None:
    """How far the work in this folder is; "broken off" when its process is gone."""
    found = read_last(folder, kind)
    return None if found is None else checked(found)


def checked(found: S) -> S:
    """The same, unless its process is gone."""
    if found.alive and not is_alive(found.pid, found.born):
        return msgspec.structs.replace(found, state=BROKEN)
    return found
