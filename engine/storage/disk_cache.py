"""Disk cache: what was worked out once, a file a key; the least recently used go first.

What      read marks a file as used, write makes room; whatever is lost is worked out again
Differs   Any number of processes share one folder, without a lock: files are written whole, and one
          that another process has thrown away meanwhile is a miss.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from pathlib import Path

from engine.storage.files import write_bytes


class DiskCache:
    """Files named `pattern` with the key in place of "*", such as "*.json" or "*/map.safetensors",
    then with a folder a key."""

    def __init__(self, root: Path, pattern: str, most_bytes: int) -> None:
        self.root, self._pattern, self._most = root, pattern, most_bytes

    def path(self, key: str) -> Path:
        return self.root / self._pattern.replace("*", key)

    def find(self, key: str) -> Path | None:
        """Its file, marked as used just now; None where there is none."""
        path = self.path(key)
        if not path.is_file():
            return None
        with contextlib.suppress(OSError):
            os.utime(path)
        return path

    def read(self, key: str) -> bytes | None:
        try:
            return None if (path := self.find(key)) is None else path.read_bytes()
        except OSError:
            return None

    def write(self, key: str, *parts: bytes | memoryview) -> None:
        """OSError where the disk refuses."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, *parts)
        self.trim(key)

    def trim(self, newest: str = "") -> None:
        """Throw away what is too much; never what has just been written."""
        found = []
        for path in self.root.glob(self._pattern):
            with contextlib.suppress(OSError):  # gone by now
                about = path.stat()
                found.append((path == self.path(newest), about.st_mtime, about.st_size, path))
        total = sum(size for *_, size, _ in found)
        for new, _, size, path in sorted(found):
            if new or total <= self._most:
                break
            total -= size
            if "/" in self._pattern:
                shutil.rmtree(path.parent, ignore_errors=True)
            else:
                path.unlink(missing_ok=True)
