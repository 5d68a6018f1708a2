"""Maps on disk, and the process that makes the large ones: niced, telling how far it is, stopped when asked.

    <root>/<key>/given.safetensors, settings.json   what is asked for
                /told.json    {share, what, problem}; touched every second while the work goes on
                /stop         asks it to end
                /map.safetensors  written last, so it means done; it holds what is said of the map too

The key is a digest of the points and the settings: what was made once is found again, by any process.
The oldest maps go when all together take more than MOST_BYTES.

    python -m engine.project.job FOLDER
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from engine import child
from engine.arrays import read_arrays, write_arrays, write_bytes
from engine.child import State
from engine.project.work import Arrays, Settings, make

MOST_BYTES = 400_000_000
SILENT = 45.0  # seconds without a sign after which a process counts as dead: the library can be away for some
ABANDONED = 86_400.0  # seconds after which what was asked for is thrown away, unless a map came of it
BEAT = 1.0
GIVEN, SETTINGS, TOLD, STOP, DONE = "given.safetensors", "settings.json", "told.json", "stop", "map.safetensors"
VERSION = 1


class Shelf:
    """The maps under one folder."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._children: dict[str, subprocess.Popen[bytes]] = {}

    def key(self, given: Mapping[str, np.ndarray], settings: Settings) -> str:
        found = hashlib.sha256(json.dumps([VERSION, asdict(settings)]).encode())
        for name, values in sorted(given.items()):
            found.update(f"{name} {values.dtype} {values.shape}".encode())
            found.update(np.ascontiguousarray(values).data)
        return found.hexdigest()[:16]

    def find(self, key: str) -> tuple[Arrays, dict[str, Any]] | None:
        """(arrays, what is said of them), or None when it was not made yet."""
        path = self.root / key / DONE
        try:
            arrays = read_arrays(path)
        except (OSError, ValueError):  # not there, or damaged: it is made again
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # used just now
        return arrays, json.loads(bytes(arrays.pop("said")))

    def made(self, given: Mapping[str, np.ndarray], settings: Settings) -> tuple[Arrays, dict[str, Any]]:
        """Found, or made here and now and kept."""
        key = self.key(given, settings)
        if (found := self.find(key)) is not None:
            return found
        arrays, said = make(given, settings, lambda share, what: None)
        with contextlib.suppress(OSError):  # a full disk costs only the next one its time
            self.keep(key, arrays, said)
        return arrays, said

    def keep(self, key: str, arrays: Arrays, said: Mapping[str, Any]) -> None:
        (self.root / key).mkdir(parents=True, exist_ok=True)
        write_arrays(self.root / key / DONE, {**arrays, "said": np.frombuffer(json.dumps(said).encode(), np.uint8)})
        self._trim(key)

    def start(self, given: Mapping[str, np.ndarray], settings: Settings) -> str:
        """Begin in a process of its own, unless it is there or on its way; returns the key."""
        key = self.key(given, settings)
        folder = self.root / key
        if (folder / DONE).is_file() or self.state(key).running:
            return key
        folder.mkdir(parents=True, exist_ok=True)
        (folder / STOP).unlink(missing_ok=True)
        write_arrays(folder / GIVEN, given)
        write_bytes(folder / SETTINGS, json.dumps(asdict(settings)).encode())
        _tell(folder, {"share": 0.0, "what": "Starting"})
        with (folder / "errors.txt").open("wb") as errors:
            self._children[key] = child.start("engine.project.job", str(folder.resolve()), errors=errors)
        return key

    def state(self, key: str) -> State:
        folder = self.root / key
        try:
            told = json.loads((folder / TOLD).read_text(encoding="utf-8"))
            quiet = time.time() - (folder / TOLD).stat().st_mtime
        except (OSError, ValueError):
            return State()
        maker = self._children.get(key)
        gone = (maker is not None and maker.poll() is not None) or quiet > SILENT
        problem = told.get("problem", "")
        if gone and not problem and not (folder / DONE).is_file() and not (folder / STOP).is_file():
            problem = "the process that made it ended before it was done; start it again"
        return State(not gone and not problem and not (folder / DONE).is_file() and not (folder / STOP).is_file(), told.get("share", 0.0), told.get("what", ""), problem)

    def stop(self, key: str) -> None:
        if (self.root / key).is_dir():
            (self.root / key / STOP).touch()

    def _trim(self, newest: str) -> None:
        for path in self.root.glob(f"*/{GIVEN}"):  # of a process that was killed
            with contextlib.suppress(OSError):  # gone by now
                if time.time() - path.stat().st_mtime > ABANDONED:
                    shutil.rmtree(path.parent, ignore_errors=True)
        kept = sorted((p for p in self.root.glob(f"*/{DONE}")), key=lambda p: (p.parent.name == newest, p.stat().st_mtime))
        total = sum(p.stat().st_size for p in kept)
        for path in kept[:-1]:
            if total <= MOST_BYTES:
                break
            total -= path.stat().st_size
            shutil.rmtree(path.parent, ignore_errors=True)


def _tell(folder: Path, told: Mapping[str, Any]) -> None:
    write_bytes(folder / TOLD, json.dumps(told).encode())


def run(folder: Path) -> None:
    """The work of the process."""
    child.niced()
    told: dict[str, Any] = {"share": 0.0, "what": "Starting"}
    ended = threading.Event()

    def beat() -> None:
        while not ended.wait(BEAT):
            if (folder / STOP).exists():
                (folder / GIVEN).unlink(missing_ok=True)
                os._exit(0)  # whatever it is doing: nothing of it is kept
            with contextlib.suppress(OSError):
                _tell(folder, told)

    def tell(share: float, what: str) -> None:
        told.update(share=round(share, 3), what=what)

    heart = threading.Thread(target=beat, daemon=True)
    heart.start()
    try:
        settings = Settings(**json.loads((folder / SETTINGS).read_text(encoding="utf-8")))
        arrays, said = make(read_arrays(folder / GIVEN), settings, tell)
        Shelf(folder.parent).keep(folder.name, arrays, said)
    except (ValueError, MemoryError) as error:
        told["problem"] = str(error) or "there is not enough memory for so many points; choose fewer"
    finally:
        ended.set()
        heart.join()
        _tell(folder, told)
        (folder / GIVEN).unlink(missing_ok=True)


if __name__ == "__main__":
    run(Path(sys.argv[1]))
