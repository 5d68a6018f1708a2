"""Control: what others ask of work in a folder, "pause" or "stop", in a file of one word.

<folder>/control   written by anybody, read by the process that works
"""

from __future__ import annotations

import contextlib
import time
from pathlib import Path

from engine.jobs.process import name_own
from engine.storage.files import write_bytes
from engine.storage.run_folder import CONTROL, OLD_CONTROL

PAUSE, STOP = "pause", "stop"
EVERY = 0.2  # seconds between two looks at the file


def write(folder: Path, wish: str) -> None:
    """OSError where the disk refuses."""
    write_bytes(folder / CONTROL, wish.encode())


def read(folder: Path) -> str:
    """ "pause", "stop" or ""; written under the old name, it counts too."""
    for name in (CONTROL, OLD_CONTROL):
        with contextlib.suppress(OSError):
            wish = (folder / name).read_text(encoding="utf-8", errors="replace").strip()
            if wish in (PAUSE, STOP):
                return wish
    return ""


def clear(folder: Path) -> None:
    """It is not asked any more."""
    for name in (CONTROL, OLD_CONTROL):
        with contextlib.suppress(OSError):
            (folder / name).unlink(missing_ok=True)


class ControlFile:
    """For the process that works: what is asked of it.  The file is looked at every fifth of a
    second at most, and what was asked once holds."""

    def __init__(self, folder: Path) -> None:
        self._folder, self._looked, self._asked = folder, 0.0, ""

    def __call__(self) -> str:
        """ "pause", "stop" or ""."""
        if not self._asked and time.monotonic() - self._looked > EVERY:
            self._looked = time.monotonic()
            self._asked = read(self._folder)
        return self._asked

    def forget_older(self) -> None:
        """What was asked before this process began does not hold for it; what was asked since,
        does."""
        for name in (CONTROL, OLD_CONTROL):
            with contextlib.suppress(OSError):
                path = self._folder / name
                if path.stat().st_mtime < name_own()[1] - 2:  # when one began is known to a second
                    path.unlink()

    def obeyed(self) -> None:
        clear(self._folder)
