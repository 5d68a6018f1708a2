"""Job: an upload that is read and stored by a process of its own, so that who asked for it can go on answering others.

    <root>/.read-<hex>/0.part, 1.part ...   the bytes of its files; for nobody else to read
                      /asked.json           what is to be done
                      /told.json            {share, what, problem}
                      /text.txt             the text that was read; what is added is this
                      /read.json, add.json  what came of it; written last, so it means done

What      Job(files).ask("read", kind=...), then .ask("add", name=...); each is a niced process with a bound on its memory
Differs   The folder goes when the job is closed or forgotten, and its process with it; all that a process makes stands in that folder
          until it is whole, so one that is killed leaves nothing.  A process whose starter is gone throws its folder away and ends.

    python -m engine.library.job FOLDER
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import shutil
import subprocess
import sys
import threading
import time
import weakref
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import psutil

from engine.arrays import write_bytes
from engine.child import State, niced, start
from engine.library import hub, reading
from engine.library.language import Language
from engine.library.store import Library
from engine.library.unfinished import GONE, READ, room, sweep
from engine.training import limits

ASKED, TOLD, TEXT = "asked.json", "told.json", "text.txt"
CHUNK = 1 << 20
SHARE, LEAST = 0.7, 1_000_000_000  # of the memory that is free, and at least so many bytes
EVERY = 0.2  # seconds between two words of how far it is
MEMORY = "there is not enough memory for so large a text; cut it into parts"
_throwing = threading.Lock()
KILLED = "its process was ended before it was done, perhaps because the memory or the disk of this computer is full; try again, or cut the text into parts"
STOPPED = "it was stopped"


class Job:
    """Files, or none for a data set of the hub.  ValueError with one sentence where the disk refuses them."""

    def __init__(self, files: Sequence[tuple[str, bytes]] = (), root: Path | None = None) -> None:
        library = Library(root)
        self.folder = library.root / f"{READ}-{secrets.token_hex(8)}"
        self.names = [name for name, _ in files]
        self.columns: tuple[str, ...] = ()  # of its tables, for who asked to keep them
        self.asked: dict[str, dict[str, Any]] = {}
        self.doing = ""
        self._stopped = False
        self._child: list[subprocess.Popen[bytes]] = []
        self.close = weakref.finalize(self, _gone, self.folder, self._child)  # by hand, when nobody knows it any more, or at the end of this process
        try:
            with room():
                sweep(library.root)
                self.folder.mkdir(mode=0o700)
                for n, (_, raw) in enumerate(files):
                    _put(self.folder / f"{n}.part", raw)
        except ValueError:
            self.close()
            raise

    def ask(self, do: str, **how: Any) -> None:
        """Begin to "read" (kind, columns, look, hub, part) or to "add" (name, kind), unless just that was asked last.  ValueError: a full disk."""
        if self.asked.get(do) == how:
            return
        self.stop()
        self._stopped, self.doing = False, do
        self.asked = {**(self.asked if do == "add" else {}), do: how}
        most = max(LEAST, int(SHARE * psutil.virtual_memory().available))
        with room():
            for name in (TOLD, f"{do}.json"):
                (self.folder / name).unlink(missing_ok=True)
            write_bytes(self.folder / ASKED, json.dumps({"do": do, "names": self.names, "memory": most, "starter": os.getpid(), **how}).encode())
            self._child.append(start("engine.library.job", str(self.folder.resolve()), env={"OMP_NUM_THREADS": "1"}))

    def forget(self, do: str) -> None:
        """What came to nothing can be asked for again."""
        self.asked.pop(do, None)

    def stop(self) -> None:
        """End what is under way; what was read before stays."""
        self._stopped = bool(self._child) and self._child[-1].poll() is None
        _end(self._child)

    @property
    def state(self) -> State:
        if not self._child and not self._stopped:
            return State()
        told = _json(self.folder / TOLD) or {"share": 0.0, "what": "starting", "problem": ""}
        ended = not self._child or self._child[-1].poll() is not None
        if self.result(self.doing) is not None:
            return State(share=1.0)
        problem = told["problem"] or (STOPPED if self._stopped else KILLED if ended else "")
        return State(not ended and not problem, told["share"], told["what"], problem)

    def result(self, do: str) -> Any:
        """What came of it, None while there is nothing: of "read" {"columns", "read"}, of "add" {"id", "title", "known"}."""
        return _json(self.folder / f"{do}.json")


def opened(found: dict[str, Any]) -> reading.Read:
    """What was read, out of a result; its text stays in its file."""
    language = Language(**found["language"]) if found["language"] else None
    return reading.Read(**{**found, "language": language, **{name: tuple(found[name]) for name in ("source", "notes", "problems", "first")}})


def _put(path: Path, raw: bytes) -> None:
    view = memoryview(raw)
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb", buffering=0) as file:
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


def _json(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None


def run(folder: Path) -> None:
    """The work of the process."""
    asked = json.loads((folder / ASKED).read_text(encoding="utf-8"))
    niced()
    limits.memory(asked["memory"])
    threading.Thread(target=_watch, args=(folder, asked["starter"]), daemon=True).start()
    last = 0.0

    def tell(share: float, what: str, problem: str = "") -> None:
        nonlocal last
        if problem or time.monotonic() - last > EVERY:
            last = time.monotonic()
            with contextlib.suppress(OSError):
                write_bytes(folder / TOLD, json.dumps({"share": min(share, 1.0), "what": what, "problem": problem}).encode())

    problem = ""
    try:
        with room():
            found = {"read": _read, "add": _add}[asked["do"]](folder, asked, tell)
            write_bytes(folder / f"{asked['do']}.json", json.dumps(found).encode())
    except (ValueError, LookupError) as error:
        problem = str(error)
    except MemoryError:
        problem = MEMORY
    if problem:
        for path in (*folder.glob(".*.part"), *([folder / TEXT] if asked["do"] == "read" else [])):  # of a full disk: makes room for the sentence
            path.unlink(missing_ok=True)
        tell(1.0, "", problem)
    if os.getppid() != asked["starter"]:
        _thrown_away(folder)


def _read(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    """Of a table nothing but its columns, as long as none are chosen and `look` asks for them."""
    files = [(name, folder / f"{n}.part") for n, name in enumerate(asked["names"])]
    kind, columns, name, part = asked["kind"], asked["columns"], asked.get("hub", ""), asked.get("part", "train")
    if asked["look"]:
        tell(0.0, "looking at its columns")
        sheet = hub.columns(name, part=part) if name else None
        names = [n for n in sheet.names if n not in sheet.nested] if sheet else reading.tables(files)
        if names:
            return {"columns": names, "read": None}
    found = reading.fetched(name, kind, columns, part, tell) if name else reading.read(files, kind, columns, tell)
    write_bytes(folder / TEXT, found.text.encode("utf-8", "replace"))
    return {"columns": [], "read": {**asdict(found), "text": ""}}


def _add(folder: Path, asked: dict[str, Any], tell: Any) -> dict[str, Any]:
    read = opened(_json(folder / "read.json")["read"])
    library = Library(folder.parent, made_in=folder)
    there = {corpus.id for corpus in library.all()}
    text = (folder / TEXT).read_bytes().decode()
    stored = library.add(text, asked["name"], source=read.source, kind=asked["kind"], notes=read.notes, tell=tell)
    return {"id": stored.id, "title": stored.title, "known": stored.id in there}


def _watch(folder: Path, starter: int) -> None:
    while os.getppid() == starter:
        time.sleep(1)
    _thrown_away(folder)
    os._exit(1)


def _thrown_away(folder: Path) -> None:
    """Out of the way at once: what is still being written into it comes to nothing, where its name would keep the folder alive."""
    with _throwing, contextlib.suppress(OSError):  # the other thread waits until it is gone
        gone = folder.rename(folder.with_name(f"{GONE}-{secrets.token_hex(8)}"))
        shutil.rmtree(gone, ignore_errors=True)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
