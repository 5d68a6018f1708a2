"""Results on disk: those that come with the program, and those trained here.

assets/contest.json                  shipped: {"results": [...]}, made by `python -m engine contest
                                     --out assets/contest.json`
<user data>/contest/<key>.json       trained here; the key is the digest of the entry
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from functools import lru_cache
from pathlib import Path

from engine import ROOT
from engine.analysis.contest.entry import Entry, Result
from engine.storage import record
from engine.storage.disk_cache import DiskCache
from engine.storage.files import write_bytes
from engine.storage.home import base

MOST_BYTES = 20_000_000  # of results trained here: ten thousand
SHIPPED = ROOT / "assets" / "contest.json"


def find(entry: Entry) -> Result | None:
    """The result of an entry, if it was ever trained.  A file that is damaged counts as none."""
    return shipped().get(entry) or _read(_trained().read(entry.key))


def _trained() -> DiskCache:
    return DiskCache(base() / "contest", "*.json", MOST_BYTES)


def place(entry: Entry) -> Path:
    return _trained().path(entry.key)


def keep_result(result: Result) -> None:
    """Whole or not at all."""
    _trained().write(result.entry.key, json.dumps(result.as_json()).encode())


def shipped() -> Mapping[Entry, Result]:
    return shipped_in(SHIPPED)


def shipped_in(path: Path) -> Mapping[Entry, Result]:
    """The results in a file; none when it is missing or damaged."""
    return _shipped(path, path.stat().st_mtime_ns if path.is_file() else 0)


@lru_cache(maxsize=2)
def _shipped(path: Path, _changed: int) -> dict[Entry, Result]:
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))["results"]
        return {result.entry: result for result in map(Result.from_json, rows)}
    except (OSError, ValueError, KeyError, TypeError):
        return {}


def write(path: Path, results: Iterable[Result]) -> None:
    """A file of results, one a line, in the order of their keys' cells and tasks."""
    rows = sorted(results, key=lambda r: (r.entry.task, r.entry.noise, r.entry.cell, r.entry.key))
    lines = ",\n".join(json.dumps(row.as_json()) for row in rows)
    write_bytes(
        path,
        '{"made_by": "python -m engine contest --out assets/contest.json",\n"results":'
        f" [\n{lines}\n]}}\n".encode(),
    )


def _read(raw: bytes | None) -> Result | None:
    try:
        return None if raw is None else Result.from_json(record.parse(raw))
    except (ValueError, KeyError, TypeError):
        return None
