"""Detached: work in a process that outlives who started it, with a folder for what it says.

What      start(folder, module): begin · status.read(folder): how far it is · ask(folder): end it
          politely · kill: at once.  The process works within `working(folder)`, which keeps its
          status, and ends it when it is asked to stop or where it shall not outlive its starter
Differs   A page that is loaded again, or another server, sees the same: all is in the folder.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import msgspec

from engine.jobs import control, process, status
from engine.jobs.status import FAILED, FINISHED, RUNNING, STARTING, STOPPED, Status
from engine.storage import files

EVERY = 0.2  # seconds between two words of how far it is
BEGUN = Status(STARTING)
LOOK = 0.5  # seconds between two looks whether it shall end


def start(
    folder: Path,
    module: str,
    *arguments: str,
    others: tuple[Path, ...] = (),
    first: Status = BEGUN,
    errors: IO[bytes] | int = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
) -> subprocess.Popen[bytes]:
    """Begin in a folder that is there; `first` is its status until the process speaks for itself.

    others  more folders whose work the same process does, one after the other
    OSError where there is no room for one more process, or on the disk for what it says; then there
    is no process.
    """
    for one in (folder, *others):
        control.clear(one)
    made = process.start(module, *arguments, stderr=errors, env=env, session=True)
    begun = msgspec.structs.replace(first, pid=made.pid, born=process.born(made.pid), error="")
    for one in (folder, *others):
        said = status.read_last(one, Status)
        if said is None or said.pid != made.pid:  # a quick one may have spoken already
            try:
                status.put(one, begun)
            except OSError:
                made.kill()
                made.wait()
                raise
    return made


def kill(folder: Path) -> None:
    """End the process that works in this folder at once."""
    if (said := status.read_last(folder, Status)) is not None:
        process.kill(said.pid, said.born)


class Progress:
    """For the process that works: says how far it is, not too often."""

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock, self._said, self._ended = folder, threading.Lock(), 0.0, False
        pid, born = process.name_own()
        self.status = Status(RUNNING, total=1.0, pid=pid, born=born)
        self._began = time.monotonic()

    def __call__(self, share: float, message: str) -> None:
        self.status = msgspec.structs.replace(
            self.status,
            step=round(min(1.0, share), 4),
            message=message,
            seconds=round(time.monotonic() - self._began, 1),
        )
        if time.monotonic() - self._said > EVERY:
            self._said = time.monotonic()
            self.write()

    def write(self) -> None:
        with self._lock:
            if not self._ended:
                status.write(self.folder, self.status)

    def end(self, state: str, error: str = "") -> None:
        """Its last word."""
        self.status = msgspec.structs.replace(self.status, state=state, error=error)
        self.write()
        self._ended = True


@contextlib.contextmanager
def growing(folder: Path, size: int, tell: Callable[[float], None]) -> Iterator[None]:
    """While something writes so many bytes into a folder, `tell` is told which share is there."""
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK):
            with contextlib.suppress(OSError):  # a file that is gone by now
                tell(sum(p.stat().st_size for p in folder.rglob("*") if p.is_file()) / size)

    watch = threading.Thread(target=look, name="growing", daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()


@contextlib.contextmanager
def working(
    folder: Path,
    memory: str = "there is not enough memory for it",
    starter: int = 0,
    cleanup: Callable[[], None] = lambda: None,
) -> Iterator[Progress]:
    """The work of the process, at lower priority.  ValueError, LookupError, MemoryError and OSError
    end it with a sentence in its status.

    memory   the sentence where there is not enough of it
    starter  the process that it shall not outlive
    cleanup  what is done before this process ends in the middle: asked to stop, or without its
             starter
    """
    process.lower_priority()
    folder.mkdir(parents=True, exist_ok=True)
    tell = Progress(folder)
    tell.write()
    done = threading.Event()

    def look() -> None:
        while not done.wait(LOOK):
            if control.read(folder) == control.STOP:
                cleanup()
                tell.end(STOPPED)
                os._exit(0)  # whatever it is doing: nothing of it is kept
            if starter and os.getppid() != starter:
                cleanup()
                os._exit(1)

    watch = threading.Thread(target=look, name="control", daemon=True)
    watch.start()
    try:
        yield tell
        tell.end(FINISHED)
    except (ValueError, LookupError) as error:
        tell.end(FAILED, str(error.args[0] if error.args else error) or type(error).__name__)
    except MemoryError:
        tell.end(FAILED, memory)
    except OSError as error:
        tell.end(FAILED, files.explain_error(error))
    finally:
        done.set()
        watch.join()
    if starter and os.getppid() != starter:
        cleanup()
