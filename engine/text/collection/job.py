"""Job: an upload that is read and stored by a process of its own, so that who asked for it can go
on answering others.

    <root>/.read-<hex>/0.part, 1.part ...   the bytes of its files; for nobody else to read
                      /request.json         what is to be done
                      /status.json          how far it is
                      /text.txt             the text that was read; what is added is this
                      /read.json, add.json  what came of it; written last, so it means done

What      Job(files).ask("read", kind=...), then .ask("add", name=...); each is a niced process with
          a bound on its memory
Differs   The folder goes when the job is closed or forgotten, and its process with it; all that a
          process makes stands in that folder until it is whole, so one that is killed leaves
          nothing.  A process whose starter is gone throws its folder away and ends.

    python -m engine.text.collection.job FOLDER
"""

from __future__ import annotations

import contextlib
import os
import secrets
import shutil
import subprocess
import sys
import tempfile
import threading
import weakref
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import psutil
from msgspec import structs

from engine.jobs import detached, process, status
from engine.jobs.status import BROKEN, FINISHED, STARTING, STOPPED, Status
from engine.storage import record
from engine.storage.files import PART, disk_errors, needing
from engine.storage.run_folder import STATUS
from engine.text.collection import hub, reading
from engine.text.collection.language import Language
from engine.text.collection.store import Library, save
from engine.text.collection.unfinished import GONE, READ, WHERE, sweep
from engine.text.paged import Filed

REQUEST, TEXT = "request.json", "text.txt"
CHUNK = 1 << 20
MOST = 850_000_000  # bytes of memory of its own; with the programs that it uses less than 1 GB
SHARE, LEAST = 0.7, 400_000_000  # of the memory that is free, and at least so many bytes
MEMORY = "there is not enough memory for so large a text; cut it into parts"
_throwing = threading.Lock()
KILLED = (
    "its process was ended before it was done, perhaps because the memory or the disk of this"
    " computer is full; try again, or cut the text into parts"
)
ENDED = "it was stopped"


class Job:
    """Files, or none for a data set of the hub.  ValueError with one sentence where the disk
    refuses them."""

    def __init__(self, files: Sequence[tuple[str, bytes]] = (), root: Path | None = None) -> None:
        library = Library(root)
        self.folder = library.root / f"{READ}-{secrets.token_hex(8)}"
        self.names = [name for name, _ in files]
        self.columns: tuple[str, ...] = ()  # of its tables, for who asked to keep them
        self.asked: dict[str, dict[str, Any]] = {}
        self.doing = ""
        self._stopped = False
        self._child: list[subprocess.Popen[bytes]] = []
        # by hand, when nobody knows it any more, or at the end of this process
        self.close = weakref.finalize(self, _gone, self.folder, self._child)
        try:
            with disk_errors(WHERE):
                sweep(library.root)
                self.folder.mkdir(mode=0o700)
                for n, (_, raw) in enumerate(files):
                    _put(self.folder / f"{n}.part", raw)
        except ValueError:
            self.close()
            raise

    def ask(self, do: str, **how: Any) -> None:
        """Begin to "read" (kind, columns, look, hub, part) or to "add" (name, kind), unless just
        that was asked last.  ValueError: a full disk."""
        if self.asked.get(do) == how:
            return
        self.stop()
        self._stopped, self.doing = False, do
        self.asked = {**(self.asked if do == "add" else {}), do: how}
        most = min(MOST, max(LEAST, int(SHARE * psutil.virtual_memory().available)))
        with self._unless_refused(do), disk_errors(WHERE):
            for name in (STATUS, f"{do}.json"):
                (self.folder / name).unlink(missing_ok=True)
            record.save(
                self.folder / REQUEST,
                {"do": do, "names": self.names, "memory": most, "starter": os.getpid(), **how},
            )
            self._child.append(
                detached.start(
                    self.folder,
                    "engine.text.collection.job",
                    str(self.folder.resolve()),
                    first=Status(STARTING, message="starting"),
                    env={"OMP_NUM_THREADS": "1"},
                )
            )

    @contextlib.contextmanager
    def _unless_refused(self, do: str) -> Iterator[None]:
        """What did not even begin was not asked for."""
        try:
            yield
        except ValueError:
            self.forget(do)
            raise

    def forget(self, do: str) -> None:
        """What came to nothing can be asked for again."""
        self.asked.pop(do, None)

    def stop(self) -> None:
        """End what is under way; what was read before stays."""
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
        """What came of it, None while there is nothing: of "read" {"columns", "read"}, of "add"
        {"id", "title", "known"}."""
        return _json(self.folder / f"{do}.json")


def opened(found: dict[str, Any]) -> reading.Read:
    """What was read, out of a result; its text stays in its file."""
    language = Language(**found["language"]) if found["language"] else None
    return reading.Read(
        **{
            **found,
            "language": language,
            **{name: tuple(found[name]) for name in ("source", "notes", "problems", "first")},
        }
    )


def _put(path: Path, raw: bytes) -> None:
    view = memoryview(raw)
    with (
        needing(path, len(raw)),
        open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", buffering=0) as file,
    ):
        for at in range(0, len(view), CHUNK):
            file.write(view[at : at + CHUNK])


def _end(child: list[subprocess.Popen[bytes]]) -> None:
    while child:
        one = child.pop()
        one.kill()
        one.wait()


def _gone(folder: Path, child: list[subprocess.Popen[bytes]]) -> None:
    _end(child)
    shutil.rmtree(folder, ignore_errors=True)


def _json(path: Path) -> dict[str, Any] | None:
    try:
        return record.load(path)
    except (OSError, ValueError):
        return None


def run(folder: Path) -> None:
    """The work of the process."""
    asked = record.load(folder / REQUEST)
    process.limit_memory(asked["memory"])
    with detached.working(
        folder, MEMORY, starter=asked["starter"], cleanup=lambda: _thrown_away(folder)
    ) as tell:
        try:
            with disk_errors(WHERE):
                found = {"read": _read, "add": _add}[asked["do"]](folder, asked, tell)
                record.save(folder / f"{asked['do']}.json", found)
        except (ValueError, LookupError, MemoryError):
            left = [folder / TEXT] if asked["do"] == "read" else []
            for path in (*folder.glob(f".*{PART}"), *left):
                path.unlink(missing_ok=True)  # of a full disk: makes room for the sentence
            raise


def _read(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Of a table nothing but its columns, as long as none are chosen and `look` asks for them."""
    files = [(name, folder / f"{n}.part") for n, name in enumerate(asked["names"])]
    kind, columns, name, part = (
        asked["kind"],
        asked["columns"],
        asked.get("hub", ""),
        asked.get("part", "train"),
    )
    if asked["look"]:
        tell(0.0, "looking at its columns")
        sheet = hub.columns(name, part=part) if name else None
        names = (
            [n for n in sheet.names if n not in sheet.nested] if sheet else reading.tables(files)
        )
        if names:
            return {"columns": names, "read": None}
    found = (
        reading.fetched(name, kind, columns, part, tell)
        if name
        else reading.read(files, kind, columns, tell)
    )
    if found.pages is not None:
        save(found.pages, folder / TEXT)
    return {"columns": [], "read": {**asdict(replace(found, pages=None)), "pages": None}}


def _add(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    read = opened(record.load(folder / "read.json")["read"])
    library = Library(folder.parent, made_in=folder)
    there = {corpus.id for corpus in library.all()}
    stored = library.add(
        Filed(folder / TEXT),
        asked["name"],
        source=read.source,
        kind=asked["kind"],
        notes=read.notes,
        tell=tell,
    )
    return {"id": stored.id, "title": stored.title, "known": stored.id in there}


def _thrown_away(folder: Path) -> None:
    """Out of the way at once: what is still being written into it comes to nothing, where its name
    would keep the folder alive."""
    with _throwing, contextlib.suppress(OSError):  # the other thread waits until it is gone
        gone = folder.rename(folder.with_name(f"{GONE}-{secrets.token_hex(8)}"))
        shutil.rmtree(gone, ignore_errors=True)


if __name__ == "__main__":
    tempfile.tempdir = sys.argv[1]  # what does not fit into memory stands there too
    run(Path(sys.argv[1]))
