"""Staged: files that somebody gave, in a folder of their own, and a process that works on them, so
that who asked for it can go on answering others.

    <folder>/0.part, 1.part ...   the bytes of the files; for nobody else to read
            /request.json         what is to be done
            /status.json          how far it is
            /<do>.json            what came of it; written last, so it means done

What      Staged(folder, files).ask("read", ...): a niced process with a bound on its memory calls `do`
Differs   The folder goes when nobody knows it any more, and its process with it, so that one that is
          killed leaves nothing.  A process whose starter is gone throws its folder away and ends.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil
from msgspec import structs

from engine.jobs import detached, process, status
from engine.jobs.status import BROKEN, FINISHED, STARTING, STOPPED, Status
from engine.storage import record
from engine.storage.files import PART, disk_errors, reserve_room
from engine.storage.run_folder import STATUS

REQUEST = "request.json"
ENDED = "it was stopped"
KILLED = (
    "its process was ended before it was done, perhaps because the memory or the disk of this"
    " computer is full; try again, or take less at a time"
)
GONE = ".gone"  # how the name of a folder begins that is being deleted
_throwing = threading.Lock()


class Staged:
    """Files, or none for what is fetched.  ValueError with one sentence where the disk refuses them.

    where        the place in what is said of a disk that refuses
    memory       the sentence where that does not suffice
    most, least  bytes of memory of the process, whatever is free
    """

    where = memory = ""
    most, share, least = 0, 0.7, 0

    def __init__(self, folder: Path, files: Sequence[tuple[str, bytes]]) -> None:
        self.folder = folder
        self.names = [name for name, _ in files]
        self.asked: dict[str, dict[str, Any]] = {}
        self.doing = ""
        self._stopped = False
        self._child: list[subprocess.Popen[bytes]] = []
        # by hand, when nobody knows it any more, or at the end of this process
        self.close = weakref.finalize(self, _gone, self.folder, self._child)
        try:
            with disk_errors(self.where):
                self.folder.mkdir(mode=0o700)
                for n, (_, raw) in enumerate(files):
                    write_part(self.folder / f"{n}.part", raw)
        except ValueError:
            self.close()
            raise

    @staticmethod
    def do(folder: Path, asked: dict[str, Any], tell: detached.Progress) -> dict[str, Any]:
        """In the process: what was asked for; gives what comes of it."""
        raise NotImplementedError

    @classmethod
    def work(cls, folder: Path) -> None:
        """The work of the process."""
        asked = record.load(folder / REQUEST)
        process.limit_memory(asked["memory"])
        with detached.working(
            folder, cls.memory, starter=asked["starter"], cleanup=lambda: _thrown_away(folder)
        ) as tell:
            try:
                with disk_errors(cls.where):
                    record.save(folder / f"{asked['do']}.json", cls.do(folder, asked, tell))
            except (ValueError, LookupError, MemoryError):
                for path in folder.glob(f".*{PART}"):
                    path.unlink(missing_ok=True)  # of a full disk: makes room for the sentence
                raise

    def ask(self, do: str, **how: Any) -> None:
        """Begin to do something, unless just that was asked last.  ValueError: a full disk."""
        if self.asked.get(do) == how:
            return
        self.stop()
        self._stopped, self.doing = False, do
        self.asked = {**(self.asked if do == "add" else {}), do: how}
        free = int(self.share * psutil.virtual_memory().available)
        most = min(self.most, max(self.least, free))
        request = {"do": do, "names": self.names, "memory": most, "starter": os.getpid(), **how}
        try:
            with disk_errors(self.where):
                for name in (STATUS, f"{do}.json"):
                    (self.folder / name).unlink(missing_ok=True)
                record.save(self.folder / REQUEST, request)
                self._child.append(
                    detached.start(
                        self.folder,
                        type(self).__module__,
                        str(self.folder.resolve()),
                        first=Status(STARTING, message="starting"),
                        env={"OMP_NUM_THREADS": "1"},
                    )
                )
        except ValueError:
            self.forget(do)  # what did not even begin was not asked for
            raise

    def forget(self, do: str) -> None:
        """What came to nothing can be asked for again."""
        self.asked.pop(do, None)

    def stop(self) -> None:
        """End what is under way; what was done before stays."""
        self._stopped = bool(self._child) and self._child[-1].poll() is None
        _end(self._child)

    @property
    def state(self) -> Status:
        if not self._child and not self._stopped:
            return Status()
        if self.result(self.doing) is not None:
            return Status(FINISHED, 1.0, 1.0)
        found = status.read(self.folder, Status) or Status(BROKEN)
        if self._stopped:
            return structs.replace(found, state=STOPPED, error=ENDED)
        if found.alive or found.error:
            return found
        return structs.replace(found, state=BROKEN, error=KILLED)

    def result(self, do: str) -> Any:
        """What came of it, None while there is nothing."""
        try:
            return record.load(self.folder / f"{do}.json")
        except (OSError, ValueError):
            return None


def write_part(path: Path, raw: bytes) -> None:
    with (
        reserve_room(path, len(raw)),
        open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file,
    ):
        file.write(raw)


def _end(child: list[subprocess.Popen[bytes]]) -> None:
    while child:
        one = child.pop()
        one.kill()
        one.wait()


def _gone(folder: Path, child: list[subprocess.Popen[bytes]]) -> None:
    _end(child)
    shutil.rmtree(folder, ignore_errors=True)


def _thrown_away(folder: Path) -> None:
    """Out of the way at once: what is still being written into it comes to nothing, where its name
    would keep the folder alive."""
    with _throwing, contextlib.suppress(OSError):  # the other thread waits until it is gone
        gone = folder.rename(folder.with_name(f"{GONE}-{secrets.token_hex(8)}"))
        shutil.rmtree(gone, ignore_errors=True)
