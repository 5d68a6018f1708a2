"""Process: starting one at lower priority, whether it still lives, ending it, limiting its memory.

What      start(module, *arguments): `python -m module`, which ends the worry about forks and threads
Differs   A process is known by its number and when it began: a number alone may be given to another
          one later.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import IO

from engine import ROOT
from engine.storage.home import inherit

PR_SET_PDEATHSIG = 1
# looked up here: between fork and exec as little as possible is done
_libc = ctypes.CDLL(None) if sys.platform == "linux" else None
LOWER = 10  # how much nicer than whoever starts it
_lock = threading.Lock()
_started: list[subprocess.Popen[bytes]] = []  # looked at now and then, so that no zombie is left


def start(
    module: str,
    *arguments: str,
    stdin: int | IO[bytes] = subprocess.DEVNULL,
    stdout: int | IO[bytes] = subprocess.DEVNULL,
    stderr: int | IO[bytes] = subprocess.DEVNULL,
    env: Mapping[str, str] | None = None,
    session: bool = False,
) -> subprocess.Popen[bytes]:
    """`env`: beside the variables that stand.  session: in a session of its own, so that what ends
    its starter's terminal does not end it.  It works for the person that it was started for
    (engine/storage/home.py).  OSError where there is no room for one more process."""
    reap()
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    made = subprocess.Popen(
        [sys.executable, "-m", module, *arguments],
        cwd=ROOT,
        env={**os.environ, **inherit(), "PYTHONPATH": path, **(env or {})},
        stdin=stdin,
        stdout=stdout,
        stderr=stderr,
        start_new_session=session,
    )
    with _lock:
        _started.append(made)
    return made


def reap() -> None:
    """Take note of the processes started here that have ended; else they stay as zombies."""
    with _lock:
        _started[:] = [one for one in _started if one.poll() is None]


def end_with(starter: int) -> None:
    """Said by a process of itself before it becomes another program (`preexec_fn`): it is asked to
    end when the thread that started it does, even one that was killed and could ask nobody.  Only
    Linux knows this (prctl(2), PR_SET_PDEATHSIG)."""
    if _libc is not None:
        _libc.prctl(PR_SET_PDEATHSIG, signal.SIGTERM)
        if os.getppid() != starter:  # it has ended meanwhile
            os._exit(0)


def lower_priority() -> None:
    """Said by a process of itself: from now on behind whatever answers a person."""
    with contextlib.suppress(AttributeError, OSError):
        os.nice(LOWER)


def limit_memory(most_bytes: int, more: bool = False) -> None:
    """Said by a process of itself: no more than so much memory of its own, or so much more than it
    has; what asks for more gets MemoryError.  Where the system knows no such limit, nothing."""
    with contextlib.suppress(ImportError, OSError, ValueError):
        import resource

        if more:
            import psutil

            most_bytes += getattr(psutil.Process().memory_info(), "data", 0)
        resource.setrlimit(resource.RLIMIT_DATA, (most_bytes, most_bytes))


def is_alive(pid: int, born: float) -> bool:
    import psutil

    try:
        process = psutil.Process(pid)
        return abs(process.create_time() - born) < 2 and process.status() != psutil.STATUS_ZOMBIE
    except (psutil.Error, ValueError, TypeError, OverflowError):
        return False


def born(pid: int) -> float:
    """When a process began; 0 when it is gone already."""
    import psutil

    try:
        return float(psutil.Process(pid).create_time())
    except psutil.Error:
        return 0.0


def name_own() -> tuple[int, float]:
    """This process, by its number and when it began."""
    return os.getpid(), born(os.getpid())


def kill(pid: int, when: float) -> None:
    """End it at once, and wait until it is gone; nothing where it is gone already."""
    import psutil

    if is_alive(pid, when):
        with contextlib.suppress(psutil.Error):
            process = psutil.Process(pid)
            process.kill()
            process.wait(5)
    reap()
