"""Files: written whole or not at all, folders that come and go at once, and a disk that refuses.

What      write_bytes, writing: a file under a temporary name in the same folder, flushed to the
          disk, then renamed · discard: a folder is out of sight before it is deleted · disk_errors:
          one sentence where the disk refuses · reason, said: why, with what is needed and what is
          free of a full one
Source    rename replaces a file in one step: POSIX.1-2017, rename()
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from engine.language.message import _, refusal

PART = ".part"  # how the name of a file ends that is being written
IDLE = 60.0  # seconds
ABANDONED = 86_400.0  # seconds after which what a killed process left is thrown away
NAMED = 100_000  # bytes from which on it is said how much is needed


class Full(OSError):
    """The disk is full: `needed` bytes were to be written, where `free` are left."""

    needed, free = 0, 0


@contextlib.contextmanager
def writing(path: Path) -> Iterator[BinaryIO]:
    """A file to write to, which takes the name `path` at the end of the block; after an error what
    was there before is there still.  What a process left that was killed while it wrote the same
    file goes first."""
    _clear(path)
    part = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}{PART}")
    try:
        with part.open("xb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        part.replace(path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
        raise


def _clear(path: Path) -> None:
    """Delete the unfinished files of `path` whose process has ended on this computer, and which
    nobody has touched for a minute: on a shared disk another computer may have that number."""
    before = f".{path.name}."
    with contextlib.suppress(OSError):
        for old in path.parent.iterdir():
            if not (old.name.startswith(before) and old.name.endswith(PART)):
                continue
            import psutil

            process = old.name.removeprefix(before).partition(".")[0]
            with contextlib.suppress(OSError):
                idle = time.time() - old.stat().st_mtime
                if process.isdecimal() and idle > IDLE and not psutil.pid_exists(int(process)):
                    old.unlink()


def write_bytes(path: Path, *parts: bytes | memoryview) -> None:
    with reserve_room(path, sum(memoryview(part).nbytes for part in parts)), writing(path) as file:
        for content in parts:
            file.write(content)


@contextlib.contextmanager
def reserve_room(path: Path, size: int) -> Iterator[None]:
    """So many bytes are written to `path`; where the disk is too full for them, Full says so."""
    try:
        yield
    except OSError as error:
        if not is_full(error) or isinstance(error, Full):
            raise
        full = Full(error.errno, error.strerror, str(path))
        with contextlib.suppress(OSError):
            full.needed, full.free = size, shutil.disk_usage(path.parent).free
        raise full from error


def is_full(error: BaseException) -> bool:
    return isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT)


def reason(error: OSError) -> str:
    """Why the disk refuses, in a few words."""
    if not is_full(error):
        return (error.strerror or "unknown reason").lower()
    if isinstance(error, Full) and error.needed > max(error.free, NAMED):
        return _(
            "the disk is full: {needed:,.1f} MB are needed and {free:,.1f} MB are free",
            needed=error.needed / 1e6,
            free=error.free / 1e6,
        )
    return _("the disk is full")


def explain_error(error: OSError) -> str:
    """The same in a sentence; with what to do, where the disk is full."""
    if is_full(error):
        return _("{reason}; free some space and try again", reason=reason(error))
    return f"{error.filename}: {reason(error)}" if error.filename else reason(error)


@contextlib.contextmanager
def kept_whole(folder: Path) -> Iterator[Path]:
    """A folder to write into; one that is new goes again where that fails."""
    new = not folder.exists()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield folder
    except BaseException:
        if new:
            shutil.rmtree(folder, ignore_errors=True)
        raise


@contextlib.contextmanager
def new_folder(folder: Path) -> Iterator[Path]:
    """A new folder to fill; what is left under that name at the end goes, so whoever fills it
    renames it when it is whole."""
    folder.mkdir()
    try:
        yield folder
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def discard(folder: Path, aside: Path) -> None:
    """Delete a folder, which is renamed to `aside` first: it is out of sight at once, and what is
    still being written into it comes to nothing.  OSError where it can't be renamed."""
    aside.parent.mkdir(exist_ok=True)
    folder.rename(aside)
    shutil.rmtree(aside, ignore_errors=True)


def sweep(folder: Path, *patterns: str, seconds: float = ABANDONED) -> None:
    """Delete folders in `folder` that nobody has touched for so long."""
    for old in (path for pattern in patterns for path in folder.glob(pattern)):
        with contextlib.suppress(OSError):  # gone by now
            if time.time() - old.stat().st_mtime > seconds:
                shutil.rmtree(old, ignore_errors=True)


def find_all(folder: Path, pattern: str) -> list[Path]:
    """What of a folder has such a name, in order; nothing where nobody may look into it."""
    try:
        return sorted(folder.glob(pattern))
    except OSError:
        return []


@contextlib.contextmanager
def disk_errors(what: str) -> Iterator[None]:
    """A disk that refuses becomes a ValueError with one sentence; `what` could not be written."""
    try:
        yield
    except OSError as error:
        if is_full(error):
            raise refusal(
                "{reason}, so nothing was stored and nothing changed; free some space and try"
                " again",
                reason=reason(error),
            ) from error
        raise refusal(
            "{what} can't be written: {reason}; nothing changed", reason=reason(error)
        ) from error
