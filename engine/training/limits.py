"""Limits: what a training process may take, and when it has to end with the one that started it."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
import time
from pathlib import Path

from engine.jobs import control

GRACE = 60.0  # seconds to write a checkpoint in


def end_with_parent(folder: Path) -> None:
    """Pause, with a checkpoint, when the process that started this one is gone; end in any case a
    minute later."""
    parent = os.getppid()

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        control.write(folder, control.PAUSE)
        time.sleep(GRACE)
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="parent", daemon=True).start()


def pause_on_term(folder: Path) -> None:
    """A polite request to end is a pause; a second one ends at once."""

    def act(number: int, frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        control.write(folder, control.PAUSE)

    with contextlib.suppress(ValueError):  # only the main thread may say what a signal does
        signal.signal(signal.SIGTERM, act)
