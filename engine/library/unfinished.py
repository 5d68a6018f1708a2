"""Unfinished: folders of corpora that are not there yet or not there any more, and a disk that refuses to take them."""

from __future__ import annotations

import contextlib
import errno
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

NEW, GONE, READ = ".new", ".gone", ".read"  # being made, being deleted, holds an upload that is read (job.py)
ABANDONED = 86_400.0  # seconds after which such a folder is thrown away: its process was killed


def sweep(root: Path) -> None:
    """The folder of the corpora is there, and what was abandoned in it is not."""
    root.mkdir(parents=True, exist_ok=True)
    for old in (path for name in (NEW, GONE, READ) for path in root.glob(f"{name}-*")):
        with contextlib.suppress(OSError):
            if time.time() - old.stat().st_mtime > ABANDONED:
                shutil.rmtree(old, ignore_errors=True)


@contextlib.contextmanager
def room() -> Iterator[None]:
    """A disk that refuses becomes one sentence."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise ValueError("the disk is full, so nothing was stored and nothing changed; free some space and try again") from error
        raise ValueError(f"the folder of the corpora can't be written: {(error.strerror or 'unknown reason').lower()}; nothing changed") from error
