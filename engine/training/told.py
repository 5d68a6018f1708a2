"""Told: what a training says of itself while it goes on, in a file of its folder, and what others ask of it in another.

    <folder>/told.json   how far it is; written once a second by the training's own process
            /asked       "pause" or "stop"; written by anybody, read by the training after each step
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

from engine.arrays import write_bytes

TOLD, ASKED = "told.json", "asked"
PAUSE, STOP = "pause", "stop"
WAITING, STARTING, RUNNING, PAUSED, STOPPED, FAILED, BROKEN, FINISHED = (
    "waiting", "starting", "running", "paused", "stopped", "failed", "broken off", "finished",
)  # fmt: skip
MOST = 1e15  # no number of a training is larger
ALIVE = (WAITING, STARTING, RUNNING)


@dataclass(frozen=True, slots=True)
class Told:
    """`seconds` of training, pauses left out; `metrics` are the latest numbers of each name; `problem` is one sentence.

    pid, born  the process, by its number and when it began: a number alone may be given to another one later
    ahead      how many trainings have their turn before it, while it is waiting
    best       step and held-out nats of the best model so far, which a stop keeps
    """

    state: str
    step: int = 0
    total: int = 0
    seconds: float = 0.0
    first: int = 0  # the step that this process began behind, and the seconds it began with
    first_seconds: float = 0.0
    tokens_per_second: float = 0.0
    memory_bytes: int = 0
    problem: str = ""
    ahead: int = 0
    best: tuple[int, float] | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    pid: int = 0
    born: float = 0.0

    @property
    def alive(self) -> bool:
        return self.state in ALIVE

    @property
    def seconds_left(self) -> float | None:
        """At the pace of this process so far; None before its first step."""
        done = self.step - self.first
        return (self.total - self.step) * (self.seconds - self.first_seconds) / done if done > 0 and self.total else None


def tell(folder: Path, told: Told) -> None:
    """A full disk must not end a training that only wanted to say how it goes."""
    with contextlib.suppress(OSError):
        write_bytes(folder / TOLD, json.dumps(asdict(told)).encode())


def read(folder: Path) -> Told | None:
    """What the training in this folder last said; "broken off" when its process is gone.  None where there is nothing, or nonsense."""
    try:
        found = json.loads((folder / TOLD).read_text(encoding="utf-8"))
        names = {f.name for f in fields(Told)}
        told = Told(**{k: v for k, v in found.items() if k in names})
        if not _sound(told):
            return None
    except (OSError, ValueError, TypeError, AttributeError, RecursionError):
        return None
    if told.alive and not lives(told.pid, told.born):
        return Told(**{**asdict(told), "state": BROKEN})
    return told


def _sound(told: Told) -> bool:
    """Whether every part is of its kind: somebody may have changed the file."""
    numbers: tuple[Any, ...] = (
        told.step, told.total, told.seconds, told.first, told.first_seconds, told.tokens_per_second, told.memory_bytes, told.ahead, told.pid, told.born,
        *told.metrics.values(), *(told.best or ()),
    )  # fmt: skip
    return (
        all(isinstance(number, int | float) and abs(number) < MOST for number in numbers[:10])
        and all(isinstance(number, float) or (isinstance(number, int) and abs(number) < MOST) for number in numbers)
        and isinstance(told.state, str) and isinstance(told.problem, str) and (told.best is None or len(told.best) == 2)
    )  # fmt: skip


def lives(pid: int, born: float) -> bool:
    import psutil

    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - born) < 2 and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError, TypeError):
        return False


def born(pid: int) -> float:
    """When a process began; 0 when it is gone already."""
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


def me() -> tuple[int, float]:
    """This process, as `Told` names it."""
    return os.getpid(), born(os.getpid())


def ask(folder: Path, wish: str) -> None:
    write_bytes(folder / ASKED, wish.encode())


class Ear:
    """What is asked of the training in a folder; the file is looked at every fifth of a second at most."""

    def __init__(self, folder: Path) -> None:
        self._path, self._looked, self._heard = folder / ASKED, 0.0, ""

    def __call__(self) -> str:
        """ "pause", "stop" or "".  """
        if not self._heard and time.monotonic() - self._looked > 0.2:
            self._looked = time.monotonic()
            with contextlib.suppress(OSError):
                asked = self._path.read_text(encoding="utf-8", errors="replace")
                self._heard = asked if asked in (PAUSE, STOP) else ""
        return self._heard

    def forget(self) -> None:
        """What was asked before this process began does not hold for it; what was asked since, does."""
        with contextlib.suppress(OSError):
            if self._path.stat().st_mtime < me()[1] - 2:  # when a process began is known to a second
                self._path.unlink()

    def obeyed(self) -> None:
        """It was done, so it is not asked any more."""
        with contextlib.suppress(OSError):
            self._path.unlink()
