"""Maps on disk, and the process that makes the large ones: how far it is, stopped when asked.

    <root>/<key>/given.safetensors, settings.json   what is asked for
                /status.json, control   as in engine/jobs
                /map.safetensors  written last, so it means done; it holds what is said of the map
                                  too

The key is a digest of the points and the settings: what was made once is found again, by any
process.

    python -m engine.analysis.projection.job FOLDER
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import sys
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from msgspec.structs import replace

from engine.analysis.projection.base import Given, Settings
from engine.analysis.projection.work import Arrays, make
from engine.jobs import control, detached, status
from engine.jobs.status import BROKEN, FINISHED, STARTING, STOPPED, Status
from engine.storage import record
from engine.storage.arrays import read_arrays, write_arrays
from engine.storage.disk_cache import DiskCache
from engine.storage.files import ABANDONED, disk_errors, kept_whole, sweep

MOST_BYTES = 400_000_000
GIVEN, SETTINGS, DONE = "given.safetensors", "settings.json", "map.safetensors"
VERSION = 1


class Maps:
    """The maps under one folder."""

    def __init__(self, root: Path) -> None:
        self.root, self._cache = root, DiskCache(root, f"*/{DONE}", MOST_BYTES)

    def key(self, given: Given, settings: Settings) -> str:
        found = hashlib.sha256(json.dumps([VERSION, asdict(settings)]).encode())
        for name, values in sorted(given.items()):
            found.update(f"{name} {values.dtype} {values.shape}".encode())
            found.update(np.ascontiguousarray(values).data)
        return found.hexdigest()[:16]

    def find(self, key: str) -> tuple[Arrays, dict[str, Any]] | None:
        """(arrays, what is said of them), or None when it was not made yet."""
        try:
            path = self._cache.find(key)
            arrays = {} if path is None else read_arrays(path)
        except (OSError, ValueError):  # damaged, or gone by now: it is made again
            return None
        return (arrays, json.loads(bytes(arrays.pop("said")))) if arrays else None

    def made(self, given: Given, settings: Settings) -> tuple[Arrays, dict[str, Any]]:
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
        write_arrays(
            self.root / key / DONE,
            {**arrays, "said": np.frombuffer(json.dumps(said).encode(), np.uint8)},
        )
        self._cache.trim(key)

    def start(self, given: Given, settings: Settings) -> str:
        """Begin in a process of its own, unless it is there or on its way; returns the key.
        ValueError with one sentence: a full disk."""
        key = self.key(given, settings)
        folder = self.root / key
        if (folder / DONE).is_file() or self.state(key).alive:
            return key
        self._sweep()
        with disk_errors("the folder of the maps"), kept_whole(folder):
            write_arrays(folder / GIVEN, given)
            record.save(folder / SETTINGS, asdict(settings))
            with (folder / "errors.txt").open("wb") as errors:
                detached.start(
                    folder,
                    "engine.analysis.projection.job",
                    str(folder.resolve()),
                    first=Status(STARTING, message="Starting"),
                    errors=errors,
                )
        return key

    def state(self, key: str) -> Status:
        folder = self.root / key
        if (folder / DONE).is_file():
            return Status(FINISHED)
        found = status.read(folder, Status) or Status()
        if found.alive and control.asked(folder) == control.STOP:
            return replace(found, state=STOPPED)
        if found.state == BROKEN:
            said = "the process that made it ended before it was done; start it again"
            return replace(found, error=said)
        return found

    def stop(self, key: str) -> None:
        """ValueError with one sentence: a full disk."""
        if (self.root / key).is_dir():
            with disk_errors("the folder of the maps"):
                control.ask(self.root / key, control.STOP)

    def _sweep(self) -> None:
        """What was asked for long ago goes, unless a map came of it."""
        for path in self.root.glob(f"*/{GIVEN}"):
            sweep(path.parent.parent, path.parent.name, seconds=ABANDONED)


def run(folder: Path) -> None:
    """The work of the process."""

    def cleanup() -> None:
        (folder / GIVEN).unlink(missing_ok=True)

    memory = "there is not enough memory for so many points; choose fewer"
    with detached.working(folder, memory, cleanup=cleanup) as tell:
        settings = Settings(**record.load(folder / SETTINGS))
        arrays, said = make(read_arrays(folder / GIVEN), settings, tell)
        Maps(folder.parent).keep(folder.name, arrays, said)
    cleanup()


if __name__ == "__main__":
    run(Path(sys.argv[1]))
